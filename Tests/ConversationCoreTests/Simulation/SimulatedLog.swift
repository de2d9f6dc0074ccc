import TestSupport
import XMPPStanza

@testable import ConversationCore

/// The log of one or two devices: what they wrote and received, in the order of their records.
struct SimulatedLog {
  /// One record.
  struct Line {
    enum Content {
      case received(String)
      case sent(String)
      case header
      case bound(String)
      /// The connection is gone, after the end of the stream if it was ended in order.
      case ended, closed
    }
    var connection: UInt32
    var time: Int64
    var content: Content
  }

  private(set) var lines: [Line] = []

  mutating func append(_ content: Line.Content, on connection: UInt32, at time: Int64) {
    lines.append(Line(connection: connection, time: time, content: content))
  }

  /// The conversations that the reducer derives.
  var conversations: Conversations {
    var state = Conversations(account: bare(Dialogue.account))
    for (index, line) in lines.enumerated() {
      state.reduce(
        line.content.event,
        at: RecordPosition(
          record: UInt64(index + 1), time: line.time, connection: line.connection))
    }
    return state
  }

  /// The log as text, for a seed that fails.
  var text: String {
    lines.enumerated().map { "\($0 + 1) c\($1.connection) \($1.time % 100_000_000) \($1.content)" }
      .joined(separator: "\n")
  }
}

extension SimulatedLog.Line.Content {
  fileprivate var event: ConversationEvent {
    switch self {
    case .received(let xml): ConversationEvent(element(xml), .inbound)
    case .sent(let xml): ConversationEvent(element(xml), .outbound)
    case .header: .session(.headerSeen)
    case .bound(let jid): .session(.bound(address(jid), management: []))
    case .ended: .session(.ended(.outbound))
    case .closed: .session(.closed)
    }
  }
}
