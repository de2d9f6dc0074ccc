import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server that says what a test wants, whether or not it may be said.
final class ScriptedServer: Sendable {
  /// When the client has said this, the server says that, and perhaps closes.
  struct Turn: Sendable {
    var heard: String
    var said: String
    var closes = false
    /// How many bytes go out at a time; all where nil.
    var piece: Int?
  }

  private let listener: any Channel
  private let heardText = Mutex("")

  /// - Parameter turns: In their order; each waits for its text after the one before.
  init(_ turns: [Turn]) throws {
    let box = Box()
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Script(turns) { text in box.server.withLock { $0.value?.take(text) } })
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    box.server.withLock { $0.value = self }
  }

  deinit { listener.close(promise: nil) }

  private struct Weak {
    weak var value: ScriptedServer?
  }

  private final class Box: Sendable {
    let server = Mutex(Weak())
  }

  var port: Int { listener.localAddress?.port ?? 0 }

  /// All that clients have said.
  var heard: String { heardText.withLock { $0 } }

  private func take(_ text: String) { heardText.withLock { $0 += text } }
}

private final class Script: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private var turns: ArraySlice<ScriptedServer.Turn>
  private let tell: (String) -> Void
  private var heard = ""

  init(_ turns: [ScriptedServer.Turn], _ tell: @escaping (String) -> Void) {
    (self.turns, self.tell) = (turns[...], tell)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let text = String(buffer: unwrapInboundIn(data))
    tell(text)
    heard += text
    while let turn = turns.first, let range = heard.range(of: turn.heard) {
      turns.removeFirst()
      heard = String(heard[range.upperBound...])
      say(turn, context)
    }
  }

  private func say(_ turn: ScriptedServer.Turn, _ context: ChannelHandlerContext) {
    var rest = ByteBuffer(string: turn.said)
    let piece = turn.piece ?? max(1, rest.readableBytes)
    while let bytes = rest.readSlice(length: min(piece, rest.readableBytes)),
      bytes.readableBytes > 0
    {
      context.writeAndFlush(NIOAny(bytes), promise: nil)
    }
    if turn.closes { context.close(promise: nil) }
  }
}
