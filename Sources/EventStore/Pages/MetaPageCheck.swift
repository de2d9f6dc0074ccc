#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Checks the meta pages of a file before LMDB reads it.
///
/// LMDB maps the file and trusts it: access to a page after its end raises SIGBUS, and some damage
/// makes LMDB abort the process. So this check compares the two meta pages with the file's size,
/// and with the number of the transaction that wrote the state that each leads to. It does not
/// check deeper pages: a file that was crafted to do harm still can.
///
/// The layout is that of LMDB 0.9 on 64-bit machines, which can exchange its files.
enum MetaPageCheck {
  /// The number of attempts before a refusal: a file can be a little short for a moment.
  private static let attempts = 8
  /// The number of attempts while a writer in another process keeps changing the pages, which it
  /// cannot do at every single one.
  private static let maxAttempts = 1000

  /// Throws a specific error for each file that LMDB cannot open, or whose last state is unknown.
  static func check(_ path: String) throws(EventLogError) {
    try check(path) { (file) throws(EventLogError) in
      try examine(file)
      guard let fault = try file.stateFindings().faults.first else { return }
      throw .damaged(path: path, what: fault)
    }
  }

  /// Throws a specific error for each file that LMDB cannot open.
  ///
  /// The states that the meta pages lead to are not checked.
  static func checkPages(_ path: String) throws(EventLogError) {
    try check(path, examine)
  }

  private static func check(
    _ path: String, _ body: (borrowing PageFile) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    try checkIsFile(path)
    var attempts = 0
    while true {
      // LMDB's locks are on the lock file, so closing the data file does not drop them.
      let file = try PageFile(path)
      do throws(EventLogError) {
        return try body(file)
      } catch {
        // Another process may have been writing the pages, so try again before refusing.
        attempts += 1
        guard attempts < Self.attempts || attempts < maxAttempts && !file.isUnchanged else {
          throw error
        }
      }
    }
  }

  /// Throws if there is no regular file at the path.
  static func checkIsFile(_ path: String) throws(EventLogError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { throw .noSuchFile(path: path) }
      throw .system(doing: "look at", path: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
  }

  private static func examine(_ file: borrowing PageFile) throws(EventLogError) {
    let (path, pages) = (file.path, file.metaPages)
    guard let first = pages.heads[0], let second = pages.heads[1] else {
      throw .system(doing: "read", path: path, code: EIO)
    }
    if first.isEmpty { throw .emptyFile(path: path) }
    guard first.count == MetaPage.byteCount else {
      // Only the magic number tells a truncated log from any other short file.
      if !MetaPage.hasMagic(first.span.bytes) { throw .notALog(path: path) }
      throw .truncated(
        path: path, bytes: UInt64(first.count), expected: UInt64(MetaPage.byteCount))
    }
    guard let newest = pages.newest else { throw refusal(of: pages.parsed[0], path) }
    guard second.count == MetaPage.byteCount else {
      throw .truncated(
        path: path, bytes: UInt64(pages.pageSize + second.count),
        expected: UInt64(pages.pageSize + MetaPage.byteCount))
    }
    if let fault = pages.faults().first { throw .damaged(path: path, what: fault) }
    // The size is read last, because a file only grows.
    try checkGeometry(newest, bytes: try file.byteCount, path)
  }

  /// The error for a file that has no readable meta page.
  private static func refusal(of first: MetaPage?, _ path: String) -> EventLogError {
    guard let first, first.isMarkedAsMeta else { return .notALog(path: path) }
    guard first.hasKnownVersion else {
      return .unknownLMDBVersion(path: path, version: first.version)
    }
    return .damaged(
      path: path, what: "\(MetaPages.name(0)) \(first.fault(asPage: 0) ?? "cannot be read")")
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
}
