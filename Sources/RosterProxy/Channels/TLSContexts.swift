import Foundation
import NIOSSL
import RosterClient

/// What TLS is begun with, made once: a list of all roots takes more than a megabyte, and a
/// certificate a signature.
struct TLSContexts {
  private let authority: LocalAuthority
  private let upstreamAuthority: String?
  /// By whether TLS begins with the connection.
  private var towardsServers: [Bool: NIOSSLContext] = [:]
  /// By the domain that the certificate is for.
  private var towardsClients: [String: (identity: Identity, made: Date)] = [:]

  /// What a client is shown.
  struct Identity {
    let context: NIOSSLContext
    /// The hash of its certificate (RFC 5929 §4.1).
    let endPoint: [UInt8]?
  }

  /// Half of the time that a certificate is good, in seconds.
  private static let renewal = 43_200.0
  /// Who asks for more domains than this has no use for them.
  private static let mostDomains = 1000

  init(_ settings: ProxySettings) {
    (authority, upstreamAuthority) = (settings.authority, settings.upstreamAuthority)
  }

  /// TLS as the client of a server.
  mutating func towardsServer(isDirect: Bool) throws(LiveFailure) -> NIOSSLContext {
    if let context = towardsServers[isDirect] { return context }
    let context = try Security.context(trusting: upstreamAuthority, isDirect: isDirect)
    towardsServers[isDirect] = context
    return context
  }

  /// TLS as the server of a domain, in ASCII.
  mutating func towardsClient(of domain: String, at now: Date) throws -> Identity {
    if let known = towardsClients[domain], now < known.made + Self.renewal, now >= known.made {
      return known.identity
    }
    if towardsClients.count >= Self.mostDomains { towardsClients.removeAll() }
    let (context, certificate) = try authority.context(for: domain, at: now)
    let identity = Identity(
      context: context, endPoint: SASLChannel.serverEndPoint(ofCertificateDER: certificate))
    towardsClients[domain] = (identity, now)
    return identity
  }
}
