@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A set is made from what the session has asked for before, or not at all (RFC 6121 §2.1.2).
@Suite("Edits beyond the limit") struct ForgottenEditTests {
  private let bob = "bob@example.test"
  private var scenario = Scenario()

  init() {
    scenario.opened("alice@example.test/phone")
    scenario.fetches(item(bob, "name='Bob'"))
  }

  private func decide(_ command: RosterCommand) -> Result<[XMPPElement], CommandRefusal> {
    Result { () throws(CommandRefusal) in
      try RosterDecider(wantsMutualFriends: false).decide(command, on: scenario.roster) { "c\($0)" }
    }
  }

  private func set(_ item: String) -> Result<[XMPPElement], CommandRefusal> {
    .success([
      element("<iq type='set' id='c0'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
    ])
  }

  private mutating func asks(_ item: String, _ number: Int) {
    scenario.sent(
      "<iq type='set' id='e\(number)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
  }

  private mutating func answers(_ item: String, _ number: Int) {
    scenario.received(
      "<iq type='set' id='p\(number)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>")
    scenario.received("<iq type='result' id='e\(number)'/>")
  }

  private static func contact(_ number: Int) -> String { "<item jid='c\(number)@example.test'/>" }

  private var replacing: [RosterCommand] {
    let bob = address(bob).bare
    return [
      .add(bob, name: "B"), .remove(bob), .rename(bob, to: "B"), .setGroups(bob, ["Work"]),
      .renameGroup("Work", to: "Home"), .deleteGroup("Work"),
    ]
  }

  @Test("A set that could undo a dropped edit is refused until the server has answered")
  mutating func many() {
    let bob = address(bob).bare
    asks("<item jid='\(bob)' name='Robert'/>", 0)
    for number in 1..<WaitingLimit.count { asks(Self.contact(number), number) }
    let known = set("<item jid='\(bob)' name='Robert'><group>Work</group></item>")
    #expect(decide(.setGroups(bob, ["Work"])) == known, "all of them are remembered")
    asks(Self.contact(0), WaitingLimit.count)
    for command in replacing {
      #expect(decide(command) == .failure(.tooManyUnansweredEdits), "\(command)")
    }
    #expect(throws: Never.self) { try decide(.fetch).get() }
    answers("<item jid='\(bob)' name='Robert'/>", 0)
    for number in 1..<WaitingLimit.count { answers(Self.contact(number), number) }
    #expect(decide(.setGroups(bob, ["Work"])) == .failure(.tooManyUnansweredEdits))
    answers(Self.contact(0), WaitingLimit.count)
    #expect(decide(.setGroups(bob, ["Work"])) == known)
  }

  @Test("The limit on groups in edits works the same way, and does not concern a new session")
  mutating func groups() throws {
    let bob = address(bob).bare
    let groups = (0...WaitingLimit.groups / 2).map { "<group>\($0)</group>" }.joined()
    asks("<item jid='\(bob)' name='Robert'>\(groups)</item>", 0)
    #expect(throws: Never.self) { try decide(.setGroups(bob, ["Work"])).get() }
    asks("<item jid='carol@example.test'>\(groups)</item>", 1)
    #expect(decide(.setGroups(bob, ["Work"])) == .failure(.tooManyUnansweredEdits))
    scenario.opened("alice@example.test/phone")
    scenario.fetches(item(self.bob, "name='Bob'"))
    #expect(
      decide(.setGroups(bob, ["Work"]))
        == set("<item jid='\(bob)' name='Bob'><group>Work</group></item>"))
    asks("<item jid='\(bob)' name='Bobby'/>", 2)
    #expect(
      decide(.setGroups(bob, ["Work"]))
        == set("<item jid='\(bob)' name='Bobby'><group>Work</group></item>"))
  }
}
