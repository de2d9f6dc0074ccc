package import Captures
package import ConversationCore
import EventStore
import RawBytes
import RosterCore
package import XMPPStanza

/// The cards and avatars of accounts at every moment, from one pass over a log.
///
/// Memory: linear in the messages of the log and the changes of cards.
package struct CardHistory: Sendable {
  /// What an account shows of itself.
  package struct Shown: Hashable, Sendable {
    /// Its cards, by form.
    package var cards: [Card] = []
    /// Its avatar; nil if it announced nothing.
    package var avatar: Avatar?
    /// Whether the log has the bytes of the avatar by then.
    package var isKnown = false
  }

  private var conversations: Conversations?
  /// The last record that was taken up.
  private var last: UInt64 = 0
  /// What each account shows, from which record on, oldest first.
  private var versions: [BareJID: [(record: UInt64, shown: Shown)]] = [:]
  /// The accounts whose avatar the log does not have yet; another account may have the same.
  private var unknown: Set<BareJID> = []

  /// A history before all records.
  package init() {}

  /// Takes up the records up to one of a log, which must be the same at each call.
  ///
  /// - Throws: An error of the log if it cannot be read.
  ///
  /// Complexity: linear in the bytes of the records after the last one, and in the accounts whose
  /// avatar is not known yet for each new picture.
  package mutating func extend(over timeline: Timeline, upTo end: UInt64) throws {
    guard end > last else { return }
    var reduced = try conversations ?? timeline.conversationsBeforeAll
    conversations = nil
    defer { conversations = reduced }
    let reader = RecordReader()
    var seenCount = reduced.avatars.seenCount
    try timeline.log.forEachRecord(in: last + 1...end) { header, bytes in
      last = header.sequence
      guard timeline.includes(header.connection),
        let event = reader.conversationEvent(header, bytes)
      else { return }
      reduced.reduce(event, at: RecordPosition(header))
      // A server can answer for the account without a sender, or in its own name.
      if let account = reduced.account { note(account, reduced, header.sequence) }
      if let sender = event.sender { note(sender, reduced, header.sequence) }
      guard reduced.avatars.seenCount > seenCount else { return }
      seenCount = reduced.avatars.seenCount
      for owner in unknown { note(owner, reduced, header.sequence) }
    }
  }

  private mutating func note(_ owner: BareJID, _ state: Conversations, _ record: UInt64) {
    let avatar = state.avatars.avatar(of: owner)
    let shown = Shown(
      cards: state.cards.cards(of: owner), avatar: avatar,
      isKnown: avatar.map { state.avatars.isKnown($0) } ?? false)
    guard shown != versions[owner]?.last?.shown ?? Shown() else { return }
    versions[owner, default: []].append((record, shown))
    if avatar != nil, !shown.isKnown { unknown.insert(owner) } else { unknown.remove(owner) }
  }

  /// What an account shows of itself after a record.
  package func shown(by account: BareJID, at record: UInt64) -> Shown {
    versions[account]?.last { $0.record <= record }?.shown ?? Shown()
  }
}

extension JSONValue {
  /// What an account shows of itself after a record.
  package init(_ shown: CardHistory.Shown, at record: UInt64) {
    self = .object([
      "at": JSONValue(record), "cards": .array(shown.cards.map { JSONValue($0) }),
      "avatar": shown.avatar.map { JSONValue($0, isKnown: shown.isKnown) } ?? .null,
    ])
  }
}

extension ConversationEvent {
  /// Whose card or avatar the event can be about; nil if its stanza names no sender, or if it is no
  /// stanza.
  fileprivate var sender: BareJID? {
    switch self {
    case .message(let message, _): message.from?.bare
    case .presence(let presence, _): presence.from?.bare
    case .query(let query, _): query.from?.bare
    case .management, .session, .other: nil
    }
  }
}
