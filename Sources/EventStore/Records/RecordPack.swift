import RawBytes

/// Consecutive records as they are stored together: what one commit appended, or a part of it.
///
/// It is a view of bytes that are LMDB's own. What can be read of it is only what it looks like:
/// whether it is what was written, `follows` says.
///
///     0  32     digest
///     32 UInt64 number of the pack, from 1
///     40 Int64  the first clock that a record of it has, ms since 1970; 0 where none has one
///     48 UInt32 count of records
///     52 UInt32 for each record: where it ends, counted from the beginning of the pack
///        ...    the records, one after the other
///
/// A record is
///
///     0  UInt8  the direction, and flags: 4 the time is known, 8 a clock follows, 16 it is a whole
///               one, 32 a connection follows, 64 a source time follows
///     1  UInt8  kind
///     2  UInt32 clock, ms after the pack's (only with flag 8)
///        Int64  clock, ms since 1970 (only with flag 16 too, instead of that)
///        UInt32 connection (only with flag 32; else it is 1)
///        Int64  source time, ms since 1970 (only with flag 64)
///               bytes
struct RecordPack: ~Escapable {
  /// The number of its first record.
  let first: UInt64
  /// How many records there are, at least one.
  let count: Int
  private let value: RawSpan

  /// - Throws: `EventLogError.corrupt` where the bytes do not look like a pack.
  @_lifetime(copy value)
  init(_ value: RawSpan, first: UInt64) throws(EventLogError) {
    guard value.byteCount > PackLayout.headBytes, first > 0 else {
      throw .corrupt(sequence: first, what: "its pack is cut short")
    }
    let count = Int(value.bigEndian(at: PackLayout.countOffset, as: UInt32.self))
    let least = PackLayout.endBytes + PackLayout.leastHeadBytes
    guard count > 0, count <= (value.byteCount - PackLayout.headBytes) / least,
      !first.addingReportingOverflow(UInt64(count)).overflow
    else {
      throw .corrupt(sequence: first, what: "its pack cannot have \(count) records")
    }
    self.first = first
    self.count = count
    self.value = value
    guard end(ofRecordAt: count - 1) == value.byteCount else {
      throw .corrupt(sequence: first, what: "its pack does not end with its last record")
    }
  }

  /// The numbers of its records.
  var sequences: ClosedRange<UInt64> { first...(first + UInt64(count) - 1) }

  /// Which pack of the log it says that it is, from 1.
  var number: UInt64 { value.bigEndian(at: PackLayout.numberOffset) }

  /// The digest that is stored with it.
  var digest: LogDigest { LogDigest(stored: value) }

  /// The digest that its bytes have after another pack.
  ///
  /// Complexity: linear in its bytes.
  func digest(after previous: LogDigest) -> LogDigest {
    RecordChain.digest(after: previous, value.extracting(LogDigest.size...))
  }

  /// Whether it is what was written after another pack. Complexity: linear in its bytes.
  func follows(_ previous: LogDigest) -> Bool { digest(after: previous) == digest }

  /// A record of the pack: its header and bytes. Complexity: O(1).
  ///
  /// - Throws: `EventLogError.corrupt` where that is no record.
  @_lifetime(copy self)
  func record(at sequence: UInt64) throws(EventLogError) -> PackedRecord {
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
      end <= value.byteCount
    else { throw .corrupt(sequence: sequence, what: "it does not lie within its pack") }
    return try PackedRecord(
      value[start..<end], sequence: sequence, after: value.bigEndian(at: PackLayout.clockOffset))
  }

  private func end(ofRecordAt index: Int) -> Int {
    let offset = PackLayout.headBytes + index * PackLayout.endBytes
    return Int(value.bigEndian(at: offset, as: UInt32.self))
  }
}

/// The sizes of the parts of a pack of records, and how one of them is written and read.
enum PackLayout {
  static let numberOffset = LogDigest.size
  static let clockOffset = numberOffset + 8
  static let countOffset = clockOffset + 8
  static let headBytes = countOffset + 4
  static let endBytes = 4
  static let leastHeadBytes = 2
  private static let mostHeadBytes = leastHeadBytes + clockBytes + connectionBytes + clockBytes
  fileprivate static let clockBytes = 8
  fileprivate static let distanceBytes = 4
  fileprivate static let connectionBytes = 4
  /// The most bytes that a pack can have: those of a single record.
  static let mostBytes = headBytes + endBytes + mostHeadBytes + LogFormat.payloadLimit

