import XMPPStanza

/// What is stored of a contact; the first byte of each.
private struct ContactParts: OptionSet {
  let rawValue: UInt8

  static let item = Self(rawValue: 1)
  static let presence = Self(rawValue: 2)
  static let openRequest = Self(rawValue: 4)
  static let unconfirmedRequest = Self(rawValue: 8)
  static let lastEnded = Self(rawValue: 16)
  static let outgoing = Self(rawValue: 32)
  static let names = Self(rawValue: 64)
  /// What is expected, a confirmed edit, what is on its way to some connections, and how requests
  /// go round.
  static let afterEffects = Self(rawValue: 128)
}

/// The first byte of an item.
private enum ItemFlag {
  static let subscription: UInt8 = 0x03
  static let isPending: UInt8 = 0x04
  static let isApproved: UInt8 = 0x08
  static let hasName: UInt8 = 0x10
  static let hasGroups: UInt8 = 0x20
  /// The fields come from different records.
  static let isMixed: UInt8 = 0x40
  static let unused: UInt8 = 0x80
}

// Everything about a contact stands together, contact by contact in the order of the table.
extension RosterOutput {
  mutating func writeContacts() {
    for number in contacts.numbers where !contacts.isEmpty(number) {
      write(contact: number)
      writeParts(of: number)
    }
  }

  private mutating func writeParts(of number: ContactNumber) {
    let item = contacts.item(of: number)
    let details = contacts.hasDetails(number) ? contacts.details(of: number) : nil
    var parts = details?.parts ?? []
    if item != nil { parts.insert(.item) }
    if contacts.hasPresence(number) { parts.insert(.presence) }
    plain.write(tag: parts.rawValue)
    if let item { write(item) }
    if let first = contacts.presence(of: number) {
      write(first, and: details?.furtherResources.all ?? [])
    }
    if let details { write(details, parts) }
  }

  private mutating func write(_ item: ItemRow) {
    let provenance = item.provenance
    let hasGroups = item.groups != .none
    let isMixed = provenance != RosterEntry.Provenance(allFrom: provenance.item)
    var flags = item.subscription.code
    if item.isPending { flags |= ItemFlag.isPending }
    if item.isApproved { flags |= ItemFlag.isApproved }
    if item.name != .none { flags |= ItemFlag.hasName }
    if hasGroups { flags |= ItemFlag.hasGroups }
    if isMixed { flags |= ItemFlag.isMixed }
    plain.write(tag: flags)
    if item.name != .none { write(item.name) }
    if hasGroups { write(groups: item.groups) }
    write(record: provenance.item)
    guard isMixed else { return }
    for record in [
      provenance.name, provenance.subscription, provenance.ask, provenance.approved,
      provenance.groups,
    ] {
      plain.write(signed: Int64(bitPattern: record &- provenance.item))
    }
  }

  private mutating func write(_ details: ContactDetails, _ parts: ContactParts) {
    if let request = details.request?.request {
      write(request.since)
      write(request.last)
      write(request.asked)
      plain.write(signed: Int64(request.count))
      plain.write(request.status)
      plain.write(request.nickname)
      plain.write(request.isReportedAsNeglected)
    }
    if let end = details.lastEnded {
      plain.write(tag: end.way.code)
      write(end.at)
      write(end.since)
      plain.write(details.wasTaken)
    }
    if let request = details.outgoing {
      write(request.since)
      plain.write(request.isReflected)
      plain.write(request.isReportedAsNeglected)
    }
    if let names = details.names { write(names) }
    guard parts.contains(.afterEffects) else { return }
    let expected = details.expected
    plain.write(tag: expected.stanzas.rawValue | expected.pushes.rawValue << 4)
    plain.write(!details.deliveries.isEmpty)
    if !details.deliveries.isEmpty { write(details.deliveries) }
    for rounds in [details.rounds, details.ownRounds] {
      plain.write(rounds != nil)
      if let rounds { write(rounds) }
    }
    plain.write(details.confirmedEdit != nil)
    guard let edit = details.confirmedEdit else { return }
    write(record: edit.sent)
    plain.write(edit.before)
    plain.write(edit.after)
  }

  private mutating func write(_ rounds: Rounds) {
    plain.write(UInt64(rounds.count))
    write(rounds.first)
    plain.write(rounds.ended != nil)
    if let ended = rounds.ended { write(ended) }
  }

  private mutating func write(_ names: OwnNames) {
    plain.write(names.nickname)
    plain.write(names.nicknameRecord != nil)
    if let record = names.nicknameRecord { write(record: record) }
    plain.write(names.vCard)
    plain.write(names.vCardRecord != nil)
    if let record = names.vCardRecord { write(record: record) }
  }
}

extension ContactDetails {
  /// Further resources stand with the first one, as presence.
  fileprivate var parts: ContactParts {
    var parts: ContactParts = []
    switch request {
    case .open: parts.insert(.openRequest)
    case .unconfirmed: parts.insert(.unconfirmedRequest)
    case nil: break
    }
    if !$lastEnded.isNone { parts.insert(.lastEnded) }
    if !$outgoing.isNone { parts.insert(.outgoing) }
    if !$names.isNone { parts.insert(.names) }
    if hasAfterEffects { parts.insert(.afterEffects) }
    return parts
  }

  fileprivate var hasAfterEffects: Bool {
    !expected.isEmpty || !$confirmedEdit.isNone || !deliveries.isEmpty || !$rounds.isNone
      || !$ownRounds.isNone
  }
}

