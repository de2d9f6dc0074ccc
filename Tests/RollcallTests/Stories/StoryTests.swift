import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("The story of a long session") struct StoryTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A capture of received stanzas, one second apart unless specified.
  private func moments(_ lines: [(second: Int, xml: String)]) throws -> [Timeline.Moment] {
    let header = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#
    let opened = #"{"stream":"opened","jid":"alice@example.test/phone"}"#
    let text = lines.map { #"{"t":\#($0.second * 1000),"dir":"in","xml":"\#($0.xml)"}"# }
    return try moments(ofCapture: ([header, opened] + text).joined(separator: "\n"))
  }

  private func moments(ofCapture text: String) throws -> [Timeline.Moment] {
    let path = folder.file("\(UUID()).jsonl")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try moments(of: importedLog(of: path, nil, in: folder))
  }

  private func moments(of log: EventLog) throws -> [Timeline.Moment] {
    var moments: [Timeline.Moment] = []
    try Timeline(log).replay(upTo: .head(minus: 0)) { moment, _ in
      if moment.tells { moments.append(moment) }
    }
    return moments
  }

  private func entries(_ moments: [Timeline.Moment]) -> [StoryFold.Entry] {
    var fold = StoryFold { $0.time.map { $0 / 86_400_000 } }
    let entries = moments.flatMap { fold.take($0) }
    return entries + fold.finish()
  }

  private static func presence(_ second: Int, _ name: String, _ rest: String = "/>") -> (
    second: Int, xml: String
  ) {
    (second, "<presence from='\(name)@example.test/pc'\(rest)")
  }

  @Test("A few consecutive changes of presence are listed, more are one entry")
  func bursts() throws {
    let gone = " type='unavailable'/>"
    let request = (4, "<presence from='eve@example.test' type='subscribe'/>")
    let few = [Self.presence(1, "bob"), Self.presence(2, "carol"), Self.presence(3, "bob", gone)]
    let many = [
      Self.presence(5, "bob"), Self.presence(6, "dave"),
      Self.presence(7, "carol", "><show>away</show></presence>"), Self.presence(8, "bob", gone),
    ]
    let told = entries(try moments(few + [request] + many))
    // The capture's header and the session come first.
    #expect(told.map(\.stamp.record) == [1, 2, 3, 4, 5, 6, 7])
    guard case .burst(let burst)? = told.last else {
      Issue.record("\(told)")
      return
    }
    #expect(burst.last.record == 10 && burst.records == 4)
    #expect((burst.came, burst.went, burst.changed) == (2, 1, 1))
    #expect(
      burst.contacts.map(\.text).sorted() == many.prefix(3).map { Self.contact($0.xml) }.sorted())
    #expect(burst.clause == "presence of 3 contacts: 2 came online, 1 went offline, 1 changed")
  }

  @Test("The errors of a server that cannot be reached are one entry, with their number")
  func returnedErrors() throws {
    let error =
      "><error type='cancel'><remote-server-not-found "
      + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
    for count in [3, 9] {
      let lines = (1...count).map {
        ($0, "<presence from='c\($0)@dead.test' type='error'\(error)")
      }
      let told = entries(try moments(lines)).dropFirst(2)
      #expect(told.count == (count == 3 ? 3 : 1))
      guard count == 9, case .burst(let burst)? = told.first else { continue }
      #expect(burst.records == 9)
      #expect(burst.clause == "9 errors from dead.test: remote-server-not-found")
    }
  }

  private static func contact(_ xml: String) -> String {
    ["bob", "carol", "dave"].first { xml.contains($0) }.map { "\($0)@example.test" } ?? ""
  }

  @Test("A burst ends with its day")
  func days() throws {
    let day = 86_400
    let seconds = (1...4).map { day - 5 + $0 } + (1...5).map { day + $0 }
    let told = entries(try moments(seconds.map { Self.presence($0, "b\($0)") })).dropFirst(2)
    let bursts = told.map { entry -> [Int] in
      guard case .burst(let burst) = entry else { return [] }
      return [Int(burst.first.record), Int(burst.last.record), burst.records]
    }
    #expect(bursts == [[3, 6, 4], [7, 11, 5]])
  }

  @Test(
    "A filter leaves out records of entries, and makes no entry of what was one",
    arguments: 0..<UInt64(8))
  func filtered(seed: UInt64) throws {
    let moments = try moments(of: log(of: randomScenario(seed: seed, lines: 400), in: folder))
    var generator = SeededGenerator(seed: seed)
    var fold = StoryFold { $0.time.map { $0 / 86_400_000 } }
    var shown: [UInt64] = []
    var part: [StoryFold.Entry] = []
    for moment in moments {
      let isShown = Bool.random(using: &generator)
      if isShown { shown.append(moment.stamp.record) }
      part += fold.take(moment, isShown: isShown)
    }
    part += fold.finish()
    #expect(part.count <= entries(moments).count, "seed \(seed)")
    let records = part.reduce(0) { count, entry in
      switch entry {
      case .moment: count + 1
      case .burst(let burst): count + burst.records
      }
    }
    #expect(records == shown.count, "seed \(seed)")
    #expect(part.allSatisfy { shown.contains($0.stamp.record) }, "seed \(seed)")
  }

  @Test("Every record with an effect is in one entry, in order", arguments: 0..<UInt64(8))
  func whole(seed: UInt64) throws {
    let moments = try moments(of: log(of: randomScenario(seed: seed, lines: 400), in: folder))
    var next = moments[...]
    for entry in entries(moments) {
      switch entry {
      case .moment(let moment):
        #expect(next.popFirst()?.stamp == moment.stamp, "seed \(seed)")
      case .burst(let burst):
        let members = next.prefix(burst.records)
        next = next.dropFirst(burst.records)
        #expect(members.first?.stamp == burst.first && members.last?.stamp == burst.last)
        #expect(members.count >= StoryFold.foldingThreshold)
        #expect(members.allSatisfy { $0.isFleeting && $0.outcome.findings.isEmpty })
        let changes = members.flatMap(\.outcome.changes).count { change in
          if case .presence = change.values { true } else { false }
        }
        #expect(burst.came + burst.went + burst.changed == changes, "seed \(seed)")
      }
    }
    #expect(next.isEmpty, "seed \(seed)")
  }

  @Test("A fetch of many contacts is one line with counts, one of a few is listed item by item")
  func fetches() throws {
    func lines(_ count: Int) throws -> [StoryLine] {
      let items = (0..<count).map { number in
        "<item jid='c\(number)@example.test' subscription='\(number % 3 == 0 ? "both" : "to")'/>"
      }
      let capture = """
        {"rollcall-capture":1,"account":"alice@example.test/phone"}
        {"t":1,"stream":"opened","jid":"alice@example.test/phone"}
        {"t":2,"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
        {"t":3,"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'>\(items.joined())</query></iq>"}
        """
      let last = try #require(try moments(ofCapture: capture).last)
      return last.outcome.changes.digest
    }
    let whole = "the whole roster is known"
    #expect(try lines(9).map(\.clause) == ["9 contacts: 3 both, 6 to", whole])
    #expect(try lines(9).map(\.mark) == ["+", "~"])
    #expect(try lines(5).count == 6)
  }

  @Test("A summary counts what a story lists")
  func summary() throws {
    let moments = try moments([
      Self.presence(10, "bob"), Self.presence(11, "bob", "><show>away</show></presence>"),
      Self.presence(12, "carol"),
      (
        20,
        "<iq type='set' id='1' from='eve@example.org/x'><query xmlns='jabber:iq:roster'><item jid='e@example.org' subscription='both'/></query></iq>"
      ),
      (21, "<iq type='result' id='9'><query xmlns='jabber:iq:roster'/></iq>"),
    ])
    var summary = StorySummary { $0.time.map { $0 / 86_400_000 } }
    for moment in moments { summary.take(moment) }
    #expect(summary.span == 10_000...21_000)
    #expect(summary.told == moments.count && summary.fleeting == 3)
    #expect(summary.busiest(1).map(\.contact.text) == ["bob@example.test"])
    #expect(summary.busiest(1).map(\.records) == [2])
    #expect(summary.findingCounts.map(\.first.code) == [.foreignPush, .unsolicitedResult])
    #expect(summary.findingCounts.map(\.count) == [1, 1])
    #expect(summary.count(of: .error) == 2 && summary.count(of: .info) == 0)
  }

  // MARK: Condensed

  private static func push(_ second: Int, _ item: String) -> (second: Int, xml: String) {
    (
      second,
      "<iq type='set' id='p\(second)'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' "
        + "\(item)/></query></iq>"
    )
  }

  private func condensed(_ moments: [Timeline.Moment]) -> [CondensedStory.Entry] {
    var story = CondensedStory()
    let entries = moments.flatMap { story.take($0) }
    return entries + story.finish()
  }

  @Test("An abridged push says what it changed, and presence is left out")
  func pushes() throws {
    let told = condensed(
      try moments([
        Self.push(1, "subscription='both'"), Self.presence(2, "bob"),
        Self.push(3, "subscription='to' name='Bob'"), Self.push(4, "subscription='remove'"),
        (5, "<presence from='eve@example.test' type='subscribe'/>"),
      ]))
    let clauses = told.map { entry -> String in
      guard case .moment(let moment) = entry else { return "\(entry)" }
      return moment.condensedClause
    }
    #expect(
      clauses.dropFirst(2) == [
        "+ contact bob@example.test both",
        "~ bob@example.test name none → “Bob”; subscription both → to",
        "- contact bob@example.test “Bob” to",
        "eve@example.test asks to see our presence",
      ])
  }

  /// What follows a lost connection, and the records of the entries for it; a range is one entry.
  static let interruptions: [(after: [String], told: [ClosedRange<UInt64>])] = [
    ([#"{"stream":"resumed"}"#], [3...4]),
    // Records with only presence do not separate them.
    ([Self.line(presence(9, "bob").xml), #"{"stream":"resumed"}"#], [3...5]),
    ([Self.line(push(9, "name='B'").xml), #"{"stream":"resumed"}"#], [3...3, 4...4, 5...5]),
    ([#"{"stream":"opened","jid":"alice@example.test/phone"}"#], [3...3, 4...4]),
    ([], [3...3]),
  ]

  private static func line(_ xml: String) -> String { #"{"dir":"in","xml":"\#(xml)"}"# }

  @Test("In an abridged story, a loss and its resumption are one entry", arguments: interruptions)
  func interruption(_ after: [String], _ expected: [ClosedRange<UInt64>]) throws {
    let text =
      [
        #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
        #"{"stream":"opened","jid":"alice@example.test/phone"}"#,
        #"{"stream":"closed","reason":"lost"}"#,
      ] + after
    let told = condensed(try moments(ofCapture: text.joined(separator: "\n")))
    let ranges = told.map { entry -> ClosedRange<UInt64> in
      switch entry {
      case .moment(let moment): moment.stamp.record...moment.stamp.record
      case .interruption(let lost, let resumed): lost.stamp.record...resumed.stamp.record
      }
    }
    #expect(Array(ranges.dropFirst(2)) == expected)
  }

  @Test("A summary counts the presence of each day")
  func presenceByDay() throws {
    let day = 86_400
    let moments = try moments(
      [1, 2, day + 1, day + 2, day + 3].map { Self.presence($0, "b\($0)") })
    var summary = StorySummary { $0.time.map { $0 / 86_400_000 } }
    for moment in moments { summary.take(moment) }
    #expect(summary.presence.mapValues(\.records) == [0: 2, 1: 3])
    #expect(!summary.isLong)
  }
}
