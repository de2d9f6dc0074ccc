import Crypto

/// How a log lies in its file.
///
/// One LMDB file with a few named databases. Every integer is big-endian, every key is ordered by
/// its bytes, no database has duplicate keys.
///
///     meta      "format"         -> UInt32, the format's version
///               "account"        -> UTF-8, absent while unknown
///               "events"         -> UInt32, version of the code that made the derived parts;
///                                   absent while they are incomplete
///               "transaction"    -> UInt64, the number of the transaction that wrote last
///               "rebuild"        -> UInt32 version, UInt64 next record; while a rebuild runs
///               "import" UInt32  -> an imported capture, counted from 0 (`ImportedSource`)
///               "connection" UInt32 -> UTF-8, the source's name for a connection
///               "seal " key      -> checksum: SHA-256 of a label, and of another entry's key
///                                   and value
///     records   UInt64 first     -> pack of records (`RecordPack`)
///     events    UInt64 first     -> pack of events (`DerivedBlock`, `EventPack`; derived)
///     index     UInt64 first     -> which of these records concern which contacts
///                                   (`DerivedBlock`, `ContactIndex`; derived)
///     snapshots UInt64 sequence  -> header, state (derived)
///
/// Packs and blocks stand under the number of the first record that they hold or cover. A pack of
/// records is written once and never again: what a commit appends is packs of its own.
///
/// A snapshot's header is
///
///     0  UInt32 version of the events
///     4  UInt32 version of the reducer
///     8  UInt32 version of the state's codec
///     12 32     SHA-256 of the state
///     44 32     checksum: SHA-256 of a label, the sequence, the 44 bytes above, the digest of the
///               pack that holds the record
///     76        state
///
/// The checksum ties a snapshot to its own record of its own history: one that has got elsewhere,
/// or whose version has changed by itself, is found out without a replay.
enum LogFormat {
  /// The newest format that this code reads and the one it writes.
  static let version: UInt32 = 2
  static let chainLabel = "rollcall log, format 2"

  static let checkedBytes = 44
  static let snapshotHeaderBytes = checkedBytes + LogDigest.size
  static let snapshotChecksumLabel = "rollcall snapshot, format 1"
  static let metaChecksumLabel = "rollcall meta, format 1"

  /// The most bytes that a record or an event may have. A stanza has at most 16 MiB.
  static let payloadLimit = 64 << 20
  /// The most bytes that a snapshot's state may have: some million contacts.
  static let stateLimit = 1 << 30
  // MARK: Snapshots

  /// Writes a whole snapshot of the state after a record in its place.
  ///
  /// - Parameters:
  ///   - digest: Of the state.
  ///   - pack: The digest of the pack that holds the record.
  static func writeSnapshot(
    _ version: SnapshotVersion, _ state: UnsafeRawBufferPointer, _ digest: LogDigest,
    sequence: UInt64, pack: LogDigest, to space: UnsafeMutableRawBufferPointer
  ) {
    space.storeBigEndian(version.events, at: 0)
    space.storeBigEndian(version.reducer, at: 4)
    space.storeBigEndian(version.codec, at: 8)
    space.storeBytes(of: digest, toByteOffset: 12, as: LogDigest.self)
    let head = UnsafeRawBufferPointer(rebasing: space[..<checkedBytes])
    let checksum = snapshotChecksum(of: head, sequence: sequence, pack: pack)
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
    of head: UnsafeRawBufferPointer, sequence: UInt64, pack: LogDigest
  ) -> LogDigest {
    LogDigest { hash in
      hash.update(data: Array(snapshotChecksumLabel.utf8))
      withUnsafeBytes(of: sequence.bigEndian) { hash.update(bufferPointer: $0) }
      hash.update(bufferPointer: head)
      withUnsafeBytes(of: pack) { hash.update(bufferPointer: $0) }
    }
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
