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
package struct XMLPackedName: BitwiseCopyable, Equatable, Sendable {
  package var low: UInt64 = 0
  package var high: UInt64 = 0

  /// The most bytes that are kept in the words themselves.
  static let maximumBytes = 15

  /// What stands for all names that are longer.
  static let long = XMLPackedName(at: 0..<0)

  /// An empty name.
  package init() {}

  /// A literal of at most fifteen bytes.
  package init(_ text: StaticString) {
    self.init(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// A name of at most fifteen bytes; of a longer one that it is long.
  init(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= Self.maximumBytes else {
      self = .long
      return
    }
    let count = bytes.count
    high = UInt64(count) << 56
    if count >= 8 {
      low = UInt64(littleEndian: bytes.eight(at: 0))
      // The last eight, some of which are in `low`.
      high |= UInt64(littleEndian: bytes.eight(at: count - 8)) >> UInt64(8 * (16 - count))
    } else if count >= 4 {
      // The last four, some of which are among the first.
      low = UInt64(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
      let last = bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      low |= UInt64(UInt32(littleEndian: last)) << UInt64(8 * (count - 4))
    } else {
      for index in 0..<count { low |= UInt64(bytes[index]) << UInt64(8 * index) }
    }
  }

  /// A longer name.
  init(at range: Range<Int>) {
    low = UInt64(range.lowerBound) << 32 | UInt64(range.count)
    high = .max
  }

  var isLong: Bool { high == .max }

  /// Where a longer name is.
  var range: Range<Int> { Int(low >> 32)..<(Int(low >> 32) + Int(low & 0xFFFF_FFFF)) }

  /// Hands over the bytes of a short name.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let count = Int(high >> 56)
    return withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) {
      body(UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
  }
}

/// A local name that the program looks for.
struct WantedName: @unchecked Sendable {
  let packed: XMLPackedName
  /// They are there as long as the program is.
  let bytes: UnsafeRawBufferPointer

  /// What a namespace has for its number 1.
  static let client = WantedName("jabber:client")

  var text: String { String(decoding: bytes, as: UTF8.self) }

  init(_ text: StaticString) {
    bytes = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    packed = XMLPackedName(bytes)
  }
}
