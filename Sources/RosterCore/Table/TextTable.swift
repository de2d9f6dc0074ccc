import RawBytes
import XMPPStanza

/// Distinct texts, numbered densely from 0 in the order in which they were added.
///
/// The texts are kept as bytes, so that looking up a known text needs no `String`. Copies share
/// them like a `ChunkedArray`. A text stays until the table is rebuilt.
///
/// Copying counts a reference for each of its parts, which would happen for every text that is read
/// in place; the type is therefore not implicitly copyable.
struct TextTable: ~Copyable, Sendable {
  /// The location of a text.
  private struct Place {
    var block: UInt32
    var offset: UInt32
    var count: UInt32
  }

  private var places = ChunkedArray<Place>(chunkBits: placeBits)
  private var blocks: [TextBlock] = []
  /// An open-addressed hash table. A slot holds the upper half of a text's hash and its number plus
  /// one; 0 is an empty slot. The number of slots is a power of two and at least twice the number
  /// of texts.
  private var slots = ChunkedArray<UInt64>(chunkBits: slotBits)
  /// The seed of the hashes, kept here because reading a global takes a call.
  private let seed = TextTable.seed

  /// Places are only ever appended.
  private static let placeBits = 6
  private static let slotBits = 6

  /// The number of bytes in all texts.
  private(set) var byteCount = 0

  /// An empty table.
  init() {}

  /// A copy. Complexity: O(1).
  func copy() -> TextTable {
    var copy = TextTable()
    copy.places = places
    copy.blocks = blocks
    copy.slots = slots
    copy.byteCount = byteCount
    return copy
  }

  /// The number of texts.
  var count: Int { places.count }

  /// The bytes of a text; the number is valid. Complexity: O(1).
  @inline(__always)
  @_lifetime(borrow self)
  func bytes(of number: UInt32) -> RawSpan {
    let place = places[Int(number)]
    let start = blocks[Int(place.block)].address(of: Int(place.offset))
    // `insert` wrote these bytes, they are never changed, and the table retains its blocks.
    return _overrideLifetime(
      RawSpan(_unsafeStart: start, byteCount: Int(place.count)), borrowing: self)
  }

  /// A text; the number is valid. Complexity: linear in the text.
  subscript(number: UInt32) -> String {
    String(decoding: bytes(of: number))
  }

  /// The number of a text; nil if the table does not have it. Complexity: linear in the text.
  func number(of text: RawSpan) -> UInt32? {
    guard slots.count > 0 else { return nil }
    let slot = slots[place(of: text, text.hash(from: seed))]
    return slot == 0 ? nil : Self.number(in: slot)
  }

  /// The number of a text, which is added if it is new. Complexity: linear in the text, amortized.
  mutating func insert(_ text: RawSpan) -> UInt32 {
    if 2 * places.count >= slots.count { fillSlots() }
    let hash = text.hash(from: seed)
    let place = place(of: text, hash)
    let slot = slots[place]
    if slot != 0 { return Self.number(in: slot) }
    let number = UInt32(places.count)
    append(text)
    slots[place] = Self.slot(hash, number)
    return number
  }

  private mutating func append(_ text: RawSpan) {
    byteCount += text.byteCount
    // No variable may hold a block here, or the block would no longer be uniquely referenced.
    if let room = blocks.last?.room {
      if room < text.byteCount {
        addBlock(capacity: max(text.byteCount, blocks[blocks.count - 1].nextCapacity))
      } else if !ownsLastBlock() {
        addBlock(capacity: max(text.byteCount, TextBlock.leastCapacity))
      }
    } else {
      addBlock(capacity: max(text.byteCount, TextBlock.leastCapacity))
    }
    put(text)
  }

  private mutating func addBlock(capacity: Int) {
    blocks.append(TextBlock(capacity: capacity))
  }

  /// Whether the last block can be appended to. Copies a small block that is shared.
  private mutating func ownsLastBlock() -> Bool {
    let last = blocks.count - 1
    if isKnownUniquelyReferenced(&blocks[last]) { return true }
    guard blocks[last].isSmall else { return false }
    blocks[last] = blocks[last].copy()
    return true
  }

  /// Appends a text to the last block, which is uniquely referenced and large enough.
  private mutating func put(_ text: RawSpan) {
    let index = blocks.count - 1
    places.append(
      Place(
        block: UInt32(index), offset: UInt32(blocks[index].count), count: UInt32(text.byteCount)))
    blocks[index].append(text)
  }

  // MARK: Kept tables

  /// The number of bytes that the end of a text takes in storage.
  static let endBytes = MemoryLayout<UInt32>.size

  /// The number of bytes that all texts take in storage. Complexity: O(1).
  var storedBytes: Int { count * Self.endBytes + byteCount }

