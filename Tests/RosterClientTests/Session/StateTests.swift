import NIOCore
@testable import RosterClient
import Testing

@Suite(
  "The states of a session", .timeLimit(.minutes(5)),
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct StateTests {
  /// The next states, without the time and the reason of a wait.
  private func next(
    _ count: Int, of states: inout LiveStates.AsyncIterator
  ) async -> [String] {
    var found: [String] = []
    for _ in 0..<count {
      switch await states.next() {
      case .waiting?: found.append("waiting")
      case let state?: found.append("\(state)")
      case nil: found.append("the end")
      }
    }
    return found
  }

  @Test("A session says what it does from its start to its end")
  func session() async throws {
    let life = try RelayedSession(
      RelayedSession.online,
      [ScriptedServer.Turn(heard: "<stream:stream", said: "", closes: true)], LoginScript.last)
    var states = await life.session.states().makeAsyncIterator()
    #expect(await next(1, of: &states) == ["idle"])
    #expect(await life.failureOfStart() == nil)
    #expect(await next(2, of: &states) == ["connecting", "online(resumed: false)"])
    life.relay.cut()
    guard case .waiting(until: _, because: .lost)? = await states.next() else {
      Issue.record("it does not wait")
      return
    }
    #expect(await next(3, of: &states) == ["connecting", "waiting", "connecting"])
    let gone = LiveFailure.stream(condition: "host-gone", text: nil)
    #expect(await states.next() == .failed(gone))
    #expect(await states.next() == nil)
    // After the end, too, there is the last one.
    var late = await life.session.states().makeAsyncIterator()
    #expect(await late.next() == .failed(gone))
    #expect(await late.next() == nil)
  }

  @Test("A wait for another connection ends at once if the application wants that")
  func reconnectsAtOnce() async throws {
    let life = try RelayedSession(RelayedSession.online, RelayedSession.online) {
      $0.reconnection = 1000
    }
    await life.session.reconnect()
    #expect(await life.failureOfStart() == nil)
    var states = await life.session.states().makeAsyncIterator()
    #expect(await next(1, of: &states) == ["online(resumed: false)"])
    life.relay.cut()
    #expect(await next(1, of: &states) == ["waiting"])
    await life.session.reconnect()
    #expect(await next(2, of: &states) == ["connecting", "online(resumed: false)"])
    await life.session.close()
    #expect(await next(3, of: &states) == ["closing", "closed", "the end"])
  }

  @Test("A session that waits to connect can be closed, and a failed start leaves it idle")
  func closed() async throws {
    let life = try RelayedSession(RelayedSession.online) { $0.reconnection = 1000 }
    life.relay.setDown(true)
    var states = await life.session.states().makeAsyncIterator()
    #expect(await life.failureOfStart()?.isFinal == false)
    #expect(await next(3, of: &states) == ["idle", "connecting", "idle"])
    life.relay.setDown(false)
    #expect(await life.failureOfStart() == nil)
    life.relay.cut()
    #expect(
      await next(3, of: &states) == ["connecting", "online(resumed: false)", "waiting"])
    await life.session.close()
    #expect(await next(3, of: &states) == ["closing", "closed", "the end"])
  }

  @Test("A slow watcher sees the last state")
  func slow() async throws {
    let life = try RelayedSession(RelayedSession.online)
    var states = await life.session.states(limit: 1).makeAsyncIterator()
    #expect(await life.failureOfStart() == nil)
    await life.session.close()
    #expect(await next(2, of: &states) == ["closed", "the end"])
  }

  @Test("A watcher that no longer iterates is forgotten at once")
  func forgotten() async throws {
    let life = try RelayedSession(RelayedSession.online)
    do {
      var states = await life.session.states().makeAsyncIterator()
      var stanzas = await life.session.stanzas().makeAsyncIterator()
      #expect(await states.next() == .idle)
      let watching = Task { await stanzas.next() }
      try await life.wait { $0.stateWatchers.count == 1 && $0.stanzaWatchers.count == 1 }
      watching.cancel()
      #expect(await watching.value == nil)
      try await life.wait { $0.stanzaWatchers.isEmpty }
    }
    for await _ in await life.session.states() { break }
    // Waits for ever if one of them is still there.
    try await life.wait { $0.stateWatchers.isEmpty }
  }

  @Test("An application that changes the network gets another connection at once")
  func anotherNetwork() async throws {
    let life = try RelayedSession(RelayedSession.online, RelayedSession.online) {
      $0.reconnection = 1000
    }
    #expect(await life.failureOfStart() == nil)
    var states = await life.session.states().makeAsyncIterator()
    await life.session.reconnect()
    #expect(
      await next(3, of: &states) == [
        "online(resumed: false)", "connecting", "online(resumed: false)",
      ]
    )
    await life.session.close()
    #expect(await next(3, of: &states) == ["closing", "closed", "the end"])
  }

  @Test("A suspended session waits to be resumed, with everything on disk")
  func suspended() async throws {
    let life = try RelayedSession(RelayedSession.online, RelayedSession.online) {
      $0.reconnection = 1000
    }
    var states = await life.session.states().makeAsyncIterator()
    // Before the start there is nothing to suspend.
    await life.session.suspend()
    await life.session.resume()
    #expect(await life.failureOfStart() == nil)
    #expect(await next(3, of: &states) == ["idle", "connecting", "online(resumed: false)"])
    // The second call, too, waits until the connection is gone.
    let calls = (0..<2).map { _ in
      Task {
        await life.session.suspend()
        return await life.session.holds { $0.machine == nil && $0.state == .suspended }
      }
    }
    for call in calls { #expect(await call.value) }
    #expect(await next(1, of: &states) == ["suspended"])
    #expect(await life.failureOfRename() == .failure(.notOnline))
    // Only `resume` ends it.
    await life.session.reconnect()
    await life.session.suspend()
    #expect(await life.session.state == .suspended)
    await life.session.resume()
    #expect(await next(2, of: &states) == ["connecting", "online(resumed: false)"])
    #expect(await life.session.state.isOnline)
    await life.session.suspend()
    await life.session.close()
    #expect(await next(4, of: &states) == ["suspended", "closing", "closed", "the end"])
  }

  @Test("A suspended session is resumed, with a command that the server has not confirmed")
  func resumed() async throws {
    let rename = ScriptedServer.Turn(
      heard: "name=\"Robert\"",
      said: """
        <iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' \
        name='Robert'/></query></iq>
        """)
    let life = try RelayedSession(RelayedSession.counted, RelayedSession.resuming + [rename])
    #expect(await life.failureOfStart() == nil)
    var states = await life.session.states().makeAsyncIterator()
    let command = Task { await life.failureOfRename() }
    try await life.server.hears("name=\"Robert\"")
    await life.session.suspend()
    #expect(await command.value == .outcomeUnknown(willBeSentAgain: true))
    await life.session.resume()
    #expect(
      await next(4, of: &states) == [
        "online(resumed: false)", "suspended", "connecting", "online(resumed: true)",
      ])
    try await life.wait { $0.roster.item(RelayedSession.bob)?.name == "Robert" }
    await life.session.close()
  }

  @Test("A session that is resumed before its connection is gone gets another one")
  func resumedAtOnce() async throws {
    let life = try RelayedSession(RelayedSession.counted, RelayedSession.resuming) {
      $0.reconnection = 1000
    }
    #expect(await life.failureOfStart() == nil)
    var states = await life.session.states().makeAsyncIterator()
    await life.session.suspendAndResume()
    #expect(
      await next(4, of: &states) == [
        "online(resumed: false)", "suspended", "connecting", "online(resumed: true)",
      ])
    await life.session.close()
  }

  @Test("A session that is resumed while it connects waits again after its next loss")
  func resumedWhileConnecting() async throws {
    let life = try RelayedSession(RelayedSession.online) { $0.reconnection = 1000 }
    await life.session.suspendAtStart(andResumes: true)
    #expect(await life.failureOfStart() == nil)
    #expect(await life.session.holds { !$0.connectsAtOnce })
    var states = await life.session.states().makeAsyncIterator()
    life.relay.cut()
    #expect(await next(2, of: &states) == ["online(resumed: false)", "waiting"])
    await life.session.close()
  }

  @Test("A start that is suspended continues once it is resumed")
  func suspendedStart() async throws {
    let life = try RelayedSession(RelayedSession.online)
    life.relay.setDown(true)
    let session = life.session
    var states = await session.states().makeAsyncIterator()
    #expect(await next(1, of: &states) == ["idle"])
    // A cancelled start of a suspended session is over, and leaves it idle.
    await session.suspendAtStart()
    let cancelled = Task { await life.failureOfStart() }
    try await life.wait { $0.isSuspended && $0.wake != nil }
    cancelled.cancel()
    #expect(await cancelled.value == .cancelled)
    #expect(await session.state == .idle)
    await session.suspendAtStart()
    let start = Task { await life.failureOfStart() }
    try await life.wait { $0.isSuspended && $0.wake != nil }
    life.relay.setDown(false)
    await session.resume()
    #expect(await start.value == nil)
    await session.close()
  }
}

extension LiveSession {
  /// Suspends the session as soon as it has started to connect.
  fileprivate func suspendAtStart(andResumes: Bool = false) {
    guard phase == .starting else {
      return loop.execute { self.assumeIsolated { $0.suspendAtStart(andResumes: andResumes) } }
    }
    if andResumes { suspendAndResume() } else { inBackground { await $0.suspend() } }
  }

  /// Suspends and resumes the session, without a step of the connection in between.
  fileprivate func suspendAndResume() {
    inBackground { await $0.suspend() }
    inBackground { $0.resume() }
  }
}
