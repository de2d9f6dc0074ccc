import RawBytes
package import XMPPStanza

// The fields that two states show with different values.
extension Roster {
  /// The differences between this state and a later one: those of the account, then contact by
  /// contact in the order of addresses, each in the order of `StateField`, resources and blocked
  /// addresses by their bytes.
  ///
  /// - Parameter contacts: The contacts that may differ; nil for all. If the two states have
  ///   different open sessions, the presence of all contacts is compared, because a session that
  ///   ends hides presence without naming a contact.
  ///
  /// Complexity: O(n log n) in the contacts to compare.
  package func differences(
    to later: Roster, among contacts: Set<BareJID>? = nil
  ) -> [FieldDifference] {
    var candidates = TextTable()
    if let contacts {
      for jid in contacts { _ = candidates.insert(jid.text) }
    } else {
      for roster in [self, later] {
        let known = roster.contacts.numbers.lazy.filter { !roster.contacts.isEmpty($0) }
        candidates.insert(known, of: roster)
      }
    }
    return differences(to: later, among: candidates) { jid in
      contacts.map { $0.contains(jid.bare) } ?? true
    }
  }

  /// The differences between this state and a later one, given what changed in between.
  ///
  /// - Parameter reduced: The state that the records in between were reduced into.
  package func differences(
    to later: Roster, among causes: ChangeCauses, in reduced: Roster
  ) -> [FieldDifference] {
    var candidates = TextTable()
    causes.forEachContact(in: reduced.contacts) { _ = candidates.insert($0) }
    return differences(to: later, among: candidates) { _ in true }
  }

  private func differences(
    to later: Roster, among named: consuming TextTable, whereBlocking isWanted: (JID) -> Bool
  ) -> [FieldDifference] {
    var candidates = named
    let blocked = blockedDifferences(to: later, where: isWanted)
    let blockedContacts = Set(blocked.keys.map { candidates.insert($0.text) })
    let (open, laterOpen) = (openSessions, later.openSessions)
    if open != laterOpen {
      for roster in [self, later] {
        candidates.insert(roster.contacts.members(.presence), of: roster)
      }
    }
    var comparison = Comparison()
    compareAccounts(with: later, &comparison)
    for candidate in candidates.order(of: Array(0..<UInt32(candidates.count))) {
      let number = UInt32(candidate.index)
      let address = candidates.bytes(of: number)
      let before = ShownContact(contacts, contacts.number(ofAddress: address), toldTo: open)
      let after = ShownContact(
        later.contacts, later.contacts.number(ofAddress: address), toldTo: laterOpen)
      // Nearly all are unchanged, or have changed back.
      let parts = before.parts(thatMayDifferFrom: after)
      guard !parts.isEmpty || blockedContacts.contains(number) else { continue }
      comparison.contact = BareJID(prepared: String(decoding: address))
      comparison.compare(before, after, in: parts, blocked, later)
    }
    return comparison.list
  }

  private func compareAccounts(with later: Roster, _ comparison: inout Comparison) {
    if account != later.account {
      comparison.add(.account(before: account?.jid, after: later.account?.jid))
    }
    if isConnected != later.isConnected {
      comparison.add(.connected(before: isConnected, after: later.isConnected))
    }
    if completeness != later.completeness {
      comparison.add(.completeness(before: completeness, after: later.completeness))
    }
    if !version.hasSameBytes(as: later.version) {
      comparison.add(.version(before: version, after: later.version))
    }
    comparison.comparePresence(shownOwnResources, later.shownOwnResources) {
      .ownPresence(resource: $0, before: $1, after: $2)
    }
  }

  private var shownOwnResources: ShownResources {
    ShownResources(ownPresence.all, of: contacts, toldTo: openSessions)
  }

  /// The addresses that only one of the states blocks, by contact, each contact's in order.
  private func blockedDifferences(
    to later: Roster, where isWanted: (JID) -> Bool
  ) -> [BareJID: [JID]] {
    let changed = blocked.symmetricDifference(later.blocked).filter(isWanted)
    return Dictionary(grouping: changed.sorted(), by: \.bare)
  }
}

extension TextTable {
  fileprivate mutating func insert(_ numbers: some Sequence<ContactNumber>, of roster: Roster) {
    for number in numbers { _ = insert(roster.contacts.bytes(ofAddress: number)) }
  }
}

/// Compares what two states contain about the account, and then about each contact.
private struct Comparison {
  /// The contact that is being compared; nil for the account.
  var contact: BareJID?
  private(set) var list: [FieldDifference] = []

  mutating func add(_ values: FieldValues, by record: UInt64? = nil) {
    list.append(FieldDifference(contact: contact, values: values, record: record))
  }

