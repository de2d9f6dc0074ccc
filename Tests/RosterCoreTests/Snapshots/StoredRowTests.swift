import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// The rows of snapshots.
@Suite("Stored rows")
struct StoredRowTests {
  private func decode(_ bytes: [UInt8]) throws(CodecError) -> Roster {
    try Roster(snapshot: bytes.span.bytes)
  }

  /// Contacts of which every second one is available.
  private static func roster() -> Roster {
    var scenario = Scenario.alice(
      item("ann@example.test", "subscription='both'")
        + item("bob@example.test", "subscription='both'")
        + item("cid@example.test", "subscription='both'")
        + item("dan@example.test", "subscription='both'"))
    scenario.receives(from: "bob@example.test/desk")
    scenario.receives(from: "dan@example.test/phone", "<show>away</show>")
    return scenario.roster
  }

  /// The stored rows of a roster's contacts, after an optional change.
  private func rows(
    of table: ContactTable, _ change: (ContactNumber, inout ContactRow) -> Void = { _, _ in }
  ) -> [UInt8] {
    var output = CanonicalOutput()
    var rows = RowOutput(after: ContactRow())
    for number in table.numbers {
      let known = table.row(of: number)
      rows.write(to: &output) { row in
        row.take(known.hasPresence ? .all : [.item, .details], of: known)
        row.further = known.hasPresence ? 0 : ContactRow.lacksPresence
        change(number, &row)
      }
    }
    return output.bytes
  }

  @Test(
    "The row of an unavailable contact contains only that fact about presence",
    arguments: ["ann@example.test", "cid@example.test"])
  func absent(_ jid: String) throws {
    let roster = Self.roster()
    let absent = try #require(roster.contacts.number(of: bare(jid)))
    let snapshot = roster.snapshot
    let right = rows(of: roster.contacts)
    #expect(Array(snapshot.suffix(right.count)) == right)
    let head = Array(snapshot.dropLast(right.count))
    func isRead(_ rows: [UInt8]) -> Bool {
      (try? decode(head + rows)) == roster
    }
    #expect(isRead(right))
    // The absence of a resource, encoded in another way.
    #expect(
      !isRead(
        rows(of: roster.contacts) { number, row in
          if number == absent { row.forgetPresence() }
        }))
    // Further resources of a contact without a first one.
    #expect(
      !isRead(
        rows(of: roster.contacts) { number, row in
          guard number == absent else { return }
          row.forgetPresence()
          row.further = ContactRow.hasFurther
        }))
  }

  @Test("A contact that stays available while another one leaves is available after an increment")
  func stays() throws {
    var scenario = Scenario.alice(
      item("ann@example.test", "subscription='both'")
        + item("bob@example.test", "subscription='both'"))
    scenario.receives(from: "ann@example.test/desk")
    scenario.receives(from: "bob@example.test/desk")
    let (whole, count) = (scenario.roster.snapshot, scenario.history.count)
    scenario.receives("unavailable", from: "ann@example.test/desk")
    scenario.pushed(item("bob@example.test", "name='Robert' subscription='both'"))

    var (roster, known) = (try decode(whole), try decode(whole))
    let base = SnapshotBase(sequence: roster.position, identity: 1, depth: 0)
    known.base = base
    roster.beginIncrement(to: base)
    for (event, stamp, connection) in scenario.history.dropFirst(count) {
      RosterReducer.reduce(&roster, event, at: stamp, on: connection, reporting: .nothing)
    }
    let increment = try #require(roster.increment)
    try known.add(increment.span.bytes)
    #expect(known == roster && known == scenario.roster)
    #expect(known.item(bare("bob@example.test"))?.name == "Robert")
    #expect(known.shownPresences.map(\.key) == [bare("bob@example.test")])
  }
}
