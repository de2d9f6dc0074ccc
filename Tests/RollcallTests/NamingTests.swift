import EventStore
import Rollcall
import TestSupport
import Testing
import XMPPStanza

/// What a user types for a contact, and which contacts it finds.
@Suite("Naming contacts") struct NamingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// One of each kind: friends, two with the same name, a renamed contact, a removed one, one with
  /// a request, a service, and one that only sent messages.
  private func timeline() throws -> Timeline {
    var scenario = Scenario.alice()
    scenario.fetches(
      item("bob@example.test", "name='Bob' subscription='both'")
        + item("bobby@example.org", "name='Robert' subscription='both'")
        + item("zs@example.test", "name='张三' subscription='both'")
        + item("zeng@example.test", "name='曾贤' subscription='to'")
        + item("gone@example.test", "name='老王' subscription='both'")
        + item("irc.example.test", "name='Gateway'"), id: "f1")
    scenario.pushed(item("zs@example.test", "name='三哥' subscription='both'"))
    scenario.pushed(item("gone@example.test", "subscription='remove'"))
    scenario.received(
      "<presence from='eve@example.test' type='subscribe'>"
        + "<nick xmlns='http://jabber.org/protocol/nick'>Evelyn</nick></presence>")
    scenario.received("<message from='writer@example.test/x'><body>hi</body></message>")
    return Timeline(try log(of: scenario, in: folder))
  }

  @Test(
    "One contact is found",
    arguments: [
      ("bob@example.test", "bob@example.test"), ("BOB@Example.TEST/phone", "bob@example.test"),
      ("bob", "bob@example.test"), ("Bob", "bob@example.test"), ("bobb", "bobby@example.org"),
      ("example.org", "bobby@example.org"), ("robert", "bobby@example.org"),
      ("sange", "zs@example.test"), ("sg", "zs@example.test"), ("三哥", "zs@example.test"),
      ("zengx", "zeng@example.test"), ("zx", "zeng@example.test"), ("曾", "zeng@example.test"),
      ("贤", "zeng@example.test"),
      // By the names that it had while it was in the roster.
      ("张三", "zs@example.test"), ("老王", "gone@example.test"), ("laow", "gone@example.test"),
      ("evelyn", "eve@example.test"), ("eve", "eve@example.test"),
      ("irc.example.test", "irc.example.test"), ("gatew", "irc.example.test"),
      ("writer@example.test", "writer@example.test"),
    ])
  func one(_ typed: String, _ address: String) throws {
    #expect(try timeline().contact(named: typed).jid == bare(address))
  }

  @Test("Several matches are listed, and none is chosen")
  func several() throws {
    let error = try #require(throws: ContactError.self) {
      try timeline().contact(named: "example.test")
    }
    guard case .ambiguous(_, let found) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(
      found.map(\.jid.text) == [
        "bob@example.test", "eve@example.test", "irc.example.test", "zeng@example.test",
        "zs@example.test",
      ])
    #expect("\(error)".hasPrefix("“example.test” can be any of 5 contacts: bob@example.test (Bob)"))
  }

  @Test(
    "If no contact matches, the nearest are named",
    arguments: [
      ("bbo@example.test", ["bob@example.test"]), ("evelin", ["eve@example.test"]),
      ("zsz", ["zs@example.test"]), ("nobody", []), ("quite another@", []), ("", []),
    ])
  func none(_ typed: String, _ nearest: [String]) throws {
    let error = try #require(throws: ContactError.self) { try timeline().contact(named: typed) }
    guard case .unknown(typed, let found) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(found.map(\.jid.text) == nearest)
  }

  @Test("Every contact of a random session is found by its address", arguments: 1...6)
  func addresses(seed: UInt64) throws {
    let timeline = Timeline(
      try log(of: randomScenario(seed: seed, lines: 300), in: folder))
    let roster = try timeline.state(at: .head(minus: 0)).roster
    #expect(roster.entries.keys.isEmpty == false, "seed \(seed)")
    for jid in roster.entries.keys {
      #expect(try timeline.contact(named: jid.text).jid == jid, "seed \(seed)")
    }
  }

  @Test("An empty log has no contacts")
  func empty() throws {
    let log = try EventLog.create(
      at: folder.file("empty.rollcall"), eventVersion: RecordReader.version)
    #expect(throws: ContactError.unknown("bob", nearest: [])) {
      try Timeline(log).contact(named: "bob")
    }
  }

  // MARK: Distance

  @Test(
    "Mistyped characters are counted",
    arguments: [
      ("replay", "replay", 0), ("repaly", "replay", 1), ("relay", "replay", 1),
      ("replayy", "replay", 1), ("raplay", "replay", 1), ("REPLAY", "replay", 0),
      ("rpelya", "replay", 2), ("张三", "张四", 1), ("ca", "abc", nil), ("state", "replay", nil),
      ("a", "", 1), ("", "ab", nil),
    ] as [(String, String, Int?)])
  func distance(_ typed: String, _ text: String, _ distance: Int?) {
    #expect(EditDistance(from: typed).distance(to: text) == distance)
  }

  @Test("The nearest words come first, and far ones are left out")
  func words() {
    let words = ["head", "here", "before-the-rename", "bead"]
    #expect(EditDistance(from: "hed").nearest(of: words) == ["head"])
    #expect(EditDistance(from: "hread").nearest(of: words) == ["head"])
    #expect(EditDistance.hint(for: "hea", among: words) == "; did you mean “head”?")
    #expect(EditDistance.hint(for: "xyzzy", among: words) == "")
  }
}
