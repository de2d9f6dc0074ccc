import RawBytes
import XMPPStanza

extension ArraySlice<UInt8> {
  /// The index of the first `byte`, found by the C library's fast search.
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

  /// Whether the bytes end with `text`.
  func ends(with text: [UInt8]) -> Bool {
    suffix(text.count).elementsEqual(text)
  }

  /// The bytes without white space at their start.
  var withoutLeadingSpace: ArraySlice<UInt8> { drop(while: \.isXMLSpace) }
}
