import EventStore
public import RosterCore
public import XMPPStanza

/// What one record did to one contact, or why it did nothing.
public struct HistoryEntry: Sendable {
  /// The record and its outcome.
  public let moment: Timeline.Moment
  /// The record's changes that concern the contact.
  public let changes: [RosterChange]
  /// The record's findings about the contact, or about what the contact sent.
  public let findings: [Finding]
  /// The subscription handshake that the record is part of.
  public let handshake: Handshake?
  /// The origin of the name and groups that the record brought.
  public fileprivate(set) var origin: Origin?
  /// The earlier records that explain its changes.
  package fileprivate(set) var origins: [ChangeOrigin]

  /// Whether the record only hid the contact's presence or showed it again, which the end or
  /// resumption of our session does to all contacts.
  package var isOfSessionAlone: Bool {
    findings.isEmpty && !changes.isEmpty
      && changes.allSatisfy { $0.reason == .session }
  }

  /// Adds an origin that only the end decides.
  fileprivate mutating func add(ending late: ChangeOrigin) {
    guard late.effect == moment.stamp.record else { return origins.append(late) }
    origins.append(late.notedAtEffect)
    if late.kind == .edit { origin = .ownSet(late.cause) }
  }

  /// A request for presence and everything that answers it.
  public struct Handshake: Hashable, Sendable {
    /// The side that made the request.
    public enum Side: String, Hashable, Sendable {
      /// We asked to see its presence.
      case ours
      /// The contact asked to see ours.
      case theirs
    }

    /// The side that made the request.
    public let side: Side
    /// The record that opened it.
    public let since: UInt64
  }

  /// The origin of an edit that the server shows.
  public enum Origin: Hashable, Sendable {
    /// A roster set of ours, by its record.
    case ownSet(UInt64)
    /// Another of our devices, or the server itself.
    case elsewhere
    /// A fetch, which does not say when the edit was made.
    case fetch
  }
}

extension Timeline {
  /// Passes everything that ever happened to a contact to `body`, in order, each with the state
  /// after it.
  ///
  /// There is an entry for each record that means something to the roster and goes to the contact,
  /// comes from it, names it, changed it, or has a finding about it. Together, the histories of all
  /// contacts contain each change of a contact once.
  ///
  /// - Returns: The state at the point, and the records that concern the contact but mean nothing
  ///   to the roster, such as messages.
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read; and what
  ///   `body` throws.
  ///
  /// Complexity: linear in the events from the first one that concerns the contact to the point;
  /// presence of others costs the least. Earlier events are read but not reduced.
  @discardableResult
  public func history(
    of contact: BareJID, upTo point: LogPoint = .head, _ body: (HistoryEntry, Roster) throws -> Void
  ) throws -> (state: State, others: [UInt64]) {
    try RollcallError.convertingLogErrors {
      let end = try record(at: point)
      let named = end > 0 ? try records(concerning: contact, in: 1...end) : []
      var others = named
      // Nothing happened to the contact before.
      let first = try StoryStart(of: contact, named: named, in: self, upTo: end).first
      let state = try history(of: contact, from: first, to: end, naming: named) { entry, roster in
        others.remove(entry.moment.stamp.record)
        try body(entry, roster)
      }
      return (state, others.sorted())
    }
  }

  /// The newest entries of the history of a contact, newest first, as a list shows them.
  ///
  /// They are those that `history(of:upTo:_:)` passes last. Their `handshake` is known as far as it
  /// was not over before the oldest of them.
  ///
  /// - Parameters:
  ///   - contact: The contact.
  ///   - point: The moment up to which entries are read.
  ///   - limit: The maximum number of entries.
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: linear in the records that name the contact, which an index has, and in the events
  /// from the snapshot before the oldest entry to the point. If there are fewer entries than
  /// `limit`, as `history(of:upTo:_:)`.
  public func newestHistory(
    of contact: BareJID, upTo point: LogPoint = .head, limit: Int
  ) throws(RollcallError) -> [HistoryEntry] {
    try RollcallError.converting {
      let end = try record(at: point)
      guard limit > 0, end > 0 else { return [] }
      let named = try records(concerning: contact, in: 1...end)
      let places = named.sorted()
      var count = limit
      while true {
        let isWhole = count >= places.count
        let start =
          isWhole
          ? try StoryStart(of: contact, named: named, in: self, upTo: end).first
          : places[places.count - count]
        var entries: [HistoryEntry] = []
        _ = try history(of: contact, from: start, to: end, naming: named) { entry, _ in
          entries.append(entry)
        }
        if isWhole || entries.count >= limit { return entries.suffix(limit).reversed() }
        // Records such as messages name the contact and are no entries.
        count *= 4
      }
    }
  }

  /// Passes the entries from one record to another to `body`; returns the state after them.
  private func history(
    of contact: BareJID, from first: UInt64, to end: UInt64, naming named: Set<UInt64>,
    _ body: (HistoryEntry, Roster) throws -> Void
  ) throws -> State {
    var state = first > 1 ? try self.state(after: first - 1, from: nil) : State()
    var handshakes = Handshakes(contact, in: state.roster)
    var last: (entry: HistoryEntry, roster: Roster)?
    try advance(&state, to: end, naming: named) { moment, roster in
      let changes = moment.outcome.changes.filter { $0.contact == contact }
      let isNamed = named.contains(moment.stamp.record)
      let findings = moment.outcome.findings.filter {
        $0.contact == contact || (isNamed && $0.contact == nil)
      }
      guard isNamed || !changes.isEmpty || !findings.isEmpty else { return }
      let origins = moment.outcome.toldOrigins.filter { $0.contact == contact }
      let entry = HistoryEntry(
        moment: moment, changes: changes, findings: findings,
        handshake: handshakes.take(moment, changes),
        origin: HistoryEntry.Origin(
          moment.event, changes, origins,
          hasAllSets: !roster.mayLackEdits && !roster.hasAlteredSet(of: contact)),
        origins: origins)
      if let last { try body(last.entry, last.roster) }
      last = (entry, roster)
    }
    if let last {
      var entry = last.entry
      // What only the end decides is part of the last entry.
      for origin in try outcome(ending: state).origins where origin.contact == contact {
        entry.add(ending: origin)
      }
      try body(entry, last.roster)
    }
    return state
  }
}

