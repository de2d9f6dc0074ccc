@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = FindingWords.bob
private let carol = "carol@example.test"

/// Alice's phone (connection 1) and laptop (connection 2), both with the roster.
private func twoDevices() -> Scenario {
  var scenario = aliceWithBobAndCarol()  // 1 to 3
  scenario.on(2) {
    $0.opened("alice@example.test/laptop")  // 4
    $0.fetches(bobItem("Bob") + item(carol), id: "laptop")  // 5 and 6
    $0.sends()  // 7
  }
  return scenario
}

/// The phone renames bob, and receives the push.
private func renames(_ scenario: inout Scenario, to name: String = "Rob", at time: Int64 = 10_000) {
  scenario.sets(bobItem(name), id: name, at: time)  // 8
  scenario.receivesEmptyResult(id: name)
  scenario.pushed(bobItem(name), id: name)  // 10
  scenario.sent("<iq id='\(name)' type='result'/>")
}

private func onLaptop(_ scenario: inout Scenario, _ body: (inout Scenario) -> Void) {
  scenario.on(2, body)
}

/// Presence that the laptop receives.
private func laptopReceives(_ scenario: inout Scenario, at time: Int64) {
  scenario.on(2) { $0.receives(from: "\(bob)/pc", at: time) }
}

private let features = """
  <stream:features xmlns:stream='http://etherx.jabber.org/streams'><sm xmlns='urn:xmpp:sm:3'/>\
  </stream:features>
  """
private let failure = """
  <failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>
  """

/// A session is resumed after an element of the negotiation at 13 s, and receives what was on its
/// way.
private func resumes(_ scenario: inout Scenario, after element: String) {
  scenario.received(element, at: 13_000)
  scenario.resumed()
  scenario.pushed(bobItem("Rob"), id: "Rob")
}

func missedPushCase() -> FindingCase {
  FindingCase(
    {
      $0 = twoDevices()
      renames(&$0)
      laptopReceives(&$0, at: 14_000)
      $0.ends()
    },
    {
      $0 = twoDevices()
      renames(&$0)
      laptopReceives(&$0, at: 14_000)
      $0.on(2) { $0.pushed(bobItem("Rob"), id: "Rob") }
      $0.ends()
    })
}

@Suite("Pushes that one device received and another did not")
struct MissedPushTests {
  private func missed(_ scenario: inout Scenario) -> [Finding] {
    scenario.ends()
    return scenario.findings.filter { $0.code == .missedPush }
  }

