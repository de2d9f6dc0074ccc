#if Inspect
  import NIOCore
  import NIOHTTPTypes

  /// Closes a connection whose reader takes less than one part of an answer within the limit:
  /// otherwise, readers that do not read could take all connections.
  ///
  /// A part has up to 64 KiB, so a reader that takes that much in ten seconds is left alone.
  final class WriteDeadline: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The longest that a part may wait, in seconds.
    private static let limit: Int64 = 10

    /// How many parts are neither written nor failed.
    private var pending = 0
    private var deadline: Scheduled<Void>?

    func write(
      context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
      let written = promise ?? context.eventLoop.makePromise(of: Void.self)
      pending += 1
      if pending == 1 { begin(context) }
      written.futureResult.assumeIsolated().whenComplete { _ in
        self.pending -= 1
        self.deadline?.cancel()
        self.deadline = nil
        if self.pending > 0 { self.begin(context) }
      }
      context.write(data, promise: written)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      deadline?.cancel()
      deadline = nil
    }

    private func begin(_ context: ChannelHandlerContext) {
      deadline = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(Self.limit)) {
        context.close(promise: nil)
      }
    }
  }
#endif
