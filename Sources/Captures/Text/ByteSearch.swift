import RawBytes
import XMPPStanza

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RawSpan {
  /// The offset of the first `byte` at `start` or after it; nil if there is none.
  ///
  /// Uses the C library's fast search.
  func offset(of byte: UInt8, from start: Int = 0) -> Int? {
    let rest = extracting(droppingFirst: start)
    let found = rest.withUnsafeBytes { rest -> Int? in
      // `memchr` reads only these bytes.
      guard let base = rest.baseAddress, let found = memchr(base, Int32(byte), rest.count) else {
        return nil
      }
      return UnsafeRawPointer(found) - base
    }
    return found.map { start + $0 }
  }
}

extension ArraySlice<UInt8> {
  /// The index of the first `byte`, found with the C library's fast search.
  func position(of byte: UInt8) -> Int? {
    span.bytes.offset(of: byte).map { startIndex + $0 }
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

  /// The index of the last occurrence of `text`, which is not empty.
  func lastPosition(of text: [UInt8]) -> Int? {
    var last: Int?
    var rest = self
    while let start = rest.position(of: text) {
      last = start
      rest = rest[start...].dropFirst()
    }
    return last
  }

  /// Whether the bytes end with `text`.
  func ends(with text: [UInt8]) -> Bool {
    suffix(text.count).elementsEqual(text)
  }

  /// The bytes without white space at their start.
  var withoutLeadingSpace: ArraySlice<UInt8> { drop(while: \.isXMLSpace) }
}