  /// The number of bytes that some texts take in storage. Complexity: linear in all texts.
  ///
  /// - Parameter isMeant: For each number, whether its text is included.
  func storedBytes(where isMeant: [Bool]) -> Int {
    isMeant.indices.reduce(0) { bytes, number in
      isMeant[number] ? bytes + Self.endBytes + Int(places[number].count) : bytes
    }
  }

  /// A table of stored texts, numbered from 0 in their order.
  ///
  /// Complexity: linear in the bytes.
  /// - Parameter isValid: Whether a text is allowed in the table.
  /// - Returns: nil if an end is wrong, or if a text is invalid or occurs twice.
  init?(_ list: borrowing TextList, where isValid: (RawSpan) -> Bool) {
    let bytes = list.bytes
    let block = TextBlock(capacity: bytes.byteCount)
    block.append(bytes)
    blocks = [block]
    byteCount = bytes.byteCount
    var (number, start) = (0, 0)
    let noPlace = Place(block: 0, offset: 0, count: 0)
    places = ChunkedArray(repeating: noPlace, count: list.count, chunkBits: Self.placeBits) {
      place in
      // The first invalid text ends the loop.
      guard start >= 0, let end = list.end(of: number, from: start), isValid(bytes[start..<end])
      else {
        start = -1
        return
      }
      place = Place(block: 0, offset: UInt32(start), count: UInt32(end - start))
      (number, start) = (number + 1, end)
    }
    guard start == bytes.byteCount, fillSlots() else { return nil }
  }

  // MARK: Looking up

  /// The slot at which the search for a hash begins. `count` is a power of two and not 1. Texts
  /// that differ only in their last characters differ in the upper bits of their hashes but not in
  /// the lower.
  @inline(__always)
  static func home(of hash: UInt64, among slots: Int) -> Int {
    Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: (slots &- 1).leadingZeroBitCount))
  }

  /// The slot of a text, or the empty slot where it belongs.
  @inline(__always)
  private func place(of text: RawSpan, _ hash: UInt64) -> Int {
    place(of: text, hash, among: slots.count) { slots[$0] }
  }

  /// The slot of a text among `count` slots, which `slot` returns by index.
  @inline(__always)
  private func place(
    of text: RawSpan, _ hash: UInt64, among count: Int, slot: (Int) -> UInt64
  ) -> Int {
    var place = Self.home(of: hash, among: count)
    while true {
      let slot = slot(place)
      // Most other texts have another hash, so their bytes need not be read.
      if slot == 0
        || (slot >> 32 == hash >> 32 && bytes(of: Self.number(in: slot)).isSame(as: text))
      {
        return place
      }
      place = (place + 1) & (count - 1)
    }
  }

  /// Rebuilds the slots, with more than twice as many as there are texts.
  ///
  /// - Returns: Whether all texts are distinct.
  @discardableResult
  private mutating func fillSlots() -> Bool {
    var count = 1 << Self.slotBits
    while count <= 2 * places.count { count *= 2 }
    // A contiguous array, because the slots are filled in no particular order.
    var filled = [UInt64](repeating: 0, count: count)
    for number in 0..<UInt32(places.count) {
      let text = bytes(of: number)
      let hash = text.hash(from: seed)
      let place = place(of: text, hash, among: count) { filled[$0] }
      guard filled[place] == 0 else { return false }
      filled[place] = Self.slot(hash, number)
    }
    slots = ChunkedArray(filled, chunkBits: Self.slotBits)
    return true
  }

  @inline(__always)
  private static func number(in slot: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: slot) &- 1 }

  private static func slot(_ hash: UInt64, _ number: UInt32) -> UInt64 {
    hash & ~0xFFFF_FFFF | UInt64(number + 1)
  }
}

extension TextTable {
  /// The seed of the hashes, different in each run of the program like that of Swift's own tables,
  /// so that an attacker cannot send texts that collide. No result depends on it.
  private static let seed: UInt64 = {
    var hasher = Hasher()
    hasher.combine(0)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }()

  /// The given texts' ranks by their bytes. Complexity: O(n log n).
  func order(of numbers: [UInt32]) -> [ByteRank] {
    ByteRank.order(
      of: numbers.count, rank: { index, rank in rank(bytes(of: numbers[index])) },
      precedes: { a, b in bytes(of: numbers[a]).precedes(bytes(of: numbers[b])) })
  }

  /// The number of a text; nil if the table does not have it.
  func number(of text: String) -> UInt32? { text.withUTF8Bytes { number(of: $0) } }

  /// The number of a text, which is added if it is new.
  mutating func insert(_ text: String) -> UInt32 {
    // The table copies the bytes, so they only need to be valid during the call.
    text.withUTF8Bytes { bytes in insert(bytes) }
  }
}
