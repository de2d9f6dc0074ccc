package import NIOCore
package import NIOSSL

/// TLS as the client speaks it.
package enum Security {
  /// - Throws: `LiveFailure` where the file of roots cannot be used.
  package static func context(trusting authority: String?, isDirect: Bool) throws(LiveFailure)
    -> NIOSSLContext
  {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    // The chain only; `IdentityHandler` checks whose the certificate is.
    configuration.certificateVerification = .noHostnameVerification
    // XEP-0368 §3.
    if isDirect { configuration.applicationProtocols = ["xmpp-client"] }
    do {
      if let authority {
        let roots = try NIOSSLCertificate.fromPEMFile(authority)
        configuration.additionalTrustRoots = [.certificates(roots)]
      }
      return try NIOSSLContext(configuration: configuration)
    } catch {
      throw authority.map { .authority(path: $0, reason: "\(error)") }
        ?? .handshake(reason: "\(error)")
    }
  }

  /// Puts TLS under all that is read and written from now on. If the certificate is not the
  /// domain's, the channel reports `LiveFailure.certificate` as its error in place of the end of
  /// the handshake, and closes.
  ///
  /// - Parameters:
  ///   - context: From `context(trusting:isDirect:)`.
  ///   - domain: Whose the certificate has to be, in ASCII.
  package static func begin(
    on channel: any Channel, _ context: NIOSSLContext, domain: String
  ) throws(LiveFailure) {
    do {
      // An address is no name for the server to choose a certificate by (RFC 6066 §3).
      let name = domain.addressBytes == nil ? domain : nil
      let handlers: [any ChannelHandler] = [
        try NIOSSLClientHandler(context: context, serverHostname: name),
        IdentityHandler(domain: domain),
      ]
      try channel.pipeline.syncOperations.addHandlers(handlers, position: .first)
    } catch {
      throw .handshake(reason: "\(error)")
    }
  }

  /// The version of TLS, and the certificate in DER.
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
