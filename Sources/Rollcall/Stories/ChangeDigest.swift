import RosterCore
import XMPPStanza

/// A change, or the number of those that are alike, as a line of the story.
package struct StoryLine: Hashable, Sendable {
  /// `+` came, `-` went, `~` became different.
  package let mark: String
  /// What changed, in a clause.
  package let clause: String
}

extension [RosterChange] {
  /// How many changes of a kind are told one by one.
  private static let most = 5

  /// The changes line by line, but counts in place of what would be many lines: a fetch of the
  /// roster, the presence of all contacts after it, or their going with a session.
  package var digest: [StoryLine] {
    var counts: [Kind: Int] = [:]
    for change in self { counts[Kind(change), default: 0] += 1 }
    var told: Set<Kind> = []
    return compactMap { change in
      let kind = Kind(change)
      // Each push brings one.
      if kind == .version, counts.count > 1 { return nil }
      guard kind != .other, let count = counts[kind], count > Self.most else {
        return StoryLine(mark: change.mark, clause: change.clause)
      }
      guard told.insert(kind).inserted else { return nil }
      return StoryLine(mark: kind.mark, clause: clause(of: kind, count))
    }
  }

  private func clause(of kind: Kind, _ count: Int) -> String {
    switch kind {
    case .added: "\(count) contacts: " + subscriptions
    case .removed: "\(count) contacts"
    case .changed: "\(count) changes of contacts: " + fields
    case .came: "presence of \(count) resources"
    case .went: "presence of \(count) resources"
    case .presence: "presence of \(count) resources"
    case .requests: "\(count) requests"
    case .seen: "\(count) requests are seen"
    case .unconfirmed: "\(count) requests that the server has not sent again in this session"
    case .blocked, .unblocked: "\(count) addresses \(kind == .blocked ? "" : "no longer ")blocked"
    case .version, .other: "\(count)"
    }
  }

  /// How many of the contacts that came have each subscription.
  private var subscriptions: String {
    var counts: [RosterSubscription: Int] = [:]
    for case .itemAdded(let item) in map(\.kind) { counts[item.subscription, default: 0] += 1 }
    return [RosterSubscription.both, .to, .from, .none].compactMap { subscription in
      counts[subscription].map { "\($0) \(subscription.rawValue)" }
    }.joined(separator: ", ")
  }

  /// How many of the changes are of each field.
  private var fields: String {
    var counts: [String: Int] = [:]
    for case .itemChanged(_, let field) in map(\.kind) { counts[field.noun, default: 0] += 1 }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// What is counted together.
  private enum Kind: Hashable {
    case added, removed, changed, came, went, presence, requests, seen, unconfirmed, blocked,
      unblocked
    case version
    /// Each by itself.
    case other

    init(_ change: RosterChange) {
      switch change.kind {
      case .itemAdded: self = .added
      case .itemRemoved: self = .removed
      case .itemChanged: self = .changed
      case .presence(_, _, nil, _): self = .came
      case .presence(_, _, _, nil): self = .went
      case .presence: self = .presence
      case .requestOpened: self = .requests
      case .requestSeen: self = .seen
      case .requestUnconfirmed: self = .unconfirmed
      case .blocking(_, true): self = .blocked
      case .blocking(_, false): self = .unblocked
      case .version: self = .version
      case .account, .connected, .connection, .completeness, .requestRepeated, .requestEnded,
        .outgoingOpened, .outgoingReflected, .outgoingEnded, .ownPresence, .nickname, .vCard,
        .annotated:
        self = .other
      }
    }

    var mark: String {
      switch self {
      case .added, .came, .requests, .blocked: "+"
      case .removed, .went, .unblocked: "-"
      case .changed, .presence, .seen, .unconfirmed, .version, .other: "~"
      }
    }
  }
}

extension RosterChange.ItemField {
  fileprivate var noun: String {
    switch self {
    case .name: "names"
    case .subscription: "subscriptions"
    case .ask: "requests of ours"
    case .approved: "approvals"
    case .groups: "groups"
    }
  }
}