  fileprivate enum Flag {
    static let directions: UInt8 = 3
    static let timeIsKnown: UInt8 = 4
    static let hasClock: UInt8 = 8
    static let hasWholeClock: UInt8 = 16
    static let hasConnection: UInt8 = 32
    static let hasSourceTime: UInt8 = 64
  }

  /// How many bytes a record takes, without where it ends.
  ///
  /// - Parameter start: The clock of the pack.
  static func size(of header: RecordHeader, after start: Int64, bytes: Int) -> Int {
    var size = leastHeadBytes + bytes
    if let clock = header.clock {
      size += distance(to: clock, from: start) == nil ? clockBytes : distanceBytes
    }
    if header.connection != 1 { size += connectionBytes }
    if header.sourceTime != nil { size += clockBytes }
    return size
  }

  /// How long after the pack's clock a record's is; nil where it cannot be said so.
  private static func distance(to clock: Int64, from start: Int64) -> UInt32? {
    let (distance, overflows) = clock.subtractingReportingOverflow(start)
    return overflows ? nil : UInt32(exactly: distance)
  }

  /// Writes a record in its place, which begins at an offset.
  ///
  /// - Parameter start: The clock of the pack.
  /// - Returns: How many bytes it takes.
  static func write(
    _ header: RecordHeader, after start: Int64, _ bytes: RawSpan, to space: inout MutableRawSpan,
    at offset: Int
  ) -> Int {
    var flags = header.direction.rawValue
    if header.timeIsKnown { flags |= Flag.timeIsKnown }
    var end = offset + leastHeadBytes
    if let clock = header.clock {
      flags |= Flag.hasClock
      if let distance = distance(to: clock, from: start) {
        space.write(bigEndian: distance, at: end)
        end += distanceBytes
      } else {
        flags |= Flag.hasWholeClock
        space.write(bigEndian: clock, at: end)
        end += clockBytes
      }
    }
    if header.connection != 1 {
      flags |= Flag.hasConnection
      space.write(bigEndian: header.connection, at: end)
      end += connectionBytes
    }
    if let time = header.sourceTime {
      flags |= Flag.hasSourceTime
      space.write(bigEndian: time, at: end)
      end += clockBytes
    }
    space[offset] = flags
    space[offset + 1] = header.kind.rawValue
    space.write(bytes, at: end)
    return end + bytes.byteCount - offset
  }
}

/// A record of a pack: its header and bytes.
struct PackedRecord: ~Escapable {
  let header: RecordHeader
  let bytes: RawSpan

  /// - Parameter start: The clock of the pack.
  @inline(__always)
  @_lifetime(copy value)
  fileprivate init(
    _ value: RawSpan, sequence: UInt64, after start: Int64
  ) throws(EventLogError) {
    typealias Flag = PackLayout.Flag
    guard value.byteCount >= PackLayout.leastHeadBytes else {
      throw .corrupt(sequence: sequence, what: "its header is cut short")
    }
    let flags = value[0]
    guard let direction = RecordDirection(rawValue: flags & Flag.directions) else {
      throw .corrupt(
        sequence: sequence, what: "its direction is \(flags & Flag.directions)")
    }
    let isWhole = flags & Flag.hasWholeClock != 0
    let endOfClock =
      PackLayout.leastHeadBytes
      + (flags & Flag.hasClock == 0
        ? 0 : isWhole ? PackLayout.clockBytes : PackLayout.distanceBytes)
    let endOfConnection =
      endOfClock + (flags & Flag.hasConnection == 0 ? 0 : PackLayout.connectionBytes)
    let end = endOfConnection + (flags & Flag.hasSourceTime == 0 ? 0 : PackLayout.clockBytes)
    guard value.byteCount >= end else {
      throw .corrupt(sequence: sequence, what: "its header is cut short")
    }
    var clock: Int64?
    if flags & Flag.hasClock != 0 {
      clock =
        isWhole
        ? value.bigEndian(at: PackLayout.leastHeadBytes)
        : start &+ Int64(value.bigEndian(at: PackLayout.leastHeadBytes, as: UInt32.self))
    }
    header = RecordHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: value[1]),
      connection: flags & Flag.hasConnection == 0 ? 1 : value.bigEndian(at: endOfClock),
      timeIsKnown: flags & Flag.timeIsKnown != 0, clock: clock,
      sourceTime: flags & Flag.hasSourceTime == 0 ? nil : value.bigEndian(at: endOfConnection))
    bytes = value.extracting(end...)
  }
}
