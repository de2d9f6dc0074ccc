/// Consecutive records as they are stored together: what one commit appended, or a part of it.
///
/// It is a view of bytes that are LMDB's own, and valid as long as they are. What can be read of it
/// is only what it looks like: whether it is what was written, `follows` says.
///
///     0  32     digest
///     32 UInt64 number of the pack, from 1
///     40 UInt32 count of records
///     44 UInt32 for each record: where it ends, counted from the beginning of the pack
///        ...    the records, one after the other
///
/// A record is
///
///     0  UInt8  direction
///     1  UInt8  kind
///     2  UInt8  flags: 1 the time is known, 2 a source time follows, 4 the clock has a value
///     3  UInt8  0
///     4  UInt32 connection, from 1
///     8  Int64  clock, ms since 1970 (0 without flag 4)
///     16 Int64  source time, ms since 1970 (only with flag 2)
///        bytes
struct RecordPack {
  /// The number of its first record.
  let first: UInt64
  /// How many records there are, at least one.
  let count: Int
  private let value: UnsafeRawBufferPointer

  /// - Throws: `EventLogError.corrupt` where the bytes do not look like a pack.
  init(_ value: UnsafeRawBufferPointer, first: UInt64) throws(EventLogError) {
    guard value.count > PackLayout.headBytes, first > 0 else {
      throw .corrupt(sequence: first, what: "its pack is cut short")
    }
    let count = Int(value.loadBigEndian(at: PackLayout.countOffset, as: UInt32.self))
    let least = PackLayout.endBytes + PackLayout.recordHeadBytes
    guard count > 0, count <= (value.count - PackLayout.headBytes) / least,
      !first.addingReportingOverflow(UInt64(count)).overflow
    else {
      throw .corrupt(sequence: first, what: "its pack cannot have \(count) records")
    }
    self.first = first
    self.count = count
    self.value = value
    guard end(ofRecordAt: count - 1) == value.count else {
      throw .corrupt(sequence: first, what: "its pack does not end with its last record")
    }
  }

  /// The numbers of its records.
  var sequences: ClosedRange<UInt64> { first...(first + UInt64(count) - 1) }

  /// Which pack of the log it says that it is, from 1.
  var number: UInt64 { value.loadBigEndian(at: PackLayout.numberOffset, as: UInt64.self) }

  /// The digest that is stored with it.
  var digest: LogDigest { LogDigest(stored: value) }

  /// The digest that its bytes have after another pack.
  ///
  /// Complexity: linear in its bytes.
  func digest(after previous: LogDigest) -> LogDigest {
    RecordChain.digest(after: previous, UnsafeRawBufferPointer(rebasing: value[LogDigest.size...]))
  }

  /// Whether it is what was written after another pack. Complexity: linear in its bytes.
  func follows(_ previous: LogDigest) -> Bool { digest(after: previous) == digest }

  /// A record of the pack: its header and bytes. Complexity: O(1).
  ///
  /// - Throws: `EventLogError.corrupt` where that is no record.
  func record(
    at sequence: UInt64
  ) throws(EventLogError) -> (header: RecordHeader, bytes: UnsafeRawBufferPointer) {
    guard sequences.contains(sequence) else {
      throw .corrupt(sequence: sequence, what: "it is missing")
    }
    let index = Int(sequence - first)
    let start =
      index == 0
      ? PackLayout.headBytes + count * PackLayout.endBytes : end(ofRecordAt: index - 1)
    let end = end(ofRecordAt: index)
    // Between them nothing says that the ends go forwards.
    guard start >= PackLayout.headBytes + count * PackLayout.endBytes, start <= end,
      end <= value.count
    else { throw .corrupt(sequence: sequence, what: "it does not lie within its pack") }
    return try PackLayout.readRecord(
      UnsafeRawBufferPointer(rebasing: value[start..<end]), sequence: sequence)
  }

  private func end(ofRecordAt index: Int) -> Int {
    let offset = PackLayout.headBytes + index * PackLayout.endBytes
    return Int(value.loadBigEndian(at: offset, as: UInt32.self))
  }
}

/// The sizes of the parts of a pack of records, and how one of them is written and read.
enum PackLayout {
  static let numberOffset = LogDigest.size
  static let countOffset = numberOffset + 8
  static let headBytes = countOffset + 4
  static let endBytes = 4
  static let recordHeadBytes = 16
  private static let sourceTimeBytes = 8
  /// The most bytes that a pack can have: those of a single record.
  static let mostBytes =
    headBytes + endBytes + recordHeadBytes + sourceTimeBytes + LogFormat.payloadLimit

  private enum Flag {
    static let timeIsKnown: UInt8 = 1
    static let hasSourceTime: UInt8 = 2
    static let hasClock: UInt8 = 4
  }

  /// How many bytes a record takes, without where it ends.
  static func size(of header: RecordHeader, bytes: Int) -> Int {
    recordHeadBytes + (header.sourceTime == nil ? 0 : sourceTimeBytes) + bytes
  }

  /// Writes a record in its place.
  ///
  /// - Returns: How many bytes it takes.
  static func write(
    _ header: RecordHeader, _ bytes: UnsafeRawBufferPointer, to space: UnsafeMutableRawBufferPointer
  ) -> Int {
    var flags: UInt8 = header.timeIsKnown ? Flag.timeIsKnown : 0
    if header.sourceTime != nil { flags |= Flag.hasSourceTime }
    if header.clock != nil { flags |= Flag.hasClock }
    space[0] = header.direction.rawValue
    space[1] = header.kind.rawValue
    space[2] = flags
    space[3] = 0
    space.storeBigEndian(header.connection, at: 4)
    space.storeBigEndian(header.clock ?? 0, at: 8)
    if let time = header.sourceTime { space.storeBigEndian(time, at: recordHeadBytes) }
    let head = size(of: header, bytes: 0)
    UnsafeMutableRawBufferPointer(rebasing: space[head...]).copyMemory(from: bytes)
    return head + bytes.count
  }

  fileprivate static func readRecord(
    _ value: UnsafeRawBufferPointer, sequence: UInt64
  ) throws(EventLogError) -> (header: RecordHeader, bytes: UnsafeRawBufferPointer) {
    guard value.count >= recordHeadBytes else {
      throw .corrupt(sequence: sequence, what: "its header is cut short")
    }
    guard let direction = RecordDirection(rawValue: value[0]) else {
      throw .corrupt(sequence: sequence, what: "its direction is \(value[0])")
    }
    let flags = value[2]
    var size = recordHeadBytes
    var source: Int64?
    if flags & Flag.hasSourceTime != 0 {
      size += sourceTimeBytes
      guard value.count >= size else {
        throw .corrupt(sequence: sequence, what: "its header is cut short")
      }
      source = value.loadBigEndian(at: recordHeadBytes, as: Int64.self)
    }
    let clock = value.loadBigEndian(at: 8, as: Int64.self)
    let header = RecordHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: value[1]),
      connection: value.loadBigEndian(at: 4, as: UInt32.self),
      timeIsKnown: flags & Flag.timeIsKnown != 0,
      clock: flags & Flag.hasClock != 0 ? clock : nil, sourceTime: source)
    return (header, UnsafeRawBufferPointer(rebasing: value[size...]))
  }
}
