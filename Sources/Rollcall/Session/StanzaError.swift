public import XMPPStanza

/// The error that answers a stanza (RFC 6120 §8.3).
public struct StanzaError: Error, Hashable, Sendable {
  /// What can be done about it: `auth`, `cancel`, `continue`, `modify` or `wait`; nil if missing.
  public let type: String?
  /// What is wrong; nil if the error has no condition.
  public let condition: StanzaCondition?
  /// What it says in words, on one line of at most 512 bytes; nil if it says nothing.
  public let text: String?

  /// An error from its parts.
  public init(type: String? = nil, condition: StanzaCondition?, text: String? = nil) {
    (self.type, self.condition, self.text) = (type, condition, text)
  }

  /// The error in a stanza; nil unless the stanza is of type `error`.
  public init?(_ stanza: XMPPElement) {
    guard stanza.attribute("type") == "error" else { return nil }
    self.init(error: stanza.child("error", in: Namespace.client))
  }

  /// The content of an `error` element.
  init(error: XMPPElement?) {
    let report = ErrorReport(error, in: Namespace.stanzaErrors)
    self.init(
      type: error?.attribute("type"), condition: report.condition.map { StanzaCondition($0) },
      text: report.text)
  }
}

extension StanzaError: CustomStringConvertible {
  /// The condition and the words, as a clause for a person: `not-allowed: “Your list is full”`.
  public var description: String { ErrorReport(condition: condition?.name, text: text).clause }
}
