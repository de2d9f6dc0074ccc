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
  /// Resources of the contacts' table, in the order of their names.
  mutating func write(_ resources: [PresenceRow]) {
    plain.write(UInt64(resources.count))
    for row in contacts.sorted(resources) { write(row) }
  }

  /// The same of one resource, and of others where there are any.
  mutating func write(_ resource: PresenceRow, and others: [PresenceRow]) {
    guard others.isEmpty else { return write([resource] + others) }
    plain.write(1 as UInt64)
    write(resource)
  }

  private mutating func write(_ row: PresenceRow) {
    write(shared: row.resource)
    var flags = row.show.code
    if row.priority != 0 { flags |= PresenceFlag.hasPriority }
    if row.status != .none { flags |= PresenceFlag.hasStatus }
    if row.delay != .none { flags |= PresenceFlag.hasDelay }
    if row.malformed != .none { flags |= PresenceFlag.hasMalformed }
    if row.since.time != nil { flags |= PresenceFlag.hasTime }
    plain.write(tag: flags)
    if row.priority != 0 { plain.write(tag: UInt8(bitPattern: row.priority)) }
    if row.status != .none { write(shared: row.status) }
    if row.delay != .none { write(row.delay) }
    if row.malformed != .none { write(shared: row.malformed) }
    write(record: row.since.record)
    if let time = row.since.time { write(time: time) }
    plain.write(row.told.rawValue)
  }
}

extension RosterInput {
  /// Reads resources, whose texts go into the table, in the order of their names.
  mutating func readPresence(
    into contacts: inout ContactTable
  ) throws(CodecError) -> [PresenceRow] {
    var rows: [PresenceRow] = []
    try readPresence(into: &contacts) { rows.append($0) }
    return rows
  }

  /// The same, each handed to `body`.
  mutating func readPresence(
    into contacts: inout ContactTable, _ body: (PresenceRow) -> Void
  ) throws(CodecError) {
    var last = -1
    for _ in 0..<(try plain.readCount()) {
      let (resource, number) = try readShared(into: &contacts)
      guard last < number else { throw plain.invalid }
      last = number
      body(try readRow(of: resource, into: &contacts))
    }
  }

  private mutating func readRow(
    of resource: TextNumber, into contacts: inout ContactTable
  ) throws(CodecError) -> PresenceRow {
    let flags = try plain.readTag()
    guard let show = Show(code: flags & PresenceFlag.show) else { throw plain.invalid }
    var priority: Int8 = 0
    if flags & PresenceFlag.hasPriority != 0 {
      priority = Int8(bitPattern: try plain.readTag())
      guard priority != 0 else { throw plain.invalid }
    }
    var (status, delay, malformed) = (TextNumber.none, TextNumber.none, TextNumber.none)
    if flags & PresenceFlag.hasStatus != 0 { status = try readShared(into: &contacts).text }
    if flags & PresenceFlag.hasDelay != 0 { delay = try readText(into: &contacts) }
    if flags & PresenceFlag.hasMalformed != 0 { malformed = try readShared(into: &contacts).text }
    let record = try readRecord()
    let time = flags & PresenceFlag.hasTime != 0 ? try readTime() : nil
    return PresenceRow(
      resource: resource, status: status, delay: delay, malformed: malformed, show: show,
      priority: priority, since: RecordStamp(record: record, time: time),
      told: SessionSet(rawValue: try plain.readNumber()))
  }
}
