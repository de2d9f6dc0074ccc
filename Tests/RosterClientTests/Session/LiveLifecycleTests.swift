import NIOCore
import NIOPosix
@testable import Rollcall
@testable import RosterClient
import TestSupport
import Testing

/// A port that never accepts connections: the system completes the first, and leaves the others
/// without an answer.
private final class SilentListener {
  private let listener: any Channel
  private let first: any Channel

  init() throws {
    listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 0)
      .serverChannelOption(.autoRead, value: false)
      .bind(host: "127.0.0.1", port: 0).wait()
    first = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0).wait()
  }

  deinit { for channel in [first, listener] { channel.close(promise: nil) } }

  var port: Int { listener.localAddress?.port ?? 0 }
}

extension LiveSession {
  /// Handles the timeouts of all commands, as after a minute without an answer.
  fileprivate func giveUpCommands() {
    for answer in session.timeouts(at: now + 120_000) { commandAnswered(answer) }
  }

  /// Changes the session's state, as only a test may.
  fileprivate func change(_ body: @Sendable (isolated LiveSession) -> Void) { body(self) }

  /// Receives a text while sent data is still being written to disk.
  fileprivate func receiveWhileRecording(_ text: String) {
    guard isFlushing, !outbox.isEmpty else {
      return bytesReceived(Array(text.utf8), on: connections)
    }
    loop.execute { self.assumeIsolated { $0.receiveWhileRecording(text) } }
  }
}

