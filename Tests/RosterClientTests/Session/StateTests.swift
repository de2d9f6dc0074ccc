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
    #expect(await next(2, of: &states) == ["connecting", "online(isResumed: false)"])
    life.relay.cut()
    guard case .waiting(until: _, because: .lost)? = await states.next() else {
      Issue.record("it does not wait")
      return
    }
    #expect(await next(3, of: &states) == ["connecting", "waiting", "connecting"])
    let gone = LiveFailure.stream(condition: "host-gone", text: nil)
    #expect(await states.next() == .over(gone))
    #expect(await states.next() == nil)
    // After the end, too, there is the last one.
    var late = await life.session.states().makeAsyncIterator()
    #expect(await late.next() == .over(gone))
    #expect(await late.next() == nil)
  }

  @Test("A wait for another connection ends at once if the application wants that")
  func connectNow() async throws {
    let life = try RelayedSession(RelayedSession.online, RelayedSession.online) {
      $0.reconnection = 1000
    }
    await life.session.connectNow()
    #expect(await life.failureOfStart() == nil)
    await life.session.connectNow()
    var states = await life.session.states().makeAsyncIterator()
    #expect(await next(1, of: &states) == ["online(isResumed: false)"])
    life.relay.cut()
    #expect(await next(1, of: &states) == ["waiting"])
    await life.session.connectNow()
    #expect(await next(2, of: &states) == ["connecting", "online(isResumed: false)"])
    await life.session.close()
    #expect(await next(3, of: &states) == ["closing", "over(nil)", "the end"])
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
      await next(3, of: &states) == ["connecting", "online(isResumed: false)", "waiting"])
    await life.session.close()
    #expect(await next(3, of: &states) == ["closing", "over(nil)", "the end"])
  }

  @Test("A slow watcher sees the last state")
  func slow() async throws {
    let life = try RelayedSession(RelayedSession.online)
    var states = await life.session.states(limit: 1).makeAsyncIterator()
    #expect(await life.failureOfStart() == nil)
    await life.session.close()
    #expect(await next(2, of: &states) == ["over(nil)", "the end"])
  }
}
