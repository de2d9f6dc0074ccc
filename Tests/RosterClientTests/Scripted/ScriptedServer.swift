import Foundation
import NIOCore
import NIOPosix
import NIOSSL
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
    /// What is said besides, by what the client has said on the connection so far.
    var made: (@Sendable (String) -> String)?
    /// Said after all that, as it is.
    var bytes: [UInt8] = []
    var after = After.nothing
  }

  /// What happens after the words of a turn.
  enum After: Sendable {
    /// The server reads nothing, and says what this makes of each number as long as the network
    /// takes it. Once the latch is open it reads again, and says nothing more.
    case floods(Latch, @Sendable (Int) -> String)
    case nothing
    /// TLS begins.
    case tls
    /// The server ends its side of the connection.
    case endsOutput
    /// The connection is gone, without the word that TLS has for that.
    case drops
    /// White space comes, without end.
    case trickles
  }

  /// Opened once, by a test.
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

  /// A connection: what the client has said on it, and when it is over.
  private struct Connection {
    var heard = ""
    let closed: EventLoopFuture<Void>
  }

  /// - Parameter turns: In their order; each waits for its text after the one before.
  convenience init(_ turns: [Turn]) throws { try self.init([turns], nil) }

  /// - Parameter scripts: One for each connection; the last for those that follow too.
  init(_ scripts: [[Turn]], _ security: Security?) throws {
    let box = Box()
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      // The kernel lets the buffer of a busy connection grow to tens of megabytes: how much a
      // client says to a server that reads nothing would be the kernel's doing.
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

  /// What clients have said on each connection, once all are over: what a client says last may come
  /// after it has gone.
  var heard: [String] {
    get async throws {
      for closed in all.withLock({ $0.map(\.closed) }) { try await closed.get() }
      return all.withLock { $0.map(\.heard) }
    }
  }

  /// Waits until a client has said something on the first connection.
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

/// What is below TLS.
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

  /// A client that breaks TLS off is what some tests want.
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
