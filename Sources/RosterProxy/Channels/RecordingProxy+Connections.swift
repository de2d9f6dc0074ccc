import Captures
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Rollcall
import RosterClient

// The events of connections, and the actions that follow.
extension RecordingProxy {
  // MARK: Events

  func helloReceived(for domain: String?, of number: Int, resume: EventLoopPromise<Void>) {
    guard let connection = connections[number], !connection.isClosing else {
      return resume.fail(ChannelError.ioOnClosedChannel)
    }
    connection.hello = resume
    act(on: number) { $0.helloReceived(for: domain) }
  }

  func received(_ bytes: [UInt8], from side: ProxySide, of number: Int) {
    guard let connection = connections[number] else { return }
    perform(on: connection) { $0.heard(bytes.count, from: side) }
    let units = connection.intakes[side]?.take(bytes) ?? []
    for (index, unit) in units.enumerated() {
      let began = connection.machine.isBeginningTLS
      perform(on: connection) { $0.received(unit, from: side) }
      guard !began, connection.machine.isBeginningTLS else { continue }
      // The very next byte has to be TLS, so any more bytes were injected.
      if index < units.count - 1 { perform(on: connection) { $0.injected(by: side) } }
      for side in ProxySide.allCases {
        if connection.intakes[side]?.isBetweenElements == false {
          perform(on: connection) { $0.injected(by: side) }
        }
        connection.intakes[side]?.reset()
      }
    }
    if !connection.machine.isAuthenticated {
      for unit in connection.intakes[side]?.giveUp() ?? [] {
        perform(on: connection) { $0.received(unit, from: side) }
      }
    }
    // Data that arrived together is passed on together.
    flush(connection)
  }

  /// Passes on the beginning of an element that one side did not finish.
  private func receiveRest(from side: ProxySide, of number: Int) {
    for unit in connections[number]?.intakes[side]?.finish() ?? [] {
      act(on: number) { $0.received(unit, from: side) }
    }
  }

  func receivedAll(from side: ProxySide, of number: Int) {
    connections[number]?.wantsRead.insert(side)
    readMore(of: number)
  }

  func ended(_ side: ProxySide, of number: Int) {
    guard let connection = connections[number] else { return }
    connection.channels[side] = nil
    receiveRest(from: side, of: number)
    act(on: number) { $0.ended(side) }
    if connection.channels.isEmpty { over(connection) }
  }

  func failed(_ side: ProxySide, _ error: any Error, of number: Int) {
    receiveRest(from: side, of: number)
    act(on: number) { $0.failed(side, LiveFailure(connection: error)) }
  }

  func handshakeCompleted(_ side: ProxySide, of number: Int) {
    guard let connection = connections[number], let channel = connection.channels[side] else {
      return
    }
    connection.securing.remove(side)
    connection.wantsRead = Set(ProxySide.allCases)
    switch side {
    case .client:
      act(on: number) { $0.secured(.client, by: nil, endPoint: connection.endPoint) }
    case .server:
      let (version, certificate) = Security.facts(of: channel)
      let endPoint = certificate.flatMap(SASLChannel.serverEndPoint)
      act(on: number) { $0.secured(.server, by: version, endPoint: endPoint) }
    }
  }

  // MARK: Actions

  /// Passes an event to the connection's machine, carries out its actions, and writes.
  func act(on number: Int, _ happened: (inout ProxyMachine) -> [ProxyAction]) {
    guard let connection = connections[number] else { return }
    perform(on: connection, happened)
    flush(connection)
  }

  /// Passes an event to the connection's machine and carries out its actions, without writing.
  private func perform(
    on connection: ProxiedConnection, _ happened: (inout ProxyMachine) -> [ProxyAction]
  ) {
    for action in happened(&connection.machine) { carryOut(action, connection) }
    guard connection.machine.isAuthenticated, let timer = connection.timer else { return }
    timer.cancel()
    connection.timer = nil
  }

  private func carryOut(_ action: ProxyAction, _ connection: ProxiedConnection) {
    switch action {
    case .connect(let domain):
      let number = connection.number
      inBackground { await $0.connect(number, to: domain) }
    case .send(let side, let bytes): connection.outputs.append(.bytes(to: side, bytes))
    case .record(let part, let side):
      record(connection) { try $0.take(part, side.direction, at: now) }
    case .note(let lifecycle): record(connection) { try $0.note(lifecycle, at: now) }
    case .reportRefusal(let name, let refusal):
      let path = connection.recording.unboundPath
      eventContinuation.yield(.loginRefused(connection.number, name, refusal, path: path))
    case .beginTLS(let side, let domain):
      connection.outputs.append(.tls(on: side, domain: domain))
    case .derive(let derivation): derive(derivation, for: connection.number)
    case .finish(let end):
      connection.end = end
      connection.outputs.append(.finish)
    }
  }

