import RawBytes
package import XMPPStanza

/// Decides what to send for a command: a pure function of the command and the roster.
///
/// Nothing changes until the server confirms it. Presence goes to bare addresses (RFC 6121 §3.1.1).
/// A roster set contains what the user may edit and nothing else (§2.1.5), and is made only from a
/// roster that the server has sent this session.
public struct RosterDecider: Hashable, Sendable {
  /// Whether accepting a contact also asks to see its presence.
  public var wantsMutualFriends: Bool

  /// A decider with the account's preference.
  public init(wantsMutualFriends: Bool) {
    self.wantsMutualFriends = wantsMutualFriends
  }

  /// Returns the stanzas that carry out a command, in the order to send them; empty if there is
  /// nothing to do.
  ///
  /// Complexity: linear in the contacts for groups, O(log n) otherwise.
  /// - Parameters:
  ///   - connection: The connection that the stanzas will go out on.
  ///   - id: Returns the id for the request with an index, counted from 0. Ids must be unique.
  /// - Throws: `CommandRefusal` if the command makes no sense in this state.
  package func decide(
    _ command: RosterCommand, on roster: Roster, over connection: ConnectionID = .first,
    id: (Int) -> String
  ) throws(CommandRefusal) -> [XMPPElement] {
    let session = roster.sessions.place(of: connection).map { roster.sessions[$0] }
    let stanzas = try decide(command, on: roster, in: session, id: id)
    guard stanzas.allSatisfy(\.hasOnlyXMLCharacters) else { throw .characterNotAllowed }
    return stanzas
  }

  private func decide(
    _ command: RosterCommand, on roster: Roster, in session: Session?, id: (Int) -> String
  ) throws(CommandRefusal) -> [XMPPElement] {
    switch command {
    case .fetch: [.rosterGet(id: id(0), version: roster.versionToName(in: session))]
    case .add(let jid, let name, let groups, let message, let subscribes):
      try add(
        RosterItem(jid: jid, name: name, groups: groups), to: try roster.editable(in: session),
        subscribes ? .asking(message) : .listing, id: id)
    case .accept(let jid): try accept(jid, on: roster)
    case .reject(let jid):
      [.subscription(.unsubscribed, to: try roster.requiringRequest(of: jid))]
    case .cancel(let jid): try cancel(jid, on: roster)
    case .unsubscribe(let jid): try unsubscribe(jid, on: roster, in: session)
    case .revoke(let jid): try revoke(jid, on: roster, in: session)
    case .remove(let jid):
      [.rosterSet(id: id(0), removing: try roster.editable(in: session).requiringItem(jid).jid)]
    case .rename(let jid, let name):
      try roster.editable(in: session).sets(for: jid, id: id) { $0.with(name: name) }
    case .setGroups(let jid, let groups):
      try roster.editable(in: session).sets(for: jid, id: id) { $0.with(groups: groups) }
    case .regroup(let groups): try roster.editable(in: session).sets(regrouping: groups, id: id)
    case .renameGroup(let old, let new):
      try renameGroup(old, to: new, in: try roster.editable(in: session), id: id)
    case .deleteGroup(let group):
      try roster.editable(in: session).sets(in: group, id: id) { item in
        item.with(groups: item.groups.filter { !$0.hasSameBytes(as: group) })
      }
    case .preApprove(let jid): try preApprove(jid, on: roster, in: session)
    case .block(let jid): try block(jid, on: roster, id: id(0))
    case .unblock(let jid):
      if roster.blocked.contains(jid) {
        [.blocking("unblock", jid, id: id(0))]
      } else {
        throw .notBlocked(jid)
      }
    }
  }

  /// What an addition asks of the contact.
  private enum Addition {
    /// Nothing.
    case listing
    /// To see its presence, with a message.
    case asking(String?)
  }

  private func add(
    _ wanted: RosterItem, to editable: EditableRoster, _ addition: Addition, id: (Int) -> String
  ) throws(CommandRefusal) -> [XMPPElement] {
    let (jid, roster) = (wanted.jid, editable.roster)
    guard jid != roster.account else { throw .oneself(jid) }
    let isSeen = roster.item(jid)?.subscription.includesTo ?? false
    let hasAsked = roster.hasRequest(of: jid)
    if case .asking = addition, isSeen, !hasAsked { throw .alreadyFriend(jid) }
    let known = editable.item(jid)
    var stanzas: [XMPPElement] = []
    // A set replaces everything, so fields that the user does not mention keep their values.
    let edited = RosterItem(
      jid: jid, name: wanted.name ?? known?.name,
      groups: wanted.groups.isEmpty ? known?.groups ?? [] : wanted.groups)
    if known.map({ EditableFields($0) }) != EditableFields(edited) || editable.isPending(jid) {
      stanzas.append(.rosterSet(id: id(0), edited))
    }
    guard case .asking(let message) = addition else { return stanzas }
    if hasAsked { stanzas.append(.subscription(.subscribed, to: jid)) }
    if !isSeen { stanzas.append(.subscription(.subscribe, to: jid, saying: message)) }
    return stanzas
  }

