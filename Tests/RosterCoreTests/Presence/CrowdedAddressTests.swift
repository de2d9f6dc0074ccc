import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// Anyone can make a server send any number of resources.
@Suite("Addresses with many resources") struct CrowdedAddressTests {
  private static let bob = "bob@example.test"
  private static let count = 8000

  private func begin() -> Scenario {
    var scenario = Scenario.alice(item(Self.bob, "subscription='both'"))
    scenario.sends()
    return scenario
  }

  @Test("Of thousands of resources the newest are kept, with one finding")
  func bounded() {
    var scenario = begin()
    var (changes, findings): ([RosterChange], [Finding]) = ([], [])
    for number in 0..<Self.count {
      let outcome = scenario.receives(from: "\(Self.bob)/r\(number)")
      changes += outcome.changes
      findings += outcome.findings
      #expect(scenario.online(Self.bob).count <= 64)
    }
    let newest = (Self.count - 64..<Self.count).map { "r\($0)" }
    #expect(Set(scenario.online(Self.bob)) == Set(newest))
    #expect(findings.map(\.code) == [.crowdedAddress])
    #expect(findings.first?.contact?.text == Self.bob)
    // What appears and what is dropped is reported, so an application that follows changes has the
    // same state.
    #expect(changes.count == Self.count + Self.count - 64)
  }

  @Test("A resource that sends presence again is no longer the oldest")
  func oldest() {
    var scenario = begin()
    for number in 0..<64 { scenario.receives(from: "\(Self.bob)/r\(number)") }
    scenario.receives(from: "\(Self.bob)/r0", "<show>away</show>")
    scenario.receives(from: "\(Self.bob)/new")
    let online = scenario.online(Self.bob)
    #expect(online.contains("r0") && online.contains("new") && !online.contains("r1"))
    // The end of a dropped resource changes nothing.
    #expect(scenario.receives("unavailable", from: "\(Self.bob)/r1").changes.isEmpty)
    scenario.receives("unavailable", from: Self.bob)
    #expect(scenario.online(Self.bob).isEmpty)
  }

  @Test("Our own other resources are limited as well")
  func own() {
    var scenario = begin()
    var findings: [Finding] = []
    for number in 0..<200 {
      findings += scenario.receives(from: "alice@example.test/other\(number)").findings
    }
    #expect(scenario.roster.ownResources.resources.count == 64)
    #expect(findings.map(\.code) == [.crowdedAddress])
  }

  @Test("Each session reports it once")
  func sessions() {
    var scenario = begin()
    var findings: [Finding] = []
    for _ in 0..<2 {
      for number in 0..<100 {
        findings += scenario.receives(from: "\(Self.bob)/r\(number)").findings
      }
      scenario.closed()
      scenario.opened("alice@example.test/phone")
      scenario.sends()
    }
    #expect(findings.map(\.code) == [.crowdedAddress, .crowdedAddress])
  }
}
