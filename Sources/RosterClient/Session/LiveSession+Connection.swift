import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Rollcall
import XMPPStanza

/// How a connection ended; `failure` is nil if both sides ended it in order.
struct ConnectionEnd: Hashable, Sendable {
  var failure: LiveFailure?
}

// Making connections, and replacing a lost one.
extension LiveSession {
  /// Connects, logs in, and waits for the roster, until the task is cancelled.
  func logIn() async throws(LiveFailure) {
    while true {
      do throws(LiveFailure) {
        return try await logInOnce()
      } catch {
        guard isSuspended || error == .suspended else { throw error }
      }
      while isSuspended, phase == .starting {
        await rest(for: nil)
        if Task.isCancelled { throw .cancelled }
      }
      guard phase == .starting else { throw .over }
    }
  }

  private func logInOnce() async throws(LiveFailure) {
    connectsAtOnce = false
    try await connect()
    if phase == .running { return }
    if let failure = await rosterAnswer(onCancel: { session, _ in session.abandonStart() }) {
      throw failure
    }
  }

  /// Drops the connection of a cancelled start, which also ends the wait.
  private func abandonStart() {
    guard phase == .starting else { return }
    act { $0.disconnected(.cancelled) }
    flush()
  }

  /// Connects and logs in.
  func connect() async throws(LiveFailure) {
    var failure: LiveFailure?
    for address in try await addresses() {
      do throws(LiveFailure) {
        return try await openByAnyPassword(address)
      } catch {
        // The next address is tried only if this one cannot be reached (RFC 6120 §3.2.1).
        guard case .unreachable = error else { throw error }
        failure = error
      }
    }
    throw failure ?? .resolving(.noAnswer(domain: login.account.domain, reason: "no address"))
  }

  private func addresses() async throws(LiveFailure) -> [ServerAddress] {
    if let server = login.server { return [server] }
    let domain = login.account.domain
    let lookup = loop.makeFutureWithTask {
      try await Resolver.addresses(of: domain, using: SystemRandomNumberGenerator())
    }
    do {
      return try await value(of: lookup)
    } catch let error as ResolvingFailure {
      throw .resolving(error)
    } catch {
      throw LiveFailure(connection: error)
    }
  }

  /// Returns a future's value. Throws `LiveFailure.cancelled` as soon as the task is cancelled.
  func value<Value: Sendable>(of future: EventLoopFuture<Value>) async throws -> Value {
    let promise = loop.makePromise(of: Value.self)
    future.cascade(to: promise)
    return try await withTaskCancellationHandler {
      try await promise.futureResult.get()
    } onCancel: {
      promise.fail(LiveFailure.cancelled)
    }
  }

  /// Tries both passwords if it is not known which of the two the server has.
  private func openByAnyPassword(_ address: ServerAddress) async throws(LiveFailure) {
    do throws(LiveFailure) {
      try await open(address)
    } catch {
      guard case .notAuthorized("not-authorized", _) = error, passwords.refused() else {
        throw error
      }
      try await open(address)
    }
  }

  private func open(_ address: ServerAddress) async throws(LiveFailure) {
    security = try Security.context(trusting: login.authority, isDirect: address.isDirectTLS)
    connections += 1
    let channel = try await channel(to: address, connections)
    let failure = await waiting { (waiter: FailureWaiter) in
      guard phase.connects, !isSuspended else {
        channel.close(promise: nil)
        return waiter.resume(returning: isSuspended ? .suspended : .notOnline)
      }
      // The end of the channel is reported from now on; an earlier end was not noticed.
      guard channel.isActive else {
        return waiter.resume(returning: .lost(reason: "it was closed at once"))
      }
      connectionWaiter = waiter
      begin(on: channel, to: address)
    } onCancel: {
      $0.abandonStart()
    }
    if let failure { throw failure }
  }

  private func begin(on channel: any Channel, to address: ServerAddress) {
    self.channel = channel
    intake.reset()
    clearInbox()
    machine = ClientMachine(clientLogin)
    machine?.namespaces = answeredNamespaces
    // A recording failure from the time without a connection does not end this one.
    (ending, wantsRead, waitsForWriting) = (nil, true, false)
    startTimeout(timeouts.login)
    act { $0.connected(to: "\(address)", isDirectTLS: address.isDirectTLS) }
    flush()
  }

