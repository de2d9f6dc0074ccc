@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Bob's item is pushed again and again.
private func pushesBob(_ scenario: inout Scenario, times: Int) {
  for number in 0..<times {
    scenario.pushed(bobItem("Bob"), id: "p\(number)")
    scenario.sent("<iq id='p\(number)' type='result'/>")
  }
}

func idlePushCase() -> FindingCase {
  FindingCase(
    {
      pushesBob(&$0, times: 10)
      $0.ends()
    },
    {
      pushesBob(&$0, times: 9)
      $0.ends()
    })
}

/// Findings that stand for several cases: one cause is one finding.
@Suite struct TallyTests {
  /// Alice's phone (connection 1) and pc (connection 2), both with the roster.
  private func twoDevices() -> Scenario {
    var scenario = aliceWithBobAndCarol()  // 1 to 3
    scenario.on(2) {
      $0.opened("alice@example.test/pc")  // 4
      $0.fetches(bobItem("Bob"), id: "pc")  // 5 and 6
    }
    return scenario
  }

  /// Both devices receive a push, and only the phone acknowledges it.
  private func push(_ number: Int, _ item: String, to scenario: inout Scenario) {
    scenario.on(2) { $0.pushed(item, id: "p\(number)", version: "v\(number)") }
    scenario.pushed(item, id: "p\(number)", version: "v\(number)")
    scenario.sent("<iq id='p\(number)' type='result'/>")
  }

  @Test("A device that acknowledges no push is one finding with their number")
  func unacknowledged() throws {
    var scenario = twoDevices()
    for number in 0..<8 {
      push(number, item("carol@example.test", "name='\(number)'"), to: &scenario)
    }
    scenario.sends(at: 100_000)
    #expect(scenario.ends().map(\.code) == [.unacknowledgedPush])
    let finding = try #require(scenario.ending.first)
    #expect(finding.count == 8 && finding.device == "pc" && finding.cause == 7)
    #expect(finding.extent?.first == 7 && finding.extent?.last == 28)
    #expect(finding.contact == bare("carol@example.test"))
    #expect(finding.sentence.hasPrefix("pc never acknowledged 8 pushes (#7 to #28)"))
  }

