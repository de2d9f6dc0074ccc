import Captures
import Foundation
import NIOCore
import NIOPosix
package import RosterClient
import Synchronization

/// A proxy between any client and its server that records both.
///
/// The logic is in `ProxyMachine`; this actor owns the connections, TLS and the logs, all on one
/// thread.
package actor RecordingProxy {
  let settings: ProxySettings
  let loop: any EventLoop
  private let taskExecutor: LoopTaskExecutor
  let logs: AccountLogs
  var contexts: TLSContexts
  var connections: [Int: ProxiedConnection] = [:]
  var own = OwnConnections()
  private var count = 0
  private var listener: (any Channel)?
  private var isStopping = false
  private var stopWaiters: [CheckedContinuation<Void, Never>] = []
  private var logClosingTask: RepeatedTask?
  private nonisolated let tally = Mutex((counts: ProxyCounts(), meter: DelayMeter()))

  /// The events of the proxy, for one watcher.
  package nonisolated let events: AsyncStream<ProxyEvent>
  let eventContinuation: AsyncStream<ProxyEvent>.Continuation

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.executor.asUnownedSerialExecutor()
  }

  /// Creates a proxy that does not listen yet.
  ///
  /// - Throws: An error if the folder cannot be created.
  package init(_ settings: ProxySettings) throws {
    self.settings = settings
    loop = MultiThreadedEventLoopGroup.singleton.any()
    taskExecutor = LoopTaskExecutor(loop)
    logs = try AccountLogs(settings.folder)
    try logs.restoreSessions(at: Date())
    contexts = TLSContexts(settings)
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(10_000))
  }

  /// Starts to listen.
  ///
  /// - Returns: The address, with the port that was chosen.
  /// - Throws: An error if it cannot listen there.
  package func start() async throws -> ServerAddress {
    let interval = TimeAmount.milliseconds(settings.idleLogTimeout)
    logClosingTask = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      self.assumeIsolated { $0.logs.closeUnused(since: $0.now - $0.settings.idleLogTimeout) }
    }
    let channel = try await ServerBootstrap(group: loop)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 1024)
      .childChannelOption(.autoRead, value: false)
      // Reads no more at a time than is passed on before the proxy can pause reading.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelInitializer { client in
        client.eventLoop.makeCompletedFuture {
          let number = self.assumeIsolated { $0.accepted(client) }
          let pipeline = client.pipeline.syncOperations
          try pipeline.addHandler(FirstByteHandler(self, number))
          try pipeline.addHandler(SideHandler(self, .client, number))
        }
      }
      .bind(host: settings.listen.host, port: settings.listen.port).get()
    listener = channel
    var address = settings.listen
    address.port = channel.localAddress?.port ?? address.port
    return address
  }

  /// Ends all streams in order, and closes the logs.
  ///
  /// - Throws: `RollcallError` if some of the recorded data could not be written.
  package func stop() async throws {
    isStopping = true
    try? await listener?.close().get()
    for number in connections.keys.sorted() { act(on: number) { $0.stopped() } }
    if !connections.isEmpty {
      loop.scheduleTask(in: .milliseconds(settings.closeTimeout)) {
        self.assumeIsolated { proxy in
          for connection in proxy.connections.values { connection.abandon() }
        }
      }
      await withCheckedContinuation { stopWaiters.append($0) }
    }
    eventContinuation.finish()
    logClosingTask?.cancel()
    try logs.close()
  }

  /// A client has connected.
  private func accepted(_ client: any Channel) -> Int {
    count += 1
    let nonces = settings.termination == nil ? [] : Self.nonces()
    let connection = ProxiedConnection(
      count, client, ConnectionRecording(logs),
      ProxyMachine(
        allowsPlain: settings.allowsPlain,
        isClientLocal: client.remoteAddress?.endpoint?.isLoopback ?? false,
        secrets: settings.termination, nonces: nonces),
      settings.limits)
    connections[count] = connection
    tally.withLock { ($0.counts.open, $0.counts.connections) = (connections.count, count) }
    eventContinuation.yield(.accepted(count, from: client.remoteAddress.map(\.hostAndPort) ?? "?"))
    let number = count
    if let first = own.accepted(number, from: client.remoteAddress, at: client.localAddress) {
      // Not before the client's channel is ready.
      loop.execute {
        self.assumeIsolated {
          $0.ledToItself(first, through: number, by: $0.connections[first]?.serverAddress)
        }
      }
    }
    connection.timer = loop.scheduleTask(in: .milliseconds(settings.loginTimeout)) {
      self.assumeIsolated { proxy in proxy.act(on: number) { $0.timedOut() } }
    }
    return number
  }

  /// Both connections are closed.
  func forget(_ number: Int) {
    connections[number] = nil
    own.ended(number)
    tally.withLock { $0.counts.open = connections.count }
    guard connections.isEmpty, isStopping else { return }
    for waiter in stopWaiters { waiter.resume() }
    stopWaiters = []
  }

  /// Runs an operation in a task of its own.
  func inBackground(_ operation: @escaping @Sendable (isolated RecordingProxy) async -> Void) {
    Task(executorPreference: taskExecutor) { await operation(self) }
  }

  private static func nonces() -> [String] {
    (0..<ProxyMachine.nonces).map { _ in
      Data((0..<24).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }
  }

  /// Milliseconds since 1970.
  var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// Milliseconds of a monotonic clock.
  nonisolated var uptime: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

  // MARK: Counts

  /// The counts so far.
  package nonisolated var counts: ProxyCounts {
    tally.withLock { tally in
      tally.counts.delay = tally.meter.delay(at: uptime)
      return tally.counts
    }
  }

  /// The number of bytes that wait in all connections.
  package var heldBytes: Int { connections.values.reduce(0) { $0 + $1.heldBytes } }

  /// The number of open logs.
  package var openLogs: Int { logs.openCount }

  func recorded(_ records: Int, findings: Int) {
    tally.withLock { tally in
      tally.counts.records += records
      tally.counts.findings += findings
    }
  }

  /// Recorded data reached the disk after this many milliseconds.
  func wrote(after delay: Int64) {
    tally.withLock { $0.meter.add(delay, at: uptime) }
  }
}

extension SocketAddress {
  /// The IP address and the port.
  fileprivate var hostAndPort: String {
    ServerAddress(host: ipAddress ?? "?", port: port ?? 0, isDirectTLS: false).description
  }
}
