import RosterCore
import TestSupport
import Testing

private let bob = FindingWords.bob

/// Which device a finding is about, and how much it matters.
@Suite struct FindingOriginTests {
  /// Alice's desktop has a session besides that of her phone.
  private func twoDevices() -> Scenario {
    var scenario = aliceWithBobAndCarol()
    scenario.on(2) {
      $0.opened("alice@example.test/desktop")
      $0.fetches(bobItem("Bob"), id: "second")
    }
    return scenario
  }

  @Test("A finding names the device if the log has several connections")
  func device() {
    var scenario = twoDevices()
    scenario.sets(bobItem("Bob", []) + item("carol@example.test"), id: "one")
    #expect(scenario.codes == [.setItemCount])
    #expect(scenario.last.findings.first?.device == "phone")
    scenario.on(2) { $0.sets(bobItem("Bob", []) + item("carol@example.test"), id: "two") }
    #expect(scenario.last.findings.first?.device == "desktop")
    #expect(scenario.last.findings.first?.connection?.number == 2)

    var single = aliceWithBobAndCarol()
    single.sets(bobItem("Bob", []) + item("carol@example.test"), id: "one")
    #expect(single.last.findings.first?.device == nil)
    #expect(single.last.findings.first?.connection?.number == 1)
  }

  @Test("What is overdue is about the device that waits, whichever device the next record is of")
  func overdue() {
    var scenario = twoDevices()
    scenario.on(2) { $0.sets(bobItem("Robert"), at: 1_000) }
    scenario.receives(from: "\(bob)/pc", at: 62_000)
    #expect(scenario.codes == [.unansweredEdit])
    #expect(scenario.last.findings.first?.device == "desktop")
    #expect(scenario.last.findings.first?.sentence.hasPrefix("desktop's set") == true)
  }

  @Test("What people have not answered is about no device")
  func neglect() {
    var scenario = twoDevices()
    scenario.receives("subscribe", from: "dave@example.test", at: 1_000)
    scenario.sends(at: 4 * FindingWords.day)
    #expect(scenario.codes.contains(.neglectedRequest))
    let finding = scenario.last.findings.first { $0.code == .neglectedRequest }
    #expect(finding?.device == nil && finding?.connection == nil)
  }

  @Test(
    "How fast a request was accepted decides how much it matters",
    arguments: [
      (0, .warning), (499, .warning), (500, .info), (1_102, .info), (1_999, .info), (2_000, nil),
    ] as [(Int64, Finding.Severity?)])
  func acceptance(after milliseconds: Int64, severity: Finding.Severity?) {
    var scenario = aliceWithBobAndCarol()
    scenario.receives("subscribe", from: "dave@example.test", at: 10_000)
    scenario.sends("subscribed", to: "dave@example.test", at: 10_000 + milliseconds)
    let found = scenario.last.findings.filter { $0.code == .automaticAcceptance }
    #expect(found.map(\.severity) == [severity].compactMap { $0 })
  }

  @Test("A client accepts the requests of its own server's gateways by itself")
  func gateways() {
    for (asker, isReported) in [
      ("irc.example.test", false), ("irc.elsewhere.test", true), ("notexample.test", true),
      ("dave@irc.example.test", true),
    ] {
      var scenario = aliceWithBobAndCarol()
      scenario.receives("subscribe", from: asker, at: 10_000)
      scenario.sends("subscribed", to: asker, at: 10_050)
      #expect(scenario.allCodes.contains(.automaticAcceptance) == isReported, "\(asker)")
    }
  }

  @Test("Two devices that accept a request at once are no approval in advance")
  func acceptedTwice() {
    for (time, isReported) in [(11_000, false), (11_001, true)] as [(Int64, Bool)] {
      var scenario = aliceWithBobAndCarol()
      scenario.receives("subscribe", from: "dave@example.test", at: 0)
      scenario.sends("subscribed", to: "dave@example.test", at: 10_000)
      scenario.on(2) { $0.sends("subscribed", to: "dave@example.test", at: time) }
      #expect(scenario.allCodes.contains(.preApproval) == isReported, "\(time)")
    }
  }

  @Test("The first roster get of a log says whether its client uses versions")
  func unusedVersion() {
    let feature = "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>"
    func get(offered: Bool, version: String? = nil) -> Scenario {
      var scenario = Scenario()
      if offered { scenario.received(feature) }
      scenario.opened("alice@example.test/phone")
      scenario.gets(version: version)
      return scenario
    }
    #expect(get(offered: true).codes == [.unusedVersion])
    #expect(get(offered: true, version: "").codes.isEmpty)
    #expect(get(offered: false).codes.isEmpty)
    for offered in [true, false] {
      var scenario = get(offered: offered, version: offered ? nil : "")
      let before = scenario.allCodes
      scenario.receivesResult(bobItem("Bob"), version: "v1")
      scenario.received(feature)
      scenario.opened("alice@example.test/phone")
      scenario.gets(id: "again")
      scenario.on(2) {
        $0.received(feature)
        $0.opened("alice@example.test/desktop")
        $0.gets(id: "other")
      }
      #expect(scenario.allCodes.filter { $0 == .unusedVersion } == before)
    }
  }

  @Test("A forged push of a contact is the contact's, and not a stranger's")
  func forgedPush() {
    for (sender, words) in [
      ("\(bob)/x", "the contact \(bob)/x"), ("eve@evil.test", "the stranger eve@evil.test"),
      ("carol@example.test", "the stranger carol@example.test"),
    ] {
      var scenario = aliceWithBobAndCarol()
      scenario.pushed(item("mallory@evil.test"), from: sender)
      #expect(scenario.codes == [.foreignPush])
      #expect(scenario.last.findings.first?.sentence.contains("from \(words) ") == true)
      scenario.received(
        "<iq type='set' id='b' from='\(sender)'><block xmlns='urn:xmpp:blocking'>"
          + "<item jid='x@y'/></block></iq>")
      #expect(scenario.codes == [.foreignBlocking])
      #expect(scenario.last.findings.first?.sentence.contains("from \(words) ") == true)
    }
  }
}
