import Captures
package import ConversationCore
import EventStore
import RosterCore
import XMPPStanza

/// The conversations at a point, with what the roster says about their contacts.
package struct ConversationView: Sendable {
  package let conversations: Conversations
  package let state: Timeline.State
  /// Everything odd about messages, by record.
  package let findings: [ConversationFinding]

  /// The conversations to show, sorted by address and kind: those with messages, and rooms.
  package var shown: [Conversation] {
    conversations.all.filter { !$0.order.isEmpty || $0.key.kind == .group }
      .sorted { $0.key < $1.key }
  }

  /// The name of the other party of a chat, if it is a contact.
  package func name(of key: ConversationKey) -> String? {
    isContact(key) ? state.roster.displayName(of: key.jid.bare) : nil
  }

  /// The name to list a conversation under: of a contact, or the subject of a room.
  package func title(of key: ConversationKey) -> String {
    switch key.kind {
    case .chat: name(of: key) ?? "–"
    case .group: conversations.rooms[key.jid.bare]?.subject ?? "–"
    case .private: key.jid.resource ?? "–"
    }
  }

  /// The number of unread messages of a conversation.
  package func unreadCount(of conversation: Conversation) -> Int {
    conversations.unread(of: conversation.key).count
  }

  /// Whether the other party of a chat is in the roster.
  package func isContact(_ key: ConversationKey) -> Bool {
    key.kind == .chat && state.roster.entries[key.jid.bare] != nil
  }
}

extension Timeline {
  /// The conversations after a record, with the roster at that point.
  ///
  /// - Throws: An error of the log if it cannot be read.
  ///
  /// Complexity: linear in the bytes of the records.
  package func conversationView(upTo last: UInt64) throws -> ConversationView {
    let conversations = try self.conversations(upTo: last)
    var state = State()
    let strangers = try self.strangers(in: conversations, after: 0, &state)
    try advance(&state, to: last)
    let findings = conversations.findings + conversations.findingsAtEnd + strangers
    return ConversationView(
      conversations: conversations, state: state, findings: findings.sortedByRecord)
  }

  /// Rule 35: the first messages of addresses that are not in the roster and have no request, and
  /// receipts that we sent to such addresses.
  ///
  /// - Parameters:
  ///   - record: Only what began after this record.
  ///   - state: The state after that record; afterward the state before the last of them.
  func strangers(
    in conversations: Conversations, after record: UInt64, _ state: inout State
  ) throws -> [ConversationFinding] {
    var candidates: [ConversationFinding] = []
    let messages = conversations.messages
    // Messages have the order of their first records.
    let new = messages.indices.reversed().prefix { messages[$0].record > record }.last
    for number in Set(messages[(new ?? messages.endIndex)...].map(\.conversation)) {
      let conversation = conversations.all[number]
      guard conversation.key.kind == .chat, let new, conversation.order.allSatisfy({ $0 >= new }),
        let first = conversation.order.min().map({ messages[$0] }), !first.isOurs
      else { continue }
      candidates.append(
        ConversationFinding(
          .messageFromStranger, record: first.record, contact: conversation.key.jid))
    }
    for (jid, receipt) in conversations.firstReceipts where receipt > record {
      candidates.append(
        ConversationFinding(
          .receiptsToStranger, record: receipt, contact: JID(prepared: jid, resource: nil)))
    }
    candidates.sort { a, b in (a.record, a.code.rawValue) < (b.record, b.code.rawValue) }
    var found: [ConversationFinding] = []
    for candidate in candidates {
      guard let jid = candidate.contact?.bare, jid.local != nil,
        jid != conversations.account
      else { continue }
      try advance(&state, to: candidate.record - 1)
      let roster = state.roster
      // A roster that was not seen whole may have the contact.
      if roster.completeness == .complete, roster.entries[jid] == nil,
        !roster.incoming.contains(where: { $0.key == jid }),
        !roster.outgoing.contains(where: { $0.key == jid })
      {
        found.append(candidate)
      }
    }
    return found
  }
}

extension [ConversationFinding] {
  /// The findings by record; those of one record keep their order.
  var sortedByRecord: [ConversationFinding] {
    enumerated().sorted { a, b in
      (a.element.record, a.offset) < (b.element.record, b.offset)
    }.map(\.element)
  }
}
