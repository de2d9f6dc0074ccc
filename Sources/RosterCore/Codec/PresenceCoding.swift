import XMPPStanza

/// The first byte of a resource's presence.
private enum PresenceFlag {
  static let show: UInt8 = 0x07
  static let hasPriority: UInt8 = 0x08
  static let hasStatus: UInt8 = 0x10
  static let hasDelay: UInt8 = 0x20
  static let hasMalformed: UInt8 = 0x40
  static let hasTime: UInt8 = 0x80
}

extension RosterOutput {
  /// Resources whose texts are in the contacts' table.
  mutating func write(_ resources: [PresenceRow]) {
    plain.write(UInt64(resources.count))
    for row in resources { write(row) }
  }

  /// The same of one resource and others.
  mutating func write(_ resource: PresenceRow, and others: [PresenceRow]) {
    plain.write(UInt64(1 + others.count))
    write(resource)
    for row in others { write(row) }
  }

  private mutating func write(_ row: PresenceRow) {
    write(row.resource)
    var flags = row.show.code
    if row.priority != 0 { flags |= PresenceFlag.hasPriority }
    if row.status != .none { flags |= PresenceFlag.hasStatus }
    if row.delay != .none { flags |= PresenceFlag.hasDelay }
    if row.malformed != .none { flags |= PresenceFlag.hasMalformed }
    if row.since.time != nil { flags |= PresenceFlag.hasTime }
    plain.write(tag: flags)
    if row.priority != 0 { plain.write(tag: UInt8(bitPattern: row.priority)) }
    if row.status != .none { write(row.status) }
    if row.delay != .none { write(row.delay) }
    if row.malformed != .none { write(row.malformed) }
    write(record: row.since.record)
    if let time = row.since.time { write(time: time) }
    plain.write(row.told.rawValue)
  }
}

extension RosterInput {
  /// Reads resources. Several of one name are none: each would hide the others.
  mutating func readPresence() throws(CodecError) -> [PresenceRow] {
    let count = try plain.readCount()
    // Most contacts have one, for which no list is made.
    guard count > 0 else { return [] }
    return try readPresence(of: count, after: try readRow())
  }

  /// Reads the first of several resources, and the others if there are any.
  mutating func readFirstPresence() throws(CodecError) -> (
    first: PresenceRow, further: [PresenceRow]
  ) {
    let count = try plain.readCount()
    guard count > 0 else { throw plain.invalid }
    let first = try readRow()
    guard count > 1 else { return (first, []) }
    return (first, Array(try readPresence(of: count, after: first).dropFirst()))
  }

  private mutating func readPresence(
    of count: Int, after first: PresenceRow
  ) throws(CodecError) -> [PresenceRow] {
    var rows = [first]
    var names: Set<TextNumber> = [first.resource]
    for _ in 1..<count {
      let row = try readRow()
      guard names.insert(row.resource).inserted else { throw plain.invalid }
      rows.append(row)
    }
    return rows
  }

  private mutating func readRow() throws(CodecError) -> PresenceRow {
    let resource = try readText()
    let flags = try plain.readTag()
    guard let show = Show(code: flags & PresenceFlag.show) else { throw plain.invalid }
    var priority: Int8 = 0
    if flags & PresenceFlag.hasPriority != 0 {
      priority = Int8(bitPattern: try plain.readTag())
      guard priority != 0 else { throw plain.invalid }
    }
    var (status, delay, malformed) = (TextNumber.none, TextNumber.none, TextNumber.none)
    if flags & PresenceFlag.hasStatus != 0 { status = try readText() }
    if flags & PresenceFlag.hasDelay != 0 { delay = try readText() }
    if flags & PresenceFlag.hasMalformed != 0 { malformed = try readText() }
    let record = try readRecord()
    let time = flags & PresenceFlag.hasTime != 0 ? try readTime() : nil
    return PresenceRow(
      resource: resource, status: status, delay: delay, malformed: malformed, show: show,
      priority: priority, since: RecordStamp(record: record, time: time),
      told: SessionSet(rawValue: try plain.readNumber()))
  }
}
