import RawBytes
import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

@Suite("What the user sets and no server keeps")
struct AnnotationRuleTests {
  private static let bob = bare("bob@example.test")
  private static let carol = bare("carol@example.test")

  struct Case: Sendable, CustomTestStringConvertible {
    let before: [RosterAnnotation]
    let annotation: RosterAnnotation
    /// The field that changes; nil if nothing changes.
    let field: FieldValues?

    var testDescription: String { "\(annotation) after \(before)" }
  }

  static let cases: [Case] = [
    Case(before: [], annotation: .starred(bob, true), field: .starred(before: false, after: true)),
    Case(before: [], annotation: .starred(bob, false), field: nil),
    Case(before: [.starred(bob, true)], annotation: .starred(bob, true), field: nil),
    Case(
      before: [.starred(bob, true)], annotation: .starred(bob, false),
      field: .starred(before: true, after: false)),
    Case(
      before: [.starred(carol, true)], annotation: .starred(bob, true),
      field: .starred(before: false, after: true)),
    Case(
      before: [], annotation: .reading(bob, "zeng"), field: .reading(before: nil, after: "zeng")),
    Case(before: [], annotation: .reading(bob, nil), field: nil),
    Case(before: [], annotation: .reading(bob, " "), field: nil),
    Case(before: [.reading(bob, "zeng")], annotation: .reading(bob, "zeng"), field: nil),
    Case(
      before: [.reading(bob, "zeng")], annotation: .reading(bob, "ceng"),
      field: .reading(before: "zeng", after: "ceng")),
    Case(
      before: [.reading(bob, "zeng")], annotation: .reading(bob, ""),
      field: .reading(before: "zeng", after: nil)),
    // Swift considers the texts equal, but their bytes differ.
    Case(
      before: [.reading(bob, "e\u{301}")], annotation: .reading(bob, "\u{e9}"),
      field: .reading(before: "e\u{301}", after: "\u{e9}")),
    Case(
      before: [.starred(bob, true)], annotation: .note(bob, "chess"),
      field: .note(before: nil, after: "chess")),
    Case(
      before: [.note(bob, "chess")], annotation: .note(bob, nil),
      field: .note(before: "chess", after: nil)),
    Case(before: [.note(bob, "chess")], annotation: .note(bob, "chess"), field: nil),
  ]

