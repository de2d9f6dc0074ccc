import HashTreeCollections
import XMPPStanza

/// What a state holds about one contact.
private struct ContactParts: OptionSet {
  let rawValue: UInt64

  static let entry = Self(rawValue: 1)
  static let presence = Self(rawValue: 2)
  static let incoming = Self(rawValue: 4)
  static let unconfirmed = Self(rawValue: 8)
  static let ended = Self(rawValue: 16)
  static let outgoing = Self(rawValue: 32)
  static let ownNames = Self(rawValue: 64)
  static let echoes = Self(rawValue: 128)
  static let settledEdit = Self(rawValue: 256)
  static let all = Self(rawValue: 511)
}

// Everything about a contact stands together, contact by contact in the order of addresses.
extension Roster {
  func writeContacts(to output: inout RosterOutput) {
    let entries = Array(self.entries)
    let contacts = entries.map(\.key) + contactsWithoutEntry
    output.plain.write(UInt64(contacts.count))
    for rank in ByteRank.order(of: contacts.map(\.text)) {
      let contact = contacts[rank.index]
      output.write(contact: contact)
      let entry = rank.index < entries.count ? entries[rank.index].value : nil
      writeParts(of: contact, entry, to: &output)
    }
  }

  private var contactsWithoutEntry: Set<BareJID> {
    var contacts: Set<BareJID> = []
    contacts.formUnion(presences.keys.subtracting(entries.keys))
    contacts.formUnion(incoming.keys.subtracting(entries.keys))
    contacts.formUnion(unconfirmed.keys.subtracting(entries.keys))
    contacts.formUnion(ended.keys.subtracting(entries.keys))
    contacts.formUnion(outgoing.keys.subtracting(entries.keys))
    contacts.formUnion(ownNames.keys.subtracting(entries.keys))
    contacts.formUnion(echoes.keys.subtracting(entries.keys))
    contacts.formUnion(edits.settled.keys.subtracting(entries.keys))
    return contacts
  }

  private func writeParts(of jid: BareJID, _ entry: RosterEntry?, to output: inout RosterOutput) {
    let presence = presences.find(jid)
    let (incoming, unconfirmed) = (incoming.find(jid), unconfirmed.find(jid))
    let (ended, outgoing) = (ended.find(jid), outgoing.find(jid))
    let (names, echoes) = (ownNames.find(jid), echoes.find(jid))
    let edit = edits.settled.find(jid)
    var parts: ContactParts = []
    if entry != nil { parts.insert(.entry) }
    if presence != nil { parts.insert(.presence) }
    if incoming != nil { parts.insert(.incoming) }
    if unconfirmed != nil { parts.insert(.unconfirmed) }
    if ended != nil { parts.insert(.ended) }
    if outgoing != nil { parts.insert(.outgoing) }
    if names != nil { parts.insert(.ownNames) }
    if echoes != nil { parts.insert(.echoes) }
    if edit != nil { parts.insert(.settledEdit) }
    output.plain.write(parts.rawValue)
    if let entry { output.write(entry) }
    if let presence { output.write(presence) }
    if let incoming { output.write(incoming) }
    if let unconfirmed { output.write(unconfirmed) }
    if let ended { output.write(ended) }
    if let outgoing { output.write(outgoing) }
    if let names { output.write(names) }
    if let echoes { output.plain.write(tag: echoes.stanzas.rawValue | echoes.pushes.rawValue << 4) }
    if let edit { output.write(edit) }
  }

  mutating func readContacts(from input: inout RosterInput) throws(CodecError) {
    let count = try input.plain.readCount()
    for _ in 0..<count {
      let contact = try input.readContact()
      try readParts(of: contact, from: &input)
    }
  }

  /// An address may be equal to one before it, though its bytes are not: no table has room for
  /// both.
  private mutating func readParts(
    of jid: BareJID, from input: inout RosterInput
  ) throws(CodecError) {
    let parts = ContactParts(rawValue: try input.plain.readNumber())
    guard !parts.isEmpty, parts.isSubset(of: .all) else { throw input.plain.invalid }
    var isNew = true
    if parts.contains(.entry) {
      isNew = entries.updateValue(try input.readEntry(jid), forKey: jid) == nil
    }
    if parts.contains(.presence) {
      isNew = presences.updateValue(try input.readPresence(), forKey: jid) == nil && isNew
    }
    if !parts.isSubset(of: [.entry, .presence]) {
      isNew = try readRareParts(parts, of: jid, from: &input) && isNew
    }
    guard isNew else { throw input.plain.invalid }
  }

  /// - Returns: whether no table had the address already.
  private mutating func readRareParts(
    _ parts: ContactParts, of jid: BareJID, from input: inout RosterInput
  ) throws(CodecError) -> Bool {
    var isNew = true
    if parts.contains(.incoming) {
      isNew = incoming.updateValue(try input.readIncoming(), forKey: jid) == nil
    }
    if parts.contains(.unconfirmed) {
      isNew = unconfirmed.updateValue(try input.readIncoming(), forKey: jid) == nil && isNew
    }
    if parts.contains(.ended) {
      isNew = ended.updateValue(try input.readEnded(), forKey: jid) == nil && isNew
    }
    if parts.contains(.outgoing) {
      isNew = outgoing.updateValue(try input.readOutgoing(), forKey: jid) == nil && isNew
    }
    if parts.contains(.ownNames) {
      isNew = ownNames.updateValue(try input.readOwnNames(), forKey: jid) == nil && isNew
    }
    if parts.contains(.echoes) {
      isNew = echoes.updateValue(try input.readEchoes(), forKey: jid) == nil && isNew
    }
    if parts.contains(.settledEdit) {
      isNew = edits.settled.updateValue(try input.readSettledEdit(), forKey: jid) == nil && isNew
    }
    return isNew
  }
}
