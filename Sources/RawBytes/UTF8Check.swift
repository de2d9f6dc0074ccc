import CByteMarks

extension RawSpan {
  /// Whether the bytes are UTF-8 (RFC 3629 §4), which `String` can say too, but not without making
  /// one.
  package var isUTF8: Bool { isUTF8 { _ in true } }

  /// Whether the bytes are UTF-8 without U+FFFE and U+FFFF, which are no characters of XML (XML 1.0
  /// §2.2). The control characters that XML does not allow are not looked for.
  package var isXMLText: Bool {
    isUTF8 { self[$0] != 0xEF || self[$0 + 1] != 0xBF || self[$0 + 2] < 0xBE }
  }

  /// - Parameter isAllowed: Asked for the index of each whole character beyond ASCII.
  private func isUTF8(_ isAllowed: (Int) -> Bool) -> Bool {
    var index = 0
    while index < byteCount {
      if self[unchecked: index] < 0x80 {
        index = endOfASCII(from: index)
        continue
      }
      guard let length = sequenceLength(at: index), isAllowed(index) else { return false }
      index += length
    }
    return true
  }

  /// The index after the run of ASCII that goes on at `start`.
  private func endOfASCII(from start: Int) -> Int {
    var index = start
    while index + 16 <= byteCount {
      let marks = marks(uncheckedAt: index) { rollcall_marks_beyond_ascii($0) }
      guard marks == 0 else { return index + marks.trailingZeroBitCount }
      index += 16
    }
    while index < byteCount, self[unchecked: index] < 0x80 { index += 1 }
    return index
  }

  /// The length of the sequence of two to four bytes at an index; nil where it is malformed.
  private func sequenceLength(at index: Int) -> Int? {
    // The first byte is there, and the others are looked at where they are.
    // The second byte's range shuts out overlong forms, surrogates and what is above U+10FFFF.
    let length: Int
    let second: ClosedRange<UInt8>
    switch self[unchecked: index] {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard index + length <= byteCount, second.contains(self[unchecked: index + 1]) else {
      return nil
    }
    if length > 2, self[unchecked: index + 2] & 0xC0 != 0x80 { return nil }
    if length > 3, self[unchecked: index + 3] & 0xC0 != 0x80 { return nil }
    return length
  }
}
