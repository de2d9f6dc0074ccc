import NIOCore
import Synchronization
import TestSupport

/// Forwards data in pieces of any size, some delayed, and stops in the middle of one: it closes
/// both sides, or sends nothing more to either.
final class RoughRelayHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  fileprivate struct State {
    var random: SeededGenerator
    var waiting = ByteBuffer()
    /// The number of bytes that it still forwards.
    var rest: Int
    /// Whether it stops without closing the connection.
    let isSilent: Bool
    /// The longest delay of a piece, in microseconds; one piece of `oneOf` is delayed.
    let lag: (most: Int64, oneOf: Int)
    var isPumping = false
    var isEnding = false
  }

  fileprivate enum Turn {
    case hand(ByteBuffer, after: Int64)
    case read, close, stop
  }

  private let other: any Channel
  private let state: Mutex<State>

  init(_ other: any Channel, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Some break during the login.
    let most = Bool.random(using: &random) ? 4_000 : 40_000
    let rest = Int.random(in: 0..<most, using: &random)
    let isSilent = Int.random(in: 0..<8, using: &random) == 0
    state = Mutex(State(random: random, rest: rest, isSilent: isSilent, lag: (5_000, 4)))
    self.other = other
  }

  /// Forwards everything, each piece up to 20 ms late.
  init(_ other: any Channel, lagging seed: UInt64) {
    let random = SeededGenerator(seed: seed)
    state = Mutex(State(random: random, rest: .max, isSilent: false, lag: (20_000, 1)))
    self.other = other
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let isFirst = state.withLock { state in
      state.waiting.writeImmutableBuffer(unwrapInboundIn(data))
      defer { state.isPumping = true }
      return !state.isPumping
    }
    if isFirst { pump(context.channel) }
  }

  private func pump(_ channel: any Channel) {
    switch state.withLock({ $0.turn() }) {
    case .hand(let piece, let delay):
      other.writeAndFlush(piece, promise: nil)
      guard delay > 0 else { return channel.eventLoop.execute { self.pump(channel) } }
      channel.eventLoop.scheduleTask(in: .microseconds(delay)) { self.pump(channel) }
    case .read: channel.read()
    case .stop: break
    case .close:
      other.close(promise: nil)
      channel.close(promise: nil)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    let isIdle = state.withLock { state in
      state.isEnding = true
      return !state.isPumping
    }
    if isIdle { other.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}

extension RoughRelayHandler.State {
  fileprivate mutating func turn() -> RoughRelayHandler.Turn {
    guard waiting.readableBytes > 0 else {
      isPumping = false
      return isEnding ? .close : .read
    }
    guard rest > 0 else { return isSilent && !isEnding ? .stop : .close }
    // Random by magnitude, so that small pieces are as frequent as large ones.
    let most = min(1 << Int.random(in: 0...14, using: &random), waiting.readableBytes, rest)
    let piece = waiting.readSlice(length: Int.random(in: 1...most, using: &random))
    waiting.discardReadBytes()
    rest -= piece?.readableBytes ?? 0
    let isLate = Int.random(in: 0..<lag.oneOf, using: &random) == 0
    return .hand(
      piece ?? ByteBuffer(), after: isLate ? Int64.random(in: 1...lag.most, using: &random) : 0)
  }
}
