import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that sends whatever a test wants, legal or not.
final class ScriptedServer: Sendable {
  /// What the server sends, and perhaps does, once the client has sent a text.
  struct Turn: Sendable {
    var heard: String
    var said: String
    var closes = false
    /// The number of bytes to send at a time; nil for all.
    var piece: Int?
    /// Makes a text to send as well, from everything that the client has sent so far.
    var made: (@Sendable (String) -> String)?
    /// Bytes to send after all that.
    var bytes: [UInt8] = []
    var after = After.nothing
  }

  /// What happens after a turn's data is sent.
  enum After: Sendable {
    /// The server reads nothing, and sends texts made from ascending numbers as long as the network
    /// accepts them. Once the latch is open, it reads again and sends nothing more.
    case floods(Latch, @Sendable (Int) -> String)
    case nothing
    /// TLS begins.
    case tls
    /// The server ends its side of the connection.
    case endsOutput
    /// The connection is dropped without TLS's close_notify.
    case drops
    /// White space is sent without end.
    case trickles
  }

  /// A flag that a test sets once.
  final class Latch: Sendable {
    private let state = Atomic(false)
    var isOpen: Bool { state.load(ordering: .acquiring) }
    func open() { state.store(true, ordering: .releasing) }
  }

  /// How a server begins TLS.
  struct Security: Sendable {
    let context: NIOSSLContext
    var isDirect = false
  }

  private let listener: any Channel
  private let all = Mutex([Connection]())

  /// A connection: what the client has sent on it, and its end.
  private struct Connection {
    var heard = ""
    let closed: EventLoopFuture<Void>
  }

  /// - Parameter turns: The turns in order; each waits for its text after the previous one.
  convenience init(_ turns: [Turn]) throws { try self.init([turns], nil) }

  /// - Parameter scripts: One for each connection; the last one also serves later connections.
  init(_ scripts: [[Turn]], _ security: Security?) throws {
    let box = Box()
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      // The kernel lets the buffer of a busy connection grow to tens of megabytes, and would then
      // decide how much a client can send to a server that reads nothing.
      .childChannelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let number = box.server.withLock { $0.value?.begin(channel) } ?? 0
          let script = Script(scripts[min(number, scripts.count - 1)], security) { text in
            box.server.withLock { $0.value?.take(text, number) }
          }
          try channel.pipeline.syncOperations.addHandlers([Bottom(), script])
          if let security, security.isDirect { try security.begin(on: channel) }
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

  /// What clients have sent on each connection, once all have ended: a client's last data may
  /// arrive after its end.
  var heard: [String] {
    get async throws {
      for closed in all.withLock({ $0.map(\.closed) }) { try await closed.get() }
      return all.withLock { $0.map(\.heard) }
    }
  }

  /// Waits until a client has sent a text on the first connection.
  func hears(_ text: String) async throws {
    try await Wire.wait(for: text) {
      all.withLock { $0.first?.heard.contains(text) ?? false }
    }
  }

  private func begin(_ channel: any Channel) -> Int {
    all.withLock { all in
      all.append(Connection(closed: channel.closeFuture))
      return all.count - 1
    }
  }

  private func take(_ text: String, _ number: Int) { all.withLock { $0[number].heard += text } }
}

extension ScriptedServer.Security {
  fileprivate func begin(on channel: any Channel) throws {
    let tls = NIOSSLServerHandler(context: context)
    let bottom = try channel.pipeline.syncOperations.context(handlerType: Bottom.self)
    try channel.pipeline.syncOperations.addHandler(tls, position: .after(bottom.handler))
  }
}

/// Marks the position below TLS in the pipeline.
private final class Bottom: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
}

private final class Script: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private var turns: ArraySlice<ScriptedServer.Turn>
  private let security: ScriptedServer.Security?
  private let tell: (String) -> Void
  private var heard = ""
  private var all = ""

  init(
    _ turns: [ScriptedServer.Turn], _ security: ScriptedServer.Security?,
    _ tell: @escaping (String) -> Void
  ) {
    (self.turns, self.security, self.tell) = (turns[...], security, tell)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let text = String(buffer: unwrapInboundIn(data))
    tell(text)
    heard += text
    all += text
    while let turn = turns.first, let range = heard.range(of: turn.heard) {
      turns.removeFirst()
      heard = String(heard[range.upperBound...])
      say(turn, context)
    }
  }

  /// Some tests expect the client to break TLS off.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func say(_ turn: ScriptedServer.Turn, _ context: ChannelHandlerContext) {
    var rest = ByteBuffer(string: turn.said + (turn.made?(all) ?? ""))
    rest.writeBytes(turn.bytes)
    let piece = turn.piece ?? max(1, rest.readableBytes)
    while let bytes = rest.readSlice(length: min(piece, rest.readableBytes)),
      bytes.readableBytes > 0
    {
      context.writeAndFlush(NIOAny(bytes), promise: nil)
    }
    if turn.closes { context.close(promise: nil) }
    switch turn.after {
    case .nothing: break
    case .tls: try? security?.begin(on: context.channel)
    case .endsOutput: context.close(mode: .output, promise: nil)
    case .drops:
      try? context.pipeline.syncOperations.context(handlerType: Bottom.self).close(promise: nil)
    case .trickles: trickle(context)
    case .floods(let latch, let make):
      try? context.channel.syncOptions?.setOption(.autoRead, value: false)
      flood(context, latch, make, from: 0)
    }
  }

  private func flood(
    _ context: ChannelHandlerContext, _ latch: ScriptedServer.Latch,
    _ make: @escaping @Sendable (Int) -> String, from number: Int
  ) {
    guard context.channel.isActive else { return }
    guard !latch.isOpen else {
      try? context.channel.syncOptions?.setOption(.autoRead, value: true)
      return
    }
    let next = context.channel.isWritable ? number + 100 : number
    if next > number {
      let text = (number..<next).map(make).joined()
      context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: next > number ? .zero : .milliseconds(1)) {
      let (script, context) = bound.value
      script.flood(context, latch, make, from: next)
    }
  }

  private func trickle(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    context.writeAndFlush(NIOAny(ByteBuffer(string: " ")), promise: nil)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .milliseconds(5)) {
      let (script, context) = bound.value
      script.trickle(context)
    }
  }
}