  private func record(
    _ connection: ProxiedConnection, _ body: (ConnectionRecording) throws -> [SessionStep]
  ) {
    guard connection.end?.isRecording != true else { return }
    do {
      let before = connection.recording.account
      let steps = try body(connection.recording)
      if let account = connection.recording.account, account != before,
        let path = connection.recording.path
      {
        eventContinuation.yield(.bound(connection.number, account, path: path))
      }
      let findings = steps.flatMap(\.outcome.findings)
      recorded(steps.count, findings: findings.count)
      if !findings.isEmpty {
        eventContinuation.yield(.found(connection.number, connection.recording.account, findings))
      }
      startDurabilityCheck(connection)
    } catch {
      unrecordable(connection, error)
    }
  }

  /// Starts checking that recorded data reaches the disk, if no check is running. If it does not,
  /// the connection ends.
  private func startDurabilityCheck(_ connection: ProxiedConnection) {
    guard connection.watch.dataRecorded(at: uptime) else { return }
    let number = connection.number
    inBackground { await $0.checkDurability(number) }
  }

  private func checkDurability(_ number: Int) async {
    guard let connection = connections[number] else { return }
    do {
      var isMore = true
      while isMore {
        try await connection.recording.durable(at: now)
        let delay: Int64
        (delay, isMore) = connection.watch.written(at: uptime)
        wrote(after: delay)
        readMore(of: number)
      }
    } catch {
      unrecordable(connection, error)
      write(connection)
    }
  }

  /// Drops data that cannot be recorded, so that it is not passed on, and ends the connection.
  private func unrecordable(_ connection: ProxiedConnection, _ error: any Error) {
    let error = RollcallError(error)
    connection.outputs = []
    connection.end = ProxyEnd(.failed(.recording(error)))
    for action in connection.machine.unrecorded(error) { carryOut(action, connection) }
  }

  /// Derives the keys on another thread, because that takes long enough to hold up connections.
  private func derive(_ derivation: SCRAMDerivation, for number: Int) {
    NIOThreadPool.singleton
      .runIfActive(eventLoop: loop) {
        Result { () throws(SASLFailure) in try derivation.keys() }
      }
      .whenSuccess { keys in
        self.assumeIsolated { proxy in proxy.act(on: number) { $0.derived(keys) } }
      }
  }

  // MARK: The wire

  private func flush(_ connection: ProxiedConnection) {
    guard settings.isDurable else { return write(connection) }
    guard !connection.isFlushing else { return }
    connection.isFlushing = true
    let number = connection.number
    inBackground { await $0.flushDurably(number) }
  }

  private func flushDurably(_ number: Int) async {
    guard let connection = connections[number] else { return }
    while !connection.outputs.isEmpty {
      let count = connection.outputs.count
      do {
        try await connection.recording.durable(at: now)
        write(connection, upTo: count)
      } catch {
        unrecordable(connection, error)
        write(connection)
      }
    }
    connection.isFlushing = false
    readMore(of: number)
  }

  private func write(_ connection: ProxiedConnection, upTo count: Int = .max) {
    let outputs = connection.outputs.prefix(count)
    connection.outputs.removeFirst(outputs.count)
    for output in outputs {
      switch output {
      case .bytes(let side, let bytes):
        connection.channels[side]?.write(ByteBuffer(bytes: bytes), promise: nil)
      case .tls(let side, let domain): beginTLS(connection, side, domain)
      case .finish: finish(connection)
      }
    }
    for channel in connection.channels.values { channel.flush() }
  }

  /// Reads from the sides that may be read from, if the opposite side is writable.
  func readMore(of number: Int) {
    guard let connection = connections[number], !connection.isClosing else { return }
    // While the disk is late, nothing is read, to limit what could be lost; reading resumes after.
    guard !connection.watch.isOverdue(at: uptime) else { return }
    for side in connection.wantsRead where connection.outputs.isEmpty {
      // Without a connection to the server, only the client's first data is read.
      let takes = connection.channels[side.other].map(\.isWritable) ?? connection.isFirst(side)
      guard takes, let channel = connection.channels[side] else { continue }
      connection.wantsRead.remove(side)
      channel.read()
    }
  }

