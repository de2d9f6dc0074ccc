import NIOCore
import NIOSSL
import NIOTLS

/// Passes the events of a connection to its session, on the session's own thread.
final class StreamHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let session: LiveSession
  /// The connection's number in the session: an abandoned connection may still report events.
  private let number: Int

  init(_ session: LiveSession, _ number: Int) {
    self.session = session
    self.number = number
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    session.assumeIsolated { $0.bytesReceived(bytes, on: number) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    session.assumeIsolated { $0.readCompleted(on: number) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    session.assumeIsolated { $0.writabilityChanged(on: number) }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    session.assumeIsolated { $0.disconnected(.lost(reason: "it was closed"), on: number) }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Many servers close without TLS's close_notify; XMPP has its own end (RFC 6120 §4.4).
    if case NIOSSLError.uncleanShutdown = error { return }
    let failure = LiveFailure(connection: error)
    session.assumeIsolated { $0.disconnected(failure, on: number) }
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
      session.assumeIsolated { $0.handshakeCompleted(on: number) }
    }
    context.fireUserInboundEventTriggered(event)
  }
}
