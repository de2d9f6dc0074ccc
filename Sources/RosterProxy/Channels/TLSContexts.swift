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
  private var towardsClients: [String: (context: NIOSSLContext, made: Date)] = [:]
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
  mutating func towardsClient(of domain: String, at now: Date) throws -> NIOSSLContext {
    if let known = towardsClients[domain], now < known.made + Self.renewal, now >= known.made {
      return known.context
    }
    if towardsClients.count >= Self.mostDomains { towardsClients.removeAll() }
    let context = try authority.context(for: domain, at: now)
    towardsClients[domain] = (context, now)
    return context
  }
}
