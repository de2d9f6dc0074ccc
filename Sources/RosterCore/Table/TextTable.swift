import CPrefetch
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

  /// The bytes of the text of a number that was given, valid as long as the table is.
  @inline(__always)
  private func bytes(of number: UInt32) -> UnsafeRawBufferPointer {
    let place = places[Int(number)]
    // `insert` has put as many bytes there, and nobody changes them.
    return blocks[Int(place.block)].bytes(from: Int(place.offset), count: Int(place.count))
  }

  /// Hands the bytes of the text of a number that was given to `body`; they are valid while it
  /// runs. Complexity: O(1).
  @inline(__always)
  func withBytes<Result>(
    of number: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    withExtendedLifetime(blocks) { body(bytes(of: number)) }
  }

  /// The text of a number that was given. Complexity: linear in the text.
  subscript(number: UInt32) -> String {
    withBytes(of: number) { String(decoding: $0, as: UTF8.self) }
  }

  /// The number of a text, nil where it has none. Complexity: linear in the text.
  func number(of text: UnsafeRawBufferPointer) -> UInt32? {
    guard slots.count > 0 else { return nil }
    let slot = slots[place(of: text, text.hash(from: seed))]
    return slot == 0 ? nil : Self.number(in: slot)
  }

  /// The number of a text, a new one where it has none. Complexity: linear in the text, amortised.
  mutating func insert(_ text: UnsafeRawBufferPointer) -> UInt32 {
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

  private mutating func append(_ text: UnsafeRawBufferPointer) {
    byteCount += text.count
    // No block is held by a variable here, or it would not be alone.
    if let room = blocks.last?.room {
      if room < text.count {
        addBlock(capacity: max(text.count, blocks[blocks.count - 1].nextCapacity))
      } else if !ownsLastBlock() {
        addBlock(capacity: max(text.count, TextBlock.leastCapacity))
      }
    } else {
      addBlock(capacity: max(text.count, TextBlock.leastCapacity))
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
  private mutating func put(_ text: UnsafeRawBufferPointer) {
    let index = blocks.count - 1
    places.append(
      Place(
        block: UInt32(index), offset: UInt32(blocks[index].count), count: UInt32(text.count)))
    blocks[index].append(text)
  }

  // MARK: Looking ahead

  /// Has the slot of a text brought near, which will be looked for soon. Complexity: linear in the
  /// text.
  func expect(_ text: UnsafeRawBufferPointer) -> ExpectedText {
    guard slots.count > 0 else { return .none }
    let hash = text.hash(from: seed)
    slots.prefetch(Self.home(of: hash, among: slots.count))
    return ExpectedText(hash: hash)
  }

  /// Has it brought near where the text is, once its slot is. Complexity: O(1).
  ///
  /// - Parameter text: It gets its number, the likely one: a text that has it was not looked at.
  func prefetchPlace(_ text: inout ExpectedText) {
    guard text.hash != 0, slots.count > 0 else { return }
    let slot = slots[Self.home(of: text.hash, among: slots.count)]
    guard slot != 0, slot >> 32 == text.hash >> 32 else { return }
    let number = Self.number(in: slot)
    places.prefetch(Int(number))
    text.number = number
  }

  /// Has the bytes of a text brought near, once it is there where they are. Complexity: O(1).
  ///
  /// - Parameter number: It may be one of another table.
  func prefetchBytes(of number: UInt32) {
    guard number < places.count else { return }
    if let start = bytes(of: number).baseAddress { rollcall_prefetch(start) }
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
  /// - Parameters:
  ///   - ends: Where each of the texts ends, a little-endian `UInt32`.
  ///   - isValid: Whether a text can stand in the table.
  /// - Returns: nil where these are not the ends of texts that can, each once.
  init?(
    _ bytes: UnsafeRawBufferPointer, ends: UnsafeRawBufferPointer,
    where isValid: (UnsafeRawBufferPointer) -> Bool
  ) {
    let count = ends.count / Self.endBytes
    let block = TextBlock(capacity: bytes.count)
    block.append(bytes)
    blocks = [block]
    byteCount = bytes.count
    var (offset, start) = (0, 0)
    var areRight = true
    let noPlace = Place(block: 0, offset: 0, count: 0)
    places = ChunkedArray(repeating: noPlace, count: count, chunkBits: Self.placeBits) { place in
      let end = Int(
        UInt32(littleEndian: ends.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      guard areRight, start <= end, end <= bytes.count,
        isValid(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      else {
        areRight = false
        return
      }
      place = Place(block: 0, offset: UInt32(start), count: UInt32(end - start))
      (offset, start) = (offset + Self.endBytes, end)
    }
    guard areRight, start == bytes.count, fillSlots() else { return nil }
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
  private func place(of text: UnsafeRawBufferPointer, _ hash: UInt64) -> Int {
    place(of: text, hash, among: slots.count) { slots[$0] }
  }

  /// The same among so many slots, each of which `slot` gives by its place.
  @inline(__always)
  private func place(
    of text: UnsafeRawBufferPointer, _ hash: UInt64, among count: Int, slot: (Int) -> UInt64
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

/// A text that a table will be asked for.
struct ExpectedText {
  /// Of no text; one whose hash is this is not expected, which costs it the wait.
  static let none = ExpectedText(hash: 0)

  fileprivate let hash: UInt64
  /// Its number, as soon as the table has it near.
  fileprivate(set) var number: UInt32?
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
      of: numbers.count, rank: { index, rank in withBytes(of: numbers[index], rank) },
      precedes: { a, b in
        withBytes(of: numbers[a]) { first in
          withBytes(of: numbers[b]) { first.precedes($0) }
        }
      })
  }

  /// The number of a text, nil where it has none.
  func number(of text: String) -> UInt32? { text.withUTF8Bytes { number(of: $0) } }

  /// The number of a text, a new one where it has none.
  mutating func insert(_ text: String) -> UInt32 {
    // The bytes are the text's own, wherever the table puts its copy.
    text.withUTF8Bytes { bytes in insert(bytes) }
  }
}
