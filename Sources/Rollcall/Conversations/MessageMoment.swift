package import Captures
package import ConversationCore
package import EventStore
import RosterCore
package import XMPPStanza

/// What one record did to messages, and what is odd about it.
package struct MessageMoment: Sendable {
  package let stamp: RecordStamp
  package let connection: ConnectionID
  package let direction: RecordDirection
  /// What the record means, in a clause for a person. It may have the beginning of a text.
  package let clause: String
  package let effects: [Effect]
  package internal(set) var findings: [ConversationFinding] = []

  /// What the record did to one message.
  package struct Effect: Hashable, Sendable {
    package let conversation: ConversationKey
    /// The first record of the message.
    package let message: UInt64
    package let kind: MessageEffect.Kind
  }

  /// What a record did to messages.
  ///
  /// - Parameters:
  ///   - conversations: The conversations after the record.
  ///   - textLimit: The number of characters of a text that the clause shows.
  init(
    _ header: RecordHeader, _ conversations: Conversations,
    textLimit: Int = MessageClauses.textLimit
  ) {
    stamp = RecordStamp(record: header.sequence, time: header.time)
    connection = ConnectionID(number: header.connection)
    direction = header.direction
    effects = conversations.effects.map { effect in
      let message = conversations.messages[effect.message]
      return Effect(
        conversation: conversations.all[message.conversation].key, message: message.record,
        kind: effect.kind)
    }
    let clauses = MessageClauses(
      conversations: conversations, record: header.sequence, direction: header.direction,
      limit: textLimit)
    clause = clauses.clause(of: conversations.effects)
  }

  /// A record that is odd, and did nothing to messages.
  init(_ record: StoredRecord, _ findings: [ConversationFinding], account: BareJID?) {
    let header = record.header
    stamp = RecordStamp(record: header.sequence, time: header.time)
    connection = ConnectionID(number: header.connection)
    direction = header.direction
    effects = []
    self.findings = findings
    let element = header.kind == .element ? RecordReader().element(record.bytes) : nil
    clause = SubjectClause(header, record.bytes, element: element, account: account).full
  }

  /// What the record did to messages, for a place where its findings are shown apart.
  package var withoutFindings: MessageMoment {
    var moment = self
    moment.findings = []
    return moment
  }

  /// Whether it is about a contact or a room.
  package func concerns(_ contact: BareJID) -> Bool {
    effects.contains { $0.conversation.jid.bare == contact }
      || findings.contains { $0.contact?.bare == contact }
  }
}

extension JSONValue {
  /// A record that means something to messages, in the form of one that means something to the
  /// roster.
  package init(_ moment: MessageMoment) {
    self = .object([
      "record": JSONValue(moment.stamp.record),
      "connection": .integer(Int64(moment.connection.number)),
      "time": JSONValue(time: moment.stamp.time), "direction": .string(moment.direction.name),
      "meaning": .string(moment.clause), "changes": .array([]),
      "findings": .array(moment.findings.map { JSONValue(ListedFinding.message($0)) }),
      "origins": .array([]), "messages": .array(moment.effects.map { JSONValue($0) }),
    ])
  }

  /// A record of the story that also means something to messages.
  package init(_ moment: Timeline.Moment, _ message: MessageMoment) {
    self = JSONValue(moment).adding(message)
  }

  /// A record that means something to messages, as `rollcall history --json` lists it.
  package init(entry message: MessageMoment) {
    self = JSONValue(message).adding(["handshake": .null, "origin": .null])
  }

  /// The document of a record with what the record did to messages.
  package func adding(_ message: MessageMoment) -> JSONValue {
    guard case .object(let own) = self, case .array(let findings)? = own["findings"] else {
      return self
    }
    let odd = message.findings.map { JSONValue(ListedFinding.message($0)) }
    return adding([
      "findings": .array(findings + odd),
      "messages": .array(message.effects.map { JSONValue($0) }),
    ])
  }

  private init(_ effect: MessageMoment.Effect) {
    self = .object([
      "conversation": .string(effect.conversation.jid.description),
      "kind": .string(effect.conversation.kind.rawValue),
      "message": JSONValue(effect.message), "effect": .string(effect.kind.name),
      "via": JSONValue(effect.kind.route?.rawValue),
      "state": JSONValue(effect.kind.state?.rawValue),
    ])
  }
}

extension MessageEffect.Kind {
  /// The kind in one word.
  fileprivate var name: String {
    switch self {
    case .began: "began"
    case .copied: "copied"
    case .corrected: "corrected"
    case .retracted: "retracted"
    case .reacted: "reacted"
    case .state: "state"
    case .read: "read"
    }
  }

  fileprivate var route: Route? {
    switch self {
    case .copied(let route): route
    case .began, .corrected, .retracted, .reacted, .state, .read: nil
    }
  }

  fileprivate var state: DeliveryState? {
    switch self {
    case .state(let state): state
    case .began, .copied, .corrected, .retracted, .reacted, .read: nil
    }
  }
}
