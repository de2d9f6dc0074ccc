package import EventStore
import RawBytes
import RosterCore

/// What a picture of a whole log needs of each record: what it holds, which way it went, on which
/// connection and when, whether it had a lasting effect, and how bad its worst finding is.
///
/// Memory: 17 bytes for each record. Counting a range is exact at every width.
package struct RecordFlags: Sendable {
  /// The flags of one record.
  package struct Flags: Hashable, Sendable {
    package let content: RecordContent
    package let direction: RecordDirection
    /// Whether it changed something that lasts, or is odd.
    package let isLasting: Bool
    /// The worst of its findings: 0 for none, then info, warning and error.
    package let severity: Int
  }

  /// The distance of the records at which counts are kept.
  private static let stride = 64

  private var packed: [UInt8] = []
  /// For each record the newest time known up to it, in milliseconds since 1970.
  private var clocks: [Int64] = []
  private var connections: [UInt32] = []
  /// How many lasting records there are before each multiple of the stride.
  private var lastingBefore: [UInt32] = []
  private var lastingCount: UInt32 = 0
  /// The records before the first known time, which have its time once it is known.
  private var untimed = 0
  /// Whether any time is not a whole second.
  package private(set) var hasMilliseconds = false

  /// The number of records.
  package var count: Int { packed.count }

  /// Whether any record has a time.
  package var hasTimes: Bool { untimed < count }

  package init() {}

  // MARK: Adding

  /// Adds the next record, with the effect still to come.
  mutating func append(_ content: RecordContent, _ header: RecordHeader) {
    if packed.count % Self.stride == 0 { lastingBefore.append(lastingCount) }
    packed.append(content.rawValue | header.direction.rawValue << 3)
    connections.append(header.connection)
    if let clock = header.clock {
      if untimed == clocks.count, untimed > 0 {
        for index in clocks.indices { clocks[index] = clock }
        untimed = 0
      }
      clocks.append(clock)
      if clock % 1000 != 0 { hasMilliseconds = true }
    } else {
      clocks.append(0)
      untimed += 1
    }
  }

  /// Notes what the last records did, in the order of the records.
  ///
  /// - Parameter effects: The number of each record that is part of the story, whether its effect
  ///   lasts, and the severity of its findings.
  mutating func note(
    _ effects: [(record: UInt64, isLasting: Bool, severity: Int)], since first: Int
  ) {
    for effect in effects {
      let index = Int(effect.record) - 1
      if effect.isLasting { packed[index] |= 0x20 }
      packed[index] |= UInt8(effect.severity) << 6
    }
    // The counts of the noted records are made again, because they were made without the effects.
    let start = first / Self.stride
    lastingBefore.removeSubrange(start...)
    lastingCount = start == 0 ? 0 : lasting(before: start * Self.stride)
    for index in start * Self.stride..<packed.count {
      if index % Self.stride == 0 { lastingBefore.append(lastingCount) }
      if packed[index] & 0x20 != 0 { lastingCount += 1 }
    }
  }

  // MARK: Reading

  /// The flags of a record, which must exist.
  package subscript(record: UInt64) -> Flags {
    let bits = packed[Int(record) - 1]
    return Flags(
      // Written from valid values.
      content: RecordContent(rawValue: bits & 7) ?? .other,
      direction: RecordDirection(rawValue: bits >> 3 & 3) ?? .none,
      isLasting: bits & 0x20 != 0, severity: Int(bits >> 6))
  }

  /// The connection of a record, which must exist.
  package func connection(of record: UInt64) -> UInt32 { connections[Int(record) - 1] }

  /// The time of a record, which must exist, or the newest one before it; of the records before the
  /// first known time, that. Nil if no record has a time.
  package func clock(of record: UInt64) -> Int64? {
    hasTimes ? clocks[Int(record) - 1] : nil
  }

  /// How many of a range of records had a lasting effect. Complexity: O(1), at most 128 steps.
  package func lasting(in range: Range<UInt64>) -> Int {
    guard !range.isEmpty else { return 0 }
    return Int(
      lasting(before: Int(range.upperBound) - 1) - lasting(before: Int(range.lowerBound) - 1))
  }

  /// How many of the records at indices below one had a lasting effect.
  private func lasting(before index: Int) -> UInt32 {
    let block = min(index / Self.stride, lastingBefore.count - 1)
    guard block >= 0 else { return 0 }
    return packed[block * Self.stride..<index]
      .reduce(into: lastingBefore[block]) { if $1 & 0x20 != 0 { $0 += 1 } }
  }

  /// The first record at or after a time; one more than there are if there is none.
  package func firstRecord(atOrAfter time: Int64) -> UInt64 {
    UInt64(clocks.partitioningIndex { $0 >= time }) + 1
  }
}
