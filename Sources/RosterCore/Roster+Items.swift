import HashTreeCollections
import XMPPStanza

// Items: only what the server says edits them, by a result or a push (§2.1.4, §2.1.6).
extension Roster {
  /// Where a statement about an item comes from.
  enum Source {
    case push
    /// A result, with the record of the get that it answers.
    case result(asked: UInt64?)
  }

  mutating func receive(_ push: RosterPush, _ step: inout Step) {
    if let who = foreignness(ofPushFrom: push.from) {
      step.find(
        .foreignPush, about: push.query.items.first?.jid ?? push.from?.bare,
        "A roster push from \(who) was ignored: only our own server may push, from no address or "
          + "from our bare address (RFC 6121 §2.1.6).")
      return
    }
    expectAcknowledgement(of: push, &step)
    reportOddities(of: push.query, &step)
    guard push.query.items.count + push.query.spoiled.count == 1 else {
      step.find(
        .pushItemCount,
        "A push of \(push.query.items.count + push.query.spoiled.count) items was ignored: a push "
          + "holds exactly one (RFC 6121 §2.1.6).")
      return
    }
    guard let item = push.query.items.first else { return }
    switch item.change {
    case .set(let item): put(item, .push, &step)
    case .remove(let jid): remove(jid, .push, &step)
    }
    if let version = push.query.version { setVersion(version, &step) }
  }

  private mutating func expectAcknowledgement(of push: RosterPush, _ step: inout Step) {
    guard !stream.isInboundOnly else { return }
    guard let id = push.id else {
      step.find(.missingID, "A push without an id cannot be acknowledged (RFC 6120 §8.2.3).")
      return
    }
    guard let contact = push.query.items.first?.jid else { return }
    unacknowledged.append(UnacknowledgedPush(id: id, contact: contact, received: step.stamp))
    if unacknowledged.count > Waiting.limit { unacknowledged.removeFirst().report(&step) }
    expectAnswer(after: step.stamp)
  }

  /// Each push wants an acknowledgement of its own, though servers use an id again. Our answer to
  /// somebody else's request may have the same id.
  mutating func acknowledge(_ id: String, to: JID?) {
    guard isOwnServer(to), let index = unacknowledged.firstIndex(where: { $0.id == id }) else {
      return
    }
    unacknowledged.remove(at: index)
  }

  /// A result is the whole roster: what it does not list is gone.
  mutating func replaceRoster(by query: RosterQuery, asked: UInt64?, _ step: inout Step) {
    reportOddities(of: query, &step)
    var listed: [BareJID: RosterItem] = [:]
    listed.reserveCapacity(query.items.count)
    for item in query.items {
      switch item.change {
      case .remove(let jid):
        step.find(
          .removalInResult, about: jid, "A result may not say “remove”; the item was left out.")
      case .set(let item):
        if listed.updateValue(item, forKey: item.jid) != nil {
          step.find(
            .duplicateItem, about: item.jid,
            "The result lists \(item.jid) more than once; the last of them counts.")
        }
      }
    }
    // Also requests without an item, and in the order of addresses: hash tables have none.
    let gone =
      entries.keys.filter { listed[$0] == nil }
      + outgoing.keys.filter { listed[$0] == nil && entries[$0] == nil }
    for jid in gone.sorted() { remove(jid, .result(asked: asked), &step) }
    let items = Array(listed.values)
    for rank in ByteRank.order(of: items.map(\.jid.text)) {
      put(items[rank.index], .result(asked: asked), &step)
    }
    setVersion(query.version, &step)
    setCompleteness(.complete, &step)
  }

  private func reportOddities(of query: RosterQuery, _ step: inout Step) {
    for spoiled in query.spoiled {
      step.find(
        .malformedItem,
        "The item \(spoiled.jid.map { "“\($0)” " } ?? "")was left out: \(spoiled.reason).")
    }
    for item in query.items {
      guard let text = item.unknownSubscription else { continue }
      step.find(
        .unknownSubscription, about: item.jid,
        "The subscription “\(text)” is not defined and was taken as none (RFC 6121 §2.1.2.5).")
    }
  }

  /// Inserts an item or replaces it whole: what it lacks goes back to its default.
  private mutating func put(_ item: RosterItem, _ source: Source, _ step: inout Step) {
    let jid = item.jid
    let isPush = if case .push = source { true } else { false }
    let old = entries[jid]
    noteEffects(from: old?.item, to: item, isPush: isPush)
    if let old {
      if old.item != item { replace(old, by: item, &step) }
      if old.item.subscription.includesTo, !item.subscription.includesTo {
        voidPresence(of: jid, &step)
      }
    } else {
      let provenance = RosterEntry.Provenance(allFrom: step.stamp.record)
      entries[jid] = RosterEntry(item: item, provenance: provenance)
      step.change(.itemAdded(item))
    }
    settleIncoming(by: item, &step)
    settleOutgoing(by: item, source, &step)
    compareWithEdits(jid, EditableFields(item), &step)
  }

  private mutating func replace(_ old: RosterEntry, by item: RosterItem, _ step: inout Step) {
    let record = step.stamp.record
    let jid = item.jid
    var provenance = old.provenance
    if old.item.name != item.name {
      provenance.name = record
      step.change(.itemChanged(jid, .name(before: old.item.name, after: item.name)))
    }
    if old.item.subscription != item.subscription {
      provenance.subscription = record
      step.change(
        .itemChanged(
          jid, .subscription(before: old.item.subscription, after: item.subscription)))
    }
    if old.item.isPending != item.isPending {
      provenance.ask = record
      step.change(
        .itemChanged(jid, .ask(before: old.item.isPending, after: item.isPending)))
    }
    if old.item.isApproved != item.isApproved {
      provenance.approved = record
      step.change(
        .itemChanged(jid, .approved(before: old.item.isApproved, after: item.isApproved)))
    }
    if old.item.groups != item.groups {
      provenance.groups = record
      step.change(.itemChanged(jid, .groups(before: old.item.groups, after: item.groups)))
    }
    entries[jid] = RosterEntry(item: item, provenance: provenance)
  }

  /// Takes a contact out; it may be one that the roster does not know.
  private mutating func remove(_ jid: BareJID, _ source: Source, _ step: inout Step) {
    if let old = entries.removeValue(forKey: jid) {
      step.change(.itemRemoved(old.item))
    }
    // Also of one that is no item: its presence can have come before the roster.
    voidPresence(of: jid, &step)
    echoes[jid] = nil
    if case .push = source { denyIncoming(of: jid, &step) }
    settleOutgoing(byRemovalOf: jid, source, &step)
    compareWithEdits(jid, nil, &step)
  }
}
