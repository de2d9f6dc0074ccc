import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Requests of ours to block")
struct BlockingRequestTests {
  private let bob = "bob@example.test"

  private func list(_ name: String, _ jids: [String]) -> String {
    let items = jids.map { "<item jid='\($0)'/>" }.joined()
    return "<\(name) xmlns='urn:xmpp:blocking'>\(items)</\(name)>"
  }

  /// A request of ours.
  private func asks(_ scenario: inout Scenario, _ name: String, _ jids: [String]) {
    scenario.sent("<iq id='b' type='set'>\(list(name, jids))</iq>")
  }

  private func pushes(_ scenario: inout Scenario, _ name: String, _ jids: [String]) {
    scenario.received("<iq id='p' type='set'>\(list(name, jids))</iq>")
  }

  private func blocked(_ scenario: Scenario) -> [String] {
    scenario.roster.blocked.map(\.description).sorted()
  }

  @Test("A request is the origin of its push or its result, whichever comes first")
  func origins() {
    for isPushFirst in [true, false] {
      var scenario = Scenario.alice()  // 1 to 3
      asks(&scenario, "block", [bob])  // 4
      #expect(scenario.roster.blocked.isEmpty)
      if isPushFirst {
        pushes(&scenario, "block", [bob])
      } else {
        scenario.receivesEmptyResult(id: "b")
      }
      #expect(blocked(scenario) == [bob])
      #expect(scenario.last.originsOfChanges.map(\.cause) == [4])
      #expect(scenario.last.originsOfChanges.map(\.kind) == [.blocking])
      if isPushFirst {
        scenario.receivesEmptyResult(id: "b")
      } else {
        pushes(&scenario, "block", [bob])
      }
      #expect(scenario.last.isEmpty && scenario.last.originsOfChanges.isEmpty)
      #expect(scenario.allCodes.isEmpty)
    }
  }

  @Test("An unblock without addresses unblocks all")
  func unblockAll() {
    var scenario = Scenario.alice()
    pushes(&scenario, "block", [bob, "evil.test"])
    asks(&scenario, "unblock", [])  // 5
    scenario.receivesEmptyResult(id: "b")
    #expect(blocked(scenario).isEmpty)
    #expect(scenario.last.originsOfChanges.map(\.cause) == [5, 5])
  }

  @Test("An error, another id, another sender, or a request to another address block nothing")
  func nearMisses() {
    let answers = [
      "<iq id='b' type='error'><error type='cancel'/></iq>", "<iq id='c' type='result'/>",
      "<iq id='b' type='result' from='eve@example.test'/>",
    ]
    for answer in answers {
      var scenario = Scenario.alice()
      asks(&scenario, "block", [bob])
      scenario.received(answer)
      #expect(blocked(scenario).isEmpty, "\(answer)")
    }
    var other = Scenario.alice()
    other.sent("<iq id='b' type='set' to='room.example.test'>\(list("block", [bob]))</iq>")
    other.receivesEmptyResult(id: "b")
    #expect(blocked(other).isEmpty)
    var empty = Scenario.alice()
    pushes(&empty, "block", [bob])
    asks(&empty, "block", [])
    empty.receivesEmptyResult(id: "b")
    #expect(blocked(empty) == [bob])
  }

  @Test("A push that none of our devices asked for has no origin")
  func elsewhere() {
    var scenario = Scenario.alice()
    asks(&scenario, "block", ["carol@example.test"])
    pushes(&scenario, "block", [bob])
    #expect(scenario.last.origins.isEmpty)
    asks(&scenario, "unblock", [bob])
    pushes(&scenario, "block", ["dave@example.test"])
    #expect(scenario.last.origins.isEmpty)
  }

  @Test("The device that asked is named, not the one that heard of it first")
  func devices() {
    var scenario = Scenario.alice()  // 1 to 3
    scenario.on(2) {
      $0.opened("alice@example.test/pc")  // 4
      $0.sent("<iq id='b' type='set'>\(list("block", [bob]))</iq>")  // 5
    }
    pushes(&scenario, "block", [bob])
    #expect(scenario.last.originsOfChanges.map(\.device) == ["pc"])
    #expect(scenario.last.originsOfChanges.map(\.cause) == [5])
  }
}
