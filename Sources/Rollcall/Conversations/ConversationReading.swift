import Captures
package import ConversationCore
import EventStore
import RawBytes
import RosterCore
import XMPPStanza

extension Timeline {
  /// The conversations after a record, derived from the records up to it.
  ///
  /// - Throws: An error of the log if it cannot be read.
  ///
  /// Complexity: linear in the bytes of the records.
  package func conversations(upTo last: UInt64) throws -> Conversations {
    var conversations = try conversationsBeforeAll
    try advance(&conversations, to: last) { _, _ in }
    return conversations
  }

  /// The conversations before all records.
  var conversationsBeforeAll: Conversations {
    get throws { try conversations(after: 0) }
  }

  /// The conversations before all records after one, as if the log began there.
  func conversations(after record: UInt64) throws -> Conversations {
    let account = try log.read { try $0.meta.account.flatMap { try? BareJID(parsing: $0) } }
    return Conversations(account: account, isOneWay: try isOneWay, after: record)
  }

  /// Reduces the records after the last one that was reduced, up to `last`, and passes each that
  /// means something to `body`, with the conversations after it.
  ///
  /// - Parameter body: Runs inside of a transaction.
  func advance(
    _ conversations: inout Conversations, to last: UInt64,
    _ body: (RecordHeader, Conversations) throws -> Void
  ) throws {
    let first = conversations.last.record + 1
    guard first <= last else { return }
    let reader = RecordReader()
    try log.forEachRecord(in: first...last) { header, bytes in
      guard includes(header.connection), let event = reader.conversationEvent(header, bytes)
      else { return }
      conversations.reduce(event, at: RecordPosition(header))
      try body(header, conversations)
    }
  }

  /// Whether the whole log has elements of the server and none of ours, so that our queries cannot
  /// be seen.
  private var isOneWay: Bool {
    get throws {
      struct Found: Error {}
      var hasInbound = false
      do {
        let last = try log.read { try $0.lastSequence }
        guard last > 0 else { return false }
        try log.forEachRecord(in: 1...last) { header, _ in
          guard header.kind == .element else { return }
          switch header.direction {
          case .outbound: throw Found()
          case .inbound: hasInbound = true
          case .none: break
          }
        }
      } catch is Found {
        return false
      }
      return hasInbound
    }
  }
}

extension RecordPosition {
  init(_ header: RecordHeader) {
    self.init(record: header.sequence, time: header.time, connection: header.connection)
  }
}

extension RecordReader {
  /// What a record means to conversations; nil if it means nothing.
  func conversationEvent(_ header: RecordHeader, _ bytes: RawSpan) -> ConversationEvent? {
    switch header.kind {
    case .element:
      guard let direction = Direction(header.direction), let node = element([UInt8](bytes)) else {
        return nil
      }
      return ConversationEvent(node, direction)
    case .streamHeader: return .session(.headerSeen)
    case .streamEnd: return Direction(header.direction).map { .session(.ended($0)) }
    case .lifecycle, .policy: return Lifecycle([UInt8](bytes))?.conversationEvent
    // Annotations say nothing about messages so far, and unreadable bytes have no meaning.
    default: return nil
    }
  }
}

extension Lifecycle {
  fileprivate var conversationEvent: ConversationEvent? {
    switch self {
    case .header(let account, let inboundOnly):
      .session(.captureBegan(account, isInboundOnly: inboundOnly))
    case .opened(let jid): .session(.opened(jid))
    case .resumed(let jid): .session(.continued(jid))
    case .closed: .session(.closed)
    case .recorded(let policy): .session(.recorded(policy))
    // A connection begins like a stream does.
    case .connected: .session(.headerSeen)
    case .secured, .verified, .unverified, .authenticated: nil
    }
  }
}
