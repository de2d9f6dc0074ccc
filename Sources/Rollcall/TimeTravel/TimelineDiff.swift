public import RosterCore
import XMPPStanza

/// What is different between two states of an account.
public struct StateDiff: Sendable {
  /// The state that is compared.
  public let before: Timeline.State
  /// The state that it is compared with.
  public let after: Timeline.State
  /// What is different, the account's first, and then contact by contact.
  public let differences: [Item]

  /// One difference, with the record that caused it.
  public struct Item: Hashable, Sendable {
    /// What is different, with both values.
    public let difference: FieldDifference
    /// The record that gave the later state its value; nil where no record is known to.
    public let cause: RecordStamp?
    /// Of an item that came and was changed since, the last record that did so.
    public let last: UInt64?

    package init(difference: FieldDifference, cause: RecordStamp?, last: UInt64? = nil) {
      self.difference = difference
      self.cause = cause
      self.last = last
    }
  }
}

extension Timeline {
  /// What is different at a point from what was at another, whichever of them is earlier.
  ///
  /// - Throws: `PointError` where there is no such point; another error, a sentence for a person,
  ///   where the log cannot be read.
  ///
  /// Complexity: linear in the events between the points.
  public func diff(from start: LogPoint, to end: LogPoint) throws -> StateDiff {
    let (from, to) = (try record(at: start), try record(at: end))
    let isForward = from <= to
    let earlier = try state(at: .record(min(from, to)))
    var later = earlier
    var causes = Causes()
    try advance(&later, to: max(from, to), outcomes: { causes.note($1, at: $0) })
    let (before, after) = isForward ? (earlier, later) : (later, earlier)
    let differences = before.roster.differences(to: after.roster, among: causes.contacts)
      // Whose log it is, it may say before the record that does.
      .filter { $0.field != .account || before.account != after.account }
    return StateDiff(
      before: before, after: after,
      differences: differences.map { difference in
        StateDiff.Item(
          difference: difference,
          cause: later.roster.opening(of: difference, after: earlier.roster.position)
            ?? causes.cause(of: difference),
          last: after.roster.lastEdit(of: difference))
      })
  }
}

extension Roster {
  /// The record that opened a contact's request which this state has and an earlier one had not,
  /// however often it came since; nil for another difference.
  fileprivate func opening(
    of difference: FieldDifference, after record: UInt64
  ) -> RecordStamp? {
    guard difference.field == .request, let contact = difference.contact,
      let request = incoming[contact] ?? unconfirmed[contact], request.since.record > record
    else { return nil }
    return request.since
  }
}

extension Roster {
  /// The record that last changed an item which is new in this state; nil where none did.
  fileprivate func lastEdit(of difference: FieldDifference) -> UInt64? {
    guard case .item(before: nil, _) = difference.change, let contact = difference.contact,
      let from = entries[contact]?.provenance
    else { return nil }
    let last = max(from.name, from.subscription, from.ask, from.approved, from.groups)
    return last > from.item ? last : nil
  }
}

/// Which record changed what for the last time.
private struct Causes {
  private struct Key: Hashable {
    var contact: BareJID?
    var field: FieldDifference.Field
    /// The resource of a presence, or the address that is blocked.
    var part: String?
  }

  private var stamps: [Key: RecordStamp] = [:]
  private(set) var contacts: Set<BareJID> = []

  mutating func note(_ outcome: RosterOutcome, at stamp: RecordStamp) {
    for change in outcome.changes {
      if let contact = change.contact { contacts.insert(contact) }
      guard let (field, part) = change.subject else { continue }
      stamps[Key(contact: change.contact, field: field, part: part)] = stamp
    }
  }

  func cause(of difference: FieldDifference) -> RecordStamp? {
    let contact = difference.contact
    let part: String? =
      switch difference.change {
      case .presence(let resource, _, _), .ownPresence(let resource, _, _): resource
      case .blocked(let jid, _, _): jid.description
      case .account, .connected, .completeness, .version, .item, .itemField, .request, .outgoing,
        .nickname, .vCard, .annotation:
        nil
      }
    let own = stamps[Key(contact: contact, field: difference.field, part: part)]
    let whole: RecordStamp?
    switch difference.field {
    // Presence is hidden and shown again as the session ends and is resumed.
    case .presence, .ownResources:
      whole = stamps[Key(contact: nil, field: .connected, part: nil)]
    // An item that went and came again is as if it had been edited.
    case .name, .subscription, .ask, .approved, .groups:
      whole = stamps[Key(contact: contact, field: .item, part: nil)]
    case .account, .connected, .complete, .version, .item, .request, .outgoing, .blocked,
      .nickname, .vCard, .starred, .reading, .note:
      whole = nil
    }
    return [own, whole].compactMap { $0 }.max { $0.record < $1.record }
  }
}

extension RosterChange {
  /// What a change is a difference of; nil for one that no difference shows.
  fileprivate var subject: (field: FieldDifference.Field, part: String?)? {
    switch kind {
    case .account: (.account, nil)
    case .connected, .connection: (.connected, nil)
    case .completeness: (.complete, nil)
    case .version: (.version, nil)
    case .itemAdded, .itemRemoved: (.item, nil)
    case .itemChanged(_, .name): (.name, nil)
    case .itemChanged(_, .subscription): (.subscription, nil)
    case .itemChanged(_, .ask): (.ask, nil)
    case .itemChanged(_, .approved): (.approved, nil)
    case .itemChanged(_, .groups): (.groups, nil)
    case .requestOpened, .requestRepeated, .requestUnconfirmed, .requestEnded, .requestSeen:
      (.request, nil)
    case .outgoingOpened, .outgoingEnded: (.outgoing, nil)
    // Our request is open before the server shows it.
    case .outgoingReflected: nil
    case .presence(_, let resource, _, _): (.presence, resource)
    case .ownPresence(let resource, _, _): (.ownResources, resource)
    case .blocking(let jid, _): (.blocked, jid.description)
    case .nickname: (.nickname, nil)
    case .vCard: (.vCard, nil)
    case .annotated(_, .starred): (.starred, nil)
    case .annotated(_, .reading): (.reading, nil)
    case .annotated(_, .note): (.note, nil)
    }
  }
}
