import XMPPStanza

/// Where a statement about an item comes from.
enum ItemSource {
  case push
  /// A result, with the record of the get that it answers.
  case result(asked: UInt64?)

  var isPush: Bool {
    switch self {
    case .push: true
    case .result: false
    }
  }
}

// Items: only what the server says edits them, by a result or a push (§2.1.4, §2.1.6).
extension Reduction {
  /// Inserts an item or replaces it whole: what it lacks goes back to its default.
  mutating func itemSet(_ item: StoredFields, _ number: ContactNumber, _ source: ItemSource) {
    let old = roster.contacts.item(of: number)
    expectCounterparts(of: number, from: old, to: item, source)
    if let old {
      if !roster.contacts.says(old, item) { itemReplaced(old, by: item, number) }
      if old.subscription.includesTo, !item.subscription.includesTo { voidPresence(of: number) }
    } else {
      let provenance = RosterEntry.Provenance(allFrom: stamp.record)
      roster.contacts.setItem(roster.contacts.row(of: item, provenance), of: number)
      changed(.item, of: number) { contacts in
        .item(before: nil, after: item.item(of: contacts.address(of: number)))
      }
    }
    endRequestIfItemGrants(by: item, number)
    settleOutgoing(by: item, number, source)
    compareWithEdits(number, item, source)
  }

  private mutating func itemReplaced(
    _ old: ItemRow, by item: StoredFields, _ number: ContactNumber
  ) {
    var new = roster.contacts.row(of: item, old.provenance, after: old)
    let record = stamp.record
    if new.name != old.name { new.provenance.name = record }
    if new.subscription != old.subscription { new.provenance.subscription = record }
    if new.isPending != old.isPending { new.provenance.ask = record }
    if new.isApproved != old.isApproved { new.provenance.approved = record }
    if new.groups != old.groups { new.provenance.groups = record }
    roster.contacts.setItem(new, of: number)
    itemChanged(from: old, to: new, number)
  }

  private mutating func itemChanged(from old: ItemRow, to new: ItemRow, _ number: ContactNumber) {
    if new.name != old.name {
      changed(.name, of: number) { contacts in
        .name(before: contacts.text(old.name), after: contacts.text(new.name))
      }
    }
    if new.subscription != old.subscription {
      changed(.subscription, of: number) { _ in
        .subscription(before: old.subscription, after: new.subscription)
      }
    }
    if new.isPending != old.isPending {
      changed(.ask, of: number) { _ in .ask(before: old.isPending, after: new.isPending) }
    }
    if new.isApproved != old.isApproved {
      changed(.approved, of: number) { _ in
        .approved(before: old.isApproved, after: new.isApproved)
      }
    }
    if new.groups != old.groups {
      changed(.groups, of: number) { contacts in
        .groups(before: contacts.groups(old.groups), after: contacts.groups(new.groups))
      }
    }
  }

  /// The server took a contact out; it may be one that the roster does not know.
  ///
  /// - Parameter isPartOfEnding: Whether the contact or we have just ended a subscription, so that
  ///   the server may have removed the contact because of that.
  mutating func itemRemoved(_ number: ContactNumber, isPartOfEnding: Bool = false) {
    if !isPartOfEnding { leavingIsOver(number, isRemoved: true) }
    let hadItem = takeItemOut(number, isByRoster: false)
    // Also of one that is no item: its presence can have come before the roster.
    voidPresence(of: number)
    doubtRequest(of: number, .itemRemoved)
    forgetAcceptances(of: number)
    endOutgoing(byRemovalOf: number, hadItem: hadItem)
    compareWithEdits(number, nil, .push)
  }

  /// A result does not list a contact that had an item, or that we had asked.
  mutating func itemMissing(_ number: ContactNumber, asked: UInt64?) {
    let old = roster.contacts.item(of: number)
    leavingIsOver(number, isRemoved: true)
    // A result says nothing about the presence of an address that never had an item.
    let hadItem = takeItemOut(number, isByRoster: true)
    if let old {
      voidPresence(of: number)
      if !isRemovalOurs(number) { expectStanzas(afterRemovalOf: number, old) }
    }
    settleOutgoing(byAbsenceOf: number, hadItem: hadItem, .result(asked: asked))
    compareWithEdits(number, nil, .result(asked: asked))
  }

  /// - Returns: Whether there was an item.
  private mutating func takeItemOut(_ number: ContactNumber, isByRoster: Bool) -> Bool {
    forgetExpectedCounterparts(of: number)
    guard let old = roster.contacts.item(of: number) else { return false }
    changed(.item, of: number) { contacts in
      .item(before: contacts.value(of: old, number), after: nil)
    }
    itemLost(number, old, isByRoster: isByRoster)
    roster.contacts.setItem(nil, of: number)
    return true
  }
}
