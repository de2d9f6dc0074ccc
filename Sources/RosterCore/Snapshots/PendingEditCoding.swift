import DequeModule
import XMPPStanza

// Sets that wait for an answer, or for what shows whether the server has carried them out.
extension RosterOutput {
  mutating func write(_ edit: PendingEdit) {
    plain.write(edit.id)
    plain.write(edit.contact)
    write(edit.sent)
    plain.write(edit.before)
    plain.write(edit.after)
    plain.write(edit.isPushed)
    plain.write(edit.isAnswered)
    plain.write(edit.premature != nil)
    if let premature = edit.premature {
      plain.write(premature.known)
      plain.write(premature.replaced)
    }
    write(edit.restores)
    plain.write(edit.altered != nil)
    if let altered = edit.altered {
      plain.write(altered.fields)
      write(altered.shown)
    }
    plain.write(edit.isReportedAsOverdue)
  }

  mutating func write(_ abandoned: Deque<AbandonedEdit>) {
    plain.write(UInt64(abandoned.count))
    for edit in abandoned {
      write(edit.edit)
      plain.write(UInt64(edit.connection.number))
      plain.write(edit.device)
      write(edit.since)
    }
  }
}

extension RosterInput {
  mutating func readPendingEdit() throws(CodecError) -> PendingEdit {
    PendingEdit(
      id: try plain.readOptionalText(), contact: try plain.read(), sent: try readStamp(),
      before: try plain.readOptional(), after: try plain.readOptional(),
      isPushed: try plain.readFlag(), isAnswered: try plain.readFlag(),
      premature: try readPrematureSet(), restores: try readRestoration(),
      altered: try readAlteredSet(), isReportedAsOverdue: try plain.readFlag())
  }

  private mutating func readAlteredSet() throws(CodecError) -> AlteredSet? {
    guard try plain.readFlag() else { return nil }
    return AlteredSet(fields: try plain.read(), shown: try readStamp())
  }

  mutating func readAbandonedEdits() throws(CodecError) -> Deque<AbandonedEdit> {
    var abandoned: Deque<AbandonedEdit> = []
    for _ in 0..<(try plain.readCount()) {
      let edit = try readPendingEdit()
      guard let connection = UInt32(exactly: try plain.readNumber()) else { throw plain.invalid }
      abandoned.append(
        AbandonedEdit(
          edit: edit, connection: ConnectionID(number: connection),
          device: try plain.readOptionalText(), since: try readStamp()))
    }
    guard abandoned.count <= AbandonedEdit.limit else { throw plain.invalid }
    return abandoned
  }
}
