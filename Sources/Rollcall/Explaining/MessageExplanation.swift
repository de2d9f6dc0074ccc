package import Captures
package import ConversationCore
import RawBytes
import RosterCore
import XMPPStanza

/// Why a message is shown as often as it is, and why it is unread or not.
package struct MessageExplanation: Sendable {
  /// What can be asked about a message.
  package enum Subject: String, Hashable, Sendable, CaseIterable {
    /// Whether it is there more than once, whether it is unread, and whether it arrived.
    case copies, unread, arrival

    /// The question, for a message that is called “it”.
    package var question: String {
      switch self {
      case .copies: "Is it there more than once?"
      case .unread: "Is it unread?"
      case .arrival: "Did it arrive?"
      }
    }
  }

  /// One question with its answer.
  package struct Topic: Sendable {
    package let subject: Subject
    package let verdict: Explanation.Verdict
    /// Whole sentences, each with the records that it rests on as `#12`.
    package let reasons: [String]
    /// What would change the answer, a sentence; nil if nothing can be said.
    package let change: String?
  }

  package let key: ConversationKey
  package let message: Message
  /// Its place in the conversation, from 1, and whether it is unread.
  package let place: Int
  package let isUnread: Bool
  package let topics: [Topic]
  package let findings: [ConversationFinding]
}

extension ConversationView {
  /// Explains the messages of a conversation that an id of any kind names, or, as in `#31`, a
  /// record.
  ///
  /// Complexity: linear in the messages of the conversation, for each message found.
  package func explanations(
    of name: String, in conversation: Conversation
  ) -> [MessageExplanation] {
    let unread = Set(conversations.unread(of: conversation.key))
    return conversation.order.enumerated().compactMap { index, number in
      let message = conversations.messages[number]
      guard message.isNamed(name) else { return nil }
      let explainer = MessageExplainer(
        conversations: conversations, conversation: conversation, number: number,
        isUnread: unread.contains(number))
      let records = Set(message.records)
      return MessageExplanation(
        key: conversation.key, message: message, place: index + 1,
        isUnread: unread.contains(number), topics: explainer.topics,
        findings: findings.filter { records.contains($0.record) })
    }
  }
}

extension Message {
  /// Whether a text is an id of one of its versions or of an archive, or one of its records.
  fileprivate func isNamed(_ text: String) -> Bool {
    if text.hasPrefix("#"), let record = UInt64(text.dropFirst()), records.contains(record) {
      return true
    }
    return archiveIDs.contains { $0.id.text.hasSameBytes(as: text) }
      || versions.contains { version in
        version.id.hasSameBytes(as: text) || version.originID.hasSameBytes(as: text)
          || version.archiveIDs.contains { $0.id.text.hasSameBytes(as: text) }
      }
  }
}

extension JSONValue {
  /// Explanations of messages as `rollcall why --message --json` prints them.
  package init(_ explanations: [MessageExplanation], _ state: Timeline.State) {
    self = .object([
      "account": JSONValue(state.account?.text), "at": JSONValue(state.roster.position),
      "time": JSONValue(time: state.time),
      "messages": .array(explanations.map { JSONValue($0) }),
    ])
  }

  private init(_ explanation: MessageExplanation) {
    let answers = explanation.topics.map { topic in
      (
        topic.subject.rawValue,
        JSONValue.object([
          "answer": .string(topic.verdict.rawValue), "because": JSONValue(topic.reasons),
          "changesWhen": JSONValue(topic.change),
        ])
      )
    }
    self = .object([
      "conversation": .string(explanation.key.jid.description),
      "kind": .string(explanation.key.kind.rawValue),
      "message": JSONValue(
        explanation.message, number: explanation.place, isUnread: explanation.isUnread),
      "answers": .object(Dictionary(answers) { first, _ in first }),
      "findings": .array(
        explanation.findings.map { JSONValue(ListedFinding.message($0)) }),
    ])
  }
}
