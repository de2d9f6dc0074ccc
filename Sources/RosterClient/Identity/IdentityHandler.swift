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

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isChecked else { return }
    context.fireChannelRead(data)
  }

  private func check(_ certificate: [UInt8]?) throws(LiveFailure) {
    guard let certificate, let names = try? CertificateNames(certificateDER: certificate) else {
      throw .certificate(reason: "its names cannot be read")
    }
    guard names.match(domain) else {
      throw .certificate(reason: names.mismatch(with: domain))
    }
  }
}
