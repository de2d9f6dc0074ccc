/// What DNS says about a service of a domain.
package enum ServiceAnswer: Hashable, Sendable {
  /// Its servers, at least one.
  case servers([ServiceRecord])
  /// The service is not offered: the root is its only server (RFC 2782).
  case notOffered
  /// There are no records of the service.
  case nothing
  /// There was no answer, or an unreadable one; the text says why, as a clause.
  case silence(String)

  /// Reads the answer of a name server.
  package init(_ bytes: [UInt8]) {
    do throws(DNSProblem) {
      self.init(try DNSAnswer.services(in: bytes))
    } catch {
      self = .silence("the answer of DNS cannot be read: \(error.rawValue)")
    }
  }

  private init(_ records: [ServiceRecord]) {
    let servers = records.filter { !$0.target.isEmpty && $0.port > 0 }
    if !servers.isEmpty {
      self = .servers(servers)
    } else {
      self = records.contains { $0.target.isEmpty } ? .notOffered : .nothing
    }
  }

  fileprivate var servers: [ServiceRecord] {
    if case .servers(let servers) = self { servers } else { [] }
  }
}

/// Selects the servers to connect to, from the DNS answers for both services of a domain.
package enum ServiceChoice {
  /// The servers, in the order in which to try them.
  ///
  /// - Parameters:
  ///   - domain: The domain of an XMPP address, prepared.
  ///   - direct: The answer for `_xmpps-client`, whose connections begin with TLS.
  ///   - starting: The answer for `_xmpp-client`.
  package static func addresses(
    of domain: String, direct: ServiceAnswer, starting: ServiceAnswer,
    using generator: inout some RandomNumberGenerator
  ) throws(ResolvingFailure) -> [ServerAddress] {
    // XEP-0368 §5: both in one list, as if they were records of one service.
    let offers =
      direct.servers.map { Offer(record: $0, isDirectTLS: true) }
      + starting.servers.map { Offer(record: $0, isDirectTLS: false) }
    guard offers.isEmpty else { return ordered(offers, using: &generator).map(\.address) }
    switch (direct, starting) {
    case (.notOffered, .silence(let reason)), (.silence(let reason), .notOffered):
      throw .noAnswer(domain: domain, reason: reason)
    case (.notOffered, _), (_, .notOffered): throw .notOffered(domain: domain)
    default:
      // RFC 6120 §3.2.2. Also if there was no answer: there may be no DNS here at all.
      return [.defaultServer(of: domain.inASCII)]
    }
  }

  /// A server, and whether its connections begin with TLS.
  package struct Offer: Hashable {
    package var record: ServiceRecord
    package var isDirectTLS: Bool

    package init(record: ServiceRecord, isDirectTLS: Bool) {
      self.record = record
      self.isDirectTLS = isDirectTLS
    }

    fileprivate var address: ServerAddress {
      ServerAddress(host: record.target, port: Int(record.port), isDirectTLS: isDirectTLS)
    }
  }

  /// The offers by priority; those of equal priority in random order by weight (RFC 2782).
  package static func ordered(
    _ offers: [Offer], using generator: inout some RandomNumberGenerator
  ) -> [Offer] {
    Dictionary(grouping: offers, by: \.record.priority).sorted { $0.key < $1.key }
      .flatMap { drawn($0.value, using: &generator) }
  }

  private static func drawn(
    _ offers: [Offer], using generator: inout some RandomNumberGenerator
  ) -> [Offer] {
    // Offers without weight come first, so that they are chosen at all, if seldom.
    var rest = offers.filter { $0.record.weight == 0 } + offers.filter { $0.record.weight > 0 }
    var drawn: [Offer] = []
    var sum = rest.reduce(0) { $0 + Int($1.record.weight) }
    while !rest.isEmpty {
      var left = Int.random(in: 0...sum, using: &generator)
      let index = rest.firstIndex { offer in
        left -= Int(offer.record.weight)
        return left <= 0
      }
      let offer = rest.remove(at: index ?? 0)
      sum -= Int(offer.record.weight)
      drawn.append(offer)
    }
    return drawn
  }
}

extension ServerAddress {
  /// The server of a domain without service records.
  static func defaultServer(of host: String) -> ServerAddress {
    ServerAddress(host: host, port: defaultPort(isDirectTLS: false), isDirectTLS: false)
  }
}
