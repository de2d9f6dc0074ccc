import Rollcall

func recordWithoutMessages() throws -> RosterSession {
  var policy = RecordingPolicy.heads
  policy.messages = .none
  let session = try RosterSession(recordingTo: "alice.rollcall", keeping: policy)
  return session
}
