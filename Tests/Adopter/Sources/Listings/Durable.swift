import Rollcall

func login(_ presences: [[UInt8]], into session: RosterSession) async throws {
  for presence in presences { try session.received(presence, at: now()) }
  try await session.durable()  // one wait for all of them
}

func end(_ session: RosterSession) {
  do {
    try session.close()
  } catch {
    print("not everything is on the disk: \(error)")
  }
}
