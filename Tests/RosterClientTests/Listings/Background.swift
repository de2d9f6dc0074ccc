import RosterClient

/// What the articles about the client show.
@MainActor struct BackgroundScene {
  let session: LiveSession

  func sceneDidEnterBackground() async { await session.suspend() }
  func sceneWillEnterForeground() async { await session.resume() }
}

func beginAsBefore(
  _ login: LiveLogin, _ path: String, _ bob: BareJID,
  _ show: (ScreenUpdate<LiveState>) -> Void
) async throws {
  let session = try LiveSession(login, recordingTo: path)
  try await session.start()
  try await session.perform(.add(bob, name: "Bob", groups: ["Friends"]))
  for await update in await session.screens() { show(update) }
}
