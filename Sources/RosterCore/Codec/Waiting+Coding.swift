import XMPPStanza

// What waits for an answer.
extension Roster {
  func writeWaiting(to output: inout RosterOutput) {
    output.plain.write(signed: nextDeadline)
    output.plain.write(signed: nextNeglect)
    output.plain.write(UInt64(openQueries.count))
    for open in openQueries {
      output.plain.write(open.query)
      output.write(open.sent)
      output.plain.write(open.isBaseKnown)
      output.plain.write(open.isReportedAsLate)
    }
    output.plain.write(UInt64(edits.pending.count))
    for edit in edits.pending {
      output.plain.write(edit.id)
      output.plain.write(edit.contact)
      output.write(edit.sent)
      output.plain.write(edit.before)
      output.plain.write(edit.after)
      output.plain.write(edit.isPushed)
      output.plain.write(edit.isAnswered)
    }
    output.plain.write(UInt64(unacknowledged.count))
    for push in unacknowledged {
      output.plain.write(push.id)
      output.plain.write(push.contact)
      output.write(push.received)
    }
  }

  mutating func readWaiting(from input: inout RosterInput) throws(CodecError) {
    nextDeadline = try input.plain.readSigned()
    nextNeglect = try input.plain.readSigned()
    for _ in 0..<(try input.plain.readCount()) {
      openQueries.append(
        OpenQuery(
          query: try input.plain.read(), sent: try input.readStamp(),
          isBaseKnown: try input.plain.readFlag(),
          isReportedAsLate: try input.plain.readFlag()))
    }
    for _ in 0..<(try input.plain.readCount()) {
      edits.pending.append(
        PendingEdit(
          id: try input.plain.readOptionalText(), contact: try input.plain.read(),
          sent: try input.readStamp(), before: try input.plain.readOptional(),
          after: try input.plain.readOptional(), isPushed: try input.plain.readFlag(),
          isAnswered: try input.plain.readFlag()))
    }
    for _ in 0..<(try input.plain.readCount()) {
      unacknowledged.append(
        UnacknowledgedPush(
          id: try input.plain.readText(), contact: try input.plain.read(),
          received: try input.readStamp()))
    }
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
    guard name?.isEmpty != true, groups.areGroups else { throw input.invalid }
    self.init(name: name, groups: groups)
  }
}
