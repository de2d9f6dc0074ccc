import HashTreeCollections
import XMPPStanza

// The parts that a state holds about a contact.

/// The first byte of an entry.
private enum EntryFlag {
  /// Of the subscription.
  static let subscription: UInt8 = 0x03
  static let isPending: UInt8 = 0x04
  static let isApproved: UInt8 = 0x08
  static let hasName: UInt8 = 0x10
  static let hasGroups: UInt8 = 0x20
  /// The fields come from different records.
  static let isMixed: UInt8 = 0x40
  static let unused: UInt8 = 0x80
}

/// The first byte of a resource's presence.
private enum PresenceFlag {
  static let show: UInt8 = 0x07
  static let hasPriority: UInt8 = 0x08
  static let hasStatus: UInt8 = 0x10
  static let hasDelay: UInt8 = 0x20
  static let hasOddity: UInt8 = 0x40
  static let hasTime: UInt8 = 0x80
}

extension RosterOutput {
  mutating func write(_ entry: RosterEntry) {
    let item = entry.item
    let provenance = entry.provenance
    let isMixed = provenance != RosterEntry.Provenance(allFrom: provenance.item)
    var flags = item.subscription.code
    if item.isPending { flags |= EntryFlag.isPending }
    if item.isApproved { flags |= EntryFlag.isApproved }
    if item.name != nil { flags |= EntryFlag.hasName }
    if !item.groups.isEmpty { flags |= EntryFlag.hasGroups }
    if isMixed { flags |= EntryFlag.isMixed }
    plain.write(tag: flags)
    if let name = item.name { plain.write(name) }
    if !item.groups.isEmpty { write(groups: item.groups) }
    write(record: provenance.item)
    guard isMixed else { return }
    for record in [
      provenance.name, provenance.subscription, provenance.ask, provenance.approved,
      provenance.groups,
    ] {
      plain.write(signed: Int64(bitPattern: record &- provenance.item))
    }
  }

  mutating func write(_ presence: ContactPresence) {
    let resources = presence.resources
    plain.write(UInt64(resources.count))
    guard resources.count > 1 else {
      for (name, resource) in resources { write(name, resource) }
      return
    }
    for (name, resource) in resources.sorted(by: {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }) {
      write(name, resource)
    }
  }

  private mutating func write(_ name: String, _ presence: ResourcePresence) {
    write(shared: name)
    let availability = presence.availability
    var flags = availability.show.code
    if availability.priority != 0 { flags |= PresenceFlag.hasPriority }
    if availability.status != nil { flags |= PresenceFlag.hasStatus }
    if availability.delay != nil { flags |= PresenceFlag.hasDelay }
    if availability.oddity != nil { flags |= PresenceFlag.hasOddity }
    if presence.since.time != nil { flags |= PresenceFlag.hasTime }
    plain.write(tag: flags)
    if availability.priority != 0 { plain.write(tag: UInt8(bitPattern: availability.priority)) }
    if let status = availability.status { write(shared: status) }
    if let delay = availability.delay { plain.write(delay) }
    if let oddity = availability.oddity { write(shared: oddity) }
    write(record: presence.since.record)
    if let time = presence.since.time { write(time: time) }
  }

  mutating func write(_ request: IncomingRequest) {
    write(request.since)
    write(request.last)
    plain.write(signed: Int64(request.count))
    plain.write(request.status)
    plain.write(request.nickname)
    plain.write(request.isReportedAsOld)
  }

  mutating func write(_ request: OutgoingRequest) {
    write(request.since)
    plain.write(request.isReflected)
    plain.write(request.isReportedAsOld)
  }

  mutating func write(_ end: EndedRequest) {
    plain.write(tag: end.way.code)
    write(end.at)
    write(end.since)
  }

  mutating func write(_ names: OwnNames) {
    plain.write(names.nickname)
    plain.write(names.nicknameRecord != nil)
    if let record = names.nicknameRecord { write(record: record) }
    plain.write(names.vCard != nil)
    if let card = names.vCard {
      plain.write(card.nickname)
      plain.write(card.fullName)
    }
    plain.write(names.vCardRecord != nil)
    if let record = names.vCardRecord { write(record: record) }
  }

  mutating func write(_ edit: SettledEdit) {
    write(record: edit.sent)
    plain.write(edit.before)
    plain.write(edit.after)
  }
}

