/// A host and port to connect to.
public struct ServerAddress: Hashable, Sendable {
  /// A host name, or an IPv4 or IPv6 address without brackets.
  public var host: String
  /// The TCP port.
  public var port: Int
  /// Whether the connection begins with TLS (XEP-0368) instead of STARTTLS.
  public var isDirectTLS: Bool

  /// A server by its host and port.
  public init(host: String, port: Int, isDirectTLS: Bool) {
    self.host = host
    self.port = port
    self.isDirectTLS = isDirectTLS
  }

  /// Reads `HOST`, `HOST:PORT`, `[IPV6]` or `[IPV6]:PORT`.
  ///
  /// The default port is 5222, or 5223 if the connection begins with TLS.
  ///
  /// - Throws: `ServerAddressError` if the text does not name a server.
  public init(parsing text: String, isDirectTLS: Bool = false) throws(ServerAddressError) {
    let (host, port) = try Self.parts(text)
    self.host = try Self.host(host)
    self.port = try port.map(Self.port) ?? Self.defaultPort(isDirectTLS: isDirectTLS)
    self.isDirectTLS = isDirectTLS
  }

  /// The port to use if none is given.
  static func defaultPort(isDirectTLS: Bool) -> Int { isDirectTLS ? 5223 : 5222 }

  private static func parts(
    _ text: String
  ) throws(ServerAddressError) -> (host: Substring, port: Substring?) {
    let end: String.Index
    if text.hasPrefix("[") {
      guard let bracket = text.lastIndex(of: "]") else { throw .openBracket }
      end = text.index(after: bracket)
    } else {
      end = text.firstIndex(of: ":") ?? text.endIndex
      if text[end...].dropFirst().contains(":") { throw .bracketsMissing(text) }
    }
    guard end < text.endIndex else { return (text[..<end], nil) }
    guard text[end] == ":" else { throw .host(text) }
    return (text[..<end], text[text.index(after: end)...])
  }

  private static func host(_ text: Substring) throws(ServerAddressError) -> String {
    guard !text.isEmpty else { throw .noHost }
    let name = String(text)
    if let literal = name.addressLiteral { return literal }
    // A final dot marks the name as fully qualified, which it is anyway.
    let domain = (name.hasSuffix(".") ? String(name.dropLast()) : name).inASCII
    guard domain.isHostName else { throw .host(name) }
    return domain
  }

  private static func port(_ text: Substring) throws(ServerAddressError) -> Int {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let port = UInt16(text), port > 0
    else { throw .port(String(text)) }
    return Int(port)
  }
}

extension ServerAddress: CustomStringConvertible {
  /// The host and the port, in the form that `init(parsing:)` reads.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The reason why a text does not name a server.
public enum ServerAddressError: Error, Hashable, Sendable {
  /// There is nothing before the port.
  case noHost
  /// The host is neither a host name nor an address.
  case host(String)
  /// The port is not a number from 1 to 65535.
  case port(String)
  /// A bracket is not closed.
  case openBracket
  /// There are several colons, and no brackets to show which of them precedes the port.
  case bracketsMissing(String)
}

extension ServerAddressError: CustomStringConvertible {
  /// The reason as a clause, for a person.
  public var description: String {
    switch self {
    case .noHost: "there is no host"
    case .host(let text): "“\(text)” is neither a host name nor an address"
    case .port(let text): "“\(text)” is not a port: ports are numbers from 1 to 65535"
    case .openBracket: "the [ has no matching ]"
    case .bracketsMissing(let text):
      "“\(text)” has several colons: an IPv6 address is written in brackets, such as [::1]:5222"
    }
  }
}
