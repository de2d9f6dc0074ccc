/// What DNS says of a service of a domain.
package enum ServiceAnswer: Hashable, Sendable {
  /// Its servers, at least one.
  case servers([ServiceRecord])
  /// That it is not offered: the root as the only server (RFC 2782).
  case notOffered
  /// Nothing: there are no such records.
  case nothing
  /// There was no answer, or none that can be read: why, as a clause.
  case silence(String)

  /// Reads what a name server has sent.
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

/// Where clients connect to, by what DNS says of both services of a domain.
package enum ServiceChoice {
  /// The servers in the order in which they are to be tried.
  ///
  /// - Parameters:
  ///   - domain: that of an address, prepared.
  ///   - direct: what it says of `_xmpps-client`, whose connections begin with TLS.
  ///   - starting: what it says of `_xmpp-client`.
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
      // RFC 6120 §3.2.2, also where there was no answer: there may be no DNS here at all.
      return [.usual(of: domain.inASCII)]
    }
  }

  /// A server, and how it is connected to.
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

  /// The offers by priority, those of one priority by chance according to their weights (RFC 2782).
  package static func ordered(
    _ offers: [Offer], using generator: inout some RandomNumberGenerator
  ) -> [Offer] {
    Dictionary(grouping: offers, by: \.record.priority).sorted { $0.key < $1.key }
      .flatMap { drawn($0.value, using: &generator) }
  }

  private static func drawn(
    _ offers: [Offer], using generator: inout some RandomNumberGenerator
  ) -> [Offer] {
    // Those without weight stand in front, so that they are drawn at all, if seldom.
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
  /// Where a domain is served that says nothing else.
  static func usual(of host: String) -> ServerAddress {
    ServerAddress(host: host, port: usualPort(isDirectTLS: false), isDirectTLS: false)
  }
}
