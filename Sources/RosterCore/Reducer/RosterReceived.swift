import DequeModule
import XMPPStanza

// Results: §2.1.4. A result is the whole roster, whatever was known before.
extension Reduction {
  /// - Parameter asked: The record of the get that it answers, nil where none is in the capture.
  mutating func rosterReceived(_ query: RosterQuery, asked: UInt64?) {
    reportMalformedParts(of: query)
    let items = items(of: query)
    let numbers = items.map { roster.contacts.insert($0.jid) }
    let known = numbers.count { roster.contacts.item(of: $0) != nil }
    removeOthers(than: numbers, known: known, asked: asked)
    expectChanges(items.count - known)
    for (item, number) in zip(items, numbers) { itemSet(item, number, .result(asked: asked)) }
    versionLearned(query.version)
    completenessLearned(.complete)
  }

  /// What the result does not list is gone, also requests of ours without an item.
  private mutating func removeOthers(than listed: [ContactNumber], known: Int, asked: UInt64?) {
    let requested = roster.contacts.numbersWithDetails.filter { number in
      roster.contacts.item(of: number) == nil
        && roster.contacts.outgoing(of: number) != nil
    }
    // Mostly they are the same contacts as before.
    guard known < roster.contacts.itemCount || !requested.isEmpty else { return }
    let listed = Set(listed)
    let gone = roster.contacts.numbers.filter { number in
      roster.contacts.item(of: number) != nil && !listed.contains(number)
    }
    let unlisted = requested.filter { !listed.contains($0) }
    for number in roster.contacts.sorted(Array(gone) + unlisted) {
      itemMissing(number, asked: asked)
    }
  }

  /// The items of a result in the order of their addresses; of those with the same address the
  /// last one.
  private mutating func items(of query: RosterQuery) -> [RosterItem] {
    let listed = query.items.compactMap { item in
      if case .set(let item) = item.change { item } else { nil }
    }
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
    if items.count < query.items.count { reportLeftOut(query, repeated) }
    return items
  }

  /// - Parameter repeated: The numbers of the items whose address stands before them, too.
  private mutating func reportLeftOut(_ query: RosterQuery, _ repeated: Set<Int>) {
    var number = 0
    for item in query.items {
      switch item.change {
      case .remove(let jid): report(.item(.removalInResult), about: jid)
      case .set(let item):
        if repeated.contains(number) { report(.item(.duplicate), about: item.jid) }
        number += 1
      }
    }
  }

  mutating func reportMalformedParts(of query: RosterQuery) {
    for item in query.malformed {
      report(.item(.malformed(jid: item.jid, reason: item.reason, .inbound)))
    }
    for item in query.items {
      guard let text = item.unknownSubscription else { continue }
      report(.item(.unknownSubscription(text)), about: item.jid)
    }
  }

  mutating func completenessLearned(_ new: Completeness) {
    guard roster.completeness != new else { return }
    changed(.completeness(before: roster.completeness, after: new))
    roster.completeness = new
  }

  mutating func versionLearned(_ new: String?) {
    if let new, !(roster.knownVersions.last?.hasSameBytes(as: new) ?? false) {
      if roster.knownVersions.count == WaitingLimit.knownVersions {
        roster.knownVersions.removeFirst()
      }
      roster.knownVersions.append(new)
    }
    guard !roster.version.hasSameBytes(as: new) else { return }
    changed(.version(before: roster.version, after: new))
    roster.version = new
  }
}