  @Test("An annotation changes what differs from before, and nothing else", arguments: cases)
  func rules(_ test: Case) {
    var scenario = Scenario.alice(item("bob@example.test", "name='Bob'"))
    for annotation in test.before { scenario.annotated(annotation) }
    var before = scenario.roster
    let outcome = scenario.annotated(test.annotation)
    let record = scenario.record
    #expect(outcome.findings.isEmpty)
    #expect(
      outcome.changes
        == (test.field.map {
          [
            RosterChange(record: record, contact: Self.bob, values: $0, reason: nil)
          ]
        } ?? [])
    )
    before.move(to: record)
    // An annotation is an event, and leaves no doubt about what the server has asked for.
    before.eventsSince = scenario.roster.eventsSince
    #expect((before == scenario.roster) == (test.field == nil))
    let set = scenario.roster.annotations[Self.bob]
    switch test.field {
    case .starred(_, let isStarred): #expect(set?.isStarred ?? false == isStarred)
    case .reading(_, let after): #expect(set?.reading.hasSameBytes(as: after) ?? (after == nil))
    case .note(_, let after): #expect(set?.note == after)
    default: break
    }
  }

  @Test("Each value names the record that set or removed it")
  func provenance() throws {
    var scenario = Scenario.alice()
    scenario.annotated(.starred(Self.bob, true))
    scenario.annotated(.reading(Self.bob, "zeng"))
    scenario.annotated(.note(Self.bob, "chess"))
    scenario.annotated(.starred(Self.bob, false))
    let set = try #require(scenario.roster.contact(Self.bob)?.annotations)
    #expect([set.starredRecord, set.readingRecord, set.noteRecord] == [7, 5, 6])
    scenario.annotated(.reading(Self.bob, nil))
    scenario.annotated(.note(Self.bob, nil))
    #expect(scenario.roster.annotations.isEmpty)
    #expect(scenario.roster.contact(Self.bob)?.annotations?.isEmpty == true)
  }

  @Test("A removed contact keeps its annotations, and still has them when it is added again")
  func removed() {
    var scenario = Scenario.alice(item("bob@example.test", "name='Bob'"))
    scenario.annotated(.starred(Self.bob, true))
    scenario.pushed(item("bob@example.test", "subscription='remove'"))
    #expect(scenario.contacts.isEmpty && scenario.roster.annotations[Self.bob]?.isStarred == true)
    scenario.fetches(item("bob@example.test"), id: "again")
    #expect(scenario.roster.contact(Self.bob)?.annotations?.isStarred == true)
  }

  @Test("An annotation begins no session and displaces none")
  func sessions() {
    var scenario = Scenario()
    scenario.annotated(.starred(Self.bob, true))
    #expect(scenario.roster.connections.isEmpty && !scenario.roster.isConnected)
    for number in 1...100 {
      _ = scenario.on(UInt32(number)) { $0.opened("alice@example.test/r\(number)") }
    }
    let connections = scenario.roster.connections
    _ = scenario.on(1000) { $0.annotated(.starred(Self.carol, true)) }
    #expect(scenario.roster.connections == connections)
    #expect(scenario.roster.annotations.keys == [Self.bob, Self.carol])
  }

  // MARK: Requests

  /// Bob and Carol have sent requests; the user has seen Bob's.
  private func asked() -> Scenario {
    var scenario = Scenario.alice()
    scenario.receives("subscribe", from: "bob@example.test")
    scenario.receives("subscribe", from: "carol@example.test")
    scenario.annotated(.requestsSeen([Self.bob, bare("nobody@example.test"), Self.bob]))
    return scenario
  }

  @Test("A seen request no longer counts, and is reported once")
  func seen() throws {
    var scenario = asked()
    #expect(scenario.roster.unseenRequests == [Self.carol])
    #expect(scenario.roster.incoming[Self.bob]?.seen == 6)
    let request = try #require(scenario.roster.incoming[Self.bob])
    let change = try #require(scenario.last.changes.first)
    guard case .request(let before?, let after) = change.values else {
      Issue.record("\(change)")
      return
    }
    #expect(after == .open(request) && scenario.last.changes.count == 1)
    #expect(before.request.seen == nil && change.contact == Self.bob)
    #expect(scenario.roster.contact(bare("nobody@example.test")) == nil)
    #expect(scenario.annotated(.requestsSeen([Self.bob])).changes.isEmpty)
    #expect(scenario.annotated(.requestsSeen(scenario.roster.unseenRequests)).changes.count == 1)
    #expect(scenario.roster.unseenRequests.isEmpty)
  }

  @Test("A request stays seen when it is sent again, even in the next session; a new one is unseen")
  func sentAgain() {
    var scenario = asked()
    scenario.receives("subscribe", from: "bob@example.test")
    #expect(scenario.roster.unseenRequests == [Self.carol])
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    scenario.fetches(id: "next")
    scenario.sends()
    #expect(scenario.unconfirmed == ["bob@example.test", "carol@example.test"])
    #expect(scenario.roster.unseenRequests.isEmpty)
    // An unconfirmed request can be seen as well.
    scenario.annotated(.requestsSeen([Self.carol]))
    #expect(scenario.unconfirmed == ["bob@example.test", "carol@example.test"])
    scenario.receives("subscribe", from: "bob@example.test")
    scenario.receives("subscribe", from: "carol@example.test")
    #expect(scenario.incoming.count == 2 && scenario.roster.unseenRequests.isEmpty)
    scenario.receives("unsubscribe", from: "bob@example.test")
    scenario.receives("subscribe", from: "bob@example.test")
    #expect(scenario.roster.unseenRequests == [Self.bob])
  }

  // MARK: Differences

  @Test("Two states differ in what was set, with the record that set it")
  func differences() {
    let before = asked()
    var after = before
    after.annotated(.starred(Self.bob, true))
    after.annotated(.note(Self.carol, "chess"))
    after.annotated(.requestsSeen([Self.carol]))
    let there = before.roster.differences(to: after.roster)
    #expect(there.map(\.field) == [.starred, .request, .note])
    #expect(there.map(\.record) == [7, 9, 8])
    let back = after.roster.differences(to: before.roster)
    #expect(back.first?.values == .starred(before: true, after: false))
    #expect(leads(there, from: before.roster, to: after.roster))
    #expect(leads(back, from: after.roster, to: before.roster))
  }
}
