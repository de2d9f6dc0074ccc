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
