package import XMPPStanza

import HashTreeCollections

// What two states show differently.
extension Roster {
  /// The differences of a later state to this one: those of the account, then contact by contact
  /// in the order of addresses, each in the order of `FieldDifference.Field`, resources and
  /// blocked addresses by their bytes.
  ///
  /// - Parameter contacts: those that may differ, such as the ones that the changes in between
  ///   are about; nil for all. Where only one of the states is connected, the presence of all
  ///   others is compared too, for a session that ends hides it without naming anybody.
  ///
  /// Complexity: O(k log n) in the contacts to compare; O(n) where those are all.
  package func differences(
    to later: Roster, among contacts: Set<BareJID>? = nil
  ) -> [FieldDifference] {
    var list = accountDifferences(to: later)
    let blocked = blockedDifferences(to: later, among: contacts)
    var candidates = contacts ?? differingContacts(to: later)
    candidates.formUnion(blocked.keys)
    if isConnected != later.isConnected {
      candidates.formUnion(shownPresences.keys)
      candidates.formUnion(later.shownPresences.keys)
    }
    for contact in candidates.sorted() {
      var comparison = Comparison(contact: contact)
      comparison.compareItems(entries[contact], later.entries[contact])
      comparison.compareRequests(self, later)
      comparison.comparePresence(
        presence(of: contact), later.presence(of: contact)
      ) { .presence(resource: $0, before: $1, after: $2) }
      for jid in blocked[contact] ?? [] {
        let isBlocked = later.blocked.contains(jid)
        comparison.add(.blocked(jid, before: !isBlocked, after: isBlocked))
      }
      comparison.compareNames(ownNames.find(contact), later.ownNames.find(contact))
      list += comparison.list
    }
    return list
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
    if version != later.version {
      comparison.add(.version(before: version, after: later.version))
    }
    comparison.comparePresence(
      ownResources, later.ownResources
    ) { .ownPresence(resource: $0, before: $1, after: $2) }
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

  private func differingContacts(to later: Roster) -> Set<BareJID> {
    var found: Set<BareJID> = []
    entries.collectKeys(whereNotIn: later.entries, into: &found) { $0.item == $1.item }
    incoming.collectKeys(whereNotIn: later.incoming, into: &found)
    unconfirmed.collectKeys(whereNotIn: later.unconfirmed, into: &found)
    outgoing.collectKeys(whereNotIn: later.outgoing, into: &found)
    shownPresences.collectKeys(whereNotIn: later.shownPresences, into: &found)
    ownNames.collectKeys(whereNotIn: later.ownNames, into: &found)
    return found
  }
}

extension TreeDictionary {
  /// The value of a key, without hashing it where there is none at all.
  func find(_ key: Key) -> Value? { isEmpty ? nil : self[key] }

  /// Collects the keys that only one of two tables has, or with other values.
  fileprivate func collectKeys(
    whereNotIn other: Self, into keys: inout Set<Key>, isSame: (Value, Value) -> Bool
  ) {
    for (key, value) in self {
      guard let others = other[key], isSame(value, others) else {
        keys.insert(key)
        continue
      }
    }
    for key in other.keys.subtracting(self.keys) { keys.insert(key) }
  }

  fileprivate func collectKeys(
    whereNotIn other: Self, into keys: inout Set<Key>
  ) where Value: Equatable {
    collectKeys(whereNotIn: other, into: &keys, isSame: ==)
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
    switch (before?.item, after?.item) {
    case (nil, nil): break
    case (nil, let item?): add(.item(before: nil, after: item), by: after?.provenance.item)
    case (let item?, nil): add(.item(before: item, after: nil))
    case (let old?, let new?):
      if let provenance = after?.provenance, old != new { compareFields(old, new, provenance) }
    }
  }

  private mutating func compareFields(
    _ old: RosterItem, _ new: RosterItem, _ provenance: RosterEntry.Provenance
  ) {
    if old.name != new.name {
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
    if old.groups != new.groups {
      add(.itemField(.groups(before: old.groups, after: new.groups)), by: provenance.groups)
    }
  }

  mutating func compareRequests(_ earlier: Roster, _ later: Roster) {
    guard let contact else { return }
    let before = earlier.shownRequest(of: contact)
    let after = later.shownRequest(of: contact)
    if before != after {
      add(.request(before: before, after: after), by: later.causeOfRequest(of: contact))
    }
    let (asked, asks) = (earlier.outgoing.find(contact), later.outgoing.find(contact))
    if (asked != nil) != (asks != nil) {
      add(.outgoing(before: asked != nil, after: asks != nil), by: asks?.since.record)
    }
  }

  mutating func comparePresence(
    _ before: ContactPresence, _ after: ContactPresence,
    _ change: (String, Availability?, Availability?) -> FieldDifference.Change
  ) {
    guard before != after else { return }
    let names = Set(before.resources.keys).union(after.resources.keys)
    for name in names.sorted(by: { $0.precedesByBytes($1) }) {
      let (old, new) = (before.resources[name], after.resources[name])
      guard old?.availability != new?.availability else { continue }
      add(change(name, old?.availability, new?.availability), by: new?.since.record)
    }
  }

  mutating func compareNames(_ before: OwnNames?, _ after: OwnNames?) {
    if before?.nickname != after?.nickname {
      add(
        .nickname(before: before?.nickname, after: after?.nickname), by: after?.nicknameRecord)
    }
    if before?.vCard != after?.vCard {
      add(.vCard(before: before?.vCard, after: after?.vCard), by: after?.vCardRecord)
    }
  }
}

extension Roster {
  fileprivate func shownRequest(of jid: BareJID) -> FieldDifference.ShownRequest? {
    if let request = incoming.find(jid) {
      return FieldDifference.ShownRequest(request, isConfirmed: true)
    }
    return unconfirmed.find(jid).map {
      FieldDifference.ShownRequest($0, isConfirmed: false)
    }
  }

  /// The record that brought the contact's request, or that ended it. When one of an earlier
  /// session came into doubt is not kept.
  fileprivate func causeOfRequest(of jid: BareJID) -> UInt64? {
    if let request = incoming.find(jid) { return request.last.record }
    return unconfirmed.find(jid) == nil ? ended.find(jid)?.at.record : nil
  }
}
