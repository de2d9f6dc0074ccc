@_exported public import ContactSections
public import RosterCore
public import XMPPStanza

/// A contacts screen that follows a roster, change by change.
///
/// The roster determines which contacts are listed, with their names, groups and availability, and
/// also which ones the user starred and how a name is read (`RosterSession.annotate(_:at:)`). After
/// each element and annotation, ask which rows it affected and update them. The update is one step
/// from one screen to the next:
///
///     let rows = screen.rows(touchedBy: outcome.changes)
///     apply(screen.update(rows, from: session.roster))
///
/// If many rows are affected at once, as by the first roster, it is faster to make the screen again
/// and to reload the whole view. A value: to keep an old screen, keep a copy.
public struct RosterSections: Sendable {
  /// A row that may have to be shown again.
  public enum Row: Hashable, Comparable, Sendable {
    /// The rows of a contact: several if it is in several groups, none if it is not a friend.
    case contact(BareJID)
    /// The row of a contact's request.
    case request(BareJID)
  }

  /// The screen by position, with search. The ids are the texts of bare addresses.
  public private(set) var index: SectionIndex

  /// The sections with their rows, in order. Complexity: linear in the sections.
  public var sections: [ScreenSection] { index.sections }

  /// The screen of a roster. Complexity: O(n log n).
  ///
  /// - Parameters:
  ///   - roster: The roster to show.
  ///   - policy: Which contacts the screen shows, and in which sections.
  public init(_ roster: Roster, policy: SectionPolicy = SectionPolicy()) {
    index = SectionIndex(
      policy: policy,
      contacts: roster.entries.values.map { ListedContact($0.item, in: roster) },
      requests: roster.incoming.map { ListedRequest($0.key, $0.value) })
  }

  /// The rows that the changes of one record may have affected, in order.
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

  /// What a contact's row shows besides its item.
  private static let shown: [StateField] = [
    .presence, .nickname, .vCard, .starred, .reading, .note,
  ]

  /// Updates a row to the current roster.
  ///
  /// - Returns: The changes from the old screen to the new one; empty if the screen stays the same.
  ///
  /// Complexity: O(log n) comparisons.
  @discardableResult
  public mutating func update(_ row: Row, from roster: Roster) -> SectionChanges {
    index.apply([edit(of: row, in: roster)])
  }

  /// Updates rows to the current roster at once.
  ///
  /// - Returns: The changes from the old screen to the new one, as one batch; empty if the screen
  ///   stays the same.
  ///
  /// Complexity: O(log n) comparisons for each row, and quadratic in the rows.
  @discardableResult
  public mutating func update(
    _ rows: some Sequence<Row>, from roster: Roster
  ) -> SectionChanges {
    index.apply(Set(rows).sorted().map { edit(of: $0, in: roster) })
  }

  private func edit(of row: Row, in roster: Roster) -> SectionIndex.Edit {
    switch row {
    case .contact(let jid):
      roster.item(jid).map { .contact(ListedContact($0, in: roster)) }
        ?? .contactRemoved(jid.text)
    case .request(let jid):
      roster.incoming[jid].map { .request(ListedRequest(jid, $0)) } ?? .requestRemoved(jid.text)
    }
  }
}

extension RowID {
  /// The contact, or the sender of the request. The `address` of a row that an application made
  /// itself has to be the text of a `BareJID`, because it is not checked.
  public var jid: BareJID { BareJID(prepared: address) }
}

extension ListedContact {
  /// The address of the contact. The `id` of a value that an application made itself has to be the
  /// text of a `BareJID`, because it is not checked.
  public var jid: BareJID { BareJID(prepared: id) }

  /// How available the contact is; nil if it is offline.
  public var show: Show? { Show.allCases.first { $0.onlineRank == onlineRank } }
}

extension ListedRequest {
  /// The address of the sender; `id` as for `ListedContact.jid`.
  public var jid: BareJID { BareJID(prepared: id) }
}

extension ListedContact {
  /// The row of a contact, according to a roster.
  fileprivate init(_ item: RosterItem, in roster: Roster) {
    let annotations = roster.annotations[item.jid]
    let best = roster.presence(of: item.jid).best
    self.init(
      id: item.jid.text, displayName: roster.displayName(of: item.jid),
      userReading: annotations?.reading,
      groups: item.groups, subscription: item.subscription,
      onlineRank: best?.presence.availability.show.onlineRank,
      isStarred: annotations?.isStarred ?? false, status: best?.presence.availability.status,
      resource: best?.resource, note: annotations?.note)
  }
}

extension Show {
  /// Sorts the most available first.
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
  /// A request as the menu shows it: with its newest text, and the record that first contained it.
  fileprivate init(_ jid: BareJID, _ request: IncomingRequest) {
    self.init(
      id: jid.text, nick: request.nickname, text: request.status, since: request.since.record,
      isSeen: request.seen != nil)
  }
}