@Suite(
  "Calls of a session end with their outcome", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct LiveLifecycleTests {
  private typealias Turn = ScriptedServer.Turn
  private typealias Words = LoginScript

  // MARK: Starting

  @Test("A session whose start failed for a temporary reason can be started again")
  func startedAgain() async throws {
    let life = try RelayedSession(RelayedSession.online)
    life.relay.setDown(true)
    var updates = await life.session.updates().makeAsyncIterator()
    _ = await updates.next()
    for _ in 0..<2 {
      let failure = await life.failureOfStart()
      #expect(failure?.isFinal == false, "\(failure as Any)")
      try await life.session.annotate(.starred(RelayedSession.bob, true))
    }
    life.relay.setDown(false)
    #expect(await life.failureOfStart() == nil)
    #expect(await life.session.roster.item(RelayedSession.bob)?.groups == ["Work"])
    #expect(await updates.next() != nil, "the watcher still receives updates")
    #expect(await life.failureOfStart() == .alreadyStarted)
    await life.session.close()
    #expect(await life.failureOfStart() == .over)
  }

  @Test("A session that ended for good, or was closed before it began, cannot be started")
  func over() async throws {
    let life = try RelayedSession(Words.last)
    #expect(await life.failureOfStart() == .stream(condition: "host-gone", text: nil))
    #expect(await life.failureOfStart() == .over)
    var updates = await life.session.updates().makeAsyncIterator()
    #expect(await updates.next() != nil)
    #expect(await updates.next() == nil)
    var screens = await life.session.screens().makeAsyncIterator()
    #expect(await screens.next() != nil)
    #expect(await screens.next() == nil)
    let closed = try RelayedSession(RelayedSession.online)
    await closed.session.close()
    #expect(await closed.failureOfStart() == .over)
  }

  @Test("A start whose task is cancelled ends, and can be tried again", arguments: [false, true])
  func cancelledStart(isLoggedIn: Bool) async throws {
    // Before the server sends anything, or while the session waits for the roster.
    let silent = isLoggedIn ? Words.online + [Turn(heard: "jabber:iq:roster", said: "")] : []
    let life = try RelayedSession(silent, RelayedSession.online)
    let start = Task { await life.failureOfStart() }
    if isLoggedIn {
      try await life.wait { !$0.rosterWaiters.isEmpty }
    } else {
      // Wait for the relay to connect to the server, or the next connection would be the first.
      try await life.server.hears("<stream:stream")
      try await life.wait { $0.connectionWaiter != nil }
    }
    start.cancel()
    #expect(await start.value == .cancelled)
    #expect(await life.failureOfStart() == nil)
    await life.session.close()
  }

  @Test("A start whose task is cancelled does not wait for a server that does not answer")
  func cancelledConnecting() async throws {
    let silent = try SilentListener()
    var login = LiveLogin(account: Talk.account, password: Password(Words.password))
    login.server = ServerAddress(host: "127.0.0.1", port: silent.port, isDirectTLS: false)
    var timeouts = LiveTimeouts()
    timeouts.connection = 20_000
    let session = try LiveSession(login, recordingTo: nil, timeouts: timeouts)
    let start = Task { () async throws -> Void in try await session.start() }
    while await session.connections == 0 { try await Task.sleep(for: .milliseconds(5)) }
    start.cancel()
    await #expect(throws: LiveFailure.cancelled) { try await start.value }
    await session.close()
    withExtendedLifetime(silent) {}
  }

  @Test("A connection that is lost before the roster is known ends the start")
  func lostStart() async throws {
    let life = try RelayedSession(
      Words.online + [Turn(heard: "jabber:iq:roster", said: "", closes: true)],
      RelayedSession.online)
    let failure = await life.failureOfStart()
    #expect(failure?.isFinal == false, "\(failure as Any)")
    #expect(await life.failureOfStart() == nil)
    await life.session.close()
  }

  @Test("A start that resumes a session ends with its roster, however long the session was lost")
  func resumedStart() async throws {
    let silent = Array(RelayedSession.counted.dropLast())
    let resumed = RelayedSession.resuming + [Words.roster(RelayedSession.kept)]
    let life = try RelayedSession(silent, resumed) { $0.answer = 3_600_000 }
    let lost = Task { await life.failureOfStart() }
    try await life.wait { !$0.rosterWaiters.isEmpty && $0.machine?.resumption != nil }
    life.relay.cut()
    #expect(await lost.value?.isFinal == false)
    await life.session.giveUpCommands()
    let start = Task { await life.failureOfStart() }
    try await life.wait { $0.roster.item(RelayedSession.bob) != nil }
    #expect(await life.session.holds { $0.phase == .running })
    start.cancel()
    #expect(await start.value == nil)
    await life.session.close()
  }

  @Test("A session that is closed while it starts ends both calls")
  func closedStart() async throws {
    let life = try RelayedSession([])
    let start = Task { await life.failureOfStart() }
    try await life.wait { $0.connectionWaiter != nil }
    await life.session.close()
    #expect(await start.value == .over)
  }

  // MARK: The roster

  @Test("A start succeeds if the server refuses the roster, and then no set is sent")
  func refusedRoster() async throws {
    let refusal = Turn(heard: "jabber:iq:roster", said: "") { heard in
      let id = Words.id(heard, before: "<query xmlns=\"jabber:iq:roster\"")
      return """
        <iq type='error' id='\(id)'><error type='auth'><forbidden \
        xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
        """
    }
    let life = try RelayedSession(Words.online + [refusal])
    #expect(await life.failureOfStart() == nil)
    #expect(
      await life.failureOfRename() == .invalid(.rosterRefused(condition: "forbidden")))
    await life.session.close()
    #expect(try await !life.server.heard.joined().contains("<item"))
  }

  @Test("A start ends if the server does not send the roster, and then no set is sent")
  func overdueRoster() async throws {
    let life = try RelayedSession(Words.online + [Turn(heard: "jabber:iq:roster", said: "")]) {
      ($0.answer, $0.beat, $0.silentBeats) = (50, 10, .max)
    }
    #expect(await life.failureOfStart() == nil)
    #expect(await life.failureOfRename() == .invalid(.rosterNotKnown))
    await life.session.close()
    #expect(try await !life.server.heard.joined().contains("<item"))
  }

  @Test("After a lost session a command waits for the roster of the new one")
  func newSession() async throws {
    let later = Turn(heard: "go on", said: "") { heard in
      let id = Words.id(heard, before: "<query xmlns=\"jabber:iq:roster\"")
      return """
        <iq type='result' id='\(id)'><query xmlns='jabber:iq:roster'><item \
        jid='bob@example.test' name='Bob'><group>平板分的组</group></item></query></iq>
        """
    }
    let life = try RelayedSession(
      Words.online + [Words.roster(RelayedSession.kept, then: "</stream:stream>")],
      Words.online + [
        Turn(heard: "jabber:iq:roster", said: ""), later,
        Turn(heard: "type=\"set\"", said: "</stream:stream>"),
      ], Words.last)
    #expect(await life.failureOfStart() == nil)
    try await life.wait { $0.connections > 2 && $0.machine?.isOnline == true }
    let rename = Task { await life.failureOfRename() }
    try await life.wait { !$0.rosterWaiters.isEmpty }
    try await life.session.send(
      ChatMessage("go on", to: JID(prepared: RelayedSession.bob, resource: nil)))
    #expect(await rename.value == .outcomeUnknown(willBeSentAgain: false))
    await life.session.close()
    let heard = try await life.server.heard[1]
    #expect(
      heard.contains(
        "<item jid=\"bob@example.test\" name=\"Robert\"><group>平板分的组</group></item>"))
  }

  @Test("A command that waits for the roster ends with its connection or its task")
  func abandonedCommand() async throws {
    let silent =
      Words.online + [
        Turn(heard: "jabber:iq:roster", said: ""), Turn(heard: "go on", said: "", closes: true),
      ]
    let life = try RelayedSession(
      Words.online + [Words.roster(RelayedSession.kept, then: "</stream:stream>")], silent,
      Words.last)
    #expect(await life.failureOfStart() == nil)
    try await life.wait { $0.connections > 2 && $0.machine?.isOnline == true }
    let cancelled = Task { await life.failureOfRename() }
    try await life.wait { !$0.rosterWaiters.isEmpty }
    cancelled.cancel()
    #expect(await cancelled.value == .failure(.cancelled))
    let lost = Task { await life.failureOfRename() }
    try await life.wait { !$0.rosterWaiters.isEmpty }
    try await life.session.send(
      ChatMessage("go on", to: JID(prepared: RelayedSession.bob, resource: nil)))
    guard case .failure(let failure)? = await lost.value, !failure.isFinal else {
      Issue.record("\(await lost.value as Any)")
      return
    }
    await life.session.waitUntilEnded()
    #expect(try await !life.server.heard.joined().contains("<item"))
  }

  // MARK: The outcome

  /// What the server does when a command arrives, and whether the command is sent again.
  private static let losses: [(String, [ScriptedServer.Turn], Bool)] = [
    (
      "it does not count",
      RelayedSession.online + [Turn(heard: "type=\"set\"", said: "", closes: true)],
      false
    ),
    (
      "it counts", RelayedSession.counted + [Turn(heard: "type=\"set\"", said: "", closes: true)],
      true
    ),
    (
      "it has confirmed the command",
      RelayedSession.counted + [
        Turn(heard: "type=\"set\"", said: "<a xmlns='urn:xmpp:sm:3' h='4'/>", closes: true)
      ], false
    ),
  ]

  @Test("A lost connection ends a command, and says whether it is sent again", arguments: 0..<3)
  func lostCommand(_ index: Int) async throws {
    let (what, turns, isSentAgain) = Self.losses[index]
    let life = try RelayedSession(turns, Words.last)
    #expect(await life.failureOfStart() == nil)
    let error = await life.failureOfRename()
    #expect(error == .outcomeUnknown(willBeSentAgain: isSentAgain), "\(what)")
    await life.session.close()
  }

  @Test("An answer that arrived right before the end of its connection is the command's outcome")
  func answeredAtTheEnd() async throws {
    let life = try RelayedSession(
      RelayedSession.online + [Turn(heard: "type=\"set\"", said: "")], Words.last)
    #expect(await life.failureOfStart() == nil)
    let rename = Task { await life.failureOfRename() }
    try await life.server.hears("type=\"set\"")
    try await life.wait { $0.pendingCommands.count == 1 && !$0.isFlushing }
    await life.session.change { session in
      let sent = String(
        decoding: session.pendingCommands.values.flatMap { $0.stanzas.joined() }, as: UTF8.self)
      let id = Words.id(sent, before: "<query")
      session.send(Array("<presence/>".utf8))
      session.flush()
      session.receiveWhileRecording("<iq type='result' id='\(id)'/></stream:stream>")
    }
    #expect(await rename.value == nil)
    await life.session.close()
  }

  @Test("What the server refuses is thrown, with the condition")
  func refused() async throws {
    let refusal = """
      <error type='cancel'><not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
      <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>Your list is full</text></error>
      """
    let life = try RelayedSession(
      RelayedSession.online + [
        Turn(heard: "name=\"Robert\"", said: "") { heard in
          "<iq type='error' id='\(Words.id(heard, before: "<query"))'>\(refusal)</iq>"
        }
      ])
    #expect(await life.failureOfStart() == nil)
    let error = StanzaError(type: "cancel", condition: .notAllowed, text: "Your list is full")
    #expect(await life.failureOfRename() == .refused(error))
    await life.session.close()
  }

  @Test("A command that could not be sent did not succeed")
  func unsent() async throws {
    let asks = "<presence from='carol@example.test' type='subscribe'/>"
    let life = try RelayedSession(
      Words.online + [Words.roster(RelayedSession.kept, then: asks)], Words.last)
    #expect(await life.failureOfStart() == nil)
    let carol = BareJID(prepared: "carol@example.test")
    try await life.wait { $0.roster.incoming[carol] != nil }
    // This command has no answer, so it counts as done as soon as it is sent.
    await life.session.change {
      $0.ending = ConnectionEnd(failure: .lost(reason: "the disk is full"))
    }
    await #expect(throws: LiveError.outcomeUnknown(willBeSentAgain: false)) {
      try await life.session.perform(.accept(carol))
    }
    await life.session.close()
  }

  @Test("A recording failure between two connections does not end the next one")
  func unrecordedBefore() async throws {
    let life = try RelayedSession(RelayedSession.online)
    life.relay.setDown(true)
    #expect(await life.failureOfStart()?.isFinal == false)
    await life.session.change {
      $0.ending = ConnectionEnd(failure: .recording(RollcallError(.log, "the disk was full")))
    }
    life.relay.setDown(false)
    #expect(await life.failureOfStart() == nil)
    await life.session.close()
  }

  @Test("A command that the session has dropped ends all the same")
  func forgotten() async throws {
    let life = try RelayedSession(RelayedSession.online) {
      ($0.answer, $0.beat, $0.silentBeats) = (200, 10, .max)
    }
    #expect(await life.failureOfStart() == nil)
    let answer = await withCheckedContinuation { waiter in
      Task {
        await life.session.change {
          let asked = PendingCommand(wait: 0, stanzas: [], sent: $0.now, waiter: waiter)
          $0.pendingCommands[CommandID(number: .max)] = asked
        }
      }
    }
    #expect(answer == .success(CommandAnswer.Outcome.timeout))
    await life.session.close()
  }

  @Test("A cancelled task ends a command at once", arguments: [false, true])
  func cancelledCommand(counts: Bool) async throws {
    let life = try RelayedSession(counts ? RelayedSession.counted : RelayedSession.online)
    #expect(await life.failureOfStart() == nil)
    let rename = Task { await life.failureOfRename() }
    try await life.wait { !$0.pendingCommands.isEmpty }
    rename.cancel()
    #expect(await rename.value == .outcomeUnknown(willBeSentAgain: counts))
    let before = Task { () -> LiveError? in
      while !Task.isCancelled { await Task.yield() }
      return await life.failureOfRename()
    }
    before.cancel()
    #expect(await before.value == .failure(.cancelled))
    await life.session.close()
  }

  @Test("A cancelled task ends every other wait at once")
  func cancelledWaits() async throws {
    let life = try RelayedSession(RelayedSession.online)
    #expect(await life.failureOfStart() == nil)
    let session = life.session
    let requests = [
      Task { () async throws -> Void in try await session.ping() },
      Task { () async throws -> Void in try await session.changePassword(to: Password("x")) },
    ]
    try await life.wait { $0.pendingRequests.count == 2 }
    for request in requests {
      request.cancel()
      await #expect(throws: LiveFailure.cancelled) { try await request.value }
    }
    let annotation = Task { () async throws -> Void in
      // So that it is cancelled before the annotation is on disk.
      while !Task.isCancelled { await Task.yield() }
      try await session.annotate(.starred(RelayedSession.bob, true))
    }
    annotation.cancel()
    await #expect(throws: LiveFailure.cancelled) { try await annotation.value }
    try await life.wait { $0.roster.annotations[RelayedSession.bob]?.isStarred == true }
    let end = Task { await session.waitUntilEnded() }
    try await life.wait { !$0.endWaiters.isEmpty }
    end.cancel()
    await end.value
    let watch = Task { for await _ in await session.updates() {} }
    watch.cancel()
    await watch.value
    await session.close()
  }

  @Test("A lost connection ends a request", arguments: ["urn:xmpp:ping", "jabber:iq:register"])
  func lostRequest(_ namespace: String) async throws {
    let life = try RelayedSession(
      RelayedSession.online + [Turn(heard: namespace, said: "", closes: true)], Words.last)
    #expect(await life.failureOfStart() == nil)
    let session = life.session
    let request = Task { () async throws -> Void in
      if namespace == "urn:xmpp:ping" {
        try await session.ping()
      } else {
        try await session.changePassword(to: Password("x"))
      }
    }
    // Not because of the end of the session, which would end the wait as well.
    let failure = await #expect(throws: LiveFailure.self) { try await request.value }
    #expect(failure?.isFinal == false, "\(failure as Any)")
    await session.close()
  }

  @Test("A request that the server leaves unanswered ends after its timeout")
  func overdueRequest() async throws {
    let life = try RelayedSession(RelayedSession.online) {
      ($0.answer, $0.beat, $0.silentBeats) = (50, 10, .max)
    }
    #expect(await life.failureOfStart() == nil)
    await #expect(throws: LiveFailure.timeout("an answer")) { try await life.session.ping() }
    await life.session.close()
  }
}
