extension RosterOutput {
  /// Writes resources whose texts are in the contact table.
  mutating func write(_ resources: Span<PresenceRow>) {
    plain.write(UInt64(resources.count))
    for index in resources.indices {
      let resource = resources[index]
      presences.write(to: &plain) { $0 = resource }
    }
  }
}

extension RosterInput {
  /// Reads resources. Throws if a name occurs twice, because one entry would hide the other.
  mutating func readPresence() throws(CodecError) -> [PresenceRow] {
    let count = try plain.readCount()
    var rows: [PresenceRow] = []
    for _ in 0..<count { rows.append(try readResource()) }
    guard isSound || Set(rows.map(\.resource)).count == count else { throw plain.invalid }
    return rows
  }

  private mutating func readResource() throws(CodecError) -> PresenceRow {
    var row = PresenceRow.none
    try presences.read(from: &plain, into: &row)
    guard row.isThere, row.isWellFormed, row.refersOnly(to: counts) else { throw plain.invalid }
    return row
  }
}