  private func accept(_ jid: BareJID, on roster: Roster) throws(CommandRefusal) -> [XMPPElement] {
    let stanzas: [XMPPElement] = [
      .subscription(.subscribed, to: try roster.requiringRequest(of: jid))
    ]
    let isSeen = roster.item(jid)?.subscription.includesTo ?? false
    guard wantsMutualFriends, !isSeen, roster.contact(jid)?.outgoing == nil else { return stanzas }
    return stanzas + [.subscription(.subscribe, to: jid)]
  }

  private func cancel(_ jid: BareJID, on roster: Roster) throws(CommandRefusal) -> [XMPPElement] {
    guard roster.contact(jid)?.outgoing != nil else { throw .nothingToCancel(jid) }
    return [.subscription(.unsubscribe, to: jid)]
  }

  private func unsubscribe(
    _ jid: BareJID, on roster: Roster, in session: Session?
  ) throws(CommandRefusal) -> [XMPPElement] {
    guard roster.item(jid)?.subscription.includesTo == true else {
      // Only a roster that is known shows what is not there.
      _ = try roster.editable(in: session)
      throw .notSubscribed(jid)
    }
    return [.subscription(.unsubscribe, to: jid)]
  }

  private func revoke(
    _ jid: BareJID, on roster: Roster, in session: Session?
  ) throws(CommandRefusal) -> [XMPPElement] {
    let item = roster.item(jid)
    guard item?.subscription.includesFrom == true || item?.isApproved == true else {
      _ = try roster.editable(in: session)
      throw .notSeenBy(jid)
    }
    return [.subscription(.unsubscribed, to: jid)]
  }

  private func renameGroup(
    _ old: String, to new: String, in editable: EditableRoster, id: (Int) -> String
  ) throws(CommandRefusal) -> [XMPPElement] {
    let new = new.trimmedOfXMLSpace
    guard !new.isEmpty else { throw .emptyGroupName }
    return try editable.sets(in: old, id: id) { item in
      item.with(groups: item.groups.map { $0.hasSameBytes(as: old) ? new : $0 })
    }
  }

  private func preApprove(
    _ jid: BareJID, on roster: Roster, in session: Session?
  ) throws(CommandRefusal) -> [XMPPElement] {
    guard jid != roster.account else { throw .oneself(jid) }
    guard session?.features.preApproval == true else { throw .preApprovalNotOffered }
    let item = roster.item(jid)
    guard item?.isApproved != true, item?.subscription.includesFrom != true else {
      throw .alreadyApproved(jid)
    }
    return [.subscription(.subscribed, to: jid)]
  }

  private func block(
    _ jid: JID, on roster: Roster, id: String
  ) throws(CommandRefusal) -> [XMPPElement] {
    guard jid.bare != roster.account else { throw .oneself(jid.bare) }
    guard !roster.blocked.contains(jid) else { throw .alreadyBlocked(jid) }
    return [.blocking("block", jid, id: id)]
  }

  /// The answer to a push of the roster or the block list from our own server; nil for anything
  /// else. Pushes from other senders are not answered (RFC 6121 §2.1.6).
  package static func acknowledgement(of iq: IQ, on roster: Roster) -> XMPPElement? {
    guard iq.kind == .set, let id = iq.id, roster.refusal(ofPushFrom: iq.from) == nil,
      iq.node.children.contains(where: \.isPushPayload)
    else { return nil }
    return .result(id: id, to: iq.from)
  }
}

extension Roster {
  /// The version for a roster get: none if the server does not offer versions, and empty if the log
  /// does not contain the roster of a version (§2.6.2).
  fileprivate func versionToName(in session: Session?) -> String? {
    guard session?.features.versioning == true else { return nil }
    return completeness == .complete ? version ?? "" : ""
  }

  fileprivate func hasRequest(of jid: BareJID) -> Bool {
    contact(jid)?.request != nil
  }

  fileprivate func requiringRequest(of jid: BareJID) throws(CommandRefusal) -> BareJID {
    guard hasRequest(of: jid) else { throw .noRequest(jid) }
    return jid
  }
}

extension EditableRoster {
  /// The sets for the groups of several contacts, by address; see `sets(for:)`.
  fileprivate func sets(
    regrouping groups: [BareJID: [String]], id: (Int) -> String
  ) throws(CommandRefusal) -> [XMPPElement] {
    var items: [(item: RosterItem, isPending: Bool)] = []
    for jid in groups.keys.sorted() { items.append((try requiringItem(jid), isPending(jid))) }
    return sets(for: items, id: id) { $0.with(groups: groups[$0.jid, default: []]) }
  }
}

extension RosterItem {
  fileprivate func with(name: String?) -> RosterItem {
    RosterItem(
      jid: jid, name: name?.trimmedOfXMLSpace, subscription: subscription, isPending: isPending,
      isApproved: isApproved, groups: groups)
  }

  fileprivate func with(groups: [String]) -> RosterItem {
    RosterItem(
      jid: jid, name: name, subscription: subscription, isPending: isPending,
      isApproved: isApproved, groups: groups.map(\.trimmedOfXMLSpace))
  }
}
