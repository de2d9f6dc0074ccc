package import RosterCore
package import XMPPStanza

/// What a replay shows about one contact that the state does not keep: which stanza caused each
/// change, what we asked for, and what was ignored.
package struct ContactReplay: Hashable, Sendable {
  /// The contact that it is about.
  package let contact: BareJID

  /// The session with the server, as far as it decides what we receive.
  struct Session: Hashable, Sendable {
    /// The record that bound the session; nil if the log begins in the middle of it.
    var boundAt: UInt64?
    /// How it ended; nil while it is open.
    var end: End?
    /// The record at which this session first asked for the roster.
    var rosterAskedAt: UInt64?
  }

  /// The end of a session, and the error that ended it.
  struct End: Hashable, Sendable {
    var record: UInt64
    var failure: ErrorReport?
    /// The reason in the words of the source, for an end without an error.
    var reason: String?
  }

  /// The stanza from the server that changed the item.
  struct ItemSource: Hashable, Sendable {
    /// A push; otherwise a whole roster.
    var isPush: Bool
    /// The earlier records that explain its changes.
    var origins: [ChangeOrigin] = []
    /// Whether the log has every set of ours that may have asked for it.
    var hasAllSets = true
  }

  /// A roster set of ours.
  struct OwnSet: Hashable, Sendable {
    enum Fate: Hashable, Sendable {
      case open
      /// The server confirmed it, and has shown nothing yet.
      case answered(UInt64)
      /// The server shows what we asked for.
      case shown
      case refused(UInt64, ErrorReport)
      case unanswered, unpushed
      case undone(UInt64)
    }

    var record: UInt64
    var id: String?
    /// The item as we wanted it; nil for a removal.
    var wanted: RosterItem?
    /// The subscription that it named although the contact had another one; nil if it named none.
    var passedOver: RosterSubscription?
    var fate = Fate.open
  }

  /// A subscription stanza between the contact and us.
  struct Stanza: Hashable, Sendable {
    var record: UInt64
    var isOurs: Bool
    var kind: SubscriptionStanza.Kind
  }

  /// Why a contact's last resource went offline.
  enum OfflineReason: Hashable, Sendable {
    case itSaid, weLeft, weUnsubscribed, rosterChanged, sessionEnded, newSession
  }

  /// A record and its content.
  struct Dated<Value: Hashable & Sendable>: Hashable, Sendable {
    var record: UInt64
    var value: Value
  }

  var session = Session()
  /// The last whole roster that was accepted.
  var wholeRoster: UInt64?
  var itemSources: [UInt64: ItemSource] = [:]
  /// The last changes of the item's subscription, the newest last.
  var subscriptions: [Dated<RosterSubscription>] = []
  var removal: Dated<ItemSource>?
  var sets: [OwnSet] = []
  var stanzas: [Stanza] = []
  /// The outcomes of requests that have ended.
  var requests = RequestOutcomes()
  /// The roster's last name of the contact, if it was cleared.
  var clearedName: Dated<String>?
  var offline: Dated<OfflineReason>?
  var blocking: [JID: UInt64] = [:]
  /// The requests of ours that explain the entries of the block list.
  var blockingOrigins: [JID: ChangeOrigin] = [:]
  /// Whether the roster has, or had, an item for the contact.
  var hadItem: Bool { !itemSources.isEmpty || removal != nil }
  /// The newest findings about the contact.
  package private(set) var findings: [Finding] = []
  private var isForeign = false

  /// The number of the newest findings, sets and stanzas that are kept; more would explain nothing.
  private static let kept = 32

  /// Creates a replay that begins before the first record.
  package init(of contact: BareJID) {
    self.contact = contact
  }

  /// Follows one record, which led to this state. Records are given in order.
  /// Complexity: linear in what the record changed.
  package mutating func follow(_ moment: Timeline.Moment, _ roster: Roster) {
    let codes = Set(moment.outcome.findings.map(\.code))
    if codes.contains(.foreignAccount) || codes.contains(.otherDomain) { isForeign = true }
    followSession(moment)
    guard !isForeign else { return }
    if case .stanza(let event) = moment.event {
      let isServerDone = roster.hasEnded(.inbound, on: moment.connection)
      if case .setSent(let set) = event, !codes.contains(.foreignSet) {
        note(set, moment.stamp.record, roster.item(contact))
      }
      follow(event, moment.stamp.record, codes, isServerDone: isServerDone)
    }
    follow(moment.outcome.origins)
    for change in moment.outcome.changes { follow(change, moment, roster) }
    requests.follow(moment, roster)
    for finding in moment.outcome.findings { follow(finding) }
  }

  /// Follows what only the end of the log decides.
  package mutating func follow(ending outcome: RosterOutcome) {
    follow(outcome.origins)
    for finding in outcome.findings { follow(finding) }
  }

  private mutating func follow(_ origins: [ChangeOrigin]) {
    for origin in origins where origin.contact == contact {
      if origin.isLate {
        itemSources[origin.effect]?.origins.append(origin)
        if removal?.record == origin.effect { removal?.value.origins.append(origin) }
      }
      guard let index = sets.firstIndex(where: { $0.record == origin.cause }) else { continue }
      sets[index].fate = .shown
    }
  }

  // MARK: The session

  private mutating func followSession(_ moment: Timeline.Moment) {
    for change in moment.outcome.changes {
      guard case .connected(_, let isOn) = change.values else { continue }
      guard isOn else {
        session.end = End(record: change.record, reason: moment.endReason)
        if case .session(.streamFailed(_, let report)) = moment.event {
          session.end?.failure = report
        }
        continue
      }
      isForeign = false
      session.end = nil
      guard case .session(.opened) = moment.event else { continue }
      session = Session(boundAt: change.record)
    }
    if case .session(.captureBegan) = moment.event { isForeign = false }
  }

  // MARK: Stanzas

  private mutating func follow(
    _ event: StanzaEvent, _ record: UInt64, _ codes: Set<Finding.Code>, isServerDone: Bool
  ) {
    switch event {
    case .querySent(let query):
      guard case .roster = query.subject, !codes.contains(.misdirectedQuery) else { return }
      session.rosterAskedAt = session.rosterAskedAt ?? record
    case .answerReceived(let answer):
      guard !isServerDone,
        codes.isDisjoint(with: [.spoofedAnswer, .unsolicitedResult, .foreignRoster])
      else {
        return
      }
      note(answer, record)
    case .subscriptionReceived(let stanza):
      if !isServerDone { note(stanza, isOurs: false, record) }
    case .subscriptionSent(let stanza): note(stanza, isOurs: true, record)
    case .setSent, .presenceSent, .pushReceived, .answerSent, .availableReceived,
      .unavailableReceived, .presenceErrorReceived, .blocked, .unblocked, .blockingSent,
      .nicknamePublished, .vCardPublished, .rejected:
      break
    }
  }

  /// - Parameter now: The contact's item at the set.
  private mutating func note(_ set: RosterSet, _ record: UInt64, _ now: RosterItem?) {
    for item in set.query.items where item.jid == contact {
      var known = OwnSet(record: record, id: set.id)
      if case .set(let item) = item.change {
        known.wanted = item
        let isOther = item.subscription != now?.subscription ?? .none
        known.passedOver = isOther && item.subscription != .none ? item.subscription : nil
      }
      sets.append(known)
    }
    sets.removeFirst(max(0, sets.count - Self.kept))
  }

  private mutating func note(_ answer: Answer, _ record: UInt64) {
    if case .roster = answer.payload { wholeRoster = record }
    guard let id = answer.id else { return }
    for index in sets.indices where sets[index].id == id && sets[index].fate == .open {
      if case .error = answer.payload { continue }
      sets[index].fate = .answered(record)
    }
  }

  private mutating func note(_ stanza: SubscriptionStanza, isOurs: Bool, _ record: UInt64) {
    guard stanza.contact == contact else { return }
    stanzas.append(Stanza(record: record, isOurs: isOurs, kind: stanza.kind))
    stanzas.removeFirst(max(0, stanzas.count - Self.kept))
  }

  // MARK: Changes

  private mutating func follow(
    _ change: RosterChange, _ moment: Timeline.Moment, _ roster: Roster
  ) {
    if case .blocked(let jid, _, let isOn) = change.values {
      blocking[jid] = isOn ? change.record : nil
      blockingOrigins[jid] =
        isOn
        ? moment.outcome.originsOfChanges.first { $0.kind == .blocking && $0.contact == jid.bare }
        : nil
      return
    }
    guard change.contact == contact else { return }
    if case .subscription(_, let after) = change.values {
      subscriptions.append(Dated(record: change.record, value: after))
    } else if case .item(_, let after) = change.values {
      subscriptions = after.map { [Dated(record: change.record, value: $0.subscription)] } ?? []
    }
    subscriptions.removeFirst(max(0, subscriptions.count - Self.kept))
    if case .name(let before, let after) = change.values {
      clearedName =
        after == nil ? before.map { Dated(record: change.record, value: $0) } : nil
    } else if case .item = change.values {
      clearedName = nil
    }
    if case .item(_, nil) = change.values {
      removal = Dated(record: change.record, value: source(moment, roster))
    } else if change.field.isOfItem {
      itemSources[change.record] = source(moment, roster)
    } else if case .presence(_, _, nil) = change.values {
      let isHidden = change.reason == .session
      let reason: OfflineReason = isHidden ? .sessionEnded : Self.reason(moment.event)
      offline = Dated(record: change.record, value: reason)
    } else if case .presence = change.values {
      offline = nil
    }
  }

  /// The stanza from the server, and the earlier records that explain its changes.
  private func source(_ moment: Timeline.Moment, _ roster: Roster) -> ItemSource {
    var source = ItemSource(isPush: false)
    if case .stanza(.pushReceived) = moment.event { source.isPush = true }
    source.origins = moment.outcome.originsOfChanges.filter { $0.contact == contact }
    source.hasAllSets = !roster.mayLackEdits && !roster.hasAlteredSet(of: contact)
    return source
  }

  private static func reason(_ event: RosterEvent) -> OfflineReason {
    switch event {
    case .session: .newSession
    case .stanza(.unavailableReceived): .itSaid
    case .stanza(.presenceSent): .weLeft
    case .stanza(.subscriptionSent): .weUnsubscribed
    case .stanza, .annotation: .rosterChanged
    }
  }

  // MARK: Findings

  /// Follows a finding, of a record or of the log's end.
  package mutating func follow(_ finding: Finding) {
    guard finding.contact == contact else { return }
    requests.follow(finding)
    findings.append(finding)
    findings.removeFirst(max(0, findings.count - Self.kept))
    guard let index = sets.firstIndex(where: { $0.record == finding.cause }) else { return }
    switch finding.kind {
    case .edit(.refused(let report)): sets[index].fate = .refused(finding.record, report)
    case .edit(.unanswered): sets[index].fate = .unanswered
    case .edit(.unpushed): sets[index].fate = .unpushed
    case .edit(.altered): sets[index].fate = .shown
    case .edit(.undone): sets[index].fate = .undone(finding.record)
    default: break
    }
  }
}