  mutating func compare(
    _ before: ShownContact, _ after: ShownContact, in parts: ContactParts,
    _ blocked: [BareJID: [JID]], _ later: Roster
  ) {
    if parts.contains(.item) { compareItems(before.entry, after.entry) }
    if !parts.isDisjoint(with: [.request, .outgoing]) {
      compareRequests(before.details, after.details)
    }
    if parts.contains(.presence) {
      comparePresence(before.resources, after.resources) {
        .presence(resource: $0, before: $1, after: $2)
      }
    }
    for jid in contact.flatMap({ blocked[$0] }) ?? [] {
      let isBlocked = later.blocked.contains(jid)
      add(.blocked(jid, before: !isBlocked, after: isBlocked))
    }
    if parts.contains(.names) { compareNames(before.names, after.names) }
    if parts.contains(.annotations) { compareAnnotations(before.annotations, after.annotations) }
  }

  mutating func compareItems(_ before: RosterEntry?, _ after: RosterEntry?) {
    switch (before, after) {
    case (nil, nil): break
    case (nil, let new?): add(.item(before: nil, after: new.item), by: new.provenance.item)
    case (let old?, nil): add(.item(before: old.item, after: nil))
    case (let old?, let new?): compareFields(old.item, new.item, new.provenance)
    }
  }

  private mutating func compareFields(
    _ old: RosterItem, _ new: RosterItem, _ provenance: RosterEntry.Provenance
  ) {
    if !old.name.hasSameBytes(as: new.name) {
      add(.name(before: old.name, after: new.name), by: provenance.name)
    }
    if old.subscription != new.subscription {
      add(
        .subscription(before: old.subscription, after: new.subscription),
        by: provenance.subscription)
    }
    if old.isPending != new.isPending {
      add(.ask(before: old.isPending, after: new.isPending), by: provenance.ask)
    }
    if old.isApproved != new.isApproved {
      add(.approved(before: old.isApproved, after: new.isApproved), by: provenance.approved)
    }
    if !old.groups.hasSameBytes(as: new.groups) {
      add(.groups(before: old.groups, after: new.groups), by: provenance.groups)
    }
  }

  mutating func compareRequests(_ earlier: ContactDetails?, _ later: ContactDetails?) {
    let (before, after) = (earlier?.request, later?.request)
    if !before.looksSame(as: after) {
      add(
        .request(before: before, after: after), by: later?.recordOfRequest(isNew: before == nil))
    }
    let (asked, asks) = (earlier?.outgoing, later?.outgoing)
    if (asked != nil) != (asks != nil) {
      add(.outgoing(before: asked, after: asks), by: asks?.since.record)
    }
  }

  mutating func comparePresence(
    _ before: ShownResources, _ after: ShownResources,
    _ values: (String, ResourcePresence?, ResourcePresence?) -> FieldValues
  ) {
    before.forEachDifference(to: after) { name, old, new in
      add(values(name, old, new), by: new?.since.record)
    }
  }

  mutating func compareNames(_ before: OwnNames?, _ after: OwnNames?) {
    if !(before?.nickname).hasSameBytes(as: after?.nickname) {
      add(
        .nickname(before: before?.nickname, after: after?.nickname), by: after?.nicknameRecord)
    }
    if before?.vCard != after?.vCard {
      add(.vCard(before: before?.vCard, after: after?.vCard), by: after?.vCardRecord)
    }
  }

  mutating func compareAnnotations(_ before: ContactAnnotations?, _ after: ContactAnnotations?) {
    let (old, new) = (before ?? ContactAnnotations(), after ?? ContactAnnotations())
    if old.isStarred != new.isStarred {
      add(.starred(before: old.isStarred, after: new.isStarred), by: new.starredRecord)
    }
    if !old.reading.hasSameBytes(as: new.reading) {
      add(.reading(before: old.reading, after: new.reading), by: new.readingRecord)
    }
    if !old.note.hasSameBytes(as: new.note) {
      add(.note(before: old.note, after: new.note), by: new.noteRecord)
    }
  }
}

extension BareJID {
  fileprivate var jid: JID { JID(prepared: self, resource: nil) }
}

extension ContactDetails {
  /// The record that first brought the contact's request, brought a known one again, or ended it.
  /// The state does not keep when a request came into doubt.
  fileprivate func recordOfRequest(isNew: Bool) -> UInt64? {
    switch request {
    case .open(let request):
      isNew ? request.since.record : max(request.last.record, request.seen ?? 0)
    case .unconfirmed: nil
    case nil: lastEnded?.at.record
    }
  }
}
