import DequeModule
import RawBytes
import XMPPStanza

// Results: §2.1.4. A result is the whole roster, regardless of what was known before, unless a part
// of it is missing.
extension Reduction {
  /// - Parameter asked: The record of the get that it answers; nil if none is in the capture.
  mutating func rosterReceived(_ query: StoredQuery, asked: UInt64?) {
    reportMalformedParts(of: query)
    var listing = Listing(asked: asked)
    readItems(of: query, into: &listing)
    if !query.isCut { removeOthers(than: &listing) }
    expectChanges(listing.news.count)
    for (number, place) in sorted(listing.news) {
      guard let item = query.item(at: place)?.fields else { continue }
      expectPushes(of: item, number, asked: asked)
      itemSet(item, number, .result(asked: asked))
    }
    // Other connections may have received a later one, or have asked for versions when this one has
    // not.
    let isSilent = query.version == nil && isShared && !listing.saysNews
    if !listing.isOvertaken, !isSilent {
      if !roster.version.hasBytes(query.version) { roster.lastVersionPush = nil }
      versionLearned(query.version)
    }
    completenessLearned(query.isCut ? .neverFetched : .complete)
    rosterLearned(asked: asked)
    guard !query.isCut else { return }
    settleAbandoned(asked: asked)
    settleAcceptances(asked: asked)
  }

  /// What a result lists.
  private struct Listing {
    /// The record of the get, if it is known.
    let asked: UInt64?
    /// The contacts that it lists.
    var contacts = ContactSet()
    /// How many of them have an item already.
    var known = 0
    /// The contacts and items that say something new, in no order.
    var news: [(ContactNumber, StoredQuery.Place)] = []
    /// Whether another connection received something newer.
    var isOvertaken = false
    /// Whether an item was removed or replaced.
    var saysNews = false
  }

  /// What a result shows for the first time will still be pushed to other connections.
  private mutating func expectPushes(
    of fields: StoredFields?, _ number: ContactNumber, asked: UInt64?
  ) {
    guard isShared else { return }
    let before = roster.contacts.entry(of: number)?.item
    let item = fields?.item(of: roster.contacts.address(of: number))
    guard before != item else { return }
    expectCopies(
      .push(item, before: before, version: nil), of: number, asked: asked,
      where: \.isToldPushes)
  }

  /// If several items have the same address, the last one counts.
  private mutating func readItems(of query: StoredQuery, into listing: inout Listing) {
    var leftOut = 0
    for place in query.places.reversed() {
      guard let item = query.item(at: place) else { continue }
      guard let fields = item.fields else {
        leftOut += 1
        continue
      }
      let number = roster.contacts.insert(address: item.address)
      guard listing.contacts.insert(number) else {
        leftOut += 1
        continue
      }
      let row = roster.contacts.item(of: number)
      if row != nil { listing.known += 1 }
      if isShared, isOvertaken(item.shown, number, asked: listing.asked) {
        listing.isOvertaken = true
      } else if !isOldNews(fields, row, number) {
        listing.news.append((number, place))
        if row.map({ !roster.contacts.says($0, fields) }) ?? true { listing.saysNews = true }
      }
    }
    if leftOut > 0 { reportLeftOut(query) }
  }

  /// Whether an item says nothing new: most results list what is known.
  private func isOldNews(_ item: StoredFields, _ row: ItemRow?, _ number: ContactNumber) -> Bool {
    guard let row, !item.isPending, !roster.hasOpenEdits else { return false }
    return !roster.contacts.hasDetails(number) && roster.contacts.says(row, item)
  }

  private func sorted(
    _ news: [(ContactNumber, StoredQuery.Place)]
  ) -> some Sequence<(ContactNumber, StoredQuery.Place)> {
    roster.contacts.order(of: news.map(\.0)).lazy.map { news[$0.index] }
  }

  /// Removes what the result does not list, including our requests without an item.
  private mutating func removeOthers(than listing: inout Listing) {
    let requested = roster.contacts.members(.outgoing).filter {
      roster.contacts.item(of: $0) == nil
    }
    // Usually they are the same contacts as before.
    guard listing.known < roster.contacts.items.total || !requested.isEmpty else { return }
    let gone = roster.contacts.members(.item).filter { !listing.contacts.contains($0) }
    let unlisted = requested.filter { !listing.contacts.contains($0) }
    for number in roster.contacts.sorted(gone + unlisted) {
      if isOvertaken(nil, number, asked: listing.asked) {
        listing.isOvertaken = true
      } else {
        listing.saysNews = true
        expectPushes(of: nil, number, asked: listing.asked)
        itemMissing(number, asked: listing.asked)
      }
    }
  }

  private mutating func reportLeftOut(_ query: StoredQuery) {
    var listed = ContactSet()
    query.forEach { item in
      if item.fields == nil {
        report(.item(.removalInResult), about: item.jid)
      } else if !listed.insert(roster.contacts.insert(address: item.address)) {
        report(.item(.duplicate), about: item.jid)
      }
    }
  }

  mutating func reportMalformedParts(of query: StoredQuery) {
    for item in query.malformed {
      report(.item(.malformed(jid: item.jid, reason: item.reason, .inbound)))
    }
    guard query.hasUnknownSubscription else { return }
    query.forEach { item in
      guard let text = item.unknownSubscription else { return }
      report(.item(.unknownSubscription(String(decoding: text))), about: item.jid)
    }
  }

  /// The server has sent this session the roster, or confirmed that the client's copy is current.
  ///
  /// - Parameter asked: The record of the get; nil if it is not in the capture.
  mutating func rosterLearned(asked: UInt64?) {
    // The session now knows what it had not received before.
    settleAwaitedPushes(of: place) { $0.shown.record < asked ?? .max }
    session.fetchedAt = stamp
    session.rosterRefusal = nil
    expectPresence()
  }

  mutating func completenessLearned(_ new: Completeness) {
    guard roster.completeness != new else { return }
    let before = roster.completeness
    roster.completeness = new
    changed(.completeness) { _ in .completeness(before: before, after: new) }
  }

  mutating func versionLearned(_ bytes: RawSpan?) {
    let isLast = bytes == nil || roster.knownVersions.last.hasBytes(bytes)
    guard !isLast || !roster.version.hasBytes(bytes) else { return }
    let new = String?(decoding: bytes)
    if let new, !isLast {
      if roster.knownVersions.count == WaitingLimit.knownVersions {
        roster.knownVersions.removeFirst()
      }
      roster.knownVersions.append(new)
    }
    guard !roster.version.hasBytes(bytes) else { return }
    let before = roster.version
    roster.version = new
    changed(.version) { _ in .version(before: before, after: new) }
  }
}
