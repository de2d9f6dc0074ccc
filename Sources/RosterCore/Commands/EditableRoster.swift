import RawBytes
import XMPPStanza

/// The items that a session may replace, as they will be once the server has carried out the sets
/// that the session has sent.
///
/// There is one only for a session that knows the roster: a set replaces the name and all groups of
/// a contact (RFC 6121 §2.1.2), so a set that is made from anything else can undo what another
/// device has changed. A session knows the roster if the server has answered it by a result, or by
/// an empty result for a version that the log holds; a resumed session still knows it.
struct EditableRoster {
  let roster: Roster
  private let session: Session

  fileprivate init(_ roster: Roster, _ session: Session) {
    (self.roster, self.session) = (roster, session)
  }

  /// The contact's item; nil if it is not in the roster.
  ///
  /// A set of this session that the server has not pushed yet counts: the next set would undo it
  /// otherwise, because servers may answer a set before they push it (§2.1.5).
  func item(_ jid: BareJID) -> RosterItem? { item(jid, pendingEdit(of: jid)) }

  private func item(_ jid: BareJID, _ edit: PendingEdit?) -> RosterItem? {
    let item = roster.item(jid)
    guard let edit else { return item }
    guard let wanted = edit.after else { return nil }
    return RosterItem(
      jid: jid, name: wanted.name, subscription: item?.subscription ?? .none,
      isPending: item?.isPending ?? false, isApproved: item?.isApproved ?? false,
      groups: wanted.groups)
  }

  /// Whether the server has yet to show this session's last set. The same change may then be
  /// requested again.
  func isPending(_ jid: BareJID) -> Bool { pendingEdit(of: jid) != nil }

  private func pendingEdit(of jid: BareJID) -> PendingEdit? {
    let last = session.pendingEdits.filter { $0.contact == jid }
      .max { $0.sent.record < $1.sent.record }
    return last?.isPushed == false ? last : nil
  }

  func requiringItem(_ jid: BareJID) throws(CommandRefusal) -> RosterItem {
    guard let item = item(jid) else { throw .notInRoster(jid) }
    return item
  }

  /// The set for the contact's item, with its name and all its groups; none if the edit changes
  /// nothing.
  func sets(
    for jid: BareJID, id: (Int) -> String, _ edit: (RosterItem) -> RosterItem
  ) throws(CommandRefusal) -> [XMPPElement] {
    sets(for: [(try requiringItem(jid), isPending(jid))], id: id, edit)
  }

  /// The sets for each item in a group, by address; see `sets(for:)`.
  func sets(
    in group: String, id: (Int) -> String, _ edit: (RosterItem) -> RosterItem
  ) throws(CommandRefusal) -> [XMPPElement] {
    let items = self.items.filter { $0.item.groups.contains { $0.hasSameBytes(as: group) } }
    guard !items.isEmpty else { throw .noSuchGroup(group) }
    return sets(for: items, id: id, edit)
  }

  func sets(
    for items: [(item: RosterItem, isPending: Bool)], id: (Int) -> String,
    _ edit: (RosterItem) -> RosterItem
  ) -> [XMPPElement] {
    items.compactMap { item, isPending in
      let edited = edit(item)
      return edited != item || isPending ? edited : nil
    }
    .enumerated().map { .rosterSet(id: id($0.offset), $0.element) }
  }

  /// All items by address, and whether the server has yet to show a set for each.
  private var items: [(item: RosterItem, isPending: Bool)] {
    guard !session.pendingEdits.isEmpty else { return roster.sortedItems.map { ($0, false) } }
    let last = Dictionary(session.pendingEdits.map { ($0.contact, $0) }) { a, b in
      a.sent.record < b.sent.record ? b : a
    }
    let pending = last.filter { !$0.value.isPushed }
    let contacts = Set(roster.sortedItems.map(\.jid)).union(pending.keys)
    return contacts.sorted().compactMap { jid in
      item(jid, pending[jid]).map { ($0, pending[jid] != nil) }
    }
  }
}

extension Roster {
  /// The items that a session may replace.
  ///
  /// - Throws: `CommandRefusal` if the session does not know the roster.
  func editable(in session: Session?) throws(CommandRefusal) -> EditableRoster {
    guard let session, session.phase == .open else { throw .rosterNotKnown }
    if let refusal = session.rosterRefusal { throw .rosterRefused(condition: refusal.condition) }
    guard session.hasFetched, completeness == .complete else { throw .rosterNotKnown }
    guard !session.lacksEdits else { throw .tooManyUnansweredEdits }
    return EditableRoster(self, session)
  }

  /// Whether the server has sent the open session of a connection the roster, or has refused to.
  package func isRosterAnswered(over connection: ConnectionID = .first) -> Bool {
    guard let place = sessions.place(of: connection), sessions[place].phase == .open else {
      return false
    }
    return sessions[place].hasFetched || sessions[place].rosterRefusal != nil
  }
}
