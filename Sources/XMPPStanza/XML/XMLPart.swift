public import RawBytes

/// One part of an element as an `XMLTree` keeps it: an element, an attribute or a text.
///
/// The fields are set one by one where many are made: what another module does with a function of
/// this one costs a call.
package struct XMLPart: BitwiseCopyable, Sendable {
  package enum Kind: BitwiseCopyable, Sendable {
    case element, attribute, text
  }

  /// The local name; of a text an empty one.
  package var name = XMLPackedName()
  /// The number of the namespace: 0 for none, 1 for `jabber:client`, and from 2 on those that the
  /// tree lists.
  package var namespace: UInt32 = 0
  /// The number of the part after it and everything in it.
  package var next: UInt32 = 0
  /// Of an element the number of its first part that is no attribute; of the others where their
  /// bytes begin.
  package var start: UInt32 = 0
  /// How many bytes the value has; of an element 0.
  package var count: UInt32 = 0
  package var kind = Kind.element
  /// Whether the value has references in it, to the five characters that XML has names for.
  package var isEscaped = false

  /// A part of nothing.
  package init() {}

  /// Where the value of an attribute or a text is.
  var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// Where a namespace is in the bytes of an element.
package struct XMLRange: BitwiseCopyable, Sendable {
  package var start: UInt32 = 0
  package var count: UInt32 = 0

  /// No bytes.
  package init() {}

  var range: Range<Int> { Int(start)..<(Int(start) + Int(count)) }
}

/// A local name as two words, by which most names are told apart without a look at their text.
///
/// A name of at most fifteen bytes is all there: eight bytes in `low`, the first of them lowest,
/// the others in `high`, above which stands their number. Of a longer one `low` is where it is.
@usableFromInline
package struct XMLPackedName: BitwiseCopyable, Equatable, ExpressibleByStringLiteral, Sendable {
  @usableFromInline package var low: UInt64 = 0
  @usableFromInline package var high: UInt64 = 0

  /// The most bytes that are kept in the words themselves.
  @inlinable static var maximumBytes: Int { 15 }

  /// What stands for all names that are longer.
  @inlinable static var long: XMLPackedName { XMLPackedName(at: 0..<0) }

  /// An empty name.
  @inlinable package init() {}

  /// A literal of at most fifteen bytes, which the optimiser packs ahead.
  @inlinable @inline(__always)
  package init(stringLiteral text: StaticString) {
    // Longer ones would all be the same.
    assert(text.utf8CodeUnitCount <= Self.maximumBytes)
    self.init(text.utf8Bytes)
  }

  /// A name of at most fifteen bytes; of a longer one that it is long.
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
      // The last eight, without those that are in `low`, which is one at least: by two shifts, the
      // second of which is of less than 64.
      let last: UInt64 = bytes.littleEndian(at: count - 8)
      high |= (last >> 8) &>> UInt64(truncatingIfNeeded: 8 &* (15 &- count))
    } else if count >= 4 {
      // The last four, some of which are among the first.
      low = UInt64(bytes.littleEndian(at: 0, as: UInt32.self))
      let last = bytes.littleEndian(at: count - 4, as: UInt32.self)
      low |= UInt64(last) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
    } else {
      for index in 0..<count { low |= UInt64(bytes[index]) << UInt64(8 * index) }
    }
  }

  /// A longer name.
  @inlinable init(at range: Range<Int>) {
    low = UInt64(range.lowerBound) << 32 | UInt64(range.count)
    high = .max
  }

  var isLong: Bool { high == .max }

  /// Where a longer name is.
  var range: Range<Int> { Int(low >> 32)..<(Int(low >> 32) + Int(low & 0xFFFF_FFFF)) }

  /// Hands over the bytes of a short name.
  func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
    let count = Int(high >> 56)
    return withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { words in
      // Two words with nothing between them; `body` keeps none of their bytes.
      body(words.bytes[0..<count])
    }
  }
}

/// A local name that the program looks for, always a literal: the optimiser packs it ahead.
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
