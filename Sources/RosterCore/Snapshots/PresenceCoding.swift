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
  /// Reads resources.
  mutating func readPresence() throws(CodecError) -> [PresenceRow] {
    let count = try plain.readCount()
    var rows: [PresenceRow] = []
    for _ in 0..<count { rows.append(try readResource()) }
    return rows
  }

  private mutating func readResource() throws(CodecError) -> PresenceRow {
    var row = PresenceRow.none
    try presences.read(from: &plain, into: &row)
    guard row.exists, row.isWellFormed, row.refersOnly(to: counts) else { throw plain.invalid }
    return row
  }
}
