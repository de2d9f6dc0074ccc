package import RosterCore
import XMPPStanza

/// The displayed state of a roster, maintained by applying differences, independently of how they
/// are computed.
package struct ShownState: Hashable, Sendable {
  private var account: BareJID?
  private var isConnected: Bool
  private var completeness: Completeness
  private var version: String?
  private var own: [String: Availability]
  private var items: [BareJID: RosterItem] = [:]
  private var requests: [BareJID: [String?]] = [:]
  private var outgoing: Set<BareJID> = []
  private var presence: [JIDOfResource: Availability] = [:]
  private var blocked: Set<JID> = []
  private var nicknames: [BareJID: String] = [:]
  private var cards: [BareJID: VCardNames] = [:]
  private var starred: Set<BareJID> = []
  private var readings: [BareJID: String] = [:]
  private var notes: [BareJID: String] = [:]

  private struct JIDOfResource: Hashable, Sendable {
    let contact: BareJID
    let resource: String
  }

  /// The state from the views of a roster.
  package init(_ roster: Roster) {
    account = roster.account
    isConnected = roster.isConnected
    completeness = roster.completeness
    version = roster.version
    own = [:]
    for (name, presence) in roster.ownResources.resources { own[name] = presence.availability }
    for item in roster.sortedItems { items[item.jid] = item }
    for (jid, request) in roster.incoming {
      requests[jid] = ["open", request.status, request.nickname, Self.word(request.seen != nil)]
    }
    for (jid, request) in roster.unconfirmed {
      requests[jid] = [
        "unconfirmed", request.status, request.nickname, Self.word(request.seen != nil),
      ]
    }
    outgoing = Set(roster.outgoing.keys)
    for (jid, contact) in roster.shownPresences {
      for (name, one) in contact.resources {
        presence[JIDOfResource(contact: jid, resource: name)] = one.availability
      }
    }
    for jid in roster.blocked { blocked.insert(jid) }
    for (jid, names) in roster.ownNames {
      nicknames[jid] = names.nickname
      cards[jid] = names.vCard
    }
    for (jid, set) in roster.annotations {
      if set.isStarred { starred.insert(jid) }
      readings[jid] = set.reading
      notes[jid] = set.note
    }
  }

  /// - Returns: Whether the state before matched the difference.
  package mutating func apply(_ difference: FieldDifference) -> Bool {
    guard let contact = difference.contact else { return applyToAccount(difference.values) }
    switch difference.values {
    case .account, .connected, .connection, .completeness, .version, .blockedKnown, .ownPresence:
      return false
    case .item(let before, let after): return replace(&items[contact], before, after)
    case .name, .subscription, .ask, .approved, .groups:
      return applyToItem(difference.values, of: contact)
    case .request(let before, let after):
      return replace(&requests[contact], before.map(Self.words), after.map(Self.words))
    case .outgoing(let before, let after):
      guard outgoing.contains(contact) == (before != nil), (before == nil) != (after == nil) else {
        return false
      }
      if after != nil { outgoing.insert(contact) } else { outgoing.remove(contact) }
      return true
    case .presence(let resource, let before, let after):
      return replace(
        &presence[JIDOfResource(contact: contact, resource: resource)], before?.availability,
        after?.availability)
    case .blocked(let jid, let before, let after):
      guard jid.bare == contact, blocked.contains(jid) == before, before != after else {
        return false
      }
      if after { blocked.insert(jid) } else { blocked.remove(jid) }
      return true
    case .nickname(let before, let after): return replace(&nicknames[contact], before, after)
    case .vCard(let before, let after): return replace(&cards[contact], before, after)
    case .starred(_, let isStarred):
      return isStarred ? starred.insert(contact).inserted : starred.remove(contact) != nil
    case .reading(let before, let after): return replace(&readings[contact], before, after)
    case .note(let before, let after): return replace(&notes[contact], before, after)
    }
  }

  private mutating func applyToAccount(_ values: FieldValues) -> Bool {
    switch values {
    case .account(let before, let after): replace(&account, before?.bare, after?.bare)
    case .connected(let before, let after): replace(&isConnected, before, after)
    case .completeness(let before, let after): replace(&completeness, before, after)
    case .version(let before, let after): replace(&version, before, after)
    case .ownPresence(let name, let before, let after):
      replace(&own[name], before?.availability, after?.availability)
    default: false
    }
  }

  private mutating func applyToItem(_ values: FieldValues, of jid: BareJID) -> Bool {
    guard var item = items[jid] else { return false }
    defer { items[jid] = item }
    switch values {
    case .name(let before, let after): return replace(&item.name, before, after)
    case .subscription(let before, let after):
      return replace(&item.subscription, before, after)
    case .ask(let before, let after): return replace(&item.isPending, before, after)
    case .approved(let before, let after): return replace(&item.isApproved, before, after)
    case .groups(let before, let after): return replace(&item.groups, before, after)
    default: return false
    }
  }

  private func replace<Value: Equatable>(
    _ value: inout Value, _ before: Value, _ after: Value
  ) -> Bool {
    guard value == before, before != after else { return false }
    value = after
    return true
  }

  private static func words(_ shown: ContactRequest) -> [String?] {
    let request = shown.request
    return [
      shown.isConfirmed ? "open" : "unconfirmed", request.status, request.nickname,
      word(request.seen != nil),
    ]
  }

  private static func word(_ isSeen: Bool) -> String { isSeen ? "seen" : "new" }
}

/// Whether differences lead from the displayed state of one roster to that of another.
package func leads(
  _ differences: [FieldDifference], from before: Roster, to after: Roster
) -> Bool {
  var shown = ShownState(before)
  return differences.allSatisfy { shown.apply($0) } && shown == ShownState(after)
}
