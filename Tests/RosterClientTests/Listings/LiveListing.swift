import RosterClient

/// The README's example of a live session: compiled here, and compared with the README by a test.
func listing(
  alice: BareJID, bob: BareJID, text: String, show: (Roster) -> Void
) async throws {
  let login = LiveLogin(account: alice, password: Password(text))
  let session = try LiveSession(login, recordingTo: "alice.rollcall")
  try await session.start()  // throws why it cannot: a wrong password, an unfit certificate, …
  try await session.perform(.add(bob, name: "Bob"))  // throws why the server refuses
  for await update in await session.updates() { show(update.roster) }
  await session.close()
}
