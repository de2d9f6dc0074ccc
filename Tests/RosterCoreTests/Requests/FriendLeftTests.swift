import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("A friend who leaves")
struct FriendLeftTests {
  private let bob = "bob@example.test"

  private func alice(_ subscription: String) -> Scenario {
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")  // 1
    scenario.fetches(item(bob, "subscription='\(subscription)'"))  // 2 and 3
    return scenario
  }

  private func findings(_ scenario: Scenario) -> [Finding] {
    var scenario = scenario
    scenario.ends()
    return scenario.findings.filter { $0.code == .friendLeft }
  }

  static let endings = [
    ("unsubscribed", "both", "from", "no longer lets us see its presence", "§3.2"),
    ("unsubscribed", "to", "none", "no longer lets us see its presence", "§3.2"),
    ("unsubscribe", "both", "to", "no longer wants to see our presence", "§3.3"),
    ("unsubscribe", "from", "none", "no longer wants to see our presence", "§3.3"),
  ]

  @Test("The stanza and its push are one finding, in either order", arguments: endings)
  func orders(type: String, before: String, after: String, words: String, rule: String) throws {
    for isPushFirst in [true, false] {
      var scenario = alice(before)
      if isPushFirst { scenario.pushed(item(bob, "subscription='\(after)'")) }
      scenario.receives(type, from: bob)
      if !isPushFirst { scenario.pushed(item(bob, "subscription='\(after)'")) }
      let finding = try #require(findings(scenario).first)
      #expect(findings(scenario).count == 1)
      #expect(finding.severity == .info && finding.contact == bare(bob))
      // Nothing more can end after “none”; before that, the other direction may.
      let told = scenario.outcomes.flatMap(\.findings).contains { $0.code == .friendLeft }
      #expect(told == (after == "none"))
      #expect(finding.record == 5 && finding.cause == (isPushFirst ? 5 : 4))
      #expect(finding.sentence.contains(words) && finding.sentence.contains(rule))
      #expect(finding.sentence.contains("“\(after)”: before, it was “\(before)”"))
    }
  }

  @Test("Both directions are one finding; after a pause, another one")
  func bothDirections() {
    for pause in [0, 61_000] as [Int64] {
      var scenario = alice("both")
      scenario.receives("unsubscribed", from: bob, at: 1_000)
      scenario.pushed(item(bob, "subscription='from'"))
      scenario.receives("unsubscribe", from: bob, at: 1_001 + pause)
      scenario.pushed(item(bob))
      #expect(findings(scenario).count == (pause == 0 ? 1 : 2))
    }
  }

  /// How the second direction ends after the first, the records of both stanzas, and the end state.
  static let ends: [(String, @Sendable (inout Scenario) -> Void, other: Int?, state: String)] = [
    (
      "both stanzas, a push for each",
      {
        $0.receives("unsubscribe", from: "bob@example.test")
        $0.pushed(item("bob@example.test"))
      }, 6, "now shows the contact as “none”"
    ),
    (
      "the push first",
      {
        $0.pushed(item("bob@example.test"))
        $0.receives("unsubscribe", from: "bob@example.test")
      }, 7, "now shows the contact as “none”"
    ),
    (
      "half a minute later, with other things between",
      {
        $0.receives(from: "bob@example.test/pc", at: 5_000)
        $0.sets(item("carol@example.test", "name='Carol'"), id: "c", at: 6_000)
        $0.pushed(item("carol@example.test", "name='Carol'"), id: "c")
        $0.receivesEmptyResult(id: "c")
        $0.receives("unsubscribe", from: "bob@example.test", at: 31_000)
        $0.pushed(item("bob@example.test"))
      }, 10, "now shows the contact as “none”"
    ),
    ("never", { $0.sends(at: 90_000) }, nil, "now shows the contact as “from”"),
    (
      "we end it, and nothing more comes of the contact",
      {
        $0.sends("unsubscribed", to: "bob@example.test")
        $0.pushed(item("bob@example.test"))
        $0.sends(at: 90_000)
      }, nil, "now shows the contact as “none”"
    ),
    (
      "we remove the contact",
      {
        $0.sets(item("bob@example.test", "subscription='remove'"), id: "r")
        $0.pushed(item("bob@example.test", "subscription='remove'"), id: "r")
        $0.receivesEmptyResult(id: "r")
      }, nil, "the contact has left the roster since"
    ),
    (
      "a new session shows it",
      {
        $0.lost()
        $0.opened("alice@example.test/phone")
        $0.fetches(item("bob@example.test"), id: "again")
      }, nil, "now shows the contact as “none”"
    ),
  ]

