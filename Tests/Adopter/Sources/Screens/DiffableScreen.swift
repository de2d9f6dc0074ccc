import Rollcall

@MainActor
func follow(
  _ session: RosterSession, _ policy: SectionPolicy, with source: any ContactsSource
) async {
  for await update in session.screens(policy) {
    var snapshot = ContactsSnapshot()  // NSDiffableDataSourceSnapshot<SectionID, RowID>
    snapshot.appendSections(update.sections.map(\.id))
    for section in update.sections {
      snapshot.appendItems(section.rows.map(\.id), toSection: section.id)
    }
    snapshot.reconfigureItems(update.changedRows)
    source.apply(snapshot) { id in update.screen.index.row(id) }
  }
}
