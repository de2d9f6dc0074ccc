package import Captures
package import ConversationCore
package import RosterCore
package import XMPPStanza

/// A finding as lists show it: about the roster and its sessions, or about messages.
package enum ListedFinding: Hashable, Sendable {
  case roster(Finding)
  case message(ConversationFinding)

  /// The record at which it showed.
  package var record: UInt64 {
    switch self {
    case .roster(let finding): finding.record
    case .message(let finding): finding.record
    }
  }

  /// The earlier record that it goes back to; nil if there is none.
  package var cause: UInt64? {
    switch self {
    case .roster(let finding): finding.cause
    case .message: nil
    }
  }

  /// The contact that it is about, or the room; nil if it is about neither.
  package var contact: BareJID? {
    switch self {
    case .roster(let finding): finding.contact
    case .message(let finding): finding.contact?.bare
    }
  }

  /// The device that it is about, if there are several.
  package var device: String? {
    switch self {
    case .roster(let finding): finding.device
    case .message: nil
    }
  }

  /// The name of its kind.
  package var code: String {
    switch self {
    case .roster(let finding): finding.code.rawValue
    case .message(let finding): finding.code.rawValue
    }
  }

  /// How much it matters.
  package var severity: Finding.Severity {
    switch self {
    case .roster(let finding): finding.severity
    case .message(let finding): finding.severity
    }
  }

  /// A sentence for a person.
  package var sentence: String {
    switch self {
    case .roster(let finding): finding.sentence
    case .message(let finding): finding.sentence
    }
  }
}

extension JSONValue {
  /// Findings, as `rollcall findings --json` prints them.
  package init(_ findings: [ListedFinding], of account: BareJID?) {
    self = .object([
      "account": JSONValue(account?.text),
      "findings": .array(findings.map { JSONValue($0) }),
    ])
  }

  /// A finding as `rollcall findings --json` lists it.
  package init(_ finding: ListedFinding) {
    switch finding {
    case .roster(let finding): self.init(finding)
    case .message(let message):
      self = .object([
        "code": .string(finding.code), "severity": .string(finding.severity.rawValue),
        "record": JSONValue(message.record), "cause": .null,
        "contact": JSONValue(finding.contact?.text), "device": .null, "count": .integer(1),
        "first": JSONValue(message.record), "last": JSONValue(message.record),
        "sentence": .string(message.sentence),
      ])
    }
  }
}
