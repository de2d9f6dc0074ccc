import Rollcall

func rename(_ bob: BareJID, in session: RosterSession, over socket: any Socket) throws -> CommandID
{
  let command = try session.decide(.rename(bob, to: "Robert"))
  for element in command.elements {
    try session.sent(element.bytes, at: now())
    socket.write(element.bytes)
  }
  return command.id
}

func report(_ answers: [CommandAnswer], of command: CommandID) {
  for answer in answers where answer.command == command {
    switch answer.outcome {
    case .result: print("done")
    case .refused(let error): print(error.text ?? "\(error)")
    case .timeout: print("it is not known whether it was done")
    }
  }
}

func refusals(of jid: BareJID, in session: RosterSession) {
  do {
    _ = try session.decide(.accept(jid))
  } catch {
    print(error)  // “bob@example.test has not asked to see your presence”
  }
}

func acceptKnown(in session: RosterSession) throws -> [DecidedCommand] {
  try session.roster.incoming.compactMap { jid, _ in
    guard let decision = AutoAccept.knownContacts.decide(on: jid, in: session.roster) else {
      return nil
    }
    print(decision.reason)
    return decision.isAccepted ? try session.decide(.accept(jid)) : nil
  }
}
