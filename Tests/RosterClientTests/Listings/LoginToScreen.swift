import RosterClient

/// A table of contacts, such as a `UITableView` with its sections.
@MainActor protocol ContactsTable {
  func reload(_ screen: RosterSections)
  func apply(_ changes: SectionChanges, _ screen: RosterSections)
}

/// The contacts of one account, as an application shows and changes them.
@MainActor final class Contacts {
  private let session: LiveSession
  private let table: any ContactsTable

  /// - Parameter log: The path of the account's log.
  init(_ account: BareJID, _ password: Password, log: String, table: any ContactsTable) throws {
    session = try LiveSession(LiveLogin(account: account, password: password), recordingTo: log)
    self.table = table
  }

  /// Logs in, and shows the contacts until the session ends.
  func run() async throws {
    async let shown: Void = show()
    try await session.start()
    await shown
    if let failure = await session.failure { throw failure }
  }

  private func show() async {
    for await update in await session.screens() {
      if let changes = update.changes {
        table.apply(changes, update.screen)  // performBatchUpdates
      } else {
        table.reload(update.screen)
      }
    }
  }

  /// Carries out what the user does: `.add`, `.accept`, `.reject`, `.rename`, …
  ///
  /// - Returns: A message for the user; nil if the command was carried out.
  func perform(_ command: RosterCommand) async -> String? {
    do throws(LiveError) {
      try await session.perform(command)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Closes the session properly; then `run` returns.
  func logOut() async { await session.close() }
}
