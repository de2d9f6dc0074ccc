import Foundation
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

/// Behavior that real servers do not show, over a real connection.
@Suite("Against a server that misbehaves") struct ScriptedServerTests {
  private static let header = """
    <?xml version='1.0'?><stream:stream from='example.test' id='s' version='1.0' \
    xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>
    """
  private static let features = """
    <stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>\
    </stream:features>
    """
  private static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"

  private typealias Turn = ScriptedServer.Turn

  /// Logs in, and returns the failure, what the server received, and whether the log was closed.
  private func failure(
    _ turns: [Turn], timeouts: LiveTimeouts = LiveTimeouts()
  ) async throws -> (failure: LiveFailure?, heard: String, isClosed: Bool) {
    let server = try ScriptedServer(turns)
    let folder = try TemporaryFolder()
    var login = LiveLogin(
      account: BareJID(prepared: "alice@example.test"), password: Password("qing-chun-7"))
    login.server = ServerAddress(host: "127.0.0.1", port: server.port, isDirectTLS: false)
    let session = try LiveSession(
      login, recordingTo: folder.file("a.rollcall"), limits: SessionLimits(), timeouts: timeouts)
    var failure: LiveFailure?
    do throws(LiveFailure) { try await session.start() } catch { failure = error }
    await session.close()
    var isClosed = false
    try Timeline(ofLogAt: folder.file("a.rollcall")).replay(upTo: .head(minus: 0)) { moment, _ in
      if case .session(.closed) = moment.event { isClosed = true } else { isClosed = false }
    }
    return (failure, try await server.heard.joined(), isClosed)
  }

  private static let cases: [(String, [ScriptedServer.Turn], LiveFailure)] = [
    (
      "an element after the permission to begin TLS",
      [
        Turn(heard: "<stream:stream", said: header + features),
        Turn(heard: "<starttls", said: proceed + "<iq type='result' id='x'/>"),
      ], .injectedBytes
    ),
    (
      "half an element after it",
      [
        Turn(heard: "<stream:stream", said: header + features),
        Turn(heard: "<starttls", said: proceed + "<iq typ"),
      ], .injectedBytes
    ),
    (
      "no TLS",
      [Turn(heard: "<stream:stream", said: header + "<stream:features/>")], .encryptionNotOffered
    ),
    (
      "mechanisms without TLS",
      [
        Turn(
          heard: "<stream:stream",
          said: header + """
            <stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\
            <mechanism>PLAIN</mechanism></mechanisms></stream:features>
            """)
      ], .encryptionNotOffered
    ),
    (
      "an end at once", [Turn(heard: "<stream:stream", said: "", closes: true)],
      .noHeader(reason: "it was closed")
    ),
    (
      "an error for the stream",
      [
        Turn(
          heard: "<stream:stream",
          said: header + """
            <stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\
            <text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>Not here</text></stream:error>
            """)
      ], .stream(condition: "host-unknown", text: "Not here")
    ),
    (
      "a web page",
      [Turn(heard: "<stream:stream", said: "HTTP/1.1 400 Bad Request\r\n\r\n")],
      .unreadable(reason: "")
    ),
    (
      "a stanza before the features",
      [Turn(heard: "<stream:stream", said: header + "<presence/>")],
      .protocolViolation("<presence/> instead of the stream's features")
    ),
    (
      "an element without end",
      [
        Turn(
          heard: "<stream:stream",
          said: header + "<stream:features>" + String(repeating: "<a>", count: 1000))
      ], .unreadable(reason: "")
    ),
  ]

  @Test(
    "It is broken off at once, with the reason", .timeLimit(.minutes(5)), arguments: cases.indices)
  func brokenOff(_ index: Int) async throws {
    let (what, turns, expected) = Self.cases[index]
    var timeouts = LiveTimeouts()
    timeouts.login = 3_600_000
    let (failure, heard, isClosed) = try await failure(turns, timeouts: timeouts)
    if case .unreadable = expected, case .unreadable? = failure {
    } else {
      #expect(failure == expected, "\(what)")
    }
    #expect(!heard.contains("qing") && !heard.contains("<auth"), "\(what)")
    #expect(isClosed, "\(what): the log does not say how it ended")
  }

  @Test("Bytes that arrive one by one have the same result")
  func slowly() async throws {
    let turns = [
      Turn(heard: "<stream:stream", said: Self.header + Self.features, piece: 1),
      Turn(heard: "<starttls", said: Self.proceed + "<x/>"),
    ]
    #expect(try await failure(turns).failure == .injectedBytes)
  }

  @Test("A login does not wait forever for a silent server")
  func silence() async throws {
    var timeouts = LiveTimeouts()
    timeouts.login = 100
    for turns in [[], [Turn(heard: "<stream:stream", said: Self.header)]] {
      let failure = try await failure(turns, timeouts: timeouts).failure
      guard case .timeout? = failure else {
        Issue.record("\(failure as Any)")
        continue
      }
    }
  }

  @Test("A closed port cannot be reached")
  func unreachable() async throws {
    var login = LiveLogin(
      account: BareJID(prepared: "alice@example.test"), password: Password("x"))
    let address = ServerAddress(host: "127.0.0.1", port: try freePort(), isDirectTLS: false)
    login.server = address
    let session = try LiveSession(login)
    await #expect(throws: LiveFailure.unreachable(address, reason: "Connection refused")) {
      try await session.start()
    }
  }
}
