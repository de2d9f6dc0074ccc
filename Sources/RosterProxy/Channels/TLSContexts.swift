import Foundation
import NIOSSL
import RosterClient

/// The TLS contexts of a proxy, cached because a list of all roots takes more than a megabyte, and
/// each certificate takes a signature.
struct TLSContexts {
  private let authority: LocalAuthority
  private let upstreamAuthority: String?
  /// The contexts by `isDirect`.
  private var towardsServers: [Bool: NIOSSLContext] = [:]
  /// The identities by domain.
  private var towardsClients: [String: (identity: Identity, made: Date)] = [:]

  /// What the proxy presents to a client.
  struct Identity {
    let context: NIOSSLContext
    /// The hash of its certificate (RFC 5929 §4.1).
    let endPoint: [UInt8]?
  }

  /// Half of a certificate's lifetime, in seconds.
  private static let renewal = 43_200.0
  /// No real use needs more domains than this.
  private static let domainLimit = 1000

  init(_ settings: ProxySettings) {
    (authority, upstreamAuthority) = (settings.authority, settings.upstreamAuthority)
  }

  /// The TLS context for connections to servers.
  mutating func towardsServer(isDirect: Bool) throws(LiveFailure) -> NIOSSLContext {
    if let context = towardsServers[isDirect] { return context }
    let context = try Security.context(trusting: upstreamAuthority, isDirect: isDirect)
    towardsServers[isDirect] = context
    return context
  }

  /// The identity for clients of a domain, in ASCII.
  mutating func towardsClient(of domain: String, at now: Date) throws -> Identity {
    if let known = towardsClients[domain], now < known.made + Self.renewal, now >= known.made {
      return known.identity
    }
    if towardsClients.count >= Self.domainLimit { towardsClients.removeAll() }
    let (context, certificate) = try authority.context(for: domain, at: now)
    let identity = Identity(
      context: context, endPoint: SASLChannel.serverEndPoint(ofCertificateDER: certificate))
    towardsClients[domain] = (identity, now)
    return identity
  }
}
