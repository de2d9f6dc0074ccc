import Rollcall
import RollcallTesting

/// A screen without a server, as a preview shows it.
func sampleScreen() throws -> RosterSections {
  let bob = RosterItem(
    jid: try BareJID(parsing: "bob@example.test"), name: "Bob", subscription: .both)
  let roster = try Roster(items: [bob])
  let screen = RosterSections(roster)
  return screen
}
