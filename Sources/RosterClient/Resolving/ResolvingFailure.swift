/// The reason why no server of a domain can be found.
public enum ResolvingFailure: Error, Hashable, Sendable {
  /// The domain declares that it does not serve XMPP clients (RFC 6120 §3.2.1, XEP-0368).
  case notOffered(domain: String)
  /// DNS gave no usable answer about the servers of the domain.
  case noAnswer(domain: String, reason: String)
  /// The domain cannot be a name in DNS.
  case impossibleName(domain: String)

  /// Whether it is useless to ask again.
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
      "the servers of \(domain) cannot be looked up: \(reason)"
    case .impossibleName(let domain): "“\(domain)” cannot be the name of a server"
    }
  }
}
