import CShims

// Compares texts by their bytes, as servers do. Swift considers canonically equivalent texts equal
// even if their bytes differ.
extension String {
  /// Decodes UTF-8; nil if the bytes are not valid UTF-8.
  package init?(utf8 bytes: RawSpan) {
    self.init(decoding: bytes)
    // Decoding repairs invalid UTF-8. This comparison costs a fraction of `init(validating:as:)`.
    guard bytes.isASCII || hasBytes(bytes) else { return nil }
  }

  /// Decodes UTF-8 and replaces invalid sequences by U+FFFD.
  @inlinable package init(decoding bytes: RawSpan) {
    self = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls `body` with the text's bytes, which are valid during the call.
  @inlinable @inline(__always)
  package func withUTF8Bytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable({ body($0.span.bytes) }) {
      return result
    }
    var text = self
    return text.withUTF8 { body($0.span.bytes) }
  }

  /// Whether the text consists of these bytes.
  @inlinable package func hasBytes(_ bytes: RawSpan) -> Bool {
    // Most texts differ in length, which is known without reading the bytes.
    utf8.count == bytes.byteCount && withUTF8Bytes { $0.isSame(as: bytes) }
  }

  /// Whether another text has the same bytes.
  @inlinable package func hasSameBytes(as other: String) -> Bool {
    withUTF8Bytes { other.hasBytes($0) }
  }

  /// Whether the text comes before another in byte order.
  @inlinable package func precedesByBytes(_ other: String) -> Bool {
    withUTF8Bytes { mine in other.withUTF8Bytes { mine.precedes($0) } }
  }
}

extension String? {
  /// Decodes UTF-8, replacing invalid sequences; nil if there are no bytes.
  @inlinable package init(decoding bytes: RawSpan?) {
    guard let bytes else {
      self = nil
      return
    }
    self = String(decoding: bytes)
  }

  /// Whether both are nil, or the text consists of these bytes.
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
  /// The bytes of a literal of several characters, which are never freed.
  @inlinable package var utf8Bytes: RawSpan {
    @_lifetime(immortal) get {
      let bytes = RawSpan(_unsafeStart: utf8Start, byteCount: utf8CodeUnitCount)
      // A literal is part of the program and never moves.
      return _overrideLifetime(bytes, copying: ())
    }
  }
}

extension Hasher {
  /// Feeds bytes into the hasher.
  package mutating func combine(bytes: RawSpan) {
    bytes.withUnsafeBytes { combine(bytes: $0) }
  }

  /// Feeds the bytes of a text into the hasher, so that texts with equal bytes have equal hashes.
  package mutating func combine(bytesOf text: String?) {
    guard let text else { return combine(0 as UInt8) }
    text.withUTF8Bytes { combine(bytes: $0) }
    combine(0xFF as UInt8)
  }
}

extension RawSpan {
  /// Whether the bytes are UTF-8 (RFC 3629 §4), checked without creating a `String`.
  package var isUTF8: Bool { isUTF8 { _ in true } }

  /// Whether the bytes are UTF-8 without U+FFFE and U+FFFF, which are not XML characters (XML 1.0
  /// §2.2). Does not check for the control characters that XML forbids.
  package var isXMLText: Bool {
    isUTF8 { self[$0] != 0xEF || self[$0 + 1] != 0xBF || self[$0 + 2] < 0xBE }
  }

  /// - Parameter isAllowed: Called with the index of each complete character beyond ASCII.
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

  /// The index after the run of ASCII that contains `start`.
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

  /// The length of the sequence of two to four bytes at an index; nil if it is malformed.
  private func sequenceLength(at index: Int) -> Int? {
    // The first byte exists, and the length is checked before the others are read. The range of the
    // second byte excludes overlong forms, surrogates and values above U+10FFFF.
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
