package import NIOCore
package import NIOSSL

/// The client's TLS: its configuration, its start, and what a handshake negotiated.
package enum Security {
  /// Creates a TLS context for streams that trusts the system's roots and those in the file
  /// `authority`.
  ///
  /// - Throws: `LiveFailure` if the file of roots cannot be used.
  package static func context(trusting authority: String?, isDirect: Bool) throws(LiveFailure)
    -> NIOSSLContext
  {
    // XEP-0368 §3.
    try context(trusting: authority, protocols: isDirect ? ["xmpp-client"] : [])
  }

  /// Creates a TLS context that offers these protocols (RFC 7301).
  static func context(
    trusting authority: String?, protocols: [String]
  ) throws(LiveFailure) -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    // Only the chain is verified here; `IdentityHandler` checks the names.
    configuration.certificateVerification = .noHostnameVerification
    configuration.applicationProtocols = protocols
    let roots = try authority.map { path throws(LiveFailure) in
      try AuthorityFile.certificates(at: path)
    }
    if let roots { configuration.additionalTrustRoots = [.certificates(roots)] }
    do {
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw .handshake(.failed)
    }
  }

  /// Starts TLS on a channel.
  ///
  /// If the certificate is not the domain's, the channel reports the error
  /// `LiveFailure.certificate` instead of a completed handshake, and closes.
  ///
  /// - Parameters:
  ///   - context: From `context(trusting:isDirect:)`.
  ///   - domain: The domain that the certificate has to name, in ASCII.
  package static func begin(
    on channel: any Channel, _ context: NIOSSLContext, domain: String
  ) throws(LiveFailure) {
    do {
      // An address is not sent as the server name (RFC 6066 §3).
      let name = domain.addressBytes == nil ? domain : nil
      let handlers: [any ChannelHandler] = [
        try NIOSSLClientHandler(context: context, serverHostname: name),
        IdentityHandler(domain: domain),
      ]
      try channel.pipeline.syncOperations.addHandlers(handlers, position: .first)
    } catch {
      throw .handshake(.failed)
    }
  }

  /// The TLS version of a connection, and the server's certificate in DER.
  package static func facts(of channel: any Channel) -> (version: String?, certificate: [UInt8]?) {
    let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
    let version: String? =
      switch handler?.tlsVersion {
      case .tlsv12: "TLSv1.2"
      case .tlsv13: "TLSv1.3"
      default: nil
      }
    return (version, try? handler?.peerCertificate?.toDERBytes())
  }
}