extension HistoryEntry.Origin {
  fileprivate init?(
    _ event: RosterEvent, _ changes: [RosterChange], _ origins: [ChangeOrigin], hasAllSets: Bool
  ) {
    guard changes.contains(where: \.isEdit), case .stanza(let stanza) = event else { return nil }
    if let edit = origins.first(where: { $0.kind == .edit }) {
      self = .ownSet(edit.cause)
    } else if origins.contains(where: { $0.explains(.item) }), changes.allSatisfy(\.isOfWholeItem) {
      // A subscription stanza brought the contact in, or took it out.
      return nil
    } else if case .answerReceived = stanza {
      self = .fetch
    } else if hasAllSets {
      self = .elsewhere
    } else {
      return nil
    }
  }
}

extension RosterChange {
  /// Whether it is about a whole item rather than its name or groups.
  fileprivate var isOfWholeItem: Bool { ![.name, .groups].contains(field) }

  /// Whether it is what a roster set can ask for (RFC 6121 §2.1.2).
  fileprivate var isEdit: Bool {
    guard case .item(_, let added?) = values else {
      return [.item, .name, .groups].contains(field)
    }
    return added.name != nil || !added.groups.isEmpty
  }
}

/// Follows the requests between the account and one contact.
private struct Handshakes {
  private typealias Handshake = HistoryEntry.Handshake

  private let contact: BareJID
  private var ours: UInt64?
  private var theirs: UInt64?
  /// The request that was answered last, and whether the server has shown the effect: the first
  /// change of the item after the answer belongs to the request, and no later one.
  private var answered: (handshake: Handshake, isShown: Bool)?

  init(_ contact: BareJID, in roster: Roster) {
    self.contact = contact
    let known = roster.contact(contact)
    ours = known?.outgoing?.since.record
    theirs = known?.request?.request.since.record
  }

  /// The handshake that a record is part of.
  mutating func take(
    _ moment: Timeline.Moment, _ changes: [RosterChange]
  ) -> HistoryEntry.Handshake? {
    var found: Handshake?
    let origins = moment.outcome.originsOfChanges.filter { $0.contact == contact }
    if !origins.isEmpty, !origins.contains(where: \.isOfHandshake) { answered = nil }
    for change in changes {
      if case .request(let before, let after) = change.values {
        guard let since = (after ?? before)?.request.since.record else { continue }
        let handshake = Handshake(side: .theirs, since: since)
        theirs = after == nil ? nil : since
        if after == nil { answered = (handshake, changes.contains(where: \.isOfSubscription)) }
        found = handshake
      } else if case .outgoing(let before, let after) = change.values {
        if before == nil { ours = after?.since.record }
        let handshake = ours.map { Handshake(side: .ours, since: $0) }
        if after == nil, let handshake {
          answered = (handshake, changes.contains(where: \.isOfSubscription))
        }
        if after == nil { ours = nil }
        // That the server shows it is the smaller news.
        let isReflected = before != nil && after != nil
        found = isReflected ? found ?? handshake : handshake
      } else if case .ask(_, after: true) = change.values {
        found = found ?? ours.map { Handshake(side: .ours, since: $0) }
      } else if change.isOfSubscription, let last = answered, !last.isShown {
        found = found ?? last.handshake
      }
    }
    if changes.contains(where: \.isOfSubscription) { answered?.isShown = true }
    return found ?? unchanged(moment)
  }

  /// A subscription stanza that changed nothing by itself belongs to what it answers.
  private func unchanged(_ moment: Timeline.Moment) -> HistoryEntry.Handshake? {
    guard case .stanza(let event) = moment.event else { return nil }
    let kind: SubscriptionStanza.Kind
    let isOurs: Bool
    switch event {
    case .subscriptionReceived(let stanza) where stanza.contact == contact:
      kind = stanza.kind
      isOurs = kind == .subscribed || kind == .unsubscribed
    case .subscriptionSent(let stanza) where stanza.contact == contact:
      kind = stanza.kind
      isOurs = kind == .subscribe || kind == .unsubscribe
    default: return nil
    }
    if isOurs { return (ours.map { Handshake(side: .ours, since: $0) }) ?? last(.ours) }
    return (theirs.map { Handshake(side: .theirs, since: $0) }) ?? last(.theirs)
  }

  private func last(_ side: HistoryEntry.Handshake.Side) -> HistoryEntry.Handshake? {
    answered?.handshake.side == side ? answered?.handshake : nil
  }
}

extension RosterChange {
  /// Whether the answer to a request can cause it.
  fileprivate var isOfSubscription: Bool { [.subscription, .ask, .item].contains(field) }
}

extension ChangeOrigin {
  /// Whether it is a request, or an answer that accepts or refuses one.
  fileprivate var isOfHandshake: Bool {
    switch kind {
    case .edit, .blocking: false
    case .ownStanza(let stanza), .contactStanza(let stanza): stanza != .unsubscribe
    }
  }
}