  @Test("A push that is answered by an error is not acknowledged")
  func refused() throws {
    var scenario = twoDevices()
    for number in 0..<2 {
      push(number, item("carol@example.test", "name='\(number)'"), to: &scenario)
      scenario.on(2) {
        $0.sent("<iq id='p\(number)' type='error'>\(stanzaError("service-unavailable"))</iq>")
      }
    }
    scenario.sends(at: 100_000)
    #expect(scenario.ends().map(\.code) == [.unacknowledgedPush])
    let finding = try #require(scenario.ending.first)
    #expect(finding.count == 2 && finding.device == "pc" && finding.cause == 7)
    #expect(
      finding.sentence.hasPrefix(
        "pc answered 2 pushes (#7 to #11) by an error (service-unavailable): a client must"))
  }

  @Test("Pushes about several contacts are one finding about no contact")
  func contacts() throws {
    var scenario = twoDevices()
    push(1, item("carol@example.test", "name='C'"), to: &scenario)
    push(2, bobItem("Rob"), to: &scenario)
    scenario.sends(at: 100_000)
    scenario.ends()
    #expect(scenario.ending.map(\.count) == [2])
    #expect(scenario.ending.first?.contact == nil)
  }

  @Test("The sessions of one device are counted together, and those of two devices apart")
  func sessions() {
    for (resource, counts) in [("pc", [2]), ("tablet", [1, 1])] {
      var scenario = twoDevices()
      push(1, item("carol@example.test", "name='C'"), to: &scenario)
      scenario.on(2) { $0.closed(at: 10_000) }
      scenario.on(3) {
        $0.opened("alice@example.test/\(resource)", at: 20_000)
        $0.fetches(bobItem("Bob"), id: "again")
        $0.pushed(bobItem("Rob"), id: "q")
        $0.closed(at: 30_000)
      }
      scenario.pushed(bobItem("Rob"), id: "q")
      scenario.sent("<iq id='q' type='result'/>")
      scenario.ends()
      #expect(scenario.ending.map(\.code).allSatisfy { $0 == .unacknowledgedPush })
      #expect(scenario.ending.map(\.count) == counts, "\(resource)")
    }
  }

  @Test("A client's sessions are counted together, whatever resource the server binds")
  func oneClient() {
    var scenario = aliceWithBobAndCarol()
    scenario.pushed(bobItem("Rob"))
    scenario.closed(at: 10_000)
    scenario.opened("alice@example.test/other", at: 20_000)
    scenario.fetches(bobItem("Rob"), id: "again")
    scenario.pushed(bobItem("Bob"))
    scenario.closed(at: 30_000)
    scenario.ends()
    #expect(scenario.ending.map(\.count) == [2])
    #expect(scenario.ending.first?.sentence.hasPrefix("We never acknowledged 2 pushes") == true)
  }

  @Test("Only pushes that change nothing and that no set asked for are idle")
  func idle() throws {
    var scenario = aliceWithBobAndCarol()
    for number in 0..<20 {
      // Each of these changes something, or is the answer to a set.
      scenario.pushed(bobItem("Rob\(number)"), id: "a\(number)")
      scenario.sent("<iq id='a\(number)' type='result'/>")
      scenario.sets(bobItem("Rob\(number)"), id: "s\(number)")
      scenario.pushed(bobItem("Rob\(number)"), id: "b\(number)")
      scenario.sent("<iq id='b\(number)' type='result'/>")
      scenario.receivesEmptyResult(id: "s\(number)")
    }
    #expect(!scenario.ends().map(\.code).contains(.idlePushes))
    for number in 0..<12 {
      // A contact that is not in the roster cannot be removed from it.
      scenario.pushed(item("dave@example.test", "subscription='remove'"), id: "c\(number)")
      scenario.sent("<iq id='c\(number)' type='result'/>")
    }
    let finding = try #require(scenario.ends().first { $0.code == .idlePushes })
    #expect(finding.count == 12 && finding.severity == .info)
    #expect(finding.sentence.hasPrefix("The server sent us 12 pushes (#124 to #146) that"))
  }

  private func presence(_ scenario: inout Scenario, _ show: String, at time: Int64) {
    scenario.receives(from: "\(FindingWords.bob)/x", "<show>\(show)</show>", at: time)
  }

  @Test("The same presence again and again is one finding for the contact")
  func idlePresence() throws {
    var scenario = twoDevices()
    for connection in [1, 2] as [UInt32] { scenario.on(connection) { $0.sends() } }
    for number in 0..<40 as Range<Int64> {
      for connection in [1, 2] as [UInt32] {
        scenario.on(connection) { presence(&$0, "away", at: number * 5_000) }
      }
    }
    let finding = try #require(scenario.ends().first { $0.code == .idlePushes })
    #expect(scenario.ending.count { $0.code == .idlePushes } == 1)
    #expect(finding.contact == bare(FindingWords.bob) && finding.severity == .info)
    #expect(finding.count == 39)
    #expect(finding.sentence.hasPrefix("\(FindingWords.bob) sent phone 39 presences ("))
  }

  @Test("Repetitions of many contacts hide no other finding, and no device is named for several")
  func manyContacts() {
    var scenario = twoDevices()
    for connection in [1, 2] as [UInt32] { scenario.on(connection) { $0.sends() } }
    scenario.pushed(bobItem("Rob"), id: "p")
    scenario.sends(at: 100_000)
    for number in 0..<70 {
      for _ in 0..<2 { scenario.receives(from: "c\(number)@example.test/x") }
    }
    #expect(scenario.allCodes.filter { $0 == .unacknowledgedPush || $0 == .idlePushes }.isEmpty)
    #expect(scenario.ends().map(\.code).contains(.unacknowledgedPush))

    var both = twoDevices()
    for connection in [1, 2] as [UInt32] { both.on(connection) { $0.sends() } }
    // The first nine on the pc are the copies of what the phone received.
    for number in 0..<30 as Range<Int64> {
      both.on(number < 9 ? 1 : 2) { presence(&$0, "away", at: number * 100_000) }
    }
    let idle = both.ends().filter { $0.code == .idlePushes }
    #expect(idle.map(\.device) == [nil])
  }

  @Test("Presence that changes now and then is not idle")
  func changingAfterSome() {
    var scenario = aliceWithBobAndCarol()
    for number in 0..<60 as Range<Int64> {
      presence(&scenario, number % 5 == 0 ? "dnd" : "away", at: number * 5_000)
    }
    #expect(scenario.ends().isEmpty)
  }

  @Test("Presence that changes, and what a server tells each new session, is not idle")
  func changingPresence() {
    var toggles = aliceWithBobAndCarol()
    for number in 0..<40 as Range<Int64> {
      presence(&toggles, number.isMultiple(of: 2) ? "away" : "dnd", at: number * 5_000)
    }
    #expect(toggles.ends().isEmpty)

    var logins = aliceWithBobAndCarol()
    for number in 0..<40 as Range<Int64> {
      presence(&logins, "away", at: number * 100_000)
      logins.closed()
      logins.opened("alice@example.test/phone")
      logins.fetches(bobItem("Bob"), id: "f\(number)")
      logins.sends()
    }
    #expect(!logins.ends().map(\.code).contains(.idlePushes))
  }

  private static let dave = "dave@example.test"

  /// What we send again and again, and the item that the server pushes each time.
  private static let repeated: [(String, String, @Sendable (inout Scenario, Int) -> Void)] = [
    (
      "a request", item(dave, "ask='subscribe'"),
      { scenario, _ in scenario.sends("subscribe", to: dave) }
    ),
    (
      "a denial", item(dave, "subscription='none'"),
      { scenario, _ in scenario.sends("unsubscribed", to: dave) }
    ),
    (
      "a set with its result first", bobItem("Bob"),
      { scenario, number in
        scenario.sets(bobItem("Bob"), id: "s\(number)")
        scenario.receivesEmptyResult(id: "s\(number)")
      }
    ),
  ]

  @Test("A push that follows a stanza of ours is not idle, and a second one is", arguments: 0..<3)
  func idleEffects(_ number: Int) {
    let (name, pushed, sends) = Self.repeated[number]
    for pushes in [1, 2] {
      var scenario = aliceWithBobAndCarol()
      for round in 0..<12 {
        sends(&scenario, round)
        for push in 0..<pushes {
          scenario.pushed(pushed, id: "p\(round)-\(push)")
          scenario.sent("<iq id='p\(round)-\(push)' type='result'/>")
        }
      }
      let found = scenario.ends().filter { $0.code == .idlePushes }
      #expect(found.map(\.count) == (pushes == 2 ? [12] : []), "\(name)")
    }
  }

  @Test("A push to one device that follows a set of another is not idle")
  func idleEffectsElsewhere() {
    var scenario = twoDevices()
    for number in 0..<12 {
      scenario.sets(bobItem("Bob"), id: "s\(number)")
      scenario.receivesEmptyResult(id: "s\(number)")
      push(number, bobItem("Bob"), to: &scenario)
      scenario.on(2) { $0.sent("<iq id='p\(number)' type='result'/>") }
    }
    #expect(!scenario.ends().map(\.code).contains(.idlePushes))
  }

  @Test("A log without our stanzas does not show which pushes are idle")
  func idleInboundOnly() {
    var scenario = Scenario()
    scenario.captureBegan("alice@example.test", inboundOnly: true)
    scenario.opened("alice@example.test/phone")
    scenario.receivesResult(bobItem("Bob"))
    for number in 0..<12 { scenario.pushed(bobItem("Bob"), id: "p\(number)") }
    #expect(!scenario.ends().map(\.code).contains(.idlePushes))
  }

  @Test("What other devices are pushed as well is not idle")
  func idleCopies() {
    var scenario = twoDevices()
    for number in 0..<20 {
      push(number, item("carol@example.test", "name='\(number)'"), to: &scenario)
      scenario.on(2) { $0.sent("<iq id='p\(number)' type='result'/>") }
    }
    #expect(scenario.ends().isEmpty)
  }

  @Test("What is counted and what is awaited are part of the state")
  func state() throws {
    var scenario = twoDevices()
    push(1, item("carol@example.test", "name='C'"), to: &scenario)
    scenario.on(2) { $0.closed(at: 10_000) }
    scenario.on(3) {
      $0.opened("alice@example.test/tablet", at: 20_000)
      $0.fetches(bobItem("Bob"), id: "again")
    }
    scenario.pushed(bobItem("Rob"))
    #expect(scenario.roster.tallies.count == 1 && scenario.roster.awaitedPushes.count == 1)
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
    #expect(read.canonicalBytes == scenario.roster.canonicalBytes)
  }
}
