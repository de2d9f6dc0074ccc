import EventStore
package import RosterCore
package import XMPPStanza

/// Consecutive records that changed nothing but presence and the roster's version, which are shown
/// only for a moment. The errors that answer our presence are among them: a server that cannot be
/// reached gives one for each contact that it has, at each login.
package struct PresenceBurst: Hashable, Sendable {
  /// The first record and the last one.
  package let first: RecordStamp
  package private(set) var last: RecordStamp
  /// The number of records, not counting those in between that changed nothing.
  package private(set) var records = 0
  /// The number of resources that came online, went offline, and changed.
  package private(set) var came = 0
  package private(set) var went = 0
  package private(set) var changed = 0
  /// The contacts whose presence it was.
  package private(set) var contacts: Set<BareJID> = []
  /// The numbers of its first records, up to `sampled`.
  package private(set) var sample: [UInt64] = []
  /// The maximum number of records in `sample`.
  package static let sampled = 3
  /// The number of changes of our other resources.
  package private(set) var ownChanges = 0
  /// The number of errors that each domain returned, by what they say.
  private var errors: [ReturnedErrors: Int] = [:]

  /// Errors of one domain that say the same.
  private struct ReturnedErrors: Hashable {
    var domain: String
    var clause: String
  }

  init(_ moment: Timeline.Moment) {
    first = moment.stamp
    last = moment.stamp
    add(moment)
  }

  /// The burst of some records in order; nil if there are none.
  package init?(_ moments: some Collection<Timeline.Moment>) {
    guard let first = moments.first else { return nil }
    self.init(first)
    for moment in moments.dropFirst() { add(moment) }
  }

  mutating func add(_ moment: Timeline.Moment) {
    last = moment.stamp
    records += 1
    if sample.count < Self.sampled { sample.append(moment.stamp.record) }
    for change in moment.outcome.changes { add(change) }
    if case .stanza(.presenceErrorReceived(let from, let report)) = moment.event {
      errors[ReturnedErrors(domain: from.bare.domain, clause: report.clause), default: 0] += 1
    }
  }

  private mutating func add(_ change: RosterChange) {
    if change.field == .ownResources { ownChanges += 1 }
    guard case .presence(_, let before, let after) = change.values, let contact = change.contact
    else { return }
    contacts.insert(contact)
    if before == nil { came += 1 } else if after == nil { went += 1 } else { changed += 1 }
  }

  /// The burst as a clause.
  package var clause: String {
    var parts: [String] = []
    if !contacts.isEmpty {
      let what = [(came, "came online"), (went, "went offline"), (changed, "changed")]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      parts.append("presence of \(contacts.count.of("contact")): " + what.joined(separator: ", "))
    }
    if ownChanges > 0 { parts.append("\(ownChanges.of("change")) of our other resources") }
    parts += errorClauses
    return parts.isEmpty ? records.of("roster version") : parts.joined(separator: "; ")
  }
}

extension PresenceBurst {
  /// The number of kinds of errors that a clause names.
  private static let namedErrors = 3

  /// How many errors came from where, and what they say; the most frequent first.
  private var errorClauses: [String] {
    let sorted = errors.sorted {
      ($1.value, $0.key.domain, $0.key.clause) < ($0.value, $1.key.domain, $1.key.clause)
    }
    let named = sorted.prefix(Self.namedErrors).map { kind, count in
      "\(count.of("error")) from \(kind.domain): \(kind.clause)"
    }
    let rest = sorted.dropFirst(Self.namedErrors).reduce(0) { $0 + $1.value }
    return rest > 0 ? named + ["\(rest.of("other error"))"] : named
  }
}

extension Timeline.Moment {
  /// Whether it is part of the story.
  package var tells: Bool {
    outcome.changes.contains { $0.isForPeople && !$0.isHeldDoubt } || !outcome.findings.isEmpty
      || outcome.news != nil
  }

  /// Whether it changed only what is shown for a moment, or is an error that answers presence.
  package var isFleeting: Bool {
    // Most records change only presence, so that nothing need be left out first.
    outcome.findings.isEmpty && (outcome.news == nil || isReturnedPresence)
      && (outcome.changes.allSatisfy(\.isFleeting)
        || outcome.changes.forStory.allSatisfy(\.isFleeting))
  }

  private var isReturnedPresence: Bool {
    if case .stanza(.presenceErrorReceived) = event { true } else { false }
  }
}

extension RosterChange {
  /// Whether it is presence, or the roster's version.
  package var isFleeting: Bool { field.isFleeting }
}

extension Int {
  /// The number with a noun: `1 contact`, `2 contacts`.
  package func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
