import CByteMarks

// Texts by their bytes, as servers hold them: Swift takes canonically equivalent texts for equal,
// whose bytes differ in their normal form.
extension String {
  /// The text that these bytes are, nil where they are not UTF-8.
  package init?(utf8 bytes: RawSpan) {
    self.init(decoding: bytes)
    // What is not UTF-8 was repaired. This costs a fraction of `init(validating:as:)`.
    guard bytes.isASCII || hasBytes(bytes) else { return nil }
  }

  /// The text that these bytes are, with U+FFFD for what is not UTF-8.
  @inlinable package init(decoding bytes: RawSpan) {
    self = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Hands the text's bytes to `body`; they are valid while it runs.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body($0.span.bytes) }) {
      return result
    }
    var text = self
    return text.withUTF8 { body($0.span.bytes) }
  }

  /// Whether these are the bytes of the text.
  @inlinable package func hasBytes(_ bytes: RawSpan) -> Bool {
    // Most differ in their length, which is known without a look at the bytes.
    utf8.count == bytes.byteCount && withUTF8Bytes { $0.isSame(as: bytes) }
  }

  /// Whether another text has the same bytes.
  @inlinable package func hasSameBytes(as other: String) -> Bool {
    withUTF8Bytes { other.hasBytes($0) }
  }

  /// Whether the text comes before another in the order of their bytes.
  @inlinable package func precedesByBytes(_ other: String) -> Bool {
    withUTF8Bytes { mine in other.withUTF8Bytes { mine.precedes($0) } }
  }
}

extension String? {
  /// The text that these bytes are, nil where there are none.
  @inlinable package init(decoding bytes: RawSpan?) {
    guard let bytes else {
      self = nil
      return
    }
    self = String(decoding: bytes)
  }

  /// Whether both are nil, or these are the bytes of the text.
  @inlinable package func hasBytes(_ bytes: RawSpan?) -> Bool {
    guard let self else { return bytes == nil }
    guard let bytes else { return false }
    return self.hasBytes(bytes)
  }

  /// Whether both are nil or have the same bytes.
  @inlinable package func hasSameBytes(as other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let mine?, let others?): mine.hasSameBytes(as: others)
    case (nil, _?), (_?, nil): false
    }
  }
}

extension StaticString {
  /// The bytes of a literal of several characters, which are there for good.
  @inlinable package var utf8Bytes: RawSpan {
    @_lifetime(immortal) get {
      let bytes = RawSpan(_unsafeStart: utf8Start, byteCount: utf8CodeUnitCount)
      // The program's own constants stay where they are.
      return _overrideLifetime(bytes, copying: ())
    }
  }
}

extension Hasher {
  /// Feeds in bytes.
  package mutating func combine(bytes: RawSpan) {
    bytes.withUnsafeBytes { combine(bytes: $0) }
  }

  /// Feeds the bytes of a text, so that texts of the same bytes hash alike.
  package mutating func combine(bytesOf text: String?) {
    guard let text else { return combine(0 as UInt8) }
    text.withUTF8Bytes { combine(bytes: $0) }
    combine(0xFF as UInt8)
  }
}

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
