import RawBytes
package import XMPPStanza

// What two states show differently.
extension Roster {
  /// The differences of a later state to this one: those of the account, then contact by contact
  /// in the order of addresses, each in the order of `FieldDifference.Field`, resources and
  /// blocked addresses by their bytes.
  ///
  /// - Parameter contacts: those that may differ, such as the ones that the changes in between
  ///   are about; nil for all. Where other sessions are open in one of the states, the presence of
  ///   all others is compared too: a session that ends hides it without naming anybody.
  ///
  /// Complexity: linear in the contacts to compare; O(n log n) where those are all.
  package func differences(
    to later: Roster, among contacts: Set<BareJID>? = nil
  ) -> [FieldDifference] {
    var list = accountDifferences(to: later)
    let blocked = blockedDifferences(to: later, among: contacts)
    var candidates = contacts ?? knownAddresses.union(later.knownAddresses)
    candidates.formUnion(blocked.keys)
    if openSessions != later.openSessions {
      candidates.formUnion(shownPresences.keys)
      candidates.formUnion(later.shownPresences.keys)
    }
    for jid in candidates.sorted() {
      var comparison = Comparison(contact: jid)
      let (before, after) = (contact(jid), later.contact(jid))
      comparison.compareItems(before?.entry, after?.entry)
      comparison.compareRequests(before, after)
      comparison.comparePresence(presence(of: jid), later.presence(of: jid)) {
        .presence(resource: $0, before: $1, after: $2)
      }
      for jid in blocked[jid] ?? [] {
        let isBlocked = later.blocked.contains(jid)
        comparison.add(.blocked(jid, before: !isBlocked, after: isBlocked))
      }
      comparison.compareNames(before?.names, after?.names)
      comparison.compareAnnotations(before?.annotations, after?.annotations)
      list += comparison.list
    }
    return list
  }

  private var knownAddresses: Set<BareJID> {
    Set(contacts.numbers.lazy.filter { !contacts.isEmpty($0) }.map { contacts.address(of: $0) })
  }

  private func accountDifferences(to later: Roster) -> [FieldDifference] {
    var comparison = Comparison(contact: nil)
    if account != later.account {
      comparison.add(.account(before: account, after: later.account))
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
    comparison.comparePresence(ownResources, later.ownResources) {
      .ownPresence(resource: $0, before: $1, after: $2)
    }
    return comparison.list
  }

  /// The addresses that only one of the states blocks, by contact, each contact's in order.
  private func blockedDifferences(
    to later: Roster, among contacts: Set<BareJID>?
  ) -> [BareJID: [JID]] {
    let changed = blocked.symmetricDifference(later.blocked).filter { jid in
      contacts.map { $0.contains(jid.bare) } ?? true
    }
    return Dictionary(grouping: changed.sorted(), by: \.bare)
  }
}

/// Compares what two states hold about one contact, or about the account.
private struct Comparison {
  let contact: BareJID?
  private(set) var list: [FieldDifference] = []

  init(contact: BareJID?) {
    self.contact = contact
  }

  mutating func add(_ change: FieldDifference.Change, by record: UInt64? = nil) {
    list.append(FieldDifference(contact: contact, change: change, record: record))
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
      add(.itemField(.name(before: old.name, after: new.name)), by: provenance.name)
    }
    if old.subscription != new.subscription {
      add(
        .itemField(.subscription(before: old.subscription, after: new.subscription)),
        by: provenance.subscription)
    }
    if old.isPending != new.isPending {
      add(.itemField(.ask(before: old.isPending, after: new.isPending)), by: provenance.ask)
    }
    if old.isApproved != new.isApproved {
      add(
        .itemField(.approved(before: old.isApproved, after: new.isApproved)),
        by: provenance.approved)
    }
    if !old.groups.hasSameBytes(as: new.groups) {
      add(.itemField(.groups(before: old.groups, after: new.groups)), by: provenance.groups)
    }
  }

  mutating func compareRequests(_ earlier: Contact?, _ later: Contact?) {
    let before = earlier?.request.map { FieldDifference.ShownRequest($0) }
    let after = later?.request.map { FieldDifference.ShownRequest($0) }
    if before != after {
      add(
        .request(before: before, after: after), by: later?.recordOfRequest(isNew: before == nil))
    }
    let (asked, asks) = (earlier?.outgoing, later?.outgoing)
    if (asked != nil) != (asks != nil) {
      add(.outgoing(before: asked != nil, after: asks != nil), by: asks?.since.record)
    }
  }

  mutating func comparePresence(
    _ before: ContactPresence, _ after: ContactPresence,
    _ change: (String, Availability?, Availability?) -> FieldDifference.Change
  ) {
    guard before != after else { return }
    for name in (before.resources.keys + after.resources.keys).sortedByBytes {
      let (old, new) = (before.resources[name], after.resources[name])
      guard old?.availability != new?.availability else { continue }
      add(change(name, old?.availability, new?.availability), by: new?.since.record)
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
      add(.annotation(.starred(new.isStarred)), by: new.starredRecord)
    }
    if !old.reading.hasSameBytes(as: new.reading) {
      add(.annotation(.reading(before: old.reading, after: new.reading)), by: new.readingRecord)
    }
    if !old.note.hasSameBytes(as: new.note) {
      add(.annotation(.note(before: old.note, after: new.note)), by: new.noteRecord)
    }
  }
}

extension [String] {
  /// The texts, none twice, in the order of their bytes.
  fileprivate var sortedByBytes: [String] {
    var texts: [String] = []
    for text in sorted(by: { $0.precedesByBytes($1) })
    where texts.last?.hasSameBytes(as: text) != true {
      texts.append(text)
    }
    return texts
  }
}

extension Contact {
  /// The record that first brought the contact's request, or that brought one again that was known
  /// already, or that ended it. When one came into doubt is not kept.
  fileprivate func recordOfRequest(isNew: Bool) -> UInt64? {
    switch request {
    case .open(let request):
      isNew ? request.since.record : max(request.last.record, request.seen ?? 0)
    case .unconfirmed: nil
    case nil: lastEnded?.at.record
    }
  }
}
