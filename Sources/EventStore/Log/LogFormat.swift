import Crypto

/// How a log lies in its file: the one place that knows.
///
/// One LMDB file with a few named databases. Every integer is big-endian, every key is ordered by
/// its bytes, no database has duplicate keys.
///
///     meta      "format"         -> UInt32, the format's version
///               "account"        -> UTF-8, absent while unknown
///               "events"         -> UInt32, version of the code that made the derived parts;
///                                   absent while they are incomplete
///               "rebuild"        -> UInt32 version, UInt64 next record; while a rebuild runs
///               "import" UInt32  -> UInt16 length of digest, digest, name; counted from 0
///               "seal " key      -> checksum: SHA-256 of a label, and of another entry's key
///                                   and value
///     records   UInt64 sequence  -> header, digest, bytes
///     events    UInt64 sequence  -> direction, kind, flags, time, event    (derived)
///     contacts  0, name          -> UInt32 id                              (derived)
///               1, SHA-256       -> UInt32 id, name; for names too long for a key
///     index     UInt32 segment, UInt32 contact id, UInt16 offset -> nothing (derived)
///     snapshots UInt64 sequence  -> header, state                  (derived)
///
/// The database of snapshots is younger than the format: a log need not have it, and a program
/// that does not know it leaves it alone.
///
/// A record's header is
///
///     0  UInt8  direction
///     1  UInt8  kind
///     2  UInt8  flags: 1 the time is known, 2 a source time follows, 4 the clock has a value
///     3  UInt8  0
///     4  Int64  clock, ms since 1970 (0 without flag 4)
///     12 Int64  source time, ms since 1970 (0 without flag 2)
///     20 32     digest
///     52        bytes
///
/// of which the first 20 bytes are in the chain of digests. A snapshot's header is
///
///     0  UInt32 version of the events
///     4  UInt32 version of the reducer
///     8  UInt32 version of the state's codec
///     12 32     SHA-256 of the state
///     44 32     checksum: SHA-256 of a label, the sequence, the 44 bytes above, the digest of the
///               record
///     76        state
///
/// The checksum ties a snapshot to its own record of its own history: one that has got elsewhere,
/// or whose version has changed by itself, is found out without a replay.
///
/// The index is split into segments of 4,096 records: within one it is ordered by contact. An
/// index by contact alone would touch a page for nearly every contact of a batch at every commit;
/// here a commit touches the few pages of the newest segment, and a query looks once into each
/// segment, 245 of them in a million records.
enum LogFormat {
  /// The newest format that this code reads and the one it writes.
  static let version: UInt32 = 1
  static let chainLabel = "rollcall log, format 1"

  static let chainedHeaderBytes = 20
  static let digestBytes = 32
  static let recordHeaderBytes = chainedHeaderBytes + digestBytes
  static let eventHeaderBytes = 11
  static let indexKeyBytes = 10
  static let segmentBits: UInt64 = 12
  static let checkedBytes = 44
  static let snapshotHeaderBytes = checkedBytes + digestBytes
  static let snapshotChecksumLabel = "rollcall snapshot, format 1"
  static let metaChecksumLabel = "rollcall meta, format 1"

  /// The most bytes that a record or an event may have. A stanza has at most 16 MiB.
  static let payloadLimit = 64 << 20
  /// The most bytes that a snapshot's state may have: some million contacts.
  static let stateLimit = 1 << 30
  /// The most bytes in a contact's name: a local part and a domain of 1,023 each, and the `@`.
  static let contactLimit = 2047
  /// The longest name that is its own key: LMDB's 511 bytes without the one in front.
  static let plainNameLimit = 510

  private enum Flag {
    static let timeIsKnown: UInt8 = 1
    static let hasSourceTime: UInt8 = 2
    static let hasClock: UInt8 = 4
  }

  // MARK: Records

  /// Writes the part of a header that is in the chain.
  static func writeChained(_ header: RecordHeader, to space: UnsafeMutableRawBufferPointer) {
    var flags: UInt8 = header.timeIsKnown ? Flag.timeIsKnown : 0
    if header.sourceTime != nil { flags |= Flag.hasSourceTime }
    if header.clock != nil { flags |= Flag.hasClock }
    space[0] = header.direction.rawValue
    space[1] = header.kind.rawValue
    space[2] = flags
    space[3] = 0
    space.storeBigEndian(header.clock ?? 0, at: 4)
    space.storeBigEndian(header.sourceTime ?? 0, at: 12)
  }

