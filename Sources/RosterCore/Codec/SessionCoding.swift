import XMPPStanza

// Sessions, and what waits for an answer in them.
extension RosterOutput {
  mutating func write(_ session: Session) {
    plain.write(UInt64(session.connection.number))
    plain.write(tag: session.phase.code)
    plain.write(session.resource)
    plain.write(session.openedAt)
    plain.write(session.features.versioning)
    plain.write(session.features.preApproval)
    plain.write(session.sentInitialPresence)
    plain.write(session.reportedUnusedVersion)
    plain.write(session.isInboundOnly)
    plain.write(UInt64(session.openQueries.count))
    for open in session.openQueries {
      plain.write(open.query)
      write(open.sent)
      plain.write(open.isBaseKnown)
      plain.write(open.isReportedAsOverdue)
    }
    plain.write(UInt64(session.pendingEdits.count))
    for edit in session.pendingEdits {
      plain.write(edit.id)
      plain.write(edit.contact)
      write(edit.sent)
      plain.write(edit.before)
      plain.write(edit.after)
      plain.write(edit.isPushed)
      plain.write(edit.isAnswered)
    }
    plain.write(UInt64(session.unacknowledged.count))
    for push in session.unacknowledged {
      plain.write(push.id)
      plain.write(push.contact)
      write(push.received)
    }
  }
}

extension RosterInput {
  mutating func readSession() throws(CodecError) -> Session {
    guard let number = UInt32(exactly: try plain.readNumber()) else { throw plain.invalid }
    var session = Session(connection: ConnectionID(number: number))
    session.phase = try plain.readCode()
    session.resource = try plain.readOptionalText()
    session.openedAt = try plain.readNumber()
    session.features.versioning = try plain.readFlag()
    session.features.preApproval = try plain.readFlag()
    session.sentInitialPresence = try plain.readFlag()
    session.reportedUnusedVersion = try plain.readFlag()
    session.isInboundOnly = try plain.readFlag()
    for _ in 0..<(try plain.readCount()) {
      session.openQueries.append(
        OpenQuery(
          query: try plain.read(), sent: try readStamp(), isBaseKnown: try plain.readFlag(),
          isReportedAsOverdue: try plain.readFlag()))
    }
    for _ in 0..<(try plain.readCount()) {
      session.pendingEdits.append(
        PendingEdit(
          id: try plain.readOptionalText(), contact: try plain.read(), sent: try readStamp(),
          before: try plain.readOptional(), after: try plain.readOptional(),
          isPushed: try plain.readFlag(), isAnswered: try plain.readFlag()))
    }
    for _ in 0..<(try plain.readCount()) {
      session.unacknowledged.append(
        UnacknowledgedPush(
          id: try plain.readText(), contact: try plain.read(), received: try readStamp()))
    }
    return session
  }
}

extension EditableFields: CanonicalCodable {
  package func encode(to output: inout CanonicalOutput) {
    output.write(name)
    output.write(UInt64(groups.count))
    for group in groups { output.write(group) }
  }

  package init(from input: inout CanonicalInput) throws(CodecError) {
    let name = try input.readOptionalText()
    var groups: [String] = []
    for _ in 0..<(try input.readCount()) { groups.append(try input.readText()) }
    // They are those of an item, which keeps no empty name and sorts its groups.
    guard name?.isEmpty != true, groups.isSortedSet else { throw input.invalid }
    self.init(name: name, groups: groups)
  }
}