  @Test("The finding names the push, the device without it and the device with it")
  func words() throws {
    var scenario = twoDevices()
    renames(&scenario)
    laptopReceives(&scenario, at: 14_000)
    let finding = try #require(missed(&scenario).first)
    #expect(finding.device == "laptop" && finding.cause == 10 && finding.contact == bare(bob))
    #expect(finding.severity == .warning)
    #expect(
      finding.sentence.hasPrefix(
        "laptop never received the push of record 10, which phone received"))
  }

  @Test("The server's end of the stream is something that it sent later, too")
  func serverEnd() {
    for (time, count) in [(12_000, 1), (11_999, 0)] as [(Int64, Int)] {
      for isOurs in [true, false] {
        var scenario = twoDevices()
        renames(&scenario)
        scenario.on(2) {
          if isOurs { $0.ended(.outbound, at: time) }
          $0.ended(.inbound, at: time)
        }
        #expect(missed(&scenario).count == count, "\(time)")
      }
    }
  }

  @Test("A push to the device shows that an earlier one is missing, even without a clock")
  func order() {
    for isSent in [true, false] {
      var scenario = twoDevices()
      scenario.time = nil
      scenario.pushed(bobItem("Rob"), id: "1")
      if isSent { scenario.on(2) { $0.pushed(bobItem("Rob"), id: "1") } }
      for connection in [1, 2] as [UInt32] {
        scenario.on(connection) { $0.pushed(item(carol, "name='C'"), id: "2") }
      }
      #expect(missed(&scenario).count == (isSent ? 0 : 1))
    }
  }

  @Test("Several pushes that a device did not receive are one finding")
  func several() {
    var scenario = twoDevices()
    renames(&scenario)
    scenario.pushed(item(carol, "name='C'"), id: "c")  // 12
    laptopReceives(&scenario, at: 14_000)
    let found = missed(&scenario)
    #expect(found.map(\.count) == [2])
    #expect(
      found.first?.sentence.hasPrefix("laptop never received 2 pushes (#10 to #12), which other")
        == true)
  }

  /// What the laptop does, so that it need not receive the push of 10 s; its next stanza comes at
  /// 14 s.
  private static let excuses: [(String, @Sendable (inout Scenario) -> Void)] = [
    ("receives it late", { $0.pushed(bobItem("Rob"), id: "Rob") }),
    ("fetches the roster", { $0.fetches(bobItem("Rob"), id: "again") }),
    ("lost its connection", { $0.lost() }),
    (
      "was resumed too late to say",
      {
        $0.lost()
        $0.resumed(at: 12_001)
      }
    ),
    ("was resumed without a word", { $0.resumed(at: 12_001) }),
    ("was resumed on a stream whose header the log lacks", { resumes(&$0, after: features) }),
    (
      "was resumed after the loss of its connection",
      {
        $0.lost()
        resumes(&$0, after: features)
      }
    ),
    ("was resumed after a refused login", { resumes(&$0, after: failure) }),
    ("has another session", { $0.opened("alice@example.test/laptop") }),
  ]

  @Test("A push that is late, fetched or lost with a session is not missed", arguments: 0..<9)
  func excused(_ number: Int) {
    let (name, happens) = Self.excuses[number]
    var scenario = twoDevices()
    renames(&scenario)
    scenario.time = 11_000
    scenario.on(2, happens)
    laptopReceives(&scenario, at: 14_000)
    #expect(missed(&scenario).isEmpty, "\(name)")
  }

  @Test("A push that a resumed session is not sent either is missed")
  func resumption() {
    for (isLostBefore, isSentAgain, count) in [
      (true, false, 1), (false, false, 1), (true, true, 0), (false, true, 0),
    ] {
      var scenario = twoDevices()
      if isLostBefore { onLaptop(&scenario) { $0.lost(at: 9_000) } }
      renames(&scenario)
      onLaptop(&scenario) {
        if !isLostBefore { $0.lost(at: 11_000) }
        $0.resumed(at: 12_000)
        if isSentAgain { $0.pushed(bobItem("Rob"), id: "Rob") }
      }
      laptopReceives(&scenario, at: 14_000)
      let found = missed(&scenario)
      #expect(found.map(\.cause) == (count == 1 ? [isLostBefore ? 11 : 10] : []))
    }
  }

  /// The laptop logs in again at 60 s with the roster's version 5, and is told that it is current.
  private func isToldUnchanged(_ version: String, phoneLeaves: Bool = false) -> Scenario {
    var scenario = Scenario.alice(bobItem("Bob"), version: "5")
    scenario.on(2) {
      $0.opened("alice@example.test/laptop")
      $0.fetches(bobItem("Bob"), id: "laptop", version: "5")
    }
    scenario.on(2) { $0.closed(at: 5_000) }
    scenario.time = 10_000
    scenario.pushed(bobItem("Rob"), id: "p", version: "6")
    if phoneLeaves { scenario.closed() }
    scenario.on(2) {
      $0.opened("alice@example.test/laptop", at: 60_000)
      $0.gets(id: "again", version: version)
      $0.receivesEmptyResult(id: "again")
    }
    return scenario
  }

  @Test("“Unchanged” since a version that is old by then is a missed push, unless that follows")
  func staleVersion() {
    for (version, isPushed, count) in [("5", false, 1), ("5", true, 0), ("6", false, 0)] {
      var scenario = isToldUnchanged(version)
      if isPushed { onLaptop(&scenario) { $0.pushed(bobItem("Rob"), id: "p", version: "6") } }
      laptopReceives(&scenario, at: 63_000)
      #expect(missed(&scenario).count == count, "\(version) \(isPushed)")
    }
    // A device that is not recorded may have brought the version back meanwhile.
    var unseen = isToldUnchanged("5", phoneLeaves: true)
    laptopReceives(&unseen, at: 63_000)
    #expect(missed(&unseen).isEmpty)
  }

  @Test("Without times, the order of a recorder's records decides")
  func withoutClock() {
    for (records, count) in [(8, 1), (2, 0)] {
      var scenario = twoDevices()
      scenario.time = nil
      scenario.pushed(bobItem("Rob"), id: "p")
      for _ in 1..<records { scenario.sends() }
      laptopReceivesWithoutClock(&scenario)
      #expect(missed(&scenario).count == count)
    }
  }

  private func laptopReceivesWithoutClock(_ scenario: inout Scenario) {
    onLaptop(&scenario) { $0.receives(from: "\(bob)/pc") }
  }

  /// What makes the laptop one to which the server does not push at 10 s.
  private static let exceptions: [(String, @Sendable (inout Scenario) -> Void)] = [
    ("it is lost", { onLaptop(&$0) { $0.lost() } }),
    ("it has ended its stream", { onLaptop(&$0) { $0.ended(.outbound) } }),
    ("the server has ended its stream", { onLaptop(&$0) { $0.ended(.inbound) } }),
    (
      "it has another session without the roster",
      { onLaptop(&$0) { $0.opened("alice@example.test/laptop") } }
    ),
    (
      "only the server's direction was captured",
      { $0.captureBegan("alice@example.test", inboundOnly: true) }
    ),
    (
      "it was recorded elsewhere, by another clock",
      {
        $0.captureBegan("alice@example.test/phone")
        onLaptop(&$0) { $0.captureBegan("alice@example.test/laptop") }
      }
    ),
  ]

  @Test("A device that is not pushed to misses nothing", arguments: 0..<6)
  func notInterested(_ number: Int) {
    let (name, happens) = Self.exceptions[number]
    var scenario = twoDevices()
    happens(&scenario)
    renames(&scenario)
    laptopReceives(&scenario, at: 14_000)
    #expect(missed(&scenario).isEmpty, "\(name)")
  }

  @Test("A resumption does not excuse what the device should have received before")
  func resumedAfterEvidence() {
    for (isSentAgain, count) in [(false, 1), (true, 0)] {
      var scenario = twoDevices()
      renames(&scenario)
      laptopReceives(&scenario, at: 13_000)
      onLaptop(&scenario) {
        $0.lost(at: 14_000)
        $0.resumed(at: 15_000)
        if isSentAgain { $0.pushed(bobItem("Rob"), id: "Rob") }
      }
      #expect(missed(&scenario).count == count)
    }
  }

  @Test("A session that is lost for long takes no evidence from the others")
  func lostSession() {
    var scenario = twoDevices()
    scenario.on(3) {
      $0.opened("alice@example.test/pad")
      $0.fetches(bobItem("Bob") + item(carol), id: "pad")
      $0.lost()
    }
    renames(&scenario)
    for number in 0..<(2 * AwaitedPush.limit) {
      scenario.time = 20_000 + Int64(number)
      for connection in [1, 2] as [UInt32] {
        scenario.on(connection) {
          $0.pushed(item(carol, "name='\(number)'"), id: "c\(number)")
          $0.sent("<iq id='c\(number)' type='result'/>")
        }
      }
    }
    #expect(scenario.roster.awaitedPushes.count <= AwaitedPush.limit + 1)
    let found = missed(&scenario)
    #expect(found.map(\.device) == ["laptop"] && found.map(\.cause) == [14])
  }

  /// The orders in which the phone (1) receives the pushes of two sets, and the laptop (2) receives
  /// the same pushes the other way round.
  private static let crossings: [[(device: UInt32, name: String)]] = [
    [(1, "A"), (1, "B"), (2, "B"), (2, "A")], [(1, "A"), (2, "B"), (1, "B"), (2, "A")],
    [(1, "A"), (2, "B"), (2, "A"), (1, "B")], [(2, "B"), (1, "A"), (1, "B"), (2, "A")],
    [(2, "B"), (1, "A"), (2, "A"), (1, "B")], [(2, "B"), (2, "A"), (1, "A"), (1, "B")],
  ]

  /// Both devices rename bob at once, and receive pushes of that at 10 s and something else later.
  private func renamedAtOnce(_ pushes: [(device: UInt32, name: String)]) -> Scenario {
    var scenario = twoDevices()
    scenario.sets(bobItem("A"), id: "a", at: 10_000)
    onLaptop(&scenario) { $0.sets(bobItem("B"), id: "b") }
    for (device, name) in pushes {
      scenario.on(device) {
        $0.pushed(bobItem(name), id: "push \(name)")
        $0.sent("<iq id='push \(name)' type='result'/>")
      }
    }
    scenario.receivesEmptyResult(id: "a")
    onLaptop(&scenario) { $0.receivesEmptyResult(id: "b") }
    for device in [1, 2] as [UInt32] {
      scenario.on(device) { $0.receives(from: "\(bob)/pc", at: 14_000) }
    }
    return scenario
  }

  @Test("Pushes that reach two devices in opposite orders are all received")
  func crossing() {
    for order in Self.crossings {
      var scenario = renamedAtOnce(order)
      let isTold = !missed(&scenario).isEmpty
      #expect(!isTold, "\(order)")
      #expect(
        Set(scenario.allCodes)
          .isDisjoint(with: [.undoneEdit, .unpushedEdit, .putBack]), "\(order)")
      // The device that receives the first of them decides which is the newer one.
      #expect(scenario.item(bob)?.name == (order.first?.device == 1 ? "B" : "A"), "\(order)")
    }
  }

  @Test("One of them that a device never receives is missed, and nothing else")
  func crossingWithLoss() {
    for order in Self.crossings {
      for (device, name) in [(2, "B"), (1, "A")] as [(UInt32, String)] {
        var scenario = renamedAtOnce(order.filter { $0.device != device || $0.name != name })
        let found = missed(&scenario)
        #expect(found.map(\.device) == [device == 1 ? "phone" : "laptop"], "\(order)")
        #expect(found.first?.extent == nil)
      }
    }
  }

  @Test("A push that the server repeats is none that the other device has yet to receive")
  func repeatedBeforeComing() {
    var scenario = twoDevices()
    renames(&scenario)
    onLaptop(&scenario) {
      $0.pushed(bobItem("Bob"), id: "old")
      $0.pushed(bobItem("Rob"), id: "Rob")
    }
    scenario.receives(from: "\(bob)/pc", at: 14_000)
    laptopReceives(&scenario, at: 14_000)
    #expect(missed(&scenario).isEmpty)
  }

  /// The pushes about bob that the phone receives and the laptop does not, the name in the roster
  /// that the laptop fetches at 5 s, when the phone receives them, and how many are missed.
  private static let included: [(pushes: [String], name: String, time: Int64, missed: Int)] = [
    (["A", "B"], "B", 10_000, 0), (["A", "B"], "B", 70_000, 0), (["A", "B"], "Bob", 10_000, 2),
    (["A", "Bob"], "Bob", 10_000, 0), (["A", "B", "Bob"], "Bob", 10_000, 0),
    (["A", "Bob", "B"], "B", 10_000, 0), (["A", "Bob", "B"], "Bob", 10_000, 1),
    (["A", "Bob"], "Bob", 65_000, 0), (["A", "Bob"], "Bob", 65_001, 2),
  ]

  /// The phone receives pushes about bob that the laptop's roster may include, then both receive
  /// one about carol.
  private func pushedAfterFetch(
    _ names: [String], _ known: String, at time: Int64, isPhoneLost: Bool = false
  ) -> Scenario {
    var scenario = aliceWithBobAndCarol()
    if isPhoneLost { scenario.lost(at: 4_000) }
    scenario.on(2) {
      $0.opened("alice@example.test/laptop", at: 5_000)
      $0.fetches(bobItem(known) + item(carol), id: "laptop")
    }
    scenario.time = time
    if isPhoneLost { scenario.resumed() }
    for name in names { scenario.pushed(bobItem(name), id: name) }
    for device in [1, 2] as [UInt32] {
      scenario.on(device) { $0.pushed(item(carol, "name='C'"), id: "carol") }
    }
    return scenario
  }

  @Test("A push is not missed if the device's roster may include it")
  func includedInResult() {
    for (pushes, name, time, count) in Self.included {
      var scenario = pushedAfterFetch(pushes, name, at: time)
      let found = missed(&scenario)
      #expect(found.map(\.count).reduce(0, +) == count, "\(pushes) \(name) \(time)")
    }
    var resumed = pushedAfterFetch(["A", "Bob"], "Bob", at: 100_000, isPhoneLost: true)
    #expect(missed(&resumed).isEmpty)
  }

  @Test("A device that comes later, or that never fetched the roster, misses nothing")
  func others() {
    var later = aliceWithBobAndCarol()
    later.on(3) { $0.opened("alice@example.test/pad") }
    renames(&later)
    later.on(2) {
      $0.opened("alice@example.test/laptop", at: 12_000)
      $0.fetches(bobItem("Rob"), id: "laptop")
    }
    laptopReceives(&later, at: 20_000)
    later.on(3) { $0.receives(from: "\(bob)/pc", at: 20_000) }
    #expect(missed(&later).isEmpty)
  }

  @Test("Nothing that the device received in time says what was on its way")
  func silence() {
    var scenario = twoDevices()
    renames(&scenario)
    laptopReceives(&scenario, at: 11_999)
    scenario.sends(at: 90_000)
    scenario.on(2) { $0.sends("unavailable", at: 90_000) }
    #expect(missed(&scenario).isEmpty)
  }
}