  /// Reads a stored record's header.
  static func readHeader(
    _ value: UnsafeRawBufferPointer, sequence: UInt64
  ) throws(EventLogError) -> RecordHeader {
    guard value.count >= recordHeaderBytes else {
      throw .corrupt(sequence: sequence, what: "its header is cut short")
    }
    guard let direction = RecordDirection(rawValue: value[0]) else {
      throw .corrupt(sequence: sequence, what: "its direction is \(value[0])")
    }
    let flags = value[2]
    let clock = value.loadBigEndian(at: 4, as: Int64.self)
    let source = value.loadBigEndian(at: 12, as: Int64.self)
    return RecordHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: value[1]),
      timeIsKnown: flags & Flag.timeIsKnown != 0,
      clock: flags & Flag.hasClock != 0 ? clock : nil,
      sourceTime: flags & Flag.hasSourceTime != 0 ? source : nil,
      digest: LogDigest(stored: UnsafeRawBufferPointer(rebasing: value[chainedHeaderBytes...])))
  }

  /// Writes a whole record in its place.
  ///
  /// - Returns: The record's digest.
  static func writeRecord(
    _ header: RecordHeader, after previous: LogDigest, bytes: UnsafeRawBufferPointer,
    to space: UnsafeMutableRawBufferPointer
  ) -> LogDigest {
    UnsafeMutableRawBufferPointer(rebasing: space[recordHeaderBytes...]).copyMemory(from: bytes)
    // The chain takes what a record is, with the digest before it in front of its header where the
    // stored record has its own after it. So it is hashed in one piece where it will stand.
    space.storeBytes(of: previous, as: LogDigest.self)
    writeChained(
      header, to: UnsafeMutableRawBufferPointer(rebasing: space[digestBytes..<recordHeaderBytes]))
    let digest = LogDigest(of: UnsafeRawBufferPointer(space))
    writeChained(header, to: UnsafeMutableRawBufferPointer(rebasing: space[..<chainedHeaderBytes]))
    space.storeBytes(of: digest, toByteOffset: chainedHeaderBytes, as: LogDigest.self)
    return digest
  }

  // MARK: Events

  /// Writes what stands before a stored event.
  static func writeEventHeader(_ header: RecordHeader, to space: UnsafeMutableRawBufferPointer) {
    space[0] = header.direction.rawValue
    space[1] = header.kind.rawValue
    space[2] = header.time == nil ? 0 : Flag.timeIsKnown
    space.storeBigEndian(header.time ?? 0, at: 3)
  }

  static func readEventHeader(
    _ value: UnsafeRawBufferPointer, sequence: UInt64
  ) throws(EventLogError) -> EventHeader {
    guard value.count >= eventHeaderBytes else {
      throw .corrupt(sequence: sequence, what: "its stored event is cut short")
    }
    guard let direction = RecordDirection(rawValue: value[0]) else {
      throw .corrupt(sequence: sequence, what: "its stored event's direction is \(value[0])")
    }
    let time = value.loadBigEndian(at: 3, as: Int64.self)
    return EventHeader(
      sequence: sequence, direction: direction, kind: RecordKind(rawValue: value[1]),
      time: value[2] & Flag.timeIsKnown != 0 ? time : nil)
  }

  // MARK: Snapshots

  /// Writes a whole snapshot of the state after a record in its place.
  static func writeSnapshot(
    _ version: SnapshotVersion, _ state: UnsafeRawBufferPointer, sequence: UInt64,
    record: LogDigest, to space: UnsafeMutableRawBufferPointer
  ) {
    space.storeBigEndian(version.events, at: 0)
    space.storeBigEndian(version.reducer, at: 4)
    space.storeBigEndian(version.codec, at: 8)
    space.storeBytes(of: LogDigest(of: state), toByteOffset: 12, as: LogDigest.self)
    let head = UnsafeRawBufferPointer(rebasing: space[..<checkedBytes])
    let checksum = snapshotChecksum(of: head, sequence: sequence, record: record)
    space.storeBytes(of: checksum, toByteOffset: checkedBytes, as: LogDigest.self)
    UnsafeMutableRawBufferPointer(rebasing: space[snapshotHeaderBytes...]).copyMemory(from: state)
  }

  /// Reads a stored snapshot's header; nil where it is cut short.
  static func readSnapshotHeader(
    _ value: UnsafeRawBufferPointer, sequence: UInt64
  ) -> SnapshotHeader? {
    guard value.count >= snapshotHeaderBytes else { return nil }
    return SnapshotHeader(
      sequence: sequence,
      version: SnapshotVersion(
        events: value.loadBigEndian(at: 0, as: UInt32.self),
        reducer: value.loadBigEndian(at: 4, as: UInt32.self),
        codec: value.loadBigEndian(at: 8, as: UInt32.self)),
      digest: LogDigest(stored: UnsafeRawBufferPointer(rebasing: value[12...])))
  }

  /// What tells a snapshot's head, which is before its checksum, from any other.
  static func snapshotChecksum(
    of head: UnsafeRawBufferPointer, sequence: UInt64, record: LogDigest
  ) -> LogDigest {
    LogDigest { hash in
      hash.update(data: Array(snapshotChecksumLabel.utf8))
      withUnsafeBytes(of: sequence.bigEndian) { hash.update(bufferPointer: $0) }
      hash.update(bufferPointer: head)
      withUnsafeBytes(of: record) { hash.update(bufferPointer: $0) }
    }
  }

  // MARK: The contact index

  static func segment(of sequence: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (sequence - 1) >> segmentBits)
  }

  static func offset(of sequence: UInt64) -> UInt16 {
    UInt16(truncatingIfNeeded: (sequence - 1) & (1 << segmentBits - 1))
  }

  static func sequence(segment: UInt32, offset: UInt16) -> UInt64 {
    UInt64(segment) << segmentBits + UInt64(offset) + 1
  }
}

extension UnsafeMutableRawBufferPointer {
  func storeBigEndian<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: Integer.self)
  }
}

extension UnsafeRawBufferPointer {
  /// The integer at an offset that the caller has checked against `count`.
  func loadBigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Integer.Type
  ) -> Integer {
    Integer(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
