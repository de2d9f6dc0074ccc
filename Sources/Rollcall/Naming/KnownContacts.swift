import ContactSections
package import RosterCore
package import XMPPStanza

/// The contacts that a log knows, with all of their names, for finding the one that a user means.
package struct KnownContacts: Hashable, Sendable {
  /// A contact, with the name that matched.
  package struct Named: Hashable, Sendable {
    package let jid: BareJID
    package let name: String?
  }

  /// The result of a search.
  package enum Answer: Hashable, Sendable {
    case one(Named)
    /// Several contacts match; sorted by address.
    case several([Named])
    /// No contact matches; these are the nearest, nearest first.
    case none(nearest: [Named])
  }

  private var names: [BareJID: Set<String>] = [:]

  /// The contacts that a roster knows now. Complexity: O(n log n).
  package init(_ roster: Roster) {
    for (jid, entry) in roster.entries { add(jid, entry.item.name) }
    for (jid, request) in roster.incoming { add(jid, request.nickname) }
    for (jid, request) in roster.unconfirmed { add(jid, request.nickname) }
    for jid in roster.outgoing.keys + roster.endedOutgoing.keys + roster.ended.keys { add(jid) }
    for jid in roster.annotations.keys { add(jid) }
    for jid in roster.blocked where jid.bare != roster.account { add(jid.bare) }
    for (jid, own) in roster.ownNames {
      add(jid, own.nickname, own.vCard?.nickname, own.vCard?.fullName)
    }
  }

  /// Adds the contacts that a record is about, with the names that they had or have.
  package mutating func learn(_ moment: Timeline.Moment) {
    for change in moment.outcome.changes { learn(change) }
    for finding in moment.outcome.findings { if let jid = finding.contact { add(jid) } }
  }

  private mutating func learn(_ change: RosterChange) {
    guard let jid = change.contact else { return }
    add(jid)
    if case .item(let before, let after) = change.values {
      add(jid, before?.name, after?.name)
    } else if case .name(let before, let after) = change.values {
      add(jid, before, after)
    } else if case .request(_, let after) = change.values {
      add(jid, after?.request.nickname)
    } else if case .nickname(let before, let after) = change.values {
      add(jid, before, after)
    } else if case .vCard(let before, let after) = change.values {
      add(jid, before?.nickname, before?.fullName, after?.nickname, after?.fullName)
    }
  }

  private mutating func add(_ jid: BareJID, _ names: String?...) {
    self.names[jid, default: []].formUnion(names.compactMap { $0 })
  }

  // MARK: Searching

  /// Finds contacts by a part of an address, or by a name, a part of it, or its pinyin.
  ///
  /// An exact match takes precedence over partial ones. Complexity: O(n), with a reading for each
  /// name.
  package func search(_ text: String) -> Answer {
    guard text.contains(where: { !$0.isWhitespace }) else { return .none(nearest: []) }
    let exact = found { isExact(text, $0, $1) }
    if exact.count == 1 { return .one(exact[0]) }
    let query = NameQuery(text)
    let found =
      exact.isEmpty
      ? found { jid, name in
        query.match(PinyinReader.reading(of: name ?? ""), address: jid.text) != nil
      } : exact
    if found.count == 1 { return .one(found[0]) }
    return found.isEmpty ? .none(nearest: nearest(to: text)) : .several(found)
  }

  private func isExact(_ text: String, _ jid: BareJID, _ name: String?) -> Bool {
    let text = text.lowercased()
    return jid.text.lowercased() == text || jid.local?.lowercased() == text
      || name?.lowercased() == text
  }

  /// The contacts that match with one of their names, or without a name, sorted by address.
  private func found(_ matches: (BareJID, String?) -> Bool) -> [Named] {
    names.compactMap { jid, names in
      let sorted = names.sorted()
      if let name = sorted.first(where: { matches(jid, $0) }) { return Named(jid: jid, name: name) }
      return matches(jid, nil) ? Named(jid: jid, name: sorted.first) : nil
    }
    .sorted { $0.jid < $1.jid }
  }

  private func nearest(to text: String) -> [Named] {
    let typed = EditDistance(from: text)
    let near = names.compactMap { jid, names -> (distance: Int, jid: BareJID)? in
      let words = [jid.text] + (jid.local.map { [$0] } ?? []) + names
      return words.compactMap { typed.distance(to: $0) }.min().map { ($0, jid) }
    }
    // Contacts that are more than twice as far as the nearest were not meant.
    let sorted = near.sorted { ($0.distance, $0.jid) < ($1.distance, $1.jid) }.prefix(3)
    return sorted.prefix { $0.distance <= 2 * (sorted.first?.distance ?? 0) }
      .map { Named(jid: $0.jid, name: names[$0.jid]?.min()) }
  }
}

/// The reason why a text does not identify a contact.
package enum ContactError: Error, Hashable, Sendable {
  /// No contact has this name, and no record has this address; these are the nearest.
  case unknown(String, nearest: [KnownContacts.Named])
  /// Several contacts match.
  case ambiguous(String, [KnownContacts.Named])
}

extension ContactError: CustomStringConvertible {
  /// The maximum number of contacts that a sentence lists.
  private static let listLimit = 10

  package var description: String {
    switch self {
    case .unknown(let text, let nearest):
      "no record names a contact “\(text)”"
        + (nearest.isEmpty ? "" : "; the nearest: \(Self.list(nearest))")
    case .ambiguous(let text, let found):
      "“\(text)” can be any of \(found.count) contacts: \(Self.list(found))"
    }
  }

  private static func list(_ contacts: [KnownContacts.Named]) -> String {
    let rest = contacts.count - listLimit
    return contacts.prefix(listLimit).map(\.words).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension KnownContacts.Named {
  /// The address, followed by the name if there is one.
  package var words: String { name.map { "\(jid) (\($0))" } ?? jid.text }
}

extension Timeline {
  /// The contact that a user means: by its address, or by what ``KnownContacts`` finds in the final
  /// state, or else in the whole history.
  ///
  /// Complexity: O(log n) for an address that a record names. Otherwise linear in the contacts, and
  /// also in the records if no contact has the name now.
  /// - Throws: `ContactError` if no contact or several contacts match.
  package func contact(named text: String) throws -> KnownContacts.Named {
    let last = try record(at: .head(minus: 0))
    let jid = try? JID(parsing: text).bare
    if let jid, last > 0, try !records(concerning: jid, in: 1...last).isEmpty {
      return KnownContacts.Named(jid: jid, name: nil)
    }
    let state = try state(at: .record(last))
    // The final state may know an address from elsewhere, such as a block list.
    if let jid, state.roster.contact(jid) != nil {
      return KnownContacts.Named(jid: jid, name: nil)
    }
    var known = KnownContacts(state.roster)
    var answer = known.search(text)
    if case .none = answer {
      try replay(upTo: .record(last)) { moment, _ in known.learn(moment) }
      answer = known.search(text)
    }
    switch answer {
    case .one(let named): return named
    case .several(let found): throw ContactError.ambiguous(text, found)
    case .none(let nearest): throw ContactError.unknown(text, nearest: nearest)
    }
  }
}