  private func beginTLS(_ connection: ProxiedConnection, _ side: ProxySide, _ domain: String) {
    guard let channel = connection.channels[side] else { return }
    channel.flush()
    connection.securing.insert(side)
    do {
      switch side {
      case .server:
        let context = try contexts.towardsServer(isDirect: connection.hello != nil)
        try Security.begin(on: channel, context, domain: domain.inASCII)
      case .client:
        let identity = try contexts.towardsClient(of: domain.inASCII, at: Date())
        connection.endPoint = identity.endPoint
        let handler = NIOSSLServerHandler(context: identity.context)
        let pipeline = channel.pipeline.syncOperations
        let own = try pipeline.handler(type: SideHandler.self)
        try pipeline.addHandler(handler, position: .before(own))
        connection.hello.take()?.succeed(())
      }
      connection.wantsRead.insert(side)
      let number = connection.number
      loop.execute { self.assumeIsolated { $0.readMore(of: number) } }
    } catch {
      let failure = (error as? LiveFailure) ?? .handshake(.failed)
      act(on: connection.number) { $0.failed(side, failure) }
    }
  }

  /// Closes the output to both sides once everything is written, and reads both to their end.
  ///
  /// If a side closes a connection with unread data, the opposite side may never receive the last
  /// data (RFC 2525 §2.17).
  private func finish(_ connection: ProxiedConnection) {
    guard !connection.isClosing else { return }
    connection.isClosing = true
    connection.timer?.cancel()
    connection.hello.take()?.fail(ChannelError.ioOnClosedChannel)
    if connection.end?.isRecording != true {
      do {
        let reason = connection.end.flatMap { $0.isInOrder ? nil : $0.description }
        try connection.recording.close(reason, at: now)
      } catch {
        connection.end = ProxyEnd(.failed(.recording(RollcallError(error))))
      }
    }
    connection.recording.giveUp()
    for (side, channel) in connection.channels {
      // A side in an unfinished handshake cannot be sent anything.
      if connection.securing.contains(side) {
        channel.close(promise: nil)
        continue
      }
      channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
        channel.close(mode: .output, promise: nil)
      }
      try? channel.syncOptions?.setOption(.autoRead, value: true)
      // A side that does not read, or does not stop sending, is cut off.
      loop.scheduleTask(in: .milliseconds(settings.closeTimeout)) { channel.close(promise: nil) }
    }
    if connection.channels.isEmpty { over(connection) }
  }

  private func over(_ connection: ProxiedConnection) {
    guard connections[connection.number] != nil else { return }
    // Forget it first, so that a watcher of the event no longer counts it.
    forget(connection.number)
    let end = connection.end ?? ProxyEnd(.dropped(.client))
    eventContinuation.yield(.over(connection.number, end))
  }

  // MARK: The server

  private func connect(_ number: Int, to domain: String) async {
    guard let connection = connections[number] else { return }
    let isDirect = connection.hello != nil
    var reason = "no address"
    do {
      for address in try await addresses(of: domain, isDirect: isDirect) {
        do {
          let channel = try await self.channel(to: address, number)
          guard connections[number] != nil, !connection.isClosing else {
            return channel.close(promise: nil)
          }
          if let other = own.connected(
            number, from: channel.localAddress, to: channel.remoteAddress)
          {
            // Closed after reporting: otherwise the connection would seem to be ended by the
            // server.
            ledToItself(number, through: other, by: address)
            return channel.close(promise: nil)
          }
          connection.channels[.server] = channel
          connection.serverAddress = address
          connection.wantsRead = Set(ProxySide.allCases)
          act(on: number) { $0.connected(to: "\(address)") }
          return readMore(of: number)
        } catch {
          reason = "\(address): \(error.reason)"
        }
      }
    } catch {
      reason = error.reason
    }
    act(on: number) { $0.unreachable(reason) }
  }

  /// Ends a client's connection that leads back to this proxy, and the one that it arrived at.
  func ledToItself(_ number: Int, through other: Int, by address: ServerAddress?) {
    let words = address.map { "\($0)" } ?? "its server's address"
    for number in [number, other] { act(on: number) { $0.ledToItself(by: words) } }
  }

  private func addresses(of domain: String, isDirect: Bool) async throws -> [ServerAddress] {
    if let upstream = settings.upstream { return [upstream] }
    let all = try await Resolver.addresses(of: domain, using: SystemRandomNumberGenerator())
    return all.filter { $0.isDirectTLS == isDirect }
  }

  private func channel(to address: ServerAddress, _ number: Int) async throws -> any Channel {
    try await ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(settings.connectTimeout))
      .channelOption(.autoRead, value: false)
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(SideHandler(self, .server, number))
        }
      }
      .connect(host: address.host, port: address.port).get()
  }
}

extension ProxiedConnection {
  /// Whether this is a client that has not named its server yet.
  fileprivate func isFirst(_ side: ProxySide) -> Bool { side == .client && machine.isUnbegun }
}

extension ProxyEnd {
  fileprivate var isRecording: Bool {
    if case .failed(.recording) = cause { true } else { false }
  }
}