  private func channel(
    to address: ServerAddress, _ number: Int
  ) async throws(LiveFailure) -> any Channel {
    let connecting = ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(timeouts.connection))
      // Reading waits until everything read before is on disk.
      .channelOption(.autoRead, value: false)
      // Each part of a read keeps a copy of the roster until the part is on disk.
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(StreamHandler(self, number))
        }
      }
      .connect(host: address.host, port: address.port)
    do {
      return try await value(of: connecting)
    } catch LiveFailure.cancelled {
      connecting.whenSuccess { $0.close(promise: nil) }
      throw .cancelled
    } catch {
      throw .unreachable(address, reason: error.reason)
    }
  }

  private var clientLogin: ClientLogin {
    ClientLogin(
      account: login.account, password: passwords.passwordToTry, resource: login.resource,
      allowsPlain: login.allowsPlain, registers: login.registers && !isRegistered,
      resumption: resumption,
      nonce: Data((0..<24).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString(),
      idPrefix: "\(idPrefix)\(connections)-")
  }

  /// Reconnects, with growing delays, until it succeeds or there is no point in trying.
  ///
  /// - Parameter failure: Why the last connection ended.
  func reconnect(after failure: LiveFailure) async {
    var failure = failure
    while phase == .running {
      await pause(because: failure)
      guard phase == .running else { return }
      if isSuspended { continue }
      connectsAtOnce = false
      enter(.connecting)
      do throws(LiveFailure) {
        return try await connect()
      } catch {
        if isSuspended || error == .suspended { continue }
        if error.isFinal || reconnection.isHopeless { return await end(error) }
        failure = error
      }
    }
  }

  // MARK: Events of the connection

  func handshakeCompleted(on number: Int) {
    guard number == connections, let channel else { return }
    let (version, certificate) = Security.facts(of: channel)
    let hash = certificate.flatMap { SASLChannel.serverEndPoint(ofCertificateDER: $0) }
    act { $0.secured(by: version, serverEndPoint: hash) }
    wantsRead = true
    flush()
  }

  // MARK: Actions

  /// Passes an event to the state machine and carries out the actions that it returns.
  func act(_ happened: (inout ClientMachine) -> ClientResult) {
    guard var machine else { return }
    let result = happened(&machine)
    self.machine = machine
    for action in result.actions { carryOut(action) }
  }

  /// - Parameter stamp: The record of the part of the stream that led to the action, if one did.
  func carryOut(_ action: ClientAction, after stamp: RecordStamp? = nil) {
    switch action {
    case .send(let bytes):
      guard record({ try session.sent(bytes, at: now) }) else { return }
      outbox.append(bytes)
    case .startTLS: beginTLS()
    case .derive(let derivation): derive(derivation)
    case .note(let lifecycle): record { try session.note(lifecycle, at: now) }
    case .online(let isResumed): online(isResumed: isResumed)
    case .answered(let name, let answer):
      // The stanza before it may be the one that could not be recorded.
      let answer = recordingFailure.map { RequestAnswer.failed($0) } ?? answer
      answers.append(NamedAnswer(name: name, answer: answer, stamp: stamp))
    case .finish(let failure): ending = ending ?? ConnectionEnd(failure: failure)
    }
  }

  private func beginTLS() {
    guard let channel, let security else { return }
    do throws(LiveFailure) {
      try Security.begin(on: channel, security, domain: login.account.domain.inASCII)
      wantsRead = true
    } catch {
      act { $0.disconnected(error) }
    }
  }

  /// Derives the keys on another thread, because that takes long enough to hold up connections.
  private func derive(_ derivation: SCRAMDerivation) {
    let number = connections
    NIOThreadPool.singleton
      .runIfActive(eventLoop: loop) {
        Result { () throws(SASLFailure) in try derivation.keys() }
      }
      .whenComplete { result in
        self.assumeIsolated { session in
          guard number == session.connections, session.ending == nil else { return }
          switch result {
          case .success(let keys): session.act { $0.derived(keys) }
          case .failure:
            session.act { $0.disconnected(.lost(reason: "no thread could derive the keys")) }
          }
          session.flush()
        }
      }
  }

  private func online(isResumed: Bool) {
    timer?.cancel()
    timer = nil
    // The request for this connection is fulfilled; the next one waits again.
    connectsAtOnce = false
    reconnection.wentOnline(at: now)
    passwords.accepted(isResumed: isResumed)
    (silence, isRegistered) = (Silence(), true)
    startBeat()
    if phase.connects { enter(.online(resumed: isResumed)) }
    connectionWaiter.take()?.resume(returning: nil)
    guard !isResumed else {
      // The answer to the request of an earlier connection can still arrive.
      if pendingFetch == nil { rosterSettled() } else { pendingFetch?.sent = now }
      return
    }
    resumption = nil
    // Requesting the roster before sending presence ensures every change is pushed (RFC 6121 §2.2).
    let fetch = try? session.decide(.fetch)
    pendingFetch = fetch.map { ($0.id, now, session.roster.position) }
    for element in fetch?.elements ?? [] { send(element.bytes) }
    send(XMPPElement.element("presence", "jabber:client").serialized())
    // The server pushes changes of the block list only after it was requested (XEP-0191 §3.5).
    let blocked = XMPPElement.element("blocklist", Namespace.blocking)
    send(XMPPElement.request("get", id: "\(idPrefix)\(connections)-blocked", blocked).serialized())
  }

  /// Sends a stanza.
  func send(_ stanza: [UInt8]) {
    act { $0.sent(stanza) }
  }

  // MARK: Time

  /// Milliseconds since 1970.
  var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// Starts the timeout of the current wait.
  func startTimeout(_ milliseconds: Int64) {
    timer?.cancel()
    let number = connections
    timer = loop.scheduleTask(in: .milliseconds(milliseconds)) {
      self.assumeIsolated { session in
        guard number == session.connections else { return }
        session.act { $0.timedOut() }
        session.flush()
      }
    }
  }

  private func startBeat() {
    beat?.cancel()
    let pause = TimeAmount.milliseconds(timeouts.beat)
    beat = loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
      self.assumeIsolated { $0.beatElapsed() }
    }
  }

  private func beatElapsed() {
    endOverdueWaits()
    act { $0.requestsAged(limit: timeouts.answerBeats) }
    flush()
    guard machine?.isOnline == true,
      silence.elapsed(
        written: written, unwritten: unwrittenBytes, limit: timeouts.silentBeats)
    else { return }
    act { $0.silenceElapsed() }
    flush()
  }
}
