import RawBytes

/// Consecutive records that are stored together: all or some of the records of one commit.
///
/// It is a view of LMDB's own bytes. They may be damaged even if they can be read; `follows`
/// verifies them.
///
///     0  32     digest
///     32 UInt64 number of the pack, from 1
///     40 Int64  the first clock of its records, ms since 1970; 0 if none has a clock
///     48 UInt32 count of records
///     52 UInt32 for each record: its end, counted from the beginning of the pack
///        ...    the records, one after the other
///
/// A record is
///
///     0  UInt8  the direction, and flags: 4 the time is known, 8 a clock follows, 16 the clock is
///               absolute, 32 a connection follows, 64 a source time follows
///     1  UInt8  kind
///     2  UInt32 clock, ms after the pack's (only with flag 8 and not 16)
///        Int64  clock, ms since 1970 (only with flags 8 and 16)
///        UInt32 connection (only with flag 32; otherwise it is 1)
///        Int64  source time, ms since 1970 (only with flag 64)
///               bytes
struct RecordPack: ~Escapable {
  /// The number of its first record.
  let first: UInt64
  /// The number of records, at least one.
  let count: Int
  private let value: RawSpan

  /// - Throws: `EventLogError.corrupt` if the bytes cannot be a pack.
  @_lifetime(copy value)
  init(_ value: RawSpan, first: UInt64) throws(EventLogError) {
    guard first > 0 else {
      throw .corrupt(what: "there is a pack of records whose number is not valid")
    }
    guard value.byteCount > PackLayout.headBytes else {
      throw .corrupt(sequence: first, what: "its pack is cut short")
    }
    let count = Int(value.bigEndian(at: PackLayout.countOffset, as: UInt32.self))
    let minBytes = PackLayout.endBytes + PackLayout.minHeadBytes
    guard count > 0, count <= (value.byteCount - PackLayout.headBytes) / minBytes,
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

  /// The stored number of the pack in its log, from 1.
  var number: UInt64 { value.bigEndian(at: PackLayout.numberOffset) }

  /// The stored digest.
  var digest: LogDigest { LogDigest(stored: value) }

  /// Computes the digest of its bytes after the digest of another pack.
  ///
  /// Complexity: linear in its bytes.
  func digest(after previous: LogDigest) -> LogDigest {
    RecordChain.digest(after: previous, value.extracting(LogDigest.size...))
  }

  /// Whether it is intact and was written after another pack. Complexity: linear in its bytes.
  func follows(_ previous: LogDigest) -> Bool { digest(after: previous) == digest }

  /// A record of the pack: its header and bytes. Complexity: O(1).
  ///
  /// - Throws: `EventLogError.corrupt` if the pack does not have it or it cannot be read.
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
    // The stored ends need not be ascending; check each.
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

/// The sizes and offsets of the parts of a pack, and the encoding of one record.
enum PackLayout {
  static let numberOffset = LogDigest.size
  static let clockOffset = numberOffset + 8
  static let countOffset = clockOffset + 8
  static let headBytes = countOffset + 4
  static let endBytes = 4
  static let minHeadBytes = 2
  private static let maxHeadBytes = minHeadBytes + clockBytes + connectionBytes + clockBytes
  fileprivate static let clockBytes = 8
  fileprivate static let distanceBytes = 4
  fileprivate static let connectionBytes = 4
  /// The largest size of a pack in bytes: that of one with a single record of the largest size.
  static let maxBytes = headBytes + endBytes + maxHeadBytes + LogFormat.payloadLimit

  fileprivate enum Flag {
    static let directions: UInt8 = 3
    static let timeIsKnown: UInt8 = 4
    static let hasClock: UInt8 = 8
    static let hasWholeClock: UInt8 = 16
    static let hasConnection: UInt8 = 32
    static let hasSourceTime: UInt8 = 64
  }

  /// The size of a record in a pack, not counting its stored end.
  ///
  /// - Parameter start: The clock of the pack.
  static func size(of header: RecordHeader, after start: Int64, bytes: Int) -> Int {
    var size = minHeadBytes + bytes
    if let clock = header.clock {
      size += distance(to: clock, from: start) == nil ? clockBytes : distanceBytes
    }
    if header.connection != 1 { size += connectionBytes }
    if header.sourceTime != nil { size += clockBytes }
    return size
  }

  /// The time from the pack's clock to a record's; nil if it does not fit.
  private static func distance(to clock: Int64, from start: Int64) -> UInt32? {
    let (distance, overflows) = clock.subtractingReportingOverflow(start)
    return overflows ? nil : UInt32(exactly: distance)
  }

  /// Writes a record to its space at an offset.
  ///
  /// - Parameter start: The clock of the pack.
  /// - Returns: The size of the written record in bytes.
  static func write(
    _ header: RecordHeader, after start: Int64, _ bytes: RawSpan, to space: inout MutableRawSpan,
    at offset: Int
  ) -> Int {
    var flags = header.direction.rawValue
    if header.timeIsKnown { flags |= Flag.timeIsKnown }
    var end = offset + minHeadBytes
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
    guard value.byteCount >= PackLayout.minHeadBytes else {
      throw .corrupt(sequence: sequence, what: "its header is cut short")
    }
    let flags = value[0]
    guard let direction = RecordDirection(rawValue: flags & Flag.directions) else {
      throw .corrupt(
        sequence: sequence, what: "its direction is \(flags & Flag.directions)")
    }
    let isWhole = flags & Flag.hasWholeClock != 0
    let endOfClock =
      PackLayout.minHeadBytes
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
        ? value.bigEndian(at: PackLayout.minHeadBytes)
        : start &+ Int64(value.bigEndian(at: PackLayout.minHeadBytes, as: UInt32.self))
    }
    header = RecordHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: value[1]),
      connection: flags & Flag.hasConnection == 0 ? 1 : value.bigEndian(at: endOfClock),
      timeIsKnown: flags & Flag.timeIsKnown != 0, clock: clock,
      sourceTime: flags & Flag.hasSourceTime == 0 ? nil : value.bigEndian(at: endOfConnection))
    bytes = value.extracting(end...)
  }
}
