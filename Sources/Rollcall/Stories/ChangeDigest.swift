import RosterCore
import XMPPStanza

/// A change, or the number of those that are alike, as a line of the story.
package struct StoryLine: Hashable, Sendable {
  /// `+` came, `-` went, `~` became different.
  package let mark: String
  /// What changed, in a clause.
  package let clause: String
  /// The clause with the contact apart; nil if it counts several changes.
  package let parts: ChangeClause?
}

extension [RosterChange] {
  /// How many changes of a kind are told one by one.
  private static let listedLimit = 5

  /// The changes line by line, but counts in place of what would be many lines: a fetch of the
  /// roster, the presence of all contacts after it, or what a session's end hides.
  package var digest: [StoryLine] {
    let changes = self.forStory
    let saysNothingIsShown = changes.contains { $0.field == .connected && $0.mark == "-" }
    var counts: [Kind: Int] = [:]
    for change in changes { counts[Kind(change), default: 0] += 1 }
    var told: Set<Kind> = []
    return changes.compactMap { change in
      let kind = Kind(change)
      // Each push brings one.
      if kind == .version, counts.count > 1 { return nil }
      if saysNothingIsShown, change.reason == .session, change.mark == "-" { return nil }
      let most = kind == .hidden || kind == .shownAgain ? 1 : Self.listedLimit
      guard kind != .other, let count = counts[kind], count > most else {
        let parts = change.parts
        return StoryLine(mark: change.mark, clause: parts.description, parts: parts)
      }
      guard told.insert(kind).inserted else { return nil }
      return StoryLine(mark: kind.mark, clause: clause(of: kind, count), parts: nil)
    }
  }

  private func clause(of kind: Kind, _ count: Int) -> String {
    switch kind {
    case .added: "\(count) contacts: " + subscriptions
    case .removed: "\(count) contacts"
    case .changed: "\(count) changes of contacts: " + fields
    case .came, .went, .presence: "presence of \(count) resources"
    case .hidden: "presence of \(contacts(of: kind)) is no longer shown"
    case .shownAgain: "presence of \(contacts(of: kind)) is shown again"
    case .requests: "\(count) requests"
    case .seen: "\(count) requests are seen"
    case .unconfirmed: "\(count) requests that the server has not sent again in this session"
    case .blocked, .unblocked: "\(count) addresses \(kind == .blocked ? "" : "no longer ")blocked"
    case .version, .other: "\(count)"
    }
  }

  private func contacts(of kind: Kind) -> String {
    Set(lazy.filter { Kind($0) == kind }.compactMap(\.contact)).count.of("contact")
  }

  /// How many of the contacts that came have each subscription.
  private var subscriptions: String {
    var counts: [RosterSubscription: Int] = [:]
    for case .item(nil, let item?) in map(\.values) { counts[item.subscription, default: 0] += 1 }
    return [RosterSubscription.both, .to, .from, .none].compactMap { subscription in
      counts[subscription].map { "\($0) \(subscription.rawValue)" }
    }.joined(separator: ", ")
  }

  /// How many of the changes are of each field.
  private var fields: String {
    var counts: [String: Int] = [:]
    for change in self where Kind(change) == .changed {
      counts[change.field.plural, default: 0] += 1
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// What is counted together.
  private enum Kind: Hashable {
    case added, removed, changed, came, went, presence, hidden, shownAgain
    case requests, seen, unconfirmed, blocked, unblocked
    case version
    /// Each by itself.
    case other

    init(_ change: RosterChange) {
      if change.field == .version {
        self = .version
      } else if case .item(_, let after) = change.values {
        self = after == nil ? .removed : .added
      } else if change.field.isOfItem {
        self = .changed
      } else if case .presence(_, let before, let after) = change.values {
        if change.reason == .session {
          self = after == nil ? .hidden : .shownAgain
        } else {
          self = before == nil ? .came : after == nil ? .went : .presence
        }
      } else if case .request(let before, let after?) = change.values {
        if case .unconfirmed? = change.reason {
          self = .unconfirmed
        } else if before == nil {
          self = .requests
        } else {
          let isSeen = after.request.seen != nil && before?.request.seen == nil
          self = isSeen ? .seen : .other
        }
      } else if case .blocked(_, _, let isBlocked) = change.values {
        self = isBlocked ? .blocked : .unblocked
      } else {
        self = .other
      }
    }

    var mark: String {
      switch self {
      case .added, .came, .shownAgain, .requests, .blocked: "+"
      case .removed, .went, .hidden, .unblocked: "-"
      case .changed, .presence, .seen, .unconfirmed, .version, .other: "~"
      }
    }
  }
}

extension StateField {
  /// Several of a part of an item, as people call them.
  fileprivate var plural: String {
    if self == .ask { return "requests of ours" }
    if self == .approved { return "approvals" }
    return self == .groups ? rawValue : "\(rawValue)s"
  }
}
