import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let contact = item("bob@example.test", "subscription='both'")

/// A session begins.
private func begins(_ scenario: inout Scenario) {
  scenario = Scenario()
  scenario.opened("alice@example.test/phone")
}

/// A get, and the roster from a sender.
private func fetches(_ scenario: inout Scenario, from: String?, id: String = "a") {
  scenario.gets(id: id)
  scenario.receivesResult(contact, id: id, from: from)
}

func domainRosterCase() -> FindingCase {
  FindingCase(
    {
      begins(&$0)
      fetches(&$0, from: "example.test")
    },
    {
      begins(&$0)
      fetches(&$0, from: "alice@example.test")
    })
}

@Suite("Rosters from the server's domain") struct RosterFromDomainTests {
  private func codes(from: String?, times: Int = 1) -> [Finding.Code] {
    var scenario = Scenario()
    begins(&scenario)
    for number in 0..<times { fetches(&scenario, from: from, id: "r\(number)") }
    #expect(scenario.contacts.isEmpty == (from == "mallory.test"))
    return scenario.allCodes.filter { $0 == .rosterFromDomain }
  }

  @Test("It counts, and its sender is reported once")
  func isReported() {
    #expect(codes(from: "example.test", times: 3) == [.rosterFromDomain])
  }

  @Test(
    "A roster without a sender or from our own account is not reported, nor is a stranger's",
    arguments: [nil, "alice@example.test", "alice@example.test/phone", "mallory.test"])
  func nearMisses(_ from: String?) { #expect(codes(from: from).isEmpty) }
}
