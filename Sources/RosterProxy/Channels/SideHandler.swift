import NIOCore
import NIOSSL
import NIOTLS

/// Passes the events of one side of a connection to the proxy, on the proxy's own thread.
final class SideHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let proxy: RecordingProxy
  private let side: ProxySide
  private let number: Int

  init(_ proxy: RecordingProxy, _ side: ProxySide, _ number: Int) {
    (self.proxy, self.side, self.number) = (proxy, side, number)
  }

  func channelActive(context: ChannelHandlerContext) {
    proxy.assumeIsolated { $0.readMore(of: number) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    proxy.assumeIsolated { $0.received(bytes, from: side, of: number) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    proxy.assumeIsolated { $0.receivedAll(from: side, of: number) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    proxy.assumeIsolated { $0.readMore(of: number) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    proxy.assumeIsolated { $0.ended(side, of: number) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Many close without TLS's close_notify; XMPP has its own end (RFC 6120 §4.4).
    if case NIOSSLError.uncleanShutdown = error { return }
    proxy.assumeIsolated { $0.failed(side, error, of: number) }
    context.close(promise: nil)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
      proxy.assumeIsolated { $0.handshakeCompleted(side, of: number) }
    }
    context.fireUserInboundEventTriggered(event)
  }
}

/// Checks whether a client's first byte begins a TLS handshake.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The first byte of a TLS handshake (RFC 8446 §5.1).
  private static let handshake: UInt8 = 22
  private let proxy: RecordingProxy
  private let number: Int

  init(_ proxy: RecordingProxy, _ number: Int) {
    (self.proxy, self.number) = (proxy, number)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard let first = bytes.readableBytesView.first else { return }
    let pipeline = context.pipeline.syncOperations
    if first == Self.handshake {
      let (proxy, number, loop) = (proxy, number, context.eventLoop)
      let decoder = ByteToMessageHandler(
        SNIHandler { result in
          let name: String? = if case .hostname(let name) = result { name } else { nil }
          let promise = loop.makePromise(of: Void.self)
          proxy.assumeIsolated { $0.helloReceived(for: name, of: number, resume: promise) }
          return promise.futureResult
        })
      do {
        try pipeline.addHandler(decoder, position: .after(self))
      } catch {
        return context.fireErrorCaught(error)
      }
    }
    context.fireChannelRead(data)
    pipeline.removeHandler(context: context, promise: nil)
  }
}
