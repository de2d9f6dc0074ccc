import NIOCore
import NIOPosix
import Synchronization

/// A network between a client and its server that a test can break.
final class Relay: Sendable {
  private let listener: any Channel
  private let state = Mutex(State())

  private struct State {
    var open: [any Channel] = []
    var count = 0
    var isDown = false
    var isMute = false
    /// After how many bytes to the server a connection is cut.
    var limit: Int?
  }

  /// - Parameter port: Of the server, on the loopback address.
  init(to port: Int) throws {
    let start = RelayStart(port)
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        client.eventLoop.makeCompletedFuture {
          try client.pipeline.syncOperations.addHandler(Entrance(start))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    start.relay.withLock { $0 = Weak(self) }
  }

  deinit { listener.close(promise: nil) }

  var port: Int { listener.localAddress?.port ?? 0 }

  /// How many connections there have been.
  var connections: Int { state.withLock { $0.count } }

  /// Cuts all connections that there are.
  func cut() {
    let open = state.withLock { state in
      defer { state.open = [] }
      return state.open
    }
    for channel in open { channel.close(promise: nil) }
  }

  /// Whether new connections are closed at once.
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Whether new connections are taken, and nothing comes of them.
  func setMute(_ isMute: Bool) { state.withLock { $0.isMute = isMute } }

  /// Cuts the next connections after so many bytes to the server.
  func setLimit(_ bytes: Int?) { state.withLock { $0.limit = bytes } }

  fileprivate enum Admission {
    case none, mute
    case through(limit: Int?)
  }

  fileprivate func admit(_ channel: any Channel) -> Admission {
    state.withLock { state in
      guard !state.isDown else { return .none }
      state.count += 1
      state.open.append(channel)
      return state.isMute ? .mute : .through(limit: state.limit)
    }
  }
}

private struct Weak {
  weak var relay: Relay?

  init(_ relay: Relay?) { self.relay = relay }
}

private final class RelayStart: Sendable {
  let relay = Mutex(Weak(nil))
  private let port: Int

  init(_ port: Int) { self.port = port }

  func begin(_ client: any Channel) {
    let limit: Int?
    switch relay.withLock({ $0.relay?.admit(client) }) ?? .none {
    case .none: return client.close(promise: nil)
    case .mute: return
    case .through(let bytes): limit = bytes
    }
    ClientBootstrap(group: client.eventLoop)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: port)
      .flatMapThrowing { server in
        try client.pipeline.syncOperations.addHandler(Glue(server, limit))
        try server.pipeline.syncOperations.addHandler(Glue(client, nil))
        client.read()
        server.read()
      }
      .whenFailure { _ in client.close(promise: nil) }
  }
}

/// Begins once a connection is there.
private final class Entrance: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let start: RelayStart

  init(_ start: RelayStart) { self.start = start }

  func channelActive(context: ChannelHandlerContext) { start.begin(context.channel) }
}

/// Hands on what comes on one channel to another.
private final class Glue: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let other: any Channel
  private let rest: Mutex<Int>

  init(_ other: any Channel, _ limit: Int?) {
    self.other = other
    rest = Mutex(limit ?? .max)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    let count = rest.withLock { rest in
      defer { rest -= min(rest, bytes.readableBytes) }
      return min(rest, bytes.readableBytes)
    }
    let isAll = count == bytes.readableBytes
    if let slice = bytes.readSlice(length: count) { other.writeAndFlush(slice, promise: nil) }
    guard isAll else {
      other.close(promise: nil)
      context.close(promise: nil)
      return
    }
    context.read()
  }

  func channelInactive(context: ChannelHandlerContext) {
    other.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
