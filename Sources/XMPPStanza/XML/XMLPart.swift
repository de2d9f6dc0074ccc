public import RawBytes

/// A part of an element in an `XMLTree`: an element, an attribute or a text.
///
/// Code that creates many parts sets the fields one by one, because an initializer would cost a
/// call across modules.
package struct XMLPart: BitwiseCopyable, Sendable {
  package enum Kind: BitwiseCopyable, Sendable {
    case element, attribute, text
  }

  /// The local name; empty for a text.
  package var name = XMLPackedName()
  /// The number of the namespace: 0 for none, 1 for `jabber:client`, and from 2 on the namespaces
  /// that the tree lists.
  package var namespace: UInt32 = 0
  /// The number of the part after this one and its content.
  package var next: UInt32 = 0
  /// For an element, the number of its first part that is not an attribute; for other parts, the
  /// offset of their bytes.
  package var start: UInt32 = 0
  /// The length of the value in bytes; 0 for an element.
  package var count: UInt32 = 0
  package var kind = Kind.element
  /// Whether the value contains references to the five predefined entities of XML.
  package var isEscaped = false

  /// An empty part.
  package init() {}

  /// The range of the value of an attribute or a text.
  var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// The range of a namespace in the bytes of an element.
package struct XMLRange: BitwiseCopyable, Sendable {
  package var start: UInt32 = 0
  package var count: UInt32 = 0

  /// An empty range.
  package init() {}

  var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// A local name as two words, which distinguish most names without reading their text.
///
/// A name of at most fifteen bytes is stored completely: eight bytes in `low`, the first one
/// lowest, and the others in `high`, with the length in the top byte. For a longer name, `low`
/// stores its range.
@usableFromInline
package struct XMLPackedName: BitwiseCopyable, Equatable, ExpressibleByStringLiteral, Sendable {
  @usableFromInline package var low: UInt64 = 0
  @usableFromInline package var high: UInt64 = 0

  /// The maximum length in bytes of a name that the words store.
  @inlinable static var maximumBytes: Int { 15 }

  /// The value that represents all longer names.
  @inlinable static var long: XMLPackedName { XMLPackedName(at: 0..<0) }

  /// An empty name.
  @inlinable package init() {}

  /// A literal of at most fifteen bytes, which the optimizer packs at compile time.
  @inlinable @inline(__always)
  package init(stringLiteral text: StaticString) {
    // Longer literals would all be equal.
    assert(text.utf8CodeUnitCount <= Self.maximumBytes)
    self.init(text.utf8Bytes)
  }

  /// Packs a name of at most fifteen bytes; a longer name becomes `long`.
  @inlinable @inline(__always)
  init(_ bytes: RawSpan) {
    guard bytes.byteCount <= Self.maximumBytes else {
      self = .long
      return
    }
    let count = bytes.byteCount
    high = UInt64(count) << 56
    if count >= 8 {
      low = bytes.littleEndian(at: 0)
      // The last eight bytes without those in `low`, of which there is at least one. Two shifts, so
      // that the second one is by less than 64.
      let last: UInt64 = bytes.littleEndian(at: count - 8)
      high |= (last >> 8) &>> UInt64(truncatingIfNeeded: 8 &* (15 &- count))
    } else if count >= 4 {
      // The last four bytes, some of which are among the first four.
      low = UInt64(bytes.littleEndian(at: 0, as: UInt32.self))
      let last = bytes.littleEndian(at: count - 4, as: UInt32.self)
      low |= UInt64(last) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
    } else {
      for index in 0..<count { low |= UInt64(bytes[index]) << UInt64(8 * index) }
    }
  }

  /// A longer name, stored as its range.
  @inlinable init(at range: Range<Int>) {
    low = UInt64(range.lowerBound) << 32 | UInt64(range.count)
    high = .max
  }

  var isLong: Bool { high == .max }

  /// The range of a longer name.
  var range: Range<Int> { Int(low >> 32)..<(Int(low >> 32) + Int(low & 0xFFFF_FFFF)) }

  /// Calls `body` with the bytes of a short name.
  func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    let count = Int(high >> 56)
    return withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { words in
      // The tuple is two words without padding; `body` keeps none of their bytes.
      body(words.bytes[0..<count])
    }
  }
}

/// A local name to search for, always a literal: the optimizer packs it at compile time.
@usableFromInline
package struct WantedName: ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
  @usableFromInline let packed: XMLPackedName
  @usableFromInline let text: StaticString

  /// The name itself.
  @usableFromInline package var description: String { text.description }

  @inlinable @inline(__always)
  package init(stringLiteral text: StaticString) {
    self.text = text
    packed = XMLPackedName(text.utf8Bytes)
  }
}