extension RosterInput {
  mutating func readEntry(_ jid: BareJID) throws(CodecError) -> RosterEntry {
    let flags = try plain.readTag()
    guard flags & EntryFlag.unused == 0,
      let subscription = Subscription(code: flags & EntryFlag.subscription)
    else { throw plain.invalid }
    var item = RosterItem(
      jid: jid, subscription: subscription, isPending: flags & EntryFlag.isPending != 0,
      isApproved: flags & EntryFlag.isApproved != 0)
    if flags & EntryFlag.hasName != 0 {
      let name = try plain.readText()
      guard !name.isEmpty else { throw plain.invalid }
      item.name = name
    }
    if flags & EntryFlag.hasGroups != 0 {
      item.groups = try readGroups()
      guard !item.groups.isEmpty else { throw plain.invalid }
    }
    let record = try readRecord()
    var provenance = RosterEntry.Provenance(allFrom: record)
    if flags & EntryFlag.isMixed != 0 {
      provenance.name = record &+ UInt64(bitPattern: try plain.readSigned())
      provenance.subscription = record &+ UInt64(bitPattern: try plain.readSigned())
      provenance.ask = record &+ UInt64(bitPattern: try plain.readSigned())
      provenance.approved = record &+ UInt64(bitPattern: try plain.readSigned())
      provenance.groups = record &+ UInt64(bitPattern: try plain.readSigned())
      guard provenance != RosterEntry.Provenance(allFrom: record) else { throw plain.invalid }
    }
    return RosterEntry(item: item, provenance: provenance)
  }

  mutating func readPresence() throws(CodecError) -> ContactPresence {
    var presence = ContactPresence()
    var last = -1
    for _ in 0..<(try plain.readCount()) {
      let (name, number) = try readShared()
      let resource = try readResource()
      // In the order of their bytes, and none twice, also not in another normal form.
      guard last < number, presence.resources.updateValue(resource, forKey: name) == nil else {
        throw plain.invalid
      }
      last = number
    }
    return presence
  }

  private mutating func readResource() throws(CodecError) -> ResourcePresence {
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
      oddity: flags & PresenceFlag.hasOddity != 0 ? try readShared().text : nil)
    let record = try readRecord()
    let time = flags & PresenceFlag.hasTime != 0 ? try readTime() : nil
    return ResourcePresence(
      availability: availability, since: RecordStamp(record: record, time: time))
  }

  mutating func readIncoming() throws(CodecError) -> IncomingRequest {
    let (since, last) = (try readStamp(), try readStamp())
    return IncomingRequest(
      since: since, last: last, count: Int(try plain.readSigned()),
      status: try plain.readOptionalText(), nickname: try plain.readOptionalText(),
      isReportedAsOld: try plain.readFlag())
  }

  mutating func readOutgoing() throws(CodecError) -> OutgoingRequest {
    OutgoingRequest(
      since: try readStamp(), isReflected: try plain.readFlag(),
      isReportedAsOld: try plain.readFlag())
  }

  mutating func readEnded() throws(CodecError) -> EndedRequest {
    guard let way = EndedRequest.Way(code: try plain.readTag()) else { throw plain.invalid }
    return EndedRequest(way: way, at: try readStamp(), since: try readStamp())
  }

  mutating func readOwnNames() throws(CodecError) -> OwnNames {
    var names = OwnNames()
    names.nickname = try plain.readOptionalText()
    if try plain.readFlag() { names.nicknameRecord = try readRecord() }
    if try plain.readFlag() {
      names.vCard = VCardNames(
        nickname: try plain.readOptionalText(), fullName: try plain.readOptionalText())
    }
    if try plain.readFlag() { names.vCardRecord = try readRecord() }
    return names
  }

  mutating func readEchoes() throws(CodecError) -> Echoes {
    let kinds = try plain.readTag()
    guard kinds & 0x88 == 0 else { throw plain.invalid }
    return Echoes(
      stanzas: SubscriptionKinds(rawValue: kinds & 0x07),
      pushes: SubscriptionKinds(rawValue: kinds >> 4))
  }

  mutating func readSettledEdit() throws(CodecError) -> SettledEdit {
    SettledEdit(
      sent: try readRecord(), before: try plain.readOptional(), after: try plain.readOptional())
  }
}

extension Show {
  /// The number that it is stored as.
  fileprivate var code: UInt8 {
    switch self {
    case .available: 0
    case .chat: 1
    case .away: 2
    case .xa: 3
    case .dnd: 4
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 0: self = .available
    case 1: self = .chat
    case 2: self = .away
    case 3: self = .xa
    case 4: self = .dnd
    default: return nil
    }
  }
}

extension EndedRequest.Way {
  fileprivate var code: UInt8 {
    switch self {
    case .accepted: 0
    case .denied: 1
    case .withdrawn: 2
    case .acceptedElsewhere: 3
    case .deniedElsewhere: 4
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 0: self = .accepted
    case 1: self = .denied
    case 2: self = .withdrawn
    case 3: self = .acceptedElsewhere
    case 4: self = .deniedElsewhere
    default: return nil
    }
  }
}
