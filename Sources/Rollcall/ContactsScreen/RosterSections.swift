@_exported public import ContactSections
public import RosterCore
public import XMPPStanza

/// A contacts screen that follows a roster, change by change.
///
/// The roster says who is listed, under what name, in which groups and how available, and also
/// whom the user starred and how a name is to be read (`RosterSession.annotate(_:at:)`). After each
/// element and annotation, ask which rows it touched and update them one by one; each update is one
/// step from one screen to the next:
///
///     for row in screen.rows(touchedBy: outcome.changes) {
///       apply(screen.update(row, from: session.roster))
///     }
///
/// Where many are touched at once, as by the first roster, it is quicker to make the screen anew
/// and to reload the whole view. A value: to keep an old screen, keep a copy.
public struct RosterSections: Sendable {
  /// What may have to be shown anew.
  public enum Row: Hashable, Comparable, Sendable {
    /// The rows of a contact: in several groups several, none where it is no friend.
    case contact(BareJID)
    /// The row of a contact's request.
    case request(BareJID)
  }

  /// The screen: its sections and rows. The ids are the texts of bare addresses.
  public private(set) var index: SectionIndex

  /// The screen of a roster. Complexity: O(n log n).
  ///
  /// - Parameters:
  ///   - roster: Who there is.
  ///   - policy: Whom the screen shows, and in which sections.
  public init(_ roster: Roster, policy: SectionPolicy = SectionPolicy()) {
    index = SectionIndex(
      policy: policy,
      contacts: roster.entries.values.map { ListedContact($0.item, in: roster) },
      requests: roster.incoming.map { ListedRequest($0.key, $0.value) })
  }

  /// What the changes of one record may have altered, in order.
  ///
  /// Complexity: O(n log n) in the changes.
  public func rows(touchedBy changes: some Sequence<RosterChange>) -> [Row] {
    var rows: Set<Row> = []
    for change in changes {
      guard let contact = change.contact else { continue }
      if change.field.isOfItem || Self.shown.contains(change.field) {
        rows.insert(.contact(contact))
      } else if change.field == .request {
        rows.insert(.request(contact))
      }
    }
    return rows.sorted()
  }

  /// What the row of a contact shows beside its item.
  private static let shown: [StateField] = [.presence, .nickname, .vCard, .starred, .reading]

  /// Brings a row to what the roster says now.
  ///
  /// - Returns: What turns the old screen into the new one; nothing where the screen stays.
  ///
  /// Complexity: O(log n) comparisons.
  @discardableResult
  public mutating func update(_ row: Row, from roster: Roster) -> SectionChanges {
    switch row {
    case .contact(let jid):
      guard let item = roster.item(jid) else { return index.removeContact(jid.text) }
      return index.update(ListedContact(item, in: roster))
    case .request(let jid):
      guard let request = roster.incoming[jid] else { return index.removeRequest(jid.text) }
      return index.update(ListedRequest(jid, request))
    }
  }
}

extension ListedContact {
  /// What a roster says of a contact.
  fileprivate init(_ item: RosterItem, in roster: Roster) {
    let annotations = roster.annotations[item.jid]
    self.init(
      id: item.jid.text, displayName: roster.displayName(of: item.jid),
      userReading: annotations?.reading,
      groups: item.groups, subscription: Subscription(item.subscription),
      onlineRank: roster.presence(of: item.jid).best?.presence.availability.show.onlineRank,
      isStarred: annotations?.isStarred ?? false)
  }
}

extension SectionPolicy.Friends {
  /// Whether a contact with this subscription is a friend.
  public func includes(_ subscription: RosterSubscription) -> Bool {
    includes(ListedContact.Subscription(subscription))
  }
}

extension ListedContact.Subscription {
  init(_ subscription: RosterSubscription) {
    switch subscription {
    case .none: self = .none
    case .to: self = .to
    case .from: self = .from
    case .both: self = .both
    }
  }
}

extension Show {
  /// The most available first.
  fileprivate var onlineRank: Int {
    switch self {
    case .chat: 0
    case .available: 1
    case .away: 2
    case .xa: 3
    case .dnd: 4
    }
  }
}

extension ListedRequest {
  /// A request as the menu shows it: with its newest words, and the record that first brought it.
  fileprivate init(_ jid: BareJID, _ request: IncomingRequest) {
    self.init(
      id: jid.text, nick: request.nickname, text: request.status, since: request.since.record)
  }
}
