#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Looks at a file before LMDB does.
///
/// LMDB maps the file and trusts it: a page after its end is a SIGBUS, and some damage makes it
/// abort the process. So the two meta pages are read here and compared with the file's size, and
/// with the number of the transaction that wrote what each of them leads to. What lies deeper is
/// not looked at: a file that was crafted to do harm still can.
///
/// The layout is that of LMDB 0.9 on a 64-bit machine, the only one on which its files travel.
enum MetaPageCheck {
  /// How often it looks at least before it refuses: a file can be a little short for a moment.
  private static let looks = 8
  /// And at most, while a writer in another process changes the pages. None can spoil them all.
  private static let mostLooks = 1000

  /// Refuses everything that LMDB could not open, each by its own error, and a file of which it is
  /// not known which of its states is the last.
  static func check(_ path: String) throws(EventLogError) {
    try check(path) { (file) throws(EventLogError) in
      try examine(file)
      guard let fault = try file.stateFindings().faults.first else { return }
      throw .damaged(path: path, what: fault)
    }
  }

  /// Refuses everything that LMDB could not open. What the meta pages lead to is not looked at.
  static func checkPages(_ path: String) throws(EventLogError) {
    try check(path, examine)
  }

  private static func check(
    _ path: String, _ body: (borrowing PageFile) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    try checkIsFile(path)
    var looks = 0
    while true {
      // LMDB keeps its locks in the lock file: closing the data file drops none.
      let file = try PageFile(path)
      do throws(EventLogError) {
        return try body(file)
      } catch {
        // The pages are read while another process may be writing them: look again before refusing.
        looks += 1
        guard looks < Self.looks || looks < mostLooks && !file.isUnchanged else { throw error }
      }
    }
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

  private static func examine(_ file: borrowing PageFile) throws(EventLogError) {
    let (path, pages) = (file.path, file.metaPages)
    guard let first = pages.heads[0], let second = pages.heads[1] else {
      throw .system(doing: "read", path: path, code: EIO)
    }
    if first.isEmpty { throw .emptyFile(path: path) }
    guard first.count == MetaPage.byteCount else {
      // Only a first page that shows the magic tells a cut log from any other short file.
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
    // The size comes last: a file only grows.
    try checkGeometry(newest, bytes: try file.byteCount, path)
  }

  /// What a file is none of whose meta pages can be read.
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
