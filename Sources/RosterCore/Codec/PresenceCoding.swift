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
  /// Resources in the order of their names.
  mutating func write(_ resources: ResourceTable) {
    plain.write(UInt64(resources.count))
    for (name, presence) in resources { write(name, presence) }
  }

  private mutating func write(_ name: String, _ presence: ResourcePresence) {
    write(shared: name)
    let availability = presence.availability
    var flags = availability.show.code
    if availability.priority != 0 { flags |= PresenceFlag.hasPriority }
    if availability.status != nil { flags |= PresenceFlag.hasStatus }
    if availability.delay != nil { flags |= PresenceFlag.hasDelay }
    if availability.malformed != nil { flags |= PresenceFlag.hasMalformed }
    if presence.since.time != nil { flags |= PresenceFlag.hasTime }
    plain.write(tag: flags)
    if availability.priority != 0 { plain.write(tag: UInt8(bitPattern: availability.priority)) }
    if let status = availability.status { write(shared: status) }
    if let delay = availability.delay { plain.write(delay) }
    if let malformed = availability.malformed { write(shared: malformed) }
    write(record: presence.since.record)
    if let time = presence.since.time { write(time: time) }
    plain.write(presence.told.rawValue)
  }
}

extension RosterInput {
  /// Reads resources, whose texts go into the table, in the order of their names.
  mutating func readPresence(
    into contacts: inout ContactTable
  ) throws(CodecError) -> [PresenceRow] {
    var rows: [PresenceRow] = []
    var last = -1
    for _ in 0..<(try plain.readCount()) {
      let (name, number) = try readShared()
      let (availability, stamp) = try readAvailability()
      let told = SessionSet(rawValue: try plain.readNumber())
      guard last < number else { throw plain.invalid }
      last = number
      rows.append(contacts.row(of: availability, by: name, since: stamp, told: told))
    }
    return rows
  }

  private mutating func readAvailability() throws(CodecError) -> (Availability, RecordStamp) {
    let flags = try plain.readTag()
    guard let show = Show(code: flags & PresenceFlag.show) else { throw plain.invalid }
    var priority: Int8 = 0
    if flags & PresenceFlag.hasPriority != 0 {
      priority = Int8(bitPattern: try plain.readTag())
      guard priority != 0 else { throw plain.invalid }
    }
    let availability = Availability(
      show: show, priority: priority,
      status: flags & PresenceFlag.hasStatus != 0 ? try readShared().text : nil,
      delay: flags & PresenceFlag.hasDelay != 0 ? try plain.readText() : nil,
      malformed: flags & PresenceFlag.hasMalformed != 0 ? try readShared().text : nil)
    let record = try readRecord()
    let time = flags & PresenceFlag.hasTime != 0 ? try readTime() : nil
    return (availability, RecordStamp(record: record, time: time))
  }
}
