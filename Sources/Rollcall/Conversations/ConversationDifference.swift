package import Captures
package import ConversationCore
import EventStore
import RosterCore
import XMPPStanza

/// What is different about a conversation between two points.
package struct ConversationDifference: Sendable {
  /// What a list of conversations says about one.
  package struct Summary: Hashable, Sendable {
    package let messages: Int
    package let unread: Int
  }

  package let key: ConversationKey
  /// Nil if the conversation had no message.
  package let before: Summary?
  package let after: Summary?
  /// The number of messages that both points have and that are different: corrected, retracted,
  /// with other reactions, or in another state.
  package let changed: Int
  /// The last record that did so; nil if none is known to.
  package let cause: RecordStamp?

  /// Whether it came, went or changed, as the differences of the roster say it.
  package var mark: String { before == nil ? "+" : after == nil ? "-" : "~" }

  /// What is different, in a clause.
  package var clause: String {
    let head = "conversation \(key.kind == .group ? "in" : "with") \(key.jid)"
    guard let summary = after ?? before else { return head }
    var parts = [summary.messages.of("message")]
    if summary.unread > 0 { parts.append("\(summary.unread) unread") }
    guard let before, let after else { return "\(head): \(parts.joined(separator: ", "))" }
    parts = []
    if before.messages != after.messages {
      parts.append("\(after.messages.of("message")) (\(before.messages) before)")
    }
    if before.unread != after.unread {
      parts.append("\(after.unread) unread (\(before.unread) before)")
    }
    if changed > 0 { parts.append("\(changed.of("message")) changed") }
    return "\(head): \(parts.joined(separator: ", "))"
  }
}

extension Timeline {
  /// The conversations that are different at a point from what they were at another, whichever of
  /// them is earlier; nothing if the log has no message.
  ///
  /// - Throws: An error of the log if it cannot be read.
  ///
  /// Complexity: linear in the bytes of the records up to the later point.
  package func conversationDifferences(
    from start: UInt64, to end: UInt64
  ) throws -> [ConversationDifference] {
    let (first, last) = (min(start, end), max(start, end))
    guard first < last, try hasMessage(in: 1...last) else { return [] }
    var later = try conversationsBeforeAll
    try advance(&later, to: first) { _, _ in }
    let earlier = later
    var causes: [Int: RecordStamp] = [:]
    try advance(&later, to: last) { header, conversations in
      for effect in conversations.effects where !effect.kind.isCopy {
        causes[conversations.messages[effect.message].conversation] = RecordStamp(
          record: header.sequence, time: header.time)
      }
    }
    return later.all.indices.compactMap { index -> ConversationDifference? in
      let before = earlier.summary(of: index)
      let after = later.summary(of: index)
      let changed = later.all[index].order.count { number in
        number < earlier.messages.count
          && earlier.messages[number].isDifferent(from: later.messages[number])
      }
      guard before != after || changed > 0 else { return nil }
      let isForward = start < end
      return ConversationDifference(
        key: later.all[index].key, before: isForward ? before : after,
        after: isForward ? after : before, changed: changed, cause: causes[index])
    }.sorted { $0.key < $1.key }
  }
}

extension Conversations {
  /// Nil if there is no such conversation, or it has no message.
  fileprivate func summary(of index: Int) -> ConversationDifference.Summary? {
    guard all.indices.contains(index), !all[index].order.isEmpty else { return nil }
    return ConversationDifference.Summary(
      messages: all[index].order.count, unread: unread(in: index).count)
  }
}

extension Message {
  /// Whether a message is not what it was.
  fileprivate func isDifferent(from later: Message) -> Bool {
    versions.count != later.versions.count || retraction != later.retraction
      || state != later.state
      || reactions.map(\.emojis) != later.reactions.map(\.emojis)
  }
}

extension JSONValue {
  /// A conversation that is different, as `rollcall diff --json` lists it.
  package init(_ difference: ConversationDifference) {
    self = .object([
      "contact": .string(difference.key.jid.bare.text), "field": .string("conversation"),
      "jid": .string(difference.key.jid.description), "kind": .string(difference.key.kind.rawValue),
      "before": difference.before.map { JSONValue($0) } ?? .null,
      "after": difference.after.map { JSONValue($0) } ?? .null,
      "changed": .integer(Int64(difference.changed)),
      "record": JSONValue(difference.cause?.record),
      "time": JSONValue(time: difference.cause?.time),
    ])
  }

  private init(_ summary: ConversationDifference.Summary) {
    self = .object([
      "messages": .integer(Int64(summary.messages)), "unread": .integer(Int64(summary.unread)),
    ])
  }
}
