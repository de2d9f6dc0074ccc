import Rollcall

func login(_ presences: [[UInt8]], into session: RosterSession) async throws {
  for presence in presences { try session.received(presence, at: now()) }
  try await session.durable()  // one wait for all of them
}

/// A recorder for several tasks, which need not leave its actor to wait for the disk.
actor Recorder {
  private let session: RosterSession

  init(log: String) throws { session = try RosterSession(recordingTo: log) }

  func record(_ bytes: [UInt8]) async throws {
    try session.received(bytes, at: now())
    try await session.durable()
  }
}

func end(_ session: RosterSession) {
  do {
    try session.close()
  } catch {
    print("not everything is on the disk: \(error)")
  }
}
