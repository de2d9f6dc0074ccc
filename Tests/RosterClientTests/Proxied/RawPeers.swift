import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport

/// A connection for raw bytes, which can stop reading.
final class Wire: Sendable {
  private let channel = Mutex<(any Channel)?>(nil)
  private let state = Mutex((heard: [UInt8](), isOver: false))

  /// A handler below a connection from its beginning, such as TLS.
  typealias Layer = @Sendable () throws -> any ChannelHandler

  /// Connects to a port of this machine.
  static func connected(
    to port: Int, reads: Bool = true, over layer: Layer? = nil
  ) async throws -> Wire {
    let wire = Wire()
    _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: reads)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .channelInitializer { wire.begin($0, over: layer) }
      .connect(host: "127.0.0.1", port: port).get()
    return wire
  }

  fileprivate func begin(_ channel: any Channel, over layer: Layer?) -> EventLoopFuture<Void> {
    self.channel.withLock { $0 = channel }
    return channel.eventLoop.makeCompletedFuture {
      if let layer { try channel.pipeline.syncOperations.addHandler(layer()) }
      try channel.pipeline.syncOperations.addHandler(WireHandler(self))
    }
  }

  func say(_ text: String) {
    channel.withLock { $0 }?.writeAndFlush(ByteBuffer(string: text), promise: nil)
  }

  func say(_ bytes: [UInt8]) {
    channel.withLock { $0 }?.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
  }

  /// Whether the network accepts more data.
  var isWritable: Bool { channel.withLock { $0 }?.isWritable ?? false }

  func setReading(_ reads: Bool) async throws {
    try await channel.withLock { $0 }?.setOption(.autoRead, value: reads).get()
  }

  /// Closes the output, and continues to read.
  func endOutput() { channel.withLock { $0 }?.close(mode: .output, promise: nil) }

  func close() { channel.withLock { $0 }?.close(promise: nil) }

  /// Whether the other side has closed its output.
  var isOver: Bool { state.withLock { $0.isOver } }
  var heardCount: Int { state.withLock { $0.heard.count } }
  var text: String { state.withLock { String(decoding: $0.heard, as: UTF8.self) } }

  /// Waits until it has received a text.
  func hears(_ text: String) async throws {
    let wanted = Data(text.utf8)
    try await Wire.wait(for: text) {
      state.withLock { Data($0.heard).range(of: wanted) != nil }
    }
  }

  /// Polls until a condition is met, limited by attempts and not by time.
  static func wait(
    for what: String, until condition: () async throws -> Bool
  ) async throws {
    for _ in 0..<6000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Tool.Failure(words: "no \(what)")
  }

  fileprivate func heard(_ bytes: ByteBuffer) {
    state.withLock { $0.heard += bytes.readableBytesView }
  }

  fileprivate func over() { state.withLock { $0.isOver = true } }
}

private final class WireHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let wire: Wire

  init(_ wire: Wire) { self.wire = wire }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    wire.heard(unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) { wire.over() }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let event = event as? ChannelEvent, event == .inputClosed else { return }
    wire.over()
    context.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    wire.over()
    context.close(promise: nil)
  }
}

/// A server that a test controls byte by byte.
final class RawServer: Sendable {
  private let listener: any Channel
  private let accepted: Accepted

  private final class Accepted: Sendable {
    let wires = Mutex<[Wire]>([])
  }

  /// - Parameter layer: The handler below each of its connections.
  init(over layer: Wire.Layer? = nil) throws {
    let accepted = Accepted()
    self.accepted = accepted
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        let wire = Wire()
        accepted.wires.withLock { $0.append(wire) }
        return wire.begin(channel, over: layer)
      }
      .bind(host: "127.0.0.1", port: 0).wait()
  }

  deinit { listener.close(promise: nil) }

  var port: Int { listener.localAddress?.port ?? 0 }

  /// The connection with a number, counted from 0, once it has been made.
  func wire(_ number: Int) async throws -> Wire {
    try await Wire.wait(for: "connection \(number)") {
      accepted.wires.withLock { $0.count } > number
    }
    return accepted.wires.withLock { $0[number] }
  }
}

/// Both ends of a stream without TLS, with a proxy between them.
struct RawStream {
  let client: Wire
  let server: Wire

  private let header: String

  static let header = header(to: "raw.test")

  private static func header(to domain: String) -> String {
    "<?xml version='1.0'?><stream:stream to='\(domain)' version='1.0' xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'>"
  }
  private static let sasl = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
  private static let bind = "xmlns='urn:ietf:params:xml:ns:xmpp-bind'"

  /// Begins a stream on a new connection.
  ///
  /// - Parameters:
  ///   - number: The number that the server's connection will have, counted from 0.
  ///   - domain: The domain that the client asks for.
  init(
    _ client: Wire, _ raw: RawServer, number: Int, to domain: String = "raw.test"
  ) async throws {
    self.client = client
    header = Self.header(to: domain)
    client.say(header)
    server = try await raw.wire(number)
    try await server.hears("streams'>")
    server.say(header + "<stream:features/>")
    try await client.hears("<stream:features/>")
  }

  /// Logs the client in.
  func logIn() async throws {
    client.say("<auth \(Self.sasl) mechanism='EXTERNAL'>=</auth>")
    try await server.hears("</auth>")
    server.say("<success \(Self.sasl)/>")
    try await client.hears("<success")
    client.say(header)
    server.say(header + "<stream:features><bind \(Self.bind)/></stream:features>")
    try await client.hears("</stream:features>")
  }

  /// Binds a resource for the client.
  func bindResource(_ jid: String) async throws {
    client.say("<iq type='set' id='b'><bind \(Self.bind)/></iq>")
    try await server.hears("id='b'")
    server.say("<iq type='result' id='b'><bind \(Self.bind)><jid>\(jid)</jid></bind></iq>")
    try await client.hears("</jid>")
  }

  /// A stanza that a test can recognize by its number.
  static func message(_ number: Int, padding: Int = 0) -> String {
    "<message id='m\(number)'><body>\(String(repeating: "x", count: padding))</body></message>"
  }

  /// The numbers of the stanzas in a text.
  static func numbers(in text: String) -> [Int] {
    text.matches(of: /id='m([0-9]+)'/).compactMap { Int($0.1) }
  }
}
