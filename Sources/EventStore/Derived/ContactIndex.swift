import CXXHash
import RawBytes

/// The contacts that consecutive records concern: the content of a `DerivedBlock`.
///
/// An ordered list with a `UInt64` for each record and each of its contacts: the upper 48 bits are
/// from a hash of the contact's name, and the lower 16 bits are the record, counted from the first
/// one that the block covers. Contacts with equal hashes are distinguished only by reading the
/// records; for the index it matters only that this is rare.
struct ContactIndex: ~Escapable {
  /// The maximum number of entries in a block before another one is begun.
  static let capacity = 4096
  /// The maximum number of records that a block covers.
  static let mostRecords: UInt64 = 1 << 16

  private static let entryBytes = 8

  private let block: DerivedBlock

  @_lifetime(copy block)
  init(_ block: DerivedBlock) {
    self.block = block
  }

  /// The number of entries.
  var count: Int { block.content.byteCount / Self.entryBytes }

  /// All entries, in order.
  var entries: [UInt64] { (0..<count).map { entry(at: $0) } }

  private func entry(at index: Int) -> UInt64 {
    block.content.bigEndian(at: index * Self.entryBytes)
  }

  /// The records that may concern a contact, in order. Complexity: O(log n), plus the length of the
  /// result.
  func sequences(concerning contact: String) -> [UInt64] {
    let least = Self.entry(ContactKey(contact), 0)
    return ((0..<count).partitioningIndex { entry(at: $0) >= least }..<count)
      .prefix { entry(at: $0) >> 16 == least >> 16 }
      .map { block.covers.lowerBound + entry(at: $0) & 0xFFFF }
  }

  /// The entry for a record that concerns a contact.
  ///
  /// - Parameter offset: The record, counted from the first one that the block covers.
  static func entry(_ contact: ContactKey, _ offset: UInt64) -> UInt64 {
    contact.hash << 16 | offset
  }

  /// Merges two ordered lists of entries. Complexity: linear.
  static func merged(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    var merged: [UInt64] = []
    merged.reserveCapacity(a.count + b.count)
    var (inA, inB) = (0, 0)
    while inA < a.count, inB < b.count {
      let isFromB = b[inB] < a[inA]
      merged.append(isFromB ? b[inB] : a[inA])
      if isFromB { inB += 1 } else { inA += 1 }
    }
    return merged + a[inA...] + b[inB...]
  }

  /// Writes ordered entries as the content of a block.
  static func write(_ entries: [UInt64], to space: inout MutableRawSpan) {
    for (index, entry) in entries.enumerated() {
      space.write(bigEndian: entry, at: DerivedBlock.headBytes + index * entryBytes)
    }
  }

  static func size(_ entries: [UInt64]) -> Int { entries.count * entryBytes }
}

/// The index's key for a contact's name.
struct ContactKey: Hashable, Sendable {
  /// XXH3, which is equal on every machine.
  let hash: UInt64

  init(_ name: RawSpan) {
    // XXH3 reads exactly these bytes and keeps no pointer to them.
    hash = name.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }

  init(_ name: String) {
    self = name.withUTF8Bytes { ContactKey($0) }
  }
}

extension ReadTransaction {
  /// The records in a range that may concern a contact, in order. Contains all records that do, and
  /// any others that the index cannot exclude. Read the records to be certain.
  ///
  /// The contact is a prepared bare address. Complexity: linear in the blocks of the range, one per
  /// some thousand records, and in the length of the result.
  package func sequences(
    concerning contact: String, in range: ClosedRange<UInt64>
  ) throws -> [UInt64] {
    let last = min(range.upperBound, try lastSequence)
    let first = max(1, range.lowerBound)
    guard first <= last else { return [] }
    var sequences: [UInt64] = []
    try forEachBlock(of: .index, databases.index, in: first...last) { records, block in
      guard let block else {
        damage.note(.index, records)
        return sequences += records
      }
      sequences += ContactIndex(block).sequences(concerning: contact).filter(records.contains)
    }
    return sequences
  }
}
