import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("Bookmarks") struct BookmarkTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Bob is renamed: three records, at 0, 1 and 2 hours past midnight of 1970-01-02.
  private func log() throws -> EventLog {
    var scenario = Scenario()
    let day: Int64 = 86_400_000
    scenario.opened("alice@example.test/phone", at: day)
    scenario.time = day + 3_600_000
    scenario.pushed(item("bob@example.test", "name='Bob'"))
    scenario.time = day + 7_200_000
    scenario.pushed(item("bob@example.test", "name='Robert'"))
    return try RollcallTests.log(of: scenario, in: folder)
  }

  @Test("A bookmark is one more record; no earlier record changes")
  func appended() throws {
    let log = try log()
    let before = try log.read { try $0.record(at: 3) }
    let placed = try Timeline(log).addBookmark("before", at: .record(2))
    #expect([placed.point, placed.record] == [2, 4])
    #expect(try log.read { try $0.record(at: 3) } == before)
    #expect(try Timeline(log).state(at: .bookmark("before")).roster.position == 2)
    #expect(
      try Timeline(log).state(at: .head(minus: 0)).roster.entries
        == Timeline(log).state(at: .record(3)).roster.entries)
  }

  @Test("Of two bookmarks with the same name, the later one counts")
  func replaced() throws {
    let timeline = Timeline(try log())
    _ = try timeline.addBookmark("here", at: .record(1))
    _ = try timeline.addBookmark("zero", at: .record(0))
    _ = try timeline.addBookmark("here", at: .record(3))
    let bookmarks = try timeline.bookmarks
    #expect(bookmarks.map(\.name) == ["here", "zero"])
    #expect(bookmarks.map(\.point) == [3, 0])
    #expect(try timeline.record(at: .bookmark("zero")) == 0)
  }

  @Test("An unknown bookmark is refused, and the existing ones are named")
  func unknown() throws {
    let timeline = Timeline(try log())
    _ = try timeline.addBookmark("here", at: .record(1))
    #expect(throws: RollcallError(PointError.noBookmark("there", known: ["here"]))) {
      try timeline.record(at: .bookmark("there"))
    }
  }

  @Test("A bookmark means the same in a log made from an export, where a header comes first")
  func exported() throws {
    let log = try log()
    _ = try Timeline(log).addBookmark("改名", at: .record(2))
    for isRedacted in [false, true] {
      let path = folder.file("\(isRedacted).jsonl")
      var bytes: [UInt8] = []
      if isRedacted {
        _ = try LogExport(log).writeRedacted { bytes += $0 }
      } else {
        _ = try LogExport(log).writeNative { bytes += $0 }
      }
      try Data(bytes).write(to: URL(filePath: path))
      let copy = try importedLog(of: path, nil, in: folder)
      let name = isRedacted ? "bookmark1" : "改名"
      #expect(try Timeline(copy).record(at: .bookmark(name)) == 3)
    }
  }

  @Test("An index of another version is not used to find bookmarks")
  func withoutIndex() throws {
    let log = try log()
    _ = try Timeline(log).addBookmark("here", at: .record(2))
    try log.rebuildDerived { _, _ in DerivedParts(event: nil, contacts: []) }
    let path = log.path
    #expect(path.hasSuffix(".rollcall"))
    try log.rebuild()
    #expect(try Timeline(log).record(at: .bookmark("here")) == 2)
  }

  @Test(
    "A time of day is on the last day, or on the day before if it is still ahead",
    arguments: [
      (LogPoint.clock(milliseconds: 0), UInt64(1)), (.clock(milliseconds: 3_600_000), 2),
      (.clock(milliseconds: 7_200_000), 3), (.clock(milliseconds: 7_200_001), 0),
      (.earlier(milliseconds: 0), 3), (.earlier(milliseconds: 1), 2),
      (.earlier(milliseconds: 3_600_000), 2), (.earlier(milliseconds: 3_600_001), 1),
      (.earlier(milliseconds: 7_200_001), 0), (.earlier(milliseconds: .max), 0),
    ])
  func times(_ point: LogPoint, _ record: UInt64) throws {
    #expect(try Timeline(log()).record(at: point) == record)
  }
}
