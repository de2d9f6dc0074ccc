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
    /// The number of bytes to the server after which a connection is cut.
    var limit: Int?
    /// The seed of the next rough connections.
    var roughness: UInt64?
    /// The seed of the next delayed connections.
    var lag: UInt64?
  }

  /// - Parameter port: The port of the server, on the loopback address.
  init(to port: Int) throws {
    let start = RelayStart(port)
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { client in
        client.eventLoop.makeCompletedFuture {
          try client.pipeline.syncOperations.addHandler(RelayAcceptor(start))
        }
      }
      .bind(host: "127.0.0.1", port: 0).wait()
    start.relay.withLock { $0 = Weak(self) }
  }

  deinit { listener.close(promise: nil) }

  var port: Int { listener.localAddress?.port ?? 0 }

  /// The number of connections so far.
  var connections: Int { state.withLock { $0.count } }

  /// Cuts all open connections.
  func cut() {
    let open = state.withLock { state in
      defer { state.open = [] }
      return state.open
    }
    for channel in open { channel.close(promise: nil) }
  }

  /// Sets whether new connections are closed at once.
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Sets whether new connections are accepted but never answered.
  func setMute(_ isMute: Bool) { state.withLock { $0.isMute = isMute } }

  /// Cuts the next connections after a number of bytes to the server.
  func setLimit(_ bytes: Int?) { state.withLock { $0.limit = bytes } }

  /// Forwards the data of the next connections in pieces, and cuts them at some time, by a seed;
  /// nil for a normal network.
  func setRoughness(_ seed: UInt64?) { state.withLock { $0.roughness = seed } }

  /// Forwards the data of the next connections in delayed pieces, by a seed; nil for a normal
  /// network.
  func setLag(_ seed: UInt64?) { state.withLock { $0.lag = seed } }

  fileprivate enum Admission {
    case none, mute
    case through(limit: Int?)
    case rough(seed: UInt64)
    case late(seed: UInt64)
  }

  fileprivate func admit(_ channel: any Channel) -> Admission {
    state.withLock { state in
      guard !state.isDown else { return .none }
      state.count += 1
      state.open.append(channel)
      guard !state.isMute else { return .mute }
      if let seed = state.lag { return .late(seed: seed &+ UInt64(state.count) &* 2) }
      guard let seed = state.roughness else { return .through(limit: state.limit) }
      return .rough(seed: seed &+ UInt64(state.count) &* 2)
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
    let admission = relay.withLock({ $0.relay?.admit(client) }) ?? .none
    switch admission {
    case .none: return client.close(promise: nil)
    case .mute: return
    case .through, .rough, .late: break
    }
    ClientBootstrap(group: client.eventLoop)
      .channelOption(.autoRead, value: false)
      .connect(host: "127.0.0.1", port: port)
      .flatMapThrowing { server in
        try client.pipeline.syncOperations.addHandler(admission.handler(server, isToServer: true))
        try server.pipeline.syncOperations.addHandler(admission.handler(client, isToServer: false))
        client.read()
        server.read()
      }
      .whenFailure { _ in client.close(promise: nil) }
  }
}

extension Relay.Admission {
  fileprivate func handler(_ other: any Channel, isToServer: Bool) -> any ChannelHandler {
    switch self {
    case .none, .mute: RelayHandler(other, nil)
    case .through(let limit): RelayHandler(other, isToServer ? limit : nil)
    case .rough(let seed): RoughRelayHandler(other, seed: isToServer ? seed : seed &+ 1)
    case .late(let seed): RoughRelayHandler(other, lagging: isToServer ? seed : seed &+ 1)
    }
  }
}

/// Starts relaying once a client has connected.
private final class RelayAcceptor: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let start: RelayStart

  init(_ start: RelayStart) { self.start = start }

  func channelActive(context: ChannelHandlerContext) { start.begin(context.channel) }
}

/// Forwards the data of one channel to another.
private final class RelayHandler: ChannelInboundHandler, Sendable {
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
