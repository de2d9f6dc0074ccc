public import XMPPStanza

/// The error that answers a stanza (RFC 6120 §8.3).
public struct StanzaError: Error, Hashable, Sendable {
  /// What can be done about it: `auth`, `cancel`, `continue`, `modify` or `wait`; nil if missing.
  public let type: String?
  /// The name of the condition (RFC 6120 §8.3.3), such as `not-allowed`; nil if it has none.
  public let condition: String?
  /// What it says in words, on one line of at most 512 bytes; nil if it says nothing.
  public let text: String?

  /// An error from its parts.
  public init(type: String? = nil, condition: String?, text: String? = nil) {
    (self.type, self.condition, self.text) = (type, condition, text)
  }

  /// The error in a stanza; nil unless the stanza is of type `error`.
  public init?(_ stanza: XMPPElement) {
    guard stanza.attribute("type") == "error" else { return nil }
    let error = stanza.child("error", in: Namespace.client)
    let report = ErrorReport(error, in: Namespace.stanzaErrors)
    self.init(type: error?.attribute("type"), condition: report.condition, text: report.text)
  }
}

extension StanzaError: CustomStringConvertible {
  /// The condition and the words, as a clause for a person: `not-allowed: “Your list is full”`.
  public var description: String { ErrorReport(condition: condition, text: text).clause }
}
