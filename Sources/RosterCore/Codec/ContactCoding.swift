import XMPPStanza

/// What is stored of a contact; the first byte of each.
private struct ContactParts: OptionSet {
  let rawValue: UInt8

  static let item = Self(rawValue: 1)
  static let presence = Self(rawValue: 2)
  /// What stands with the details of all.
  static let details = Self(rawValue: 4)
  static let all: Self = [.item, .presence, .details]
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

// What most contacts have stands together, contact by contact in the order of the table; then the
// details of those that have any, in the same order.
extension RosterOutput {
  mutating func write(_ numbers: [ContactNumber]) {
    for number in numbers {
      write(contact: number)
      writeParts(of: number)
    }
  }

  private mutating func writeParts(of number: ContactNumber) {
    let item = contacts.item(of: number)
    let first = contacts.presence(of: number)
    let details = writeDetails(of: number)
    var parts: ContactParts = []
    if item != nil { parts.insert(.item) }
    if first != nil { parts.insert(.presence) }
    if details.isWritten { parts.insert(.details) }
    plain.write(tag: parts.rawValue)
    if let item { write(item) }
    if let first { write(first, and: details.further) }
  }

  /// Writes the contact's details, if it has any besides further resources.
  private mutating func writeDetails(
    of number: ContactNumber
  ) -> (isWritten: Bool, further: [PresenceRow]) {
    if let stored = contacts.storedDetails(of: number) {
      details.write(stored: stored)
      return (true, [])
    }
    let table = contacts
    return table.withDetails(of: number) { known in
      let isWritten = !known.parts.isEmpty
      if isWritten { details.write(known) }
      return (isWritten, known.furtherResources.all)
    } ?? (false, [])
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
}

extension RosterInput {
  /// Reads what is known of the contacts whose addresses are there.
  mutating func readContacts() throws(CodecError) {
    var owners: [ContactNumber] = []
    for number in contacts.numbers where try readParts(of: number) { owners.append(number) }
    try readDetails(of: owners)
  }

  /// - Returns: Whether the contact has details that come later.
  private mutating func readParts(of number: ContactNumber) throws(CodecError) -> Bool {
    let parts = ContactParts(rawValue: try plain.readTag())
    guard !parts.isEmpty || isIncrement, parts.isSubset(of: .all) else { throw plain.invalid }
    if parts.contains(.item) { contacts.setItem(try readItem(), of: number) }
    if parts.contains(.presence) {
      var first: PresenceRow?
      var further: [PresenceRow] = []
      try readPresence { row in
        if first == nil { first = row } else { further.append(row) }
      }
      guard let first else { throw plain.invalid }
      contacts.setPresence(first, of: number)
      if !further.isEmpty {
        contacts.updateDetails(of: number) { $0.furtherResources = PresenceRows(further) }
      }
    }
    return parts.contains(.details)
  }

  /// Looks the details through, and keeps their bytes: they are read when they are asked for.
  private mutating func readDetails(of owners: [ContactNumber]) throws(CodecError) {
    let bytes = try plain.readCounted()
    _ = contacts.keep(StoredDetails(bytes))
    var input = CanonicalInput(bytes)
    for number in owners {
      let offset = bytes.count - input.rest
      var details = DetailsInput(CanonicalInput(try input.readCounted()))
      try details.check()
      guard let reference = DetailsReference(offset: offset) else { throw plain.invalid }
      contacts.setDetails(reference, of: number)
    }
    guard input.rest == 0 else { throw plain.invalid }
  }

  private mutating func readItem() throws(CodecError) -> ItemRow {
    let flags = try plain.readTag()
    guard flags & ItemFlag.unused == 0,
      let subscription = RosterSubscription(code: flags & ItemFlag.subscription)
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
}
