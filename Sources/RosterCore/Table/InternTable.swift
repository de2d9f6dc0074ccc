import XMPPStanza

/// What is held once and then goes by its number.
protocol Internable: Sendable {
  /// Whether both are the same to the byte.
  func isIdentical(to other: Self) -> Bool
  /// The same for what is identical, and not to be foreseen by those who send it to us.
  var internHash: UInt64 { get }
}

/// Values by dense number, from 0 in the order of their coming, each once.
///
/// Copies share it like a `ChunkedArray`. A value stays until the table is made anew.
struct InternTable<Value: Internable>: Sendable {
  private var values: ChunkedArray<Value>
  /// An open-addressed table: the upper half of a value's hash beside its number plus one, 0 where
  /// there is none. Their number is a power of two, at least twice that of the values.
  private var slots: ChunkedArray<UInt64>

  private static var valueBits: Int { 4 }
  private static var slotBits: Int { 6 }

  /// A table of nothing.
  init() {
    values = ChunkedArray(chunkBits: Self.valueBits)
    slots = ChunkedArray(chunkBits: Self.slotBits)
  }

  /// How many values there are.
  var count: Int { values.count }

  /// All values in the order of their numbers.
  var all: [Value] { (0..<UInt32(count)).map { self[$0] } }

  /// The value of a number that was given. Complexity: O(1).
  subscript(number: UInt32) -> Value {
    @inline(__always)
    get { values[Int(number)] }
  }

  /// The number of a value, nil where it has none. Complexity: O(1).
  func number(of value: Value) -> UInt32? {
    guard slots.count > 0 else { return nil }
    let hash = value.internHash
    let slot = slots[place(of: value, hash)]
    return slot == 0 ? nil : Self.number(in: slot)
  }

  /// The number of a value, a new one where it has none. Complexity: O(1) amortised.
  mutating func insert(_ value: Value) -> UInt32 {
    if 2 * values.count >= slots.count { grow() }
    let hash = value.internHash
    let place = place(of: value, hash)
    let slot = slots[place]
    if slot != 0 { return Self.number(in: slot) }
    let number = UInt32(values.count)
    values.append(value)
    slots[place] = Self.slot(hash, number)
    return number
  }

  /// Where the value is, or else where it belongs.
  @inline(__always)
  private func place(of value: Value, _ hash: UInt64) -> Int {
    var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while true {
      let slot = slots[place]
      // Most values that are not meant differ in their hash: no other memory is looked at for them.
      if slot == 0
        || (slot >> 32 == hash >> 32 && values[Int(Self.number(in: slot))].isIdentical(to: value))
      {
        return place
      }
      place = (place + 1) & (slots.count - 1)
    }
  }

  private mutating func grow() {
    slots = ChunkedArray(
      repeating: 0, chunks: max(1, 2 * slots.count >> Self.slotBits), chunkBits: Self.slotBits)
    for number in 0..<UInt32(values.count) {
      let hash = values[Int(number)].internHash
      slots[place(of: values[Int(number)], hash)] = Self.slot(hash, number)
    }
  }

  @inline(__always)
  private static func number(in slot: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: slot) &- 1 }

  private static func slot(_ hash: UInt64, _ number: UInt32) -> UInt64 {
    hash & ~0xFFFF_FFFF | UInt64(number + 1)
  }
}

/// What hashes start from: another number in each run of the program, as for Swift's own tables, so
/// that nobody can send texts that meet. No result depends on it.
private let seed: UInt64 = {
  var hasher = Hasher()
  hasher.combine(0)
  return UInt64(bitPattern: Int64(hasher.finalize()))
}()

extension String: Internable {
  func isIdentical(to other: String) -> Bool { hasSameBytes(as: other) }
  var internHash: UInt64 { withUTF8Bytes { $0.hash(from: seed) } }
}

extension BareJID: Internable {
  func isIdentical(to other: BareJID) -> Bool { self == other }
  var internHash: UInt64 { text.internHash }
}

extension [String]: Internable {
  func isIdentical(to other: [String]) -> Bool { hasSameBytes(as: other) }
  var internHash: UInt64 {
    reduce(seed) { hash, text in text.withUTF8Bytes { $0.hash(from: hash) } }
  }
}
