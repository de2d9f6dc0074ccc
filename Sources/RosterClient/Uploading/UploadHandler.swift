import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS

/// Carries out an upload on its connection.
final class UploadHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let slot: UploadSlot
  private let file: OutgoingFile
  private let pause: TimeAmount
  private let outcome: EventLoopPromise<Void>
  private var exchange: UploadExchange
  private var timer: Scheduled<Void>?

  /// - Parameters:
  ///   - pause: The longest time without progress.
  ///   - outcome: Succeeds when the host has taken the file, and fails with `UploadFailure`.
  init(
    _ file: OutgoingFile, to slot: UploadSlot, pause: TimeAmount, outcome: EventLoopPromise<Void>
  ) {
    (self.slot, self.file, self.pause, self.outcome) = (slot, file, pause, outcome)
    exchange = UploadExchange(to: slot.host, size: file.bytes.count)
  }

  func channelActive(context: ChannelHandlerContext) {
    restartTimer(context)
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
      act(context) { $0.secured() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    act(context) { $0.answered(Int(head.status.code)) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    act(context) { $0.disconnected(.lost(host: slot.host, reason: "it was closed")) }
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Many servers close without TLS's close_notify.
    if case NIOSSLError.uncleanShutdown = error { return }
    act(context) { $0.disconnected(UploadFailure(error, from: slot.host)) }
  }

  private func act(
    _ context: ChannelHandlerContext, _ happened: (inout UploadExchange) -> [UploadExchange.Action]
  ) {
    for action in happened(&exchange) { carryOut(action, context) }
  }

  private func carryOut(_ action: UploadExchange.Action, _ context: ChannelHandlerContext) {
    switch action {
    case .sendHead: context.write(wrapOutboundOut(.head(head)), promise: nil)
    case .send(let range):
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      let written = context.eventLoop.makePromise(of: Void.self)
      // A write that failed is reported as an error of the channel.
      written.futureResult.whenSuccess {
        let (handler, context) = bound.value
        handler.restartTimer(context)
        handler.act(context) { $0.written() }
      }
      let bytes = ByteBuffer(bytes: file.bytes[range])
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: written)
    case .sendEnd:
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    case .finish(let failure):
      timer?.cancel()
      if let failure { outcome.fail(failure) } else { outcome.succeed() }
      context.close(promise: nil)
    }
  }

  private var head: HTTPRequestHead {
    var fields = HTTPHeaders([
      ("Host", slot.hostField), ("Content-Type", file.mediaType),
      ("Content-Length", "\(file.bytes.count)"), ("Connection", "close"),
    ])
    for field in slot.fields { fields.add(name: field.name, value: field.value) }
    return HTTPRequestHead(version: .http1_1, method: .PUT, uri: slot.target, headers: fields)
  }

  private func restartTimer(_ context: ChannelHandlerContext) {
    timer?.cancel()
    guard !exchange.isOver else { return }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: pause) {
      let (handler, context) = bound.value
      handler.act(context) { $0.timedOut() }
    }
  }
}

extension UploadFailure {
  /// The failure that an error of the connection amounts to.
  init(_ error: any Error, from host: String) {
    switch error as? HTTPParserError {
    case nil: break
    case .invalidEOFState:
      self = .lost(host: host, reason: "it was closed")
      return
    case _?:
      self = .lost(host: host, reason: "its answer is not of HTTP")
      return
    }
    switch LiveFailure(connection: error) {
    case .certificate(let fault): self = .certificate(host: host, fault)
    case .handshake(let fault): self = .handshake(host: host, fault)
    case .lost(let reason): self = .lost(host: host, reason: reason)
    case let failure: self = .lost(host: host, reason: "\(failure)")
    }
  }
}