  @Test("One finding tells the state in the end, however the other direction ends")
  func endState() throws {
    for (name, line, other, state) in Self.ends {
      var scenario = alice("both")
      scenario.receives("unsubscribed", from: bob, at: 1_000)  // 4
      scenario.pushed(item(bob, "subscription='from'"))
      line(&scenario)
      let found = findings(scenario)
      let finding = try #require(found.first, "\(name)")
      #expect(found.count == 1 && finding.cause == 4, "\(name)")
      #expect(finding.sentence.contains("\(state): before, it was “both”"), "\(name)")
      let second = other.map {
        "and no longer wants to see our presence (“unsubscribe” of record \($0))"
      }
      #expect(
        finding.sentence.contains(
          second ?? "lets us see its presence (“unsubscribed” of record 4), and"), "\(name)")
    }
  }

  @Test("Both stanzas before a single push are one finding, and so is the push before both")
  func singlePush() throws {
    for isPushFirst in [true, false] {
      var scenario = alice("both")
      if isPushFirst { scenario.pushed(item(bob)) }
      scenario.receives("unsubscribe", from: bob)
      scenario.receives("unsubscribed", from: bob)
      if !isPushFirst { scenario.pushed(item(bob)) }
      let told = scenario.outcomes.flatMap(\.findings).filter { $0.code == .friendLeft }
      let finding = try #require(told.first)
      #expect(told.count == 1 && findings(scenario).count == 1)
      #expect(
        finding.sentence.contains("“unsubscribe” of")
          && finding.sentence.contains("“unsubscribed” of"))
      #expect(finding.sentence.contains("as “none”: before, it was “both”"))
    }
  }

  @Test("A server that removes a contact which has left is told from a removal by another device")
  func removedByServer() throws {
    for (pause, isLeft) in [(5, true), (30_000, false)] as [(Int64, Bool)] {
      var scenario = alice("both")
      scenario.receives("unsubscribe", from: bob, at: 1_000)  // 4
      scenario.receives("unsubscribed", from: bob)  // 5
      scenario.time = 1_000 + pause
      scenario.pushed(item(bob, "subscription='remove'"))
      var ended = scenario
      ended.ends()
      let found = ended.allCodes.filter { $0 == .friendLeft || $0 == .removedElsewhere }
      #expect(found == (isLeft ? [.friendLeft] : [.removedElsewhere]), "\(pause)")
      guard isLeft else { continue }
      #expect(Set(scenario.last.originsOfChanges.map(\.cause)) == [4, 5])
      let finding = try #require(findings(scenario).first)
      #expect(findings(scenario).count == 1 && finding.record == 6)
      #expect(
        finding.sentence.contains("the contact has left the roster since: before, it was “both”"))
    }
  }

  @Test("A removal that we asked for is ours, although the contact has just left")
  func removedByUs() {
    var scenario = alice("both")
    scenario.receives("unsubscribed", from: bob, at: 1_000)
    scenario.sets(item(bob, "subscription='remove'"), id: "r")
    scenario.pushed(item(bob, "subscription='remove'"), id: "r")
    scenario.receivesEmptyResult(id: "r")
    #expect(scenario.outcomes.flatMap(\.origins).map(\.kind) == [.edit])
    #expect(findings(scenario).isEmpty)
  }

  @Test("A contact that is a friend again within the minute had left, with the state before that")
  func cameBack() throws {
    var scenario = alice("both")
    scenario.receives("unsubscribed", from: bob, at: 1_000)
    scenario.pushed(item(bob, "subscription='from'"))
    scenario.sends("subscribe", to: bob, at: 10_000)
    scenario.pushed(item(bob, "subscription='from' ask='subscribe'"))
    scenario.receives("subscribed", from: bob, at: 12_000)
    scenario.pushed(item(bob, "subscription='both'"))
    let told = scenario.outcomes.flatMap(\.findings).filter { $0.code == .friendLeft }
    #expect(told.count == 1 && findings(scenario).count == 1)
    #expect(try #require(told.first).sentence.contains("as “from”: before, it was “both”"))
  }

  @Test("A contact that leaves while the clock is held keeps none back that leaves after it")
  func heldClock() {
    let carol = "carol@example.test"
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")
    scenario.fetches(item(bob, "subscription='both'") + item(carol, "subscription='both'"))
    scenario.isHeld = true
    scenario.receives("unsubscribed", from: bob)
    scenario.pushed(item(bob, "subscription='from'"))
    scenario.isHeld = false
    scenario.receives("unsubscribed", from: carol, at: 10_000)
    scenario.pushed(item(carol, "subscription='from'"))
    for (time, count) in [(70_000, 0), (70_001, 1)] as [(Int64, Int)] {
      scenario.sends(at: time)
      let found = scenario.last.findings.filter { $0.code == .friendLeft }
      #expect(found.map(\.contact) == (count == 1 ? [bare(carol)] : []))
    }
    for _ in 0..<101 { scenario.sends(at: 80_000) }
    let found = scenario.outcomes.flatMap(\.findings).filter { $0.code == .friendLeft }
    #expect(found.map(\.contact) == [bare(carol), bare(bob)])
  }

  @Test("A contact that is leaving is part of the state")
  func state() throws {
    var scenario = alice("both")
    scenario.receives("unsubscribed", from: bob, at: 1_000)
    scenario.pushed(item(bob, "subscription='from'"))
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
  }

  @Test("A friend who leaves soon after a new friendship is one, whatever ended the earlier one")
  func afterNewFriendship() {
    var scenario = alice("both")
    scenario.sets(item(bob, "subscription='remove'"), id: "r", at: 1_000)
    scenario.pushed(item(bob, "subscription='remove'"))
    scenario.receivesEmptyResult(id: "r")
    scenario.sends("subscribe", to: bob, at: 5_000)
    scenario.pushed(item(bob, "ask='subscribe'"))
    scenario.receives("subscribed", from: bob, at: 10_000)
    scenario.pushed(item(bob, "subscription='to'"))
    #expect(findings(scenario).isEmpty)
    scenario.receives("unsubscribed", from: bob, at: 40_000)
    scenario.pushed(item(bob))
    #expect(findings(scenario).count == 1)
  }

  @Test("If the next login shows it, it is the same finding")
  func nextLogin() {
    var scenario = alice("both")
    scenario.receives("unsubscribed", from: bob)
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    scenario.fetches(item(bob, "subscription='from'"), id: "again")
    #expect(findings(scenario).map(\.cause) == [4])
  }

  @Test("What we ended ourselves is none: a stanza of ours, or a removal")
  func ownEndings() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("unsubscribe", { $0.sends("unsubscribe", to: "bob@example.test") }),
      ("unsubscribed", { $0.sends("unsubscribed", to: "bob@example.test") }),
      ("removal", { $0.sets(item("bob@example.test", "subscription='remove'")) }),
    ]
    for (name, line) in lines {
      var scenario = alice("both")
      line(&scenario)
      scenario.receives("unsubscribed", from: bob)
      scenario.receives("unsubscribe", from: bob)
      scenario.pushed(item(bob))
      #expect(findings(scenario).isEmpty, "\(name)")
    }
  }

  @Test("What the contact sends after our ending is not unsolicited, and long after it is")
  func answersToEndings() {
    let endings: [(String, @Sendable (inout Scenario) -> Void)] = [
      (
        "removal",
        {
          $0.sets(item("bob@example.test", "subscription='remove'"))
          $0.pushed(item("bob@example.test", "subscription='remove'"))
          $0.receivesEmptyResult(id: "set")
        }
      ),
      (
        "both stanzas",
        {
          $0.sends("unsubscribe", to: "bob@example.test")
          $0.sends("unsubscribed", to: "bob@example.test")
          $0.pushed(item("bob@example.test"))
        }
      ),
    ]
    let codes: Set<Finding.Code> = [.unsolicitedUnsubscribe, .unsolicitedUnsubscribed]
    for (name, end) in endings {
      for time in [2_000, 90_000] as [Int64] {
        var scenario = alice("both")
        end(&scenario)
        scenario.receives("unsubscribed", from: bob, at: time)
        scenario.receives("unsubscribe", from: bob, at: time)
        let found = codes.intersection(scenario.allCodes)
        #expect(found == (time == 2_000 ? [] : codes), "\(name) \(time)")
      }
    }
  }

  @Test("What we ended before a reconnection is none either")
  func endedBeforeReconnection() {
    var scenario = alice("both")
    scenario.sends("unsubscribe", to: "bob@example.test")
    scenario.pushed(item(bob, "subscription='from'"))
    scenario.lost()
    scenario.opened("alice@example.test/phone")
    scenario.fetches(item(bob, "subscription='from'"), id: "again")
    scenario.receives("unsubscribe", from: bob)
    scenario.pushed(item(bob))
    #expect(findings(scenario).isEmpty)
  }

  @Test("A push of long ago is not what a stanza caused")
  func oldPush() {
    for (time, isOld) in [(1_000, false), (61_000, true)] as [(Int64, Bool)] {
      var scenario = alice("both")
      scenario.pushed(item(bob, "subscription='from'"))
      scenario.receives("unsubscribed", from: bob, at: time)
      #expect(findings(scenario).isEmpty == isOld)
      #expect(scenario.last.origins.isEmpty == isOld)
      #expect(!scenario.allCodes.contains(.unsolicitedUnsubscribed))
    }
  }

  @Test("A push without the contact's stanza is none, and a stanza without its push is none")
  func halves() {
    var pushed = alice("both")
    pushed.pushed(item(bob, "subscription='from'"))
    #expect(findings(pushed).isEmpty)

    var told = alice("both")
    told.receives("unsubscribed", from: bob)
    #expect(findings(told).isEmpty)

    var unseen = alice("from")
    unseen.receives("unsubscribed", from: bob)
    #expect(findings(unseen).isEmpty)

    var denied = alice("none")
    denied.sends("subscribe", to: bob)
    denied.pushed(item(bob, "ask='subscribe'"))
    denied.receives("unsubscribed", from: bob)
    denied.pushed(item(bob))
    #expect(denied.allCodes.filter { $0 != .deniedRequest && $0 != .unacknowledgedPush }.isEmpty)

    var unknown = Scenario()
    unknown.receives("unsubscribed", from: bob)
    unknown.pushed(item(bob, "subscription='from'"))
    #expect(findings(unknown).isEmpty)
  }

  @Test("The same stanza on another device is none")
  func copies() {
    var scenario = alice("both")
    scenario.sends()
    scenario.on(2) {
      $0.opened("alice@example.test/pc")
      $0.fetches(item("bob@example.test", "subscription='both'"))
      $0.sends()
    }
    for connection in [1, 2] as [UInt32] {
      scenario.on(connection) {
        $0.receives("unsubscribed", from: "bob@example.test")
        $0.pushed(item("bob@example.test", "subscription='from'"))
      }
    }
    #expect(findings(scenario).count == 1)
  }
}
