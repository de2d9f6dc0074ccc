#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks at a file before LMDB does.
///
/// LMDB maps the file and trusts it: a page after its end is a SIGBUS, and some damage makes it
/// abort the process. So the two meta pages are read here and compared with the file's size. What
/// lies deeper is not looked at: a file that was crafted to do harm still can.
///
/// The layout is that of LMDB 0.9 on a 64-bit machine, the only one on which its files travel.
enum MetaPageCheck {
  private static let dataVersion: UInt32 = 1
  /// Enough looks that a writer in another process cannot spoil them all.
  private static let looks = 8

  /// Refuses everything that LMDB could not open, each by its own error.
  static func check(_ path: String) throws(EventLogError) {
    try checkIsFile(path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(doing: "open", path: path, code: errno) }
    // LMDB keeps its locks in the lock file: closing the data file drops none.
    defer { close(descriptor) }
    // The pages are read while another process may be writing them: look again before refusing.
    for _ in 1..<looks {
      do {
        return try checkOnce(descriptor, path)
      } catch {
        continue
      }
    }
    try checkOnce(descriptor, path)
  }

  /// Refuses what is no file at all.
  static func checkIsFile(_ path: String) throws(EventLogError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { throw .noSuchFile(path: path) }
      throw .system(doing: "look at", path: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
  }

  private static func checkOnce(_ descriptor: Int32, _ path: String) throws(EventLogError) {
    let first = try readMeta(descriptor, at: 0, path)
    let second = try readMeta(descriptor, at: first.pageSize, path)
    guard second.pageSize == first.pageSize else {
      throw .damaged(path: path, what: "its two meta pages disagree about the page size")
    }
    guard first.transaction & 1 == 0, second.transaction & 1 == 1 || second.transaction == 0 else {
      throw .damaged(path: path, what: "its meta pages are in the wrong order")
    }
    // They are written by turns: where one is missing, the log would be read as it was before it.
    let (older, newer) = (
      min(first.transaction, second.transaction), max(first.transaction, second.transaction)
    )
    guard newer == older + 1 || newer == 0 else {
      throw .damaged(
        path: path, what: "its meta pages are of the transactions \(older) and \(newer)")
    }
    // The size comes last: a file only grows.
    let bytes = try size(of: descriptor, path)
    try checkGeometry(
      first.transaction > second.transaction ? first : second, bytes: bytes, path)
  }

  private static func checkGeometry(
    _ meta: MetaPage, bytes: UInt64, _ path: String
  ) throws(EventLogError) {
    let (expected, overflow) = (meta.lastPage &+ 1).multipliedReportingOverflow(
      by: UInt64(meta.pageSize))
    guard meta.lastPage >= 1, meta.lastPage < .max, !overflow, expected < UInt64(Int.max) else {
      throw .damaged(path: path, what: "its last page is said to be \(meta.lastPage)")
    }
    guard bytes >= expected else {
      throw .truncated(path: path, bytes: bytes, expected: expected)
    }
    for root in [meta.free.root, meta.main.root]
    where root != TreeRoot.none && (root < 2 || root > meta.lastPage) {
      throw .damaged(path: path, what: "a root page is said to be \(root)")
    }
  }

  private static func readMeta(
    _ descriptor: Int32, at offset: Int, _ path: String
  ) throws(EventLogError) -> MetaPage {
    guard let bytes = MetaPage.bytes(of: descriptor, at: offset) else {
      throw .system(doing: "read", path: path, code: errno)
    }
    if bytes.isEmpty && offset == 0 { throw .emptyFile(path: path) }
    guard bytes.count == MetaPage.byteCount else {
      // Only a first page that shows the magic tells a cut log from any other short file.
      if offset == 0 && !MetaPage.hasMagic(bytes.span.bytes) { throw .notALog(path: path) }
      throw .truncated(
        path: path, bytes: UInt64(offset + bytes.count),
        expected: UInt64(offset + MetaPage.byteCount))
    }
    guard let meta = MetaPage(bytes.span.bytes), meta.isMarkedAsMeta else {
      if offset == 0 { throw .notALog(path: path) }
      throw .damaged(path: path, what: "its second meta page is not one")
    }
    guard meta.version == dataVersion else {
      throw .unknownLMDBVersion(path: path, version: meta.version)
    }
    guard meta.hasPossiblePageSize else {
      throw .damaged(path: path, what: "its page size is said to be \(meta.pageSize)")
    }
    return meta
  }

  private static func size(
    of descriptor: Int32, _ path: String
  ) throws(EventLogError) -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .system(doing: "look at", path: path, code: errno)
    }
    return UInt64(max(0, status.st_size))
  }
}
