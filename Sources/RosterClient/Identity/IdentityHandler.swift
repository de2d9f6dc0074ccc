import Foundation
import NIOCore
import NIOSSL
import NIOTLS

/// Checks right after the handshake that the certificate is the domain's.
///
/// Lets no data from inside TLS pass before that, and none ever if the check fails. The chain has
/// been validated by then. SwiftNIO's own check of names is off, because it also accepts a
/// certificate for the address that the connection goes to.
final class IdentityHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let domain: String
  private var isChecked = false

  /// - Parameter domain: The domain that the certificate has to name, in ASCII.
  init(domain: String) {
    self.domain = domain
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent, !isChecked else {
      return context.fireUserInboundEventTriggered(event)
    }
    do throws(LiveFailure) {
      try check(Security.facts(of: context.channel).certificate)
    } catch {
      context.fireErrorCaught(error)
      return context.close(promise: nil)
    }
    isChecked = true
    context.fireUserInboundEventTriggered(event)
  }

  /// NIOSSL does not say why it refused a certificate, so look at the certificate.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard !isChecked, case .certificate = LiveFailure(connection: error) else {
      return context.fireErrorCaught(error)
    }
    let certificate = Security.facts(of: context.channel).certificate
    let fault = CertificateFault(ofRefused: certificate, for: domain, at: Date())
    context.fireErrorCaught(LiveFailure.certificate(fault))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isChecked else { return }
    context.fireChannelRead(data)
  }

  private func check(_ certificate: [UInt8]?) throws(LiveFailure) {
    guard let certificate, let names = try? CertificateNames(certificateDER: certificate) else {
      throw .certificate(.unreadable)
    }
    guard names.match(domain) else {
      throw .certificate(.otherNames(names.mismatch(with: domain)))
    }
  }
}