extension RosterInput {
  /// Reads what is known of the contacts whose addresses are there.
  mutating func readContacts() throws(CodecError) {
    for number in contacts.numbers { try readParts(of: number) }
  }

  private mutating func readParts(of number: ContactNumber) throws(CodecError) {
    let parts = ContactParts(rawValue: try plain.readTag())
    guard !parts.isEmpty, !parts.isSuperset(of: [.openRequest, .unconfirmedRequest]) else {
      throw plain.invalid
    }
    if parts.contains(.item) { contacts.setItem(try readItem(), of: number) }
    var further: [PresenceRow] = []
    if parts.contains(.presence) {
      var first: PresenceRow?
      try readPresence { row in
        if first == nil { first = row } else { further.append(row) }
      }
      guard let first else { throw plain.invalid }
      contacts.setPresence(first, of: number)
    }
    guard !parts.isSubset(of: [.item, .presence]) || !further.isEmpty else { return }
    var details = try readDetails(parts)
    details.furtherResources = PresenceRows(further)
    contacts.updateDetails(of: number) { $0 = details }
  }

  private mutating func readItem() throws(CodecError) -> ItemRow {
    let flags = try plain.readTag()
    guard flags & ItemFlag.unused == 0,
      let subscription = Subscription(code: flags & ItemFlag.subscription)
    else { throw plain.invalid }
    var name = TextNumber.none
    if flags & ItemFlag.hasName != 0 {
      name = try readText()
      guard !contacts.isEmptyText(name) else { throw plain.invalid }
    }
    let groups = flags & ItemFlag.hasGroups != 0 ? try readGroups() : .none
    return ItemRow(
      name: name, groups: groups, subscription: subscription,
      isPending: flags & ItemFlag.isPending != 0, isApproved: flags & ItemFlag.isApproved != 0,
      provenance: try readProvenance(isMixed: flags & ItemFlag.isMixed != 0))
  }

  private mutating func readProvenance(
    isMixed: Bool
  ) throws(CodecError) -> RosterEntry.Provenance {
    let record = try readRecord()
    var provenance = RosterEntry.Provenance(allFrom: record)
    guard isMixed else { return provenance }
    provenance.name = record &+ UInt64(bitPattern: try plain.readSigned())
    provenance.subscription = record &+ UInt64(bitPattern: try plain.readSigned())
    provenance.ask = record &+ UInt64(bitPattern: try plain.readSigned())
    provenance.approved = record &+ UInt64(bitPattern: try plain.readSigned())
    provenance.groups = record &+ UInt64(bitPattern: try plain.readSigned())
    guard provenance != RosterEntry.Provenance(allFrom: record) else { throw plain.invalid }
    return provenance
  }

  private mutating func readDetails(_ parts: ContactParts) throws(CodecError) -> ContactDetails {
    var details = ContactDetails()
    if parts.contains(.openRequest) { details.request = .open(try readRequest()) }
    if parts.contains(.unconfirmedRequest) { details.request = .unconfirmed(try readRequest()) }
    if parts.contains(.lastEnded) {
      details.lastEnded = EndedRequest(
        way: try plain.readCode(), at: try readStamp(), since: try readStamp())
      details.wasTaken = try plain.readFlag()
    }
    if parts.contains(.outgoing) {
      details.outgoing = OutgoingRequest(
        since: try readStamp(), isReflected: try plain.readFlag(),
        isReportedAsNeglected: try plain.readFlag())
    }
    if parts.contains(.names) { details.names = try readNames() }
    guard parts.contains(.afterEffects) else { return details }
    details.expected = try readExpected()
    if try plain.readFlag() { details.deliveries = try readDeliveries() }
    if try plain.readFlag() { details.rounds = try readRounds() }
    if try plain.readFlag() { details.ownRounds = try readRounds() }
    if try plain.readFlag() {
      details.confirmedEdit = ConfirmedEdit(
        sent: try readRecord(), before: try plain.readOptional(), after: try plain.readOptional())
    }
    guard details.hasAfterEffects else { throw plain.invalid }
    return details
  }

  private mutating func readRequest() throws(CodecError) -> IncomingRequest {
    IncomingRequest(
      since: try readStamp(), last: try readStamp(), asked: try readStamp(),
      count: Int(try plain.readSigned()),
      status: try plain.readOptionalText(), nickname: try plain.readOptionalText(),
      isReportedAsNeglected: try plain.readFlag())
  }

  private mutating func readRounds() throws(CodecError) -> Rounds {
    guard let count = Int(exactly: try plain.readNumber()) else { throw plain.invalid }
    return Rounds(
      count: count, first: try readStamp(), ended: try plain.readFlag() ? try readStamp() : nil)
  }

  private mutating func readNames() throws(CodecError) -> OwnNames {
    var names = OwnNames()
    names.nickname = try plain.readOptionalText()
    if try plain.readFlag() { names.nicknameRecord = try readRecord() }
    names.vCard = try plain.readOptional()
    if try plain.readFlag() { names.vCardRecord = try readRecord() }
    return names
  }

  private mutating func readExpected() throws(CodecError) -> ExpectedCounterparts {
    let kinds = try plain.readTag()
    guard kinds & 0x88 == 0 else { throw plain.invalid }
    return ExpectedCounterparts(
      stanzas: SubscriptionKinds(rawValue: kinds & 0x07),
      pushes: SubscriptionKinds(rawValue: kinds >> 4))
  }
}
