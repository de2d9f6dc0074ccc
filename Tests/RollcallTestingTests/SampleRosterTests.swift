import ContactSections
import Rollcall
import RollcallTesting
import RosterCore
import Testing
import XMPPStanza

@Suite("Rosters for other developers' tests") struct SampleRosterTests {
  private func bare(_ text: String) throws -> BareJID { try BareJID(parsing: text) }

  @Test("A sample has its items, requests, presence and annotations")
  func sample() throws {
    let (bob, eve) = (try bare("bob@example.test"), try bare("eve@example.test"))
    let items = [
      RosterItem(
        jid: bob, name: "Bob <&'\">", subscription: .both, groups: ["A & B", "曾"]),
      RosterItem(jid: try bare("carol@example.test"), isPending: true),
      RosterItem(jid: try bare("dave@example.test"), subscription: .to, isApproved: true),
    ]
    let roster = try Roster(
      items: items, requests: [SampleRequest(eve, message: "It is me", nickname: "Eve")],
      presences: [
        SamplePresence(try JID(parsing: "bob@example.test/pc"), .away, status: "lunch"),
        SamplePresence(try JID(parsing: "bob@example.test/phone"), priority: -1),
      ],
      annotations: [.starred(bob, true), .note(bob, "chess")])
    #expect(roster.sortedItems == items)
    #expect(roster.completeness == .complete && roster.isConnected)
    #expect(roster.account == JID.sample.bare)
    #expect(roster.incoming[eve]?.status == "It is me")
    #expect(roster.incoming[eve]?.nickname == "Eve")
    #expect(roster.availability(of: bob)?.show == .away)
    #expect(roster.availability(of: bob)?.status == "lunch")
    #expect(roster.presence(of: bob).resources.keys == ["pc", "phone"])
    #expect(roster.annotations[bob]?.note == "chess")
    #expect(RosterSections(roster).sections.flatMap(\.rows).count == 2)
  }

  @Test("A sample without items is a complete, empty roster")
  func empty() throws {
    let roster = try Roster(items: [])
    #expect(roster.itemCount == 0 && roster.completeness == .complete)
    #expect(roster.unseenRequestCount == 0)
  }

  @Test("What a server could not send throws")
  func unreadable() throws {
    let bob = try bare("bob@example.test")
    func reason(_ body: () throws -> Roster) -> RollcallError.Reason? {
      do {
        _ = try body()
        return nil
      } catch {
        return (error as? RollcallError)?.reason
      }
    }
    let item = RosterItem(jid: bob, subscription: .both)
    #expect(reason { try Roster(items: [item]) } == nil)
    #expect(reason { try Roster(items: [item, item]) } == .capture)
    #expect(reason { try Roster(items: [RosterItem(jid: bob, name: "a\u{8}b")]) } == .capture)
    #expect(
      reason { try Roster(items: [], requests: [SampleRequest(bob, message: "\u{0}")]) }
        == .capture)
    let presence = SamplePresence(try JID(parsing: "bob@example.test/pc"), status: "\u{FFFF}")
    #expect(reason { try Roster(items: [item], presences: [presence]) } == .capture)
  }
}
