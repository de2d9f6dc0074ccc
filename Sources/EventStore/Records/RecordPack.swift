import RawBytes

/// Consecutive records as they are stored together: what one commit appended, or a part of it.
///
/// It is a view of bytes that are LMDB's own. What can be read of it is only what it looks like:
/// whether it is what was written, `follows` says.
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
    let least = PackLayout.endBytes + PackLayout.recordHeadBytes
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
    return try PackedRecord(value[start..<end], sequence: sequence)
  }

  private func end(ofRecordAt index: Int) -> Int {
    let offset = PackLayout.headBytes + index * PackLayout.endBytes
    return Int(value.bigEndian(at: offset, as: UInt32.self))
  }
}

/// The sizes of the parts of a pack of records, and how one of them is written and read.
enum PackLayout {
  static let numberOffset = LogDigest.size
  static let countOffset = numberOffset + 8
  static let headBytes = countOffset + 4
  static let endBytes = 4
  static let recordHeadBytes = 16
  fileprivate static let sourceTimeBytes = 8
  /// The most bytes that a pack can have: those of a single record.
  static let mostBytes =
    headBytes + endBytes + recordHeadBytes + sourceTimeBytes + LogFormat.payloadLimit

  fileprivate enum Flag {
    static let timeIsKnown: UInt8 = 1
    static let hasSourceTime: UInt8 = 2
    static let hasClock: UInt8 = 4
  }

  /// How many bytes a record takes, without where it ends.
  static func size(of header: RecordHeader, bytes: Int) -> Int {
    recordHeadBytes + (header.sourceTime == nil ? 0 : sourceTimeBytes) + bytes
  }

  /// Writes a record in its place, which begins at an offset.
  ///
  /// - Returns: How many bytes it takes.
  static func write(
    _ header: RecordHeader, _ bytes: RawSpan, to space: inout MutableRawSpan, at offset: Int
  ) -> Int {
    var flags: UInt8 = header.timeIsKnown ? Flag.timeIsKnown : 0
    if header.sourceTime != nil { flags |= Flag.hasSourceTime }
    if header.clock != nil { flags |= Flag.hasClock }
    space[offset] = header.direction.rawValue
    space[offset + 1] = header.kind.rawValue
    space[offset + 2] = flags
    space[offset + 3] = 0
    space.write(bigEndian: header.connection, at: offset + 4)
    space.write(bigEndian: header.clock ?? 0, at: offset + 8)
    if let time = header.sourceTime { space.write(bigEndian: time, at: offset + recordHeadBytes) }
    let head = size(of: header, bytes: 0)
    space.write(bytes, at: offset + head)
    return head + bytes.byteCount
  }
}

/// A record of a pack: its header and bytes.
struct PackedRecord: ~Escapable {
  let header: RecordHeader
  let bytes: RawSpan

  @inline(__always)
  @_lifetime(copy value)
  fileprivate init(_ value: RawSpan, sequence: UInt64) throws(EventLogError) {
    let headBytes = PackLayout.recordHeadBytes
    guard value.byteCount >= headBytes else {
      throw .corrupt(sequence: sequence, what: "its header is cut short")
    }
    guard let direction = RecordDirection(rawValue: value[0]) else {
      throw .corrupt(sequence: sequence, what: "its direction is \(value[0])")
    }
    let flags = value[2]
    var size = headBytes
    var source: Int64?
    if flags & PackLayout.Flag.hasSourceTime != 0 {
      size += PackLayout.sourceTimeBytes
      guard value.byteCount >= size else {
        throw .corrupt(sequence: sequence, what: "its header is cut short")
      }
      source = value.bigEndian(at: headBytes)
    }
    let clock = value.bigEndian(at: 8, as: Int64.self)
    header = RecordHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: value[1]),
      connection: value.bigEndian(at: 4),
      timeIsKnown: flags & PackLayout.Flag.timeIsKnown != 0,
      clock: flags & PackLayout.Flag.hasClock != 0 ? clock : nil, sourceTime: source)
    bytes = value.extracting(size...)
  }
}
