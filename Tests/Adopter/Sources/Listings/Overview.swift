import Rollcall

func overview(bytes: [UInt8]) throws {
  let session = try RosterSession(recordingTo: "alice.rollcall")
  for step in try session.received(bytes, at: now()) {
    for change in step.outcome.changes { print(change.record, change.clause) }
    for finding in step.outcome.findings { print(finding.code, finding.sentence) }
  }
}

func requests(of jid: BareJID, in session: RosterSession) {
  if let request = session.roster.contact(jid)?.request {
    switch request {
    case .open: break  // It waits for the user's answer.
    case .unconfirmed: break  // Another device may have answered it.
    }
  }
  for (jid, request) in session.roster.incoming {
    print(jid, request.since.record)  // in the order of addresses
  }
}

func library(
  bytes: [UInt8], bob: BareJID, send: ([UInt8]) throws -> Void
) async throws {
  let session = try RosterSession(recordingTo: "alice.rollcall")

  // The bytes from the socket, cut anywhere. Outgoing bytes go to `sent` in the same way.
  for step in try session.received(bytes, at: now()) {
    for change in step.outcome.changes { print(change.record, change.clause) }
    for finding in step.outcome.findings { print(finding.code, finding.sentence) }
    for answer in step.answers { print(answer.command, answer.outcome) }
  }
  for push in session.acknowledgements { try send(push.bytes) }

  // The elements to send for what the user wants; a later step has the answer.
  let command = try session.decide(.add(bob, name: "Bob", groups: ["Friends"]))
  for element in command.elements { try send(element.bytes) }

  // Now everything that was handed over is on the disk.
  try await session.durable()

  // What was, what happened, and why.
  let timeline = try session.timeline()
  let before = try timeline?.state(at: .head(minus: 10)).roster
  print(before?.sortedItems.map(\.jid) ?? [])
  if let (answer, _) = try timeline?.explanation(of: bob) {
    print(answer[.friend]?.reasons.map(\.sentence) ?? [])
  }
}

func annotations(of bob: BareJID, in session: RosterSession) throws -> Int {
  try session.annotate(.starred(bob, true), at: now())
  try session.annotate(.reading(bob, "zeng xian"), at: now())  // its place on the screen
  try session.annotate(.note(bob, "from the chess club"), at: now())
  try session.annotate(.requestsSeen(session.roster.unseenRequests), at: now())
  let badge = session.roster.unseenRequestCount
  return badge
}
