import Captures
package import SessionCore

extension RecordingPolicy {
  /// Reads the record of a policy; nil for any other.
  package init?(record bytes: [UInt8]) {
    guard case .recorded(let policy)? = Lifecycle(bytes) else { return nil }
    self = policy
  }

  /// What is kept from its record on, as a clause.
  package var clause: String {
    self == .everything
      ? "from here on, the recorder keeps everything"
      : "from here on, the recorder keeps \(parts.joined(separator: " and "))"
  }

  private var parts: [String] {
    let messages: String? =
      switch self.messages {
      case .none: "no messages"
      case .heads: "only the heads of messages"
      case .all: nil
      }
    let acknowledgements: String? =
      switch self.acknowledgements {
      case .news: "only acknowledgements that say something new"
      case .all: nil
      }
    return [messages, acknowledgements].compactMap { $0 }
  }
}
