import CLMDB
import EventStore
import Foundation
import TestSupport
import Testing

/// A file that is not a log, or no longer one, is refused by a specific error and never crashes.
@Suite("Refusing files that are not logs") struct RefusalTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.rollcall")
  }

  private func open(_ access: LogAccess = .readOnly) throws(EventLogError) -> EventLog {
    try EventLog.open(at: path, access: access, eventVersion: 1)
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Makes a log of a few hundred records and closes it.
  private func makeLog(records: Int = 300) throws {
    var generator = SeededGenerator(seed: 7)
    try EventLog.create(at: path, eventVersion: 1).append(
      randomDrafts(records, using: &generator))
  }

  @Test("A missing file is refused")
  func nothing() throws {
    #expect(throws: EventLogError.noSuchFile(path: path)) { try open() }
    #expect(try folder.names.isEmpty)
  }

  @Test("A directory is refused")
  func directory() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: EventLogError.notAFile(path: path)) { try open() }
  }

  @Test("An empty file is refused")
  func emptyFile() throws {
    try write([])
    #expect(throws: EventLogError.emptyFile(path: path)) { try open(.readWrite) }
    #expect(try folder.names == ["a.rollcall"])
  }

  @Test(
    "A text file is refused and left unchanged",
    arguments: [1, 15, 20, 151, 152, 4096, 8192, 100_000])
  func textFile(size: Int) throws {
    try write(Array(repeating: UInt8(ascii: "x"), count: size))
    #expect(throws: EventLogError.notALog(path: path)) { try open() }
    #expect(throws: EventLogError.notALog(path: path)) { try open(.readWrite) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == size)
  }

  @Test("Another program's database is refused")
  func foreignDatabase() throws {
    var environment: OpaquePointer?
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
    mdb_env_close(environment)
    #expect(throws: EventLogError.foreignDatabase(path: canonical)) { try open() }
    #expect(throws: EventLogError.foreignDatabase(path: canonical)) { try open(.readWrite) }
  }

  private var canonical: String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  /// The file itself says how its keys are ordered.
  @Test("A log whose keys have another order is refused")
  func otherOrder() throws {
    try makeLog()
    let path = canonical
    let errors: [(String, EventLogError)] = [
      ("index", .damaged(path: path, what: "it has no database index")),
      ("snapshots", .damaged(path: path, what: "it has no database snapshots")),
      ("meta", .foreignDatabase(path: path)),
    ]
    for (database, error) in errors {
      Tampering(path).replace(database, flags: MDB_REVERSEKEY)
      #expect(throws: error) { try open() }
      #expect(throws: error) { try open(.readWrite) }
    }
  }

  @Test("A log of a newer format is refused, with the format's number")
  func futureFormat() throws {
    try makeLog()
    Tampering(path).put("meta", Array("format".utf8), [0, 0, 0, 7])
    let error = EventLogError.newerFormat(path: canonical, format: 7, supported: 4)
    #expect(throws: error) { try open() }
    #expect(throws: error) { try open(.readWrite) }
    #expect(
      error.description
        == "\(canonical): this log is of format 7; this program reads up to 4")
  }

  @Test("A log of an unreleased older format is refused, with the remedy", arguments: [1, 2])
  func formerFormat(format: UInt8) throws {
    try makeLog()
    Tampering(path).put("meta", Array("format".utf8), [0, 0, 0, format])
    let error = EventLogError.olderFormat(path: canonical, format: UInt32(format))
    #expect(throws: error) { try open() }
    #expect(throws: error) { try open(.readWrite) }
    #expect(error.description.contains("import its capture again"))
  }

  /// Cuts at every page boundary, one byte before and after it, and at odd offsets.
  @Test("A truncated file is refused wherever it is cut")
  func truncatedFile() throws {
    try makeLog()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let page = 4096
    #expect(whole.count > 40 * page)
    var cuts = [10, 19, 20, 100, 151, 152, 153, page + 20, page + 151, page + 152, 12345]
    for boundary in stride(from: page, to: whole.count, by: page) {
      cuts += [boundary - 1, boundary, boundary + 1]
    }
    cuts.append(whole.count - 1)
    for cut in cuts {
      try Data(whole[..<cut]).write(to: URL(fileURLWithPath: path))
      for access in [LogAccess.readOnly, .readWrite] {
        do {
          _ = try open(access)
          Issue.record("cut at \(cut) of \(whole.count) was opened")
        } catch {
          guard error.code == .damaged else {
            #expect(error.code == .notALog && cut < 20, "cut at \(cut): \(error)")
            continue
          }
          let match = try #require(
            error.detail.firstMatch(of: /is cut short: it has (\d+) bytes of at least (\d+)/))
          let (bytes, expected) = (UInt64(match.1) ?? .max, UInt64(match.2) ?? 0)
          #expect(bytes < expected, "cut at \(cut)")
        }
      }
    }
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(try open().last == 300)
  }

  /// Sets each four bytes of the meta pages to all ones.
  @Test("Damaged meta pages cause an error or a sound log, but no crash")
  func damagedMetaPages() throws {
    try makeLog(records: 40)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var refused = 0
    for offset in Array(stride(from: 8, to: 152, by: 4)) {
      for page in [0, 4096] {
        // LMDB may accept any statistics of a tree, so flip only fields that are checked.
        let isChecked = (8..<24).contains(offset) || (40..<44).contains(offset) || offset >= 128
        guard isChecked && offset != 12 else { continue }
        var bytes = whole
        bytes.replaceSubrange(page + offset..<page + offset + 4, with: [255, 255, 255, 255])
        try bytes.write(to: URL(fileURLWithPath: path))
        do {
          #expect(try open().last <= 40)
        } catch is EventLogError {
          refused += 1
        }
      }
    }
    #expect(refused > 10)
  }

  /// An empty file, which has no roots, has such a last page.
  @Test("A last page before the roots of the trees is refused")
  func lastPageBeforeRoots() throws {
    try makeLog(records: 40)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for page in [0, 4096] {
      bytes.replaceSubrange(page + 136..<page + 144, with: [1, 0, 0, 0, 0, 0, 0, 0])
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    do {
      _ = try open()
      Issue.record("it was opened")
    } catch {
      #expect(
        error.detail.hasPrefix("\(canonical) is damaged: a root page is said to be "), "\(error)")
    }
  }

  @Test(
    "A log in the directory of another user can be read while it is not in use",
    .enabled(if: geteuid() == 0, "only root can be two users"))
  func otherUser() throws {
    try makeLog()
    let lock = path + "-lock"
    try FileManager.default.removeItem(atPath: lock)
    chmod(path, 0o644)
    chmod(folder.path, 0o755)
    let alone = try ProbeProcess.run(["read-as-nobody", path])
    #expect(alone.lines == ["last 300"])
    #expect(try folder.names == ["a.rollcall"])
    let writer = try open(.readWrite)
    chmod(lock, 0o644)
    let beside = try ProbeProcess.run(["read-as-nobody", path])
    #expect(beside.lines == ["error: \(EventLogError.inUseBeyondLock(path: canonical))"])
    #expect(try writer.last == 300)
  }
}
