import Rollcall

@MainActor
func follow(_ session: RosterSession, with table: any ContactsTable) async {
  for await update in session.screens(SectionPolicy(friends: .mutual)) {
    if let changes = update.changes {
      table.apply(changes, update.screen)  // performBatchUpdates
    } else {
      table.reload(update.screen)
    }
  }
}

@MainActor
func show(
  _ step: SessionStep, of session: RosterSession, on screen: inout RosterSections,
  in table: any ContactsTable
) {
  let rows = screen.rows(touchedBy: step.outcome.changes)
  let changes = screen.update(rows, from: session.roster)
  table.apply(changes, screen)
}
