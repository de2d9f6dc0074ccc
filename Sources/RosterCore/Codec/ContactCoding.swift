import XMPPStanza

/// What is stored of a contact; the first byte of each.
private struct ContactParts: OptionSet {
  let rawValue: UInt8

  static let item = Self(rawValue: 1)
  static let presence = Self(rawValue: 2)
  /// What stands with the details of all.
  static let details = Self(rawValue: 4)
  /// The details are what they were; only in an increment.
  static let detailsStay = Self(rawValue: 8)
  static let all: Self = [.item, .presence, .details, .detailsStay]
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
    var parts: ContactParts = []
    if item != nil { parts.insert(.item) }
    if first != nil { parts.insert(.presence) }
    if !(changedDetails?.contains(number) ?? true) {
      parts.insert(.detailsStay)
    } else if writeDetails(of: number) {
      parts.insert(.details)
    }
    plain.write(tag: parts.rawValue)
    if let item { write(item) }
    if let first { write(first, and: contacts.furtherResources(of: number).all) }
  }

  /// Writes the contact's details.
  ///
  /// - Returns: Whether it has any.
  private mutating func writeDetails(of number: ContactNumber) -> Bool {
    guard contacts.hasDetails(number) else { return false }
    if let stored = contacts.storedDetails(of: number) {
      details.write(stored: stored)
      return true
    }
    let table = contacts
    return table.withDetails(of: number) { details.write($0) } != nil
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

/// What a snapshot has of a contact beside its details.
private struct ReadContact {
  var item: ItemRow?
  var first: PresenceRow?
  var further: [PresenceRow] = []
  /// Whether there are details, which come later.
  var hasDetails = false
  /// Whether they are what they were.
  var detailsStay = false
}

extension RosterInput {
  /// Reads what is known of the contacts whose addresses are there.
  mutating func readContacts() throws(CodecError) {
    var owners: [ContactNumber] = []
    if isIncrement {
      for number in numbers {
        let contact = try readContact()
        if !contact.detailsStay { contacts.removeDetails(of: number) }
        contacts.replace(
          number, by: contact.item, contact.first, furtherResources: contact.further)
        if contact.hasDetails { owners.append(number) }
      }
    } else {
      owners = try readAll()
    }
    try readDetails(of: owners)
  }

  /// The rows of a whole snapshot.
  ///
  /// - Returns: Who has details.
  private mutating func readAll() throws(CodecError) -> [ContactNumber] {
    var rows = ContactRows()
    var owners: [ContactNumber] = []
    var several: [(ContactNumber, [PresenceRow])] = []
    for number in numbers {
      let contact = try readContact()
      rows.append(contact.item, contact.first)
      if contact.hasDetails { owners.append(number) }
      if !contact.further.isEmpty { several.append((number, contact.further)) }
    }
    contacts.fill(with: rows)
    for (number, further) in several {
      contacts.updateFurtherResources(of: number) { $0 = PresenceRows(further) }
    }
    return owners
  }

  private mutating func readContact() throws(CodecError) -> ReadContact {
    let parts = ContactParts(rawValue: try plain.readTag())
    guard parts.isSubset(of: .all), !parts.isSuperset(of: [.details, .detailsStay]),
      isIncrement || !parts.isEmpty && !parts.contains(.detailsStay)
    else { throw plain.invalid }
    var contact = ReadContact()
    contact.hasDetails = parts.contains(.details)
    contact.detailsStay = parts.contains(.detailsStay)
    if parts.contains(.item) { contact.item = try readItem() }
    if parts.contains(.presence) {
      let (first, further) = try readFirstPresence()
      contact.first = first
      contact.further = further
    }
    return contact
  }

  /// Looks the details through, and keeps their bytes: they are read when they are asked for.
  private mutating func readDetails(of owners: [ContactNumber]) throws(CodecError) {
    let bytes = try plain.readCounted()
    let start = contacts.keep(StoredDetails(bytes))
    var input = CanonicalInput(bytes)
    for number in owners {
      let offset = bytes.count - input.rest
      let details = CanonicalInput(try input.readCounted())
      if !isSound {
        var details = DetailsInput(details)
        try details.check()
      }
      guard let reference = DetailsReference(offset: start + offset) else { throw plain.invalid }
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
