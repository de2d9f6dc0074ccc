import XMPPStanza

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension [UInt8] {
  /// The index of the first `byte` from an index on, found by the C library's fast search.
  func position(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      // `start` is at most `count`, to where the search goes.
      guard let base = bytes.baseAddress,
        let found = memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}

extension ArraySlice<UInt8> {
  /// The index of the first `byte`, found by the C library's fast search.
  func position(of byte: UInt8) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = memchr(base, Int32(byte), bytes.count)
      else { return nil }
      return startIndex + (UnsafeRawPointer(found) - base)
    }
  }

  /// The index of the first occurrence of `text`, which is not empty.
  func position(of text: [UInt8]) -> Int? {
    guard let first = text.first else { return nil }
    var rest = self
    while let start = rest.position(of: first) {
      rest = rest[start...]
      if rest.starts(with: text) { return start }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Whether the bytes end with `text`.
  func ends(with text: [UInt8]) -> Bool {
    suffix(text.count).elementsEqual(text)
  }

  /// The bytes without white space at their start.
  var withoutLeadingSpace: ArraySlice<UInt8> { drop(while: \.isXMLSpace) }
}
