import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The lists of the story, and the picture of it.
@Suite struct StoryAnswerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// All entries of a list, block by block.
  private func entries(_ inspected: Inspected, _ view: String) throws -> [JSONValue] {
    let table = try inspected.get("/api/story?view=\(view)")
    var entries: [JSONValue] = []
    for (number, block) in table["blocks"].list.enumerated() {
      let answer = try inspected.get("/api/story/\(view)/blocks/\(number)-\(number)")
      let own = answer["blocks"][0].list
      // The heights are known before the entries are.
      #expect(block[0] == own.first?["n"])
      #expect(block[1] == own.last?["last"])
      #expect(block[2].number == own.reduce(0) { $0 + $1["lines"].list.count })
      #expect(block[3].number == own.reduce(0) { $0 + $1["findings"].list.count })
      entries += own
    }
    #expect(table["entries"].number == entries.count)
    return entries
  }

  @Test(arguments: CaptureCase.all)
  func theStoryIsThatOfReplay(_ fixture: CaptureCase) throws {
    try expectTheStoryOfReplay(try Inspected(fixture, in: folder))
  }

  @Test func aBurstIsThatOfReplay() throws {
    let inspected = try Inspected(withBurstIn: folder)
    try expectTheStoryOfReplay(inspected)
    let folds = try entries(inspected, "story").map { $0["fold"] }.filter { $0 != .null }
    // The six, and the one just before them.
    #expect(folds.map { $0["changed"].number } == [7])
  }

  private func expectTheStoryOfReplay(_ inspected: Inspected) throws {
    var fold = StoryFold(day: { Zone.utc.day($0) })
    var expected: [StoryFold.Entry] = []
    try inspected.timeline.replay(upTo: .head(minus: 0)) { moment, _ in
      if moment.tells { expected += fold.take(moment) }
    }
    expected += fold.finish()
    let shown = try entries(inspected, "story")
    try #require(shown.count == expected.count)
    for (entry, expected) in zip(shown, expected) {
      #expect(entry["n"] == JSONValue(expected.stamp.record))
      switch expected {
      case .moment(let moment):
        #expect(entry["clause"]["full"] == .string(moment.clause))
        #expect(entry["fold"] == .null)
      case .burst(let burst):
        #expect(entry["last"] == JSONValue(burst.last.record))
        #expect(entry["records"].number == burst.records)
        #expect(entry["fold"]["contacts"].number == burst.contacts.count)
        let opened = try inspected.get("/api/story/story/fold/\(burst.first.record)")
        #expect(opened["entries"].list.count == burst.records)
      }
    }
  }

  @Test(arguments: CaptureCase.all)
  func allRecordsAreAllRecords(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let head = try inspected.head
    let all = try entries(inspected, "records")
    #expect(all.map { $0["n"] } == (1...head).map { JSONValue($0) })
    #expect(all.allSatisfy { $0["clause"]["full"].words?.isEmpty == false })
  }

  /// What each term selects, counted over the entries themselves.
  @Test(arguments: CaptureCase.all)
  func aFilterSelectsWhatItSays(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let all = try entries(inspected, "records")
    func selected(_ filter: String) throws -> [JSONValue] {
      let body = JSONValue.object(["show": .string("records"), "filter": .string(filter)]).text
      let view = try inspected.post("/api/views", body)
      let shown = try entries(inspected, try #require(view["view"].words))
      #expect(view["entries"].number == shown.count)
      return shown.map { $0["n"] }
    }
    func numbers(_ isSelected: (JSONValue) -> Bool) -> [JSONValue] {
      all.filter(isSelected).map { $0["n"] }
    }
    for kind in ["iq", "presence", "message", "stream", "other", "unreadable", "note"] {
      let expected = numbers { $0["kind"] == .string(kind) }
      #expect(try selected("kind:\(kind)") == expected)
      #expect(try selected("-kind:\(kind)").count == all.count - expected.count)
    }
    #expect(try selected("way:out") == numbers { $0["way"] == .string("out") })
    #expect(
      try selected("kind:iq way:in")
        == numbers { $0["kind"] == .string("iq") && $0["way"] == .string("in") })
    #expect(try selected("is:finding") == numbers { !$0["findings"].list.isEmpty })
    #expect(try selected("is:lasting") == numbers { $0["lasting"] == .bool(true) })
    #expect(try selected("PUSHES") == selected("pushes"))
    for number in try selected("pushes") {
      let record = try inspected.get("/api/records/\(number.number)")
      #expect(record.text.lowercased().contains("pushes"))
    }
    #expect(try selected("\"no such words\"").isEmpty)
  }

  @Test(arguments: CaptureCase.all)
  func aPictureCountsEachRecordOnce(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let head = Int(try inspected.head)
    let lasting = try entries(inspected, "records").count { $0["lasting"] == .bool(true) }
    for axis in ["time", "record"] {
      for columns in [1, 2, 7, 335] {
        let picture = try inspected.get("/api/timeline?axis=\(axis)&columns=\(columns)")
        #expect(picture["all"].list.count == columns)
        #expect(picture["all"].list.reduce(0) { $0 + $1.number } == head)
        #expect(picture["lasting"].list.reduce(0) { $0 + $1.number } == lasting)
      }
    }
  }

  /// Going from finding to finding passes all of them, those about the end of the log included.
  @Test(arguments: CaptureCase.all)
  func everyFindingIsFound(_ fixture: CaptureCase) throws {
    let inspected = try Inspected(fixture, in: folder)
    let ends = try inspected.get("/api/findings")["findings"].list
      .filter { $0["ending"] == .bool(true) }.map { $0["record"].number }
    let expected = Set(try entries(inspected, "findings").map { $0["n"].number } + ends).sorted()
    func walk(_ next: String, from start: Int) throws -> [Int] {
      var (place, found) = (start, [Int]())
      while found.count <= expected.count {
        place = try inspected.get("/api/story/findings/find?\(next)=\(place)")["n"].number
        guard place > 0 else { break }
        found.append(place)
      }
      return found
    }
    #expect(try walk("next=finding&after", from: 0) == expected)
    guard let last = expected.last else { return }
    #expect(try walk("previous=finding&before", from: last) == expected.dropLast().reversed())
  }

  @Test func refusalsSayWhatIsWrong() throws {
    let inspected = try Inspected(try #require(CaptureCase.all.first), in: folder)
    let head = try inspected.head
    let refused: [(String, String?, Int, String)] = [
      ("/api/records/0", nil, 404, "no-such-record"),
      ("/api/records/\(head + 1)", nil, 404, "no-such-record"),
      ("/api/records/one", nil, 400, "bad-request"),
      ("/api/roster?at=\(head + 1)", nil, 404, "no-such-record"),
      ("/api/roster?at=nowhere", nil, 400, "no-such-point"),
      ("/api/roster?order=size", nil, 400, "bad-request"),
      ("/api/roster?count=-1", nil, 400, "bad-request"),
      ("/api/contacts/nobody@nowhere.example", nil, 404, "no-such-contact"),
      ("/api/story?view=v99", nil, 404, "no-such-view"),
      ("/api/story/story/blocks/0-9", nil, 400, "bad-request"),
      ("/api/story/story/blocks/\(Int.max)", nil, 400, "bad-request"),
      ("/api/moment?at=1&parts=roster&roster=\(Int.max)-\(Int.max)", nil, 400, "bad-request"),
      ("/api/timeline?columns=0", nil, 400, "bad-request"),
      ("/api/timeline?axis=record&from=2&to=1", nil, 400, "bad-request"),
      ("/api/compare", nil, 404, "no-such-log"),
      ("/api/log?log=1", nil, 404, "no-such-log"),
      ("/api/branches/b1", nil, 404, "no-such-branch"),
      ("/api/nothing", nil, 404, "no-such-path"),
      ("/api/log/more", nil, 404, "no-such-path"),
      ("/api/..%2flog", nil, 404, "no-such-path"),
      ("/api//log", nil, 404, "no-such-path"),
      ("/api/records/%ff", nil, 404, "no-such-path"),
      ("/api/views", nil, 405, "wrong-method"),
      ("/api/log", "{}", 405, "wrong-method"),
      ("/api/views", "[]", 400, "bad-request"),
      ("/api/views", #"{"filter":"kind:foo"}"#, 400, "bad-filter"),
      ("/api/branches", "{}", 400, "bad-request"),
      ("/api/branches", #"{"drop":["\#(head + 1)"]}"#, 400, "bad-request"),
      ("/api/bookmarks", #"{"name":"here","at":1}"#, 409, "read-only"),
      ("/api/bookmarks", #"{"name":"head","at":1}"#, 400, "bad-request"),
    ]
    for (target, body, status, code) in refused {
      let refusal = inspected.refusal(target, body)
      #expect(refusal.status == status && refusal.code == code, "\(target): \(refusal)")
    }
  }
}
