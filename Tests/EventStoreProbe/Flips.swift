import CLMDB
import EventStore
import Rollcall

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Flips one bit of a log at a time, and checks whether `LogVerification` finds the flip.
///
/// A flip may remain unfound only if LMDB itself still gives the content from before the flip.
struct Flips {
  private let path: String
  private let before: Dump

  init(_ path: String) throws {
    self.path = path
    guard let before = Dump(path) else { throw Failure.noDump }
    self.before = before
    guard try !isFound() else { throw Failure.damagedBeforehand }
  }

  enum Failure: Error {
    case noDump
    case damagedBeforehand
    case cannotWrite
  }

  /// The beginning of a page, with its header and list of nodes, or most of a meta page.
  static let head = 0..<152
  static let pageSize = 4096

  /// Flips a bit of every byte in the heads of pages, and of other bytes at multiples of a step.
  ///
  /// Prints `at N` before each flip, and then `found`, `same`, or `missed`.
  func run(
    from first: Int, to last: Int, by step: Int, _ say: (String) -> Void
  ) throws {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure.cannotWrite }
    defer { close(descriptor) }
    for offset in first..<last
    where offset % step == 0 || Self.head.contains(offset % Self.pageSize) {
      say("at \(offset)")
      var byte: UInt8 = 0
      guard pread(descriptor, &byte, 1, off_t(offset)) == 1 else { return }
      var flipped = byte ^ (1 << UInt8(offset % 8))
      guard pwrite(descriptor, &flipped, 1, off_t(offset)) == 1 else { throw Failure.cannotWrite }
      let outcome = try isFound() ? "found" : Dump(path) == before ? "same" : "missed"
      guard pwrite(descriptor, &byte, 1, off_t(offset)) == 1 else { throw Failure.cannotWrite }
      say(outcome)
    }
  }

  private func isFound() throws -> Bool {
    var isFound = false
    do {
      try LogVerification.run(path) { step in
        if case .found = step { isFound = true }
      }
    } catch is EventLogError {
      // The file is refused, so the damage is found.
      return true
    }
    return isFound
  }
}

/// The content of a log as LMDB gives it: every entry of every database, in order.
///
/// Each entry is also looked up by its key, which has to give the same value.
struct Dump: Equatable {
  private var bytes: [UInt8] = []

  /// Nil if LMDB fails or a look-up disagrees.
  init?(_ path: String) {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    guard mdb_env_create(&environment) == 0 else { return nil }
    defer { mdb_env_close(environment) }
    mdb_env_set_maxdbs(environment, 16)
    // Set a map size as `EventLog` does, regardless of the one in the file.
    mdb_env_set_mapsize(environment, 1 << 30)
    let flags = UInt32(MDB_NOSUBDIR | MDB_RDONLY)
    guard mdb_env_open(environment, path, flags, 0o600) == 0,
      mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0
    else { return nil }
    defer { mdb_txn_abort(transaction) }
    // The main database has the names and roots; the roots are not content.
    guard let names = Self.entries(of: nil, transaction)?.map(\.key) else { return nil }
    for name in names {
      guard let entries = Self.entries(of: name, transaction) else { return nil }
      bytes += name + [0]
      for (key, value) in entries {
        for part in [key, value] {
          withUnsafeBytes(of: part.count) { bytes += $0 }
          bytes += part
        }
      }
    }
  }

  private static func entries(
    of name: [UInt8]?, _ transaction: OpaquePointer?
  ) -> [(key: [UInt8], value: [UInt8])]? {
    var handle: MDB_dbi = 0
    var cursor: OpaquePointer?
    let text = name.map { String(decoding: $0, as: UTF8.self) }
    guard mdb_dbi_open(transaction, text, 0, &handle) == 0,
      mdb_cursor_open(transaction, handle, &cursor) == 0
    else { return nil }
    defer { mdb_cursor_close(cursor) }
    var entries: [(key: [UInt8], value: [UInt8])] = []
    var (key, value, again) = (MDB_val(), MDB_val(), MDB_val())
    var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
    while code == 0 {
      entries.append((copy(key), copy(value)))
      guard mdb_get(transaction, handle, &key, &again) == 0, again.mv_data == value.mv_data,
        again.mv_size == value.mv_size
      else { return nil }
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    return code == MDB_NOTFOUND ? entries : nil
  }

  private static func copy(_ value: MDB_val) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }
}
