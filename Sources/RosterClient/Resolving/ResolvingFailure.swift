/// Why no server of a domain can be found.
public enum ResolvingFailure: Error, Hashable, Sendable {
  /// The domain says that it serves no clients of XMPP (RFC 6120 §3.2.1, XEP-0368).
  case notOffered(domain: String)
  /// Nobody could say where the servers of the domain are.
  case noAnswer(domain: String, reason: String)
  /// The domain can be no name of DNS.
  case impossibleName(domain: String)

  /// Whether to ask again makes no sense.
  package var isFinal: Bool {
    switch self {
    case .notOffered, .impossibleName: true
    case .noAnswer: false
    }
  }
}

extension ResolvingFailure: CustomStringConvertible {
  /// The reason in a sentence, for a person.
  public var description: String {
    switch self {
    case .notOffered(let domain):
      "\(domain) offers no XMPP to clients: its DNS names “.” as the server"
    case .noAnswer(let domain, let reason):
      "where the servers of \(domain) are cannot be found out: \(reason)"
    case .impossibleName(let domain): "“\(domain)” can be no name of a server"
    }
  }
}
