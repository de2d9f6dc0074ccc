import ContactSections
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The friends that a session gains and loses are those that its roster has and has not.
@Suite("Friends gained and lost") struct FriendChangesTests {
  private func push(_ item: String, to session: RosterSession, id: Int) throws -> [SessionStep] {
    try session.received(
      "<iq type='set' id='p\(id)'><query xmlns='jabber:iq:roster'>\(item)</query></iq>".utf8,
      at: nil)
  }

  private func session() throws -> RosterSession {
    let session = RosterSession()
    try session.opened(as: address("alice@example.test/phone"), at: 0)
    return session
  }

  @Test("A subscription makes a friend by one policy and not by another")
  func policies() throws {
    let session = try session()
    let bob = bare("bob@example.test")
    let rows: [(String, mutual: [FriendChange], subscribed: [FriendChange], all: [FriendChange])] =
      [
        ("subscription='none'", [], [], [.gained(bob)]),
        ("subscription='to' name='Bob'", [], [.gained(bob)], []),
        ("subscription='both' name='Bob'", [.gained(bob)], [], []),
        ("subscription='both' name='Robert'", [], [], []),
        ("subscription='from'", [.lost(bob)], [], []),
        ("subscription='remove'", [], [.lost(bob)], [.lost(bob)]),
      ]
    for (number, (attributes, mutual, subscribed, all)) in rows.enumerated() {
      let steps = try push(
        "<item jid='bob@example.test' \(attributes)/>", to: session, id: number)
      let outcome = try #require(steps.last).outcome
      #expect(outcome.friendChanges() == mutual, "\(attributes)")
      #expect(outcome.friendChanges(by: .subscribed) == subscribed, "\(attributes)")
      #expect(outcome.friendChanges(by: .all) == all, "\(attributes)")
    }
  }

  @Test("Applied in order, they are the friends of the roster", arguments: UInt64(1)...10)
  func agreement(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for policy in SectionPolicy.Friends.allCases {
      let session = try session()
      var friends: Set<BareJID> = []
      for number in 0..<60 {
        let contact = "c\(Int.random(in: 0..<6, using: &random))@example.test"
        let word = ["none", "to", "from", "both", "remove"].randomElement(using: &random) ?? "none"
        for step in try push(
          "<item jid='\(contact)' subscription='\(word)'/>", to: session, id: number)
        {
          for change in step.outcome.friendChanges(by: policy) {
            switch change {
            case .gained(let jid): #expect(friends.insert(jid).inserted, "seed \(seed)")
            case .lost(let jid): #expect(friends.remove(jid) != nil, "seed \(seed)")
            }
          }
        }
        let expected = Set(session.roster.friends(by: policy).map(\.jid))
        #expect(friends == expected, "seed \(seed), \(policy)")
      }
    }
  }
}
