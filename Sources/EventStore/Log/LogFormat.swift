import RawBytes

/// The layout of a log in its file.
///
/// A log is one LMDB file with a few named databases. Every integer is big-endian, keys sort by
/// their bytes, and no database has duplicate keys. A checksum is its lower half and then its upper
/// half, both little-endian.
///
///     meta      "format"         -> UInt32, the format's version
///               "account"        -> UTF-8, absent while unknown
///               "events"         -> UInt32, the version of the code that made the derived parts;
///                                   absent while they are incomplete
///               "transaction"    -> UInt64, the number of the transaction that wrote last
///               "rebuild"        -> UInt32 version, UInt64 next record; only during a rebuild
///               "import" UInt32  -> an imported capture, counted from 0 (`ImportedSource`)
///               "connection" UInt32 -> UTF-8, the source's name for a connection
///               "seal " key      -> checksum: SHA-256 of a label, and of another entry's key
///                                   and value
///     records   UInt64 first     -> pack of records (`RecordPack`)
///     events    UInt64 first     -> pack of events (`DerivedBlock`, `EventPack`; derived)
///     index     UInt64 first     -> the contacts that these records concern
///                                   (`DerivedBlock`, `ContactIndex`; derived)
///     snapshots UInt64 sequence  -> header, state (derived)
///
/// A log of many accounts has the format `furtherVersion` and further databases, whose names and
/// values its owner gives (`EventLog.open`).
///
/// The key of a pack or block is the number of the first record that it holds or covers. A pack of
/// records is written once and never changed: each commit appends packs of its own.
///
/// A snapshot's header is
///
///     0  UInt32 version of the events
///     4  UInt32 version of the reducer
///     8  UInt32 version of the state's codec
///     12 16     checksum: XXH3 of the state
///     28 16     checksum: XXH3 of the 28 bytes above and the digest of the pack that holds the
///               record, seeded with a label and the sequence
///     44        state
///
/// The second checksum ties a snapshot to its record in its history, so a snapshot that was moved,
/// or whose version was changed, is detected without a replay.
enum LogFormat {
  /// The format of a new log, and the oldest that this code reads.
  static let version: UInt32 = 3
  /// The format of a log that has a record of the kind `RecordKind.policy`, which differs in
  /// nothing else, and the newest that this code reads.
  static let policyVersion: UInt32 = 4
  /// The format of a log of many accounts: its owner keeps further databases in the file, without
  /// which its records cannot be told apart. Far from the others, so that neither is taken for the
  /// next of the other.
  static let furtherVersion: UInt32 = 0x1_0000
  static let chainLabel = "rollcall log, format 2"

  static let checkedBytes = 12 + Checksum.size
  static let snapshotHeaderBytes = checkedBytes + Checksum.size
  static let snapshotChecksumLabel = "rollcall snapshot, format 1"
  static let metaChecksumLabel = "rollcall meta, format 1"

  /// The largest size of a record or an event in bytes. A stanza has at most 16 MiB.
  static let payloadLimit = 64 << 20
  /// The largest size of a snapshot's state in bytes: some million contacts.
  static let stateLimit = 1 << 30

  // MARK: Snapshots

  /// Writes a snapshot of the state after a record to its reserved space.
  ///
  /// - Parameters:
  ///   - checksum: The checksum of the state.
  ///   - pack: The digest of the pack that holds the record.
  static func writeSnapshot(
    _ version: SnapshotVersion, _ state: RawSpan, _ checksum: Checksum,
    sequence: UInt64, pack: LogDigest, to space: inout MutableRawSpan
  ) {
    space.write(bigEndian: version.events, at: 0)
    space.write(bigEndian: version.reducer, at: 4)
    space.write(bigEndian: version.codec, at: 8)
    space.storeBytes(of: checksum, toByteOffset: 12, as: Checksum.self)
    let headChecksum = snapshotChecksum(
      of: space.bytes[0..<checkedBytes], sequence: sequence, pack: pack)
    space.storeBytes(of: headChecksum, toByteOffset: checkedBytes, as: Checksum.self)
    space.write(state, at: snapshotHeaderBytes)
  }

  /// Reads the header of a stored snapshot; nil if the value is too short.
  static func readSnapshotHeader(
    _ value: RawSpan, sequence: UInt64
  ) -> SnapshotHeader? {
    guard value.byteCount >= snapshotHeaderBytes else { return nil }
    return SnapshotHeader(
      sequence: sequence,
      version: SnapshotVersion(
        events: value.bigEndian(at: 0),
        reducer: value.bigEndian(at: 4),
        codec: value.bigEndian(at: 8)),
      checksum: Checksum(stored: value, at: 12))
  }

  /// The checksum of a snapshot's head, which ties it to its record.
  ///
  /// - Parameter head: The bytes before this checksum.
  static func snapshotChecksum(
    of head: RawSpan, sequence: UInt64, pack: LogDigest
  ) -> Checksum {
    let bytes = [UInt8](head) + pack.bytes
    return Checksum(
      of: bytes.span.bytes, seed: Checksum.seed(snapshotChecksumLabel, sequence))
  }
}
