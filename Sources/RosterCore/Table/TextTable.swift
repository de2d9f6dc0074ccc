import RawBytes
import XMPPStanza

/// Texts by dense number, from 0 in the order of their coming, each once.
///
/// They are held as bytes, so that a text that is known costs a look-up and no `String`. Copies
/// share them like a `ChunkedArray`. A text stays until the table is made anew.
///
/// To copy it counts a reference to each of its parts, which would be done for every text that is
/// looked at where it stands: so it is done only where it is asked for.
struct TextTable: ~Copyable, Sendable {
  /// Where a text is.
  private struct Place {
    var block: UInt32
    var offset: UInt32
    var count: UInt32
  }

  private var places = ChunkedArray<Place>(chunkBits: placeBits)
  private var blocks: [TextBlock] = []
  /// An open-addressed table: the upper half of a text's hash beside its number plus one, 0 where
  /// there is none. Their number is a power of two, at least twice that of the texts.
  private var slots = ChunkedArray<UInt64>(chunkBits: slotBits)
  /// What hashes start from; it is here because a global is got by a call.
  private let seed = TextTable.seed

  /// Places are only added.
  private static let placeBits = 6
  private static let slotBits = 6

  /// How many bytes the texts have.
  private(set) var byteCount = 0

  /// A table of no texts.
  init() {}

  /// The same texts. Complexity: O(1).
  func copy() -> TextTable {
    var copy = TextTable()
    copy.places = places
    copy.blocks = blocks
    copy.slots = slots
    copy.byteCount = byteCount
    return copy
  }

  /// How many texts there are.
  var count: Int { places.count }

  /// The bytes of the text of a number that was given. Complexity: O(1).
  @inline(__always)
  @_lifetime(borrow self)
  func bytes(of number: UInt32) -> RawSpan {
    let place = places[Int(number)]
    let start = blocks[Int(place.block)].address(of: Int(place.offset))
    // `insert` has put as many bytes there, nobody changes them, and the table keeps its blocks.
    return _overrideLifetime(
      RawSpan(_unsafeStart: start, byteCount: Int(place.count)), borrowing: self)
  }

  /// The text of a number that was given. Complexity: linear in the text.
  subscript(number: UInt32) -> String {
    String(decoding: bytes(of: number))
  }

  /// The number of a text, nil where it has none. Complexity: linear in the text.
  func number(of text: RawSpan) -> UInt32? {
    guard slots.count > 0 else { return nil }
    let slot = slots[place(of: text, text.hash(from: seed))]
    return slot == 0 ? nil : Self.number(in: slot)
  }

  /// The number of a text, a new one where it has none. Complexity: linear in the text, amortised.
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
    // No block is held by a variable here, or it would not be alone.
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

  /// Whether the last block can be written to; a small one that others refer to is copied.
  private mutating func ownsLastBlock() -> Bool {
    let last = blocks.count - 1
    if isKnownUniquelyReferenced(&blocks[last]) { return true }
    guard blocks[last].isSmall else { return false }
    blocks[last] = blocks[last].copy()
    return true
  }

  /// Puts a text into the last block, which nobody else refers to and which has room for it.
  private mutating func put(_ text: RawSpan) {
    let index = blocks.count - 1
    places.append(
      Place(
        block: UInt32(index), offset: UInt32(blocks[index].count), count: UInt32(text.byteCount)))
    blocks[index].append(text)
  }

  // MARK: Kept tables

  /// How many bytes the end of a text takes.
  static let endBytes = MemoryLayout<UInt32>.size

  /// How many bytes the texts take where they are kept. Complexity: O(1).
  var storedBytes: Int { count * Self.endBytes + byteCount }

  /// The same of some of them. Complexity: linear in all texts.
  ///
  /// - Parameter isMeant: For each number, whether its text is one of them.
  func storedBytes(where isMeant: [Bool]) -> Int {
    isMeant.indices.reduce(0) { bytes, number in
      isMeant[number] ? bytes + Self.endBytes + Int(places[number].count) : bytes
    }
  }

  /// A table of texts that stand side by side, with the numbers from 0 on.
  ///
  /// Complexity: linear in the bytes.
  /// - Parameter isValid: Whether a text can stand in the table.
  /// - Returns: nil where they do not end as they say, or one cannot or is there twice.
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
      // A wrong one is the last that is looked at.
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

  /// The slot that a hash is looked for from, of a number that is a power of two and not 1. Texts
  /// that differ in their last characters only differ in the upper bits of their hashes, and not in
  /// the lower.
  @inline(__always)
  static func home(of hash: UInt64, among slots: Int) -> Int {
    Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: (slots &- 1).leadingZeroBitCount))
  }

  /// Where the text is, or else where it belongs.
  @inline(__always)
  private func place(of text: RawSpan, _ hash: UInt64) -> Int {
    place(of: text, hash, among: slots.count) { slots[$0] }
  }

  /// The same among so many slots, each of which `slot` gives by its place.
  @inline(__always)
  private func place(
    of text: RawSpan, _ hash: UInt64, among count: Int, slot: (Int) -> UInt64
  ) -> Int {
    var place = Self.home(of: hash, among: count)
    while true {
      let slot = slot(place)
      // Most texts that are not meant differ in their hash: no other memory is looked at for them.
      if slot == 0
        || (slot >> 32 == hash >> 32 && bytes(of: Self.number(in: slot)).isSame(as: text))
      {
        return place
      }
      place = (place + 1) & (count - 1)
    }
  }

  /// Makes the slots anew, more than twice as many as there are texts.
  ///
  /// - Returns: Whether each text was there once.
  @discardableResult
  private mutating func fillSlots() -> Bool {
    var count = 1 << Self.slotBits
    while count <= 2 * places.count { count *= 2 }
    // Side by side, for they are filled in no order.
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
  /// What hashes start from: another number in each run of the program, as for Swift's own tables,
  /// so that nobody can send texts that meet. No result depends on it.
  private static let seed: UInt64 = {
    var hasher = Hasher()
    hasher.combine(0)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }()

  /// These texts in the order of their bytes. Complexity: O(n log n).
  func order(of numbers: [UInt32]) -> [ByteRank] {
    ByteRank.order(
      of: numbers.count, rank: { index, rank in rank(bytes(of: numbers[index])) },
      precedes: { a, b in bytes(of: numbers[a]).precedes(bytes(of: numbers[b])) })
  }

  /// The number of a text, nil where it has none.
  func number(of text: String) -> UInt32? { text.withUTF8Bytes { number(of: $0) } }

  /// The number of a text, a new one where it has none.
  mutating func insert(_ text: String) -> UInt32 {
    // The bytes are the text's own, wherever the table puts its copy.
    text.withUTF8Bytes { bytes in insert(bytes) }
  }
}
