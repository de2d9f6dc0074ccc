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
    let item = push.query.items.first
    if let who = foreignness(ofPushFrom: push.from) {
      step.find(
        .foreignPush, about: item?.jid ?? push.from?.bare,
        "A roster push from \(who) was ignored: only our own server may push, from no address or "
          + "from our bare address (RFC 6121 §2.1.6).")
      return
    }
    expectAcknowledgement(of: push, about: item?.jid, &step)
    reportOddities(of: push.query, &step)
    guard push.query.items.count + push.query.spoiled.count == 1 else {
      step.find(
        .pushItemCount,
        "A push of \(push.query.items.count + push.query.spoiled.count) items was ignored: a push "
          + "holds exactly one (RFC 6121 §2.1.6).")
      return
    }
    guard let item else { return }
    switch item.change {
    case .set(let item): put(item, .push, &step)
    case .remove(let jid): remove(jid, .push, &step)
    }
    if let version = push.query.version { setVersion(version, &step) }
  }

  private mutating func expectAcknowledgement(
    of push: RosterPush, about contact: BareJID?, _ step: inout Step
  ) {
    guard !stream.isInboundOnly else { return }
    guard let id = push.id else {
      step.find(.missingID, "A push without an id cannot be acknowledged (RFC 6120 §8.2.3).")
      return
    }
    guard let contact else { return }
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
    let items = items(of: query, &step)
    let known = items.count { entries.find($0.jid) != nil }
    // A request without an item can be gone, too.
    let requested = outgoing.keys.filter { entries.find($0) == nil }
    // Mostly they are the same contacts as before.
    if known < entries.count || !requested.isEmpty {
      let listed = Set(items.map(\.jid))
      let gone = (Array(entries.keys) + requested).filter { !listed.contains($0) }
      // In the order of addresses: hash tables have none.
      for jid in gone.sorted() { remove(jid, .result(asked: asked), &step) }
    }
    step.expectChanges(items.count - known)
    for item in items { put(item, .result(asked: asked), &step) }
    setVersion(query.version, &step)
    setCompleteness(.complete, &step)
  }

  /// The items of a result in the order of their addresses; of those with the same address the
  /// last one.
  private func items(of query: RosterQuery, _ step: inout Step) -> [RosterItem] {
    let listed = query.items.compactMap(\.item)
    var items: [RosterItem] = []
    items.reserveCapacity(listed.count)
    var repeated: Set<Int> = []
    // The sort is stable: equal addresses stay as they are listed.
    for rank in ByteRank.order(of: listed.map(\.jid.text)) {
      let item = listed[rank.index]
      if let last = items.last, last.jid == item.jid {
        items.removeLast()
        repeated.insert(rank.index)
      }
      items.append(item)
    }
    if items.count < query.items.count { reportLeftOut(query, repeated, &step) }
    return items
  }

  /// - Parameter repeated: The numbers of the items whose address stands before them, too.
  private func reportLeftOut(_ query: RosterQuery, _ repeated: Set<Int>, _ step: inout Step) {
    var number = 0
    for item in query.items {
      switch item.change {
      case .remove(let jid):
        step.find(
          .removalInResult, about: jid, "A result may not say “remove”; the item was left out.")
      case .set(let item):
        if repeated.contains(number) {
          step.find(
            .duplicateItem, about: item.jid,
            "The result lists \(item.jid) more than once; the last of them counts.")
        }
        number += 1
      }
    }
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
    let entry = entries.find(jid)
    let old = entry?.item
    noteEffects(from: old, to: item, isPush: isPush)
    if let entry, let old {
      if old != item { replace(entry, by: item, &step) }
      if old.subscription.includesTo, !item.subscription.includesTo {
        voidPresence(of: jid, &step)
      }
    } else {
      let provenance = RosterEntry.Provenance(allFrom: step.stamp.record)
      entries[jid] = RosterEntry(item: item, provenance: provenance)
      step.change(.itemAdded(item))
    }
    settleIncoming(by: item, &step)
    settleOutgoing(by: item, source, &step)
    compareWithEdits(jid, item, &step)
  }

  private mutating func replace(_ entry: RosterEntry, by item: RosterItem, _ step: inout Step) {
    let record = step.stamp.record
    let jid = item.jid
    let old = entry.item
    var provenance = entry.provenance
    if old.name != item.name {
      provenance.name = record
      step.change(.itemChanged(jid, .name(before: old.name, after: item.name)))
    }
    if old.subscription != item.subscription {
      provenance.subscription = record
      step.change(
        .itemChanged(jid, .subscription(before: old.subscription, after: item.subscription)))
    }
    if old.isPending != item.isPending {
      provenance.ask = record
      step.change(.itemChanged(jid, .ask(before: old.isPending, after: item.isPending)))
    }
    if old.isApproved != item.isApproved {
      provenance.approved = record
      step.change(.itemChanged(jid, .approved(before: old.isApproved, after: item.isApproved)))
    }
    if old.groups != item.groups {
      provenance.groups = record
      step.change(.itemChanged(jid, .groups(before: old.groups, after: item.groups)))
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

extension RosterQuery.Item {
  /// The item that is listed, nil where it says “remove”.
  fileprivate var item: RosterItem? {
    if case .set(let item) = change { item } else { nil }
  }
}
