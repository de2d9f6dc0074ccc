import Foundation
import NIOCore
import Rollcall
@testable import RosterClient
import RosterCore
import TestSupport
import Testing

/// What a server, or a sender through it, can do to a session.
@Suite(
  "Sessions with a server that misbehaves",
  .enabled(if: Certificates.isPossible, "openssl is needed"))
struct AttackedSessionTests {
  typealias Words = LoginScript

  private static let gone = LiveFailure.stream(condition: "host-gone", text: nil)

  /// The sender of a push, and whether the push counts and is answered.
  private static let pushes: [(from: String, counts: Bool)] = [
    ("", true), ("from='alice@example.test'", true), ("from='Alice@EXAMPLE.test'", true),
    ("from='alice@example.test/phone'", false), ("from='alice@example.test/other'", false),
    ("from='example.test'", false), ("from='mallory@evil.test'", false),
    ("from='alice@example.test.evil.test'", false), ("from='alice@evil.test'", false),
    ("from='mallory@example.test'", false), ("from=''", false), ("from='@'", false),
  ]

  @Test("Only our own account may push (RFC 6121 §2.1.6)", arguments: pushes.indices)
  func push(_ index: Int) async throws {
    let (from, counts) = Self.pushes[index]
    let push = """
      <iq type='set' id='forged' \(from)><query xmlns='jabber:iq:roster'>\
      <item jid='eve@example.test' subscription='both'/></query></iq>\
      <iq type='get' id='then' from='example.test'><ping xmlns='urn:xmpp:ping'/></iq>
      """
    let end = ScriptedServer.Turn(heard: "id=\"then\"", said: "</stream:stream>")
    let result = try await Attack(Words.online + [Words.roster(then: push), end], Words.last).run()
    #expect(result.failure == Self.gone)
    #expect(result.roster.sortedItems.count == (counts ? 1 : 0), "\(from)")
    #expect(result.heard.joined().contains("forged") == counts, "\(from)")
    let isTold =
      result.findings.contains(.foreignPush) || result.findings.contains(.unpreparedAddress)
    #expect(isTold == !counts, "\(from): \(result.findings)")
  }

  @Test("A push of several items, or without an id, changes only what it may")
  func oddPushes() async throws {
    let item = "<item jid='eve@example.test' subscription='both'/>"
    let several = """
      <iq type='set' id='several'><query xmlns='jabber:iq:roster'>\(item)\
      <item jid='mallory@example.test'/></query></iq></stream:stream>
      """
    var result = try await Attack(Words.online + [Words.roster(then: several)], Words.last).run()
    #expect(result.roster.sortedItems.isEmpty && result.findings.contains(.pushItemCount))
    let anonymous = """
      <iq type='set'><query xmlns='jabber:iq:roster'>\(item)</query></iq></stream:stream>
      """
    result = try await Attack(Words.online + [Words.roster(then: anonymous)], Words.last).run()
    #expect(result.findings.contains(.missingID))
    #expect(!result.heard[0].contains("<iq type=\"result\""))
  }

  /// Data that breaks a session off, and the reason.
  private static let bytes: [(String, [UInt8], String)] = [
    ("a comment", Array("<!-- x -->".utf8), "a comment, which XMPP forbids"),
    ("an instruction", Array("<?php x?>".utf8), "a processing instruction, which XMPP forbids"),
    (
      "a bomb of entities",
      Array("<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;'>]><a>&c;</a>".utf8), ""
    ),
    (
      "an entity", Array("<a>&nbsp;</a>".utf8),
      "a reference to an entity other than the five of XML, which XMPP forbids"
    ),
    ("bytes that are not UTF-8", Array("<a>".utf8) + [0xC3, 0x28] + Array("</a>".utf8), ""),
    ("a zero", Array("<a>".utf8) + [0] + Array("</a>".utf8), ""),
    ("UTF-16", Array("<a/>".utf16).flatMap { [UInt8($0 & 0xFF), 0] }, ""),
    ("text", Array("hello".utf8), "there is text between elements"),
    ("a prefix", Array("<b:a/>".utf8), "a namespace prefix is not declared"),
  ]

  /// Data beyond a limit, and the reason.
  private static let oversized: [(String, [UInt8], String)] = [
    (
      "depth",
      Array(
        (String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)).utf8),
      "elements are nested too deeply"
    ),
    (
      "attributes",
      Array("<a \((0..<10_000).map { "a\($0)='x'" }.joined(separator: " "))/>".utf8),
      "an element has too many attributes"
    ),
    (
      "an element of more than 16 MiB",
      Array("<message><body>".utf8) + [UInt8](repeating: 0x61, count: 16 << 20)
        + Array("</body></message>".utf8), "a stanza has too many bytes"
    ),
  ]

  @Test("An element beyond a limit is skipped and reported", arguments: oversized.indices)
  func passedOver(_ index: Int) async throws {
    let (what, bytes, reason) = Self.oversized[index]
    var turn = Words.roster("<item jid='bob@example.test' subscription='both'/>")
    let ask = "<iq type='get' id='then' from='example.test'><ping xmlns='urn:xmpp:ping'/></iq>"
    turn.bytes = bytes + Array(ask.utf8)
    let end = ScriptedServer.Turn(heard: "id=\"then\"", said: "</stream:stream>")
    let result = try await Attack(Words.online + [turn, end], Words.last).run()
    #expect(result.failure == Self.gone && result.heard.count == 2, "\(what)")
    #expect(!result.heard[0].contains("<stream:error"), "\(what)")
    #expect(result.findings.contains(.oversizedElement), "\(what)")
    // Before the login, nothing is skipped.
    var early = ScriptedServer.Turn(heard: "<stream:stream", said: Talk.header)
    early.bytes = bytes
    let failure = try await Attack(Words.startTLS + [early]).run().failure
    #expect(failure == .unreadable(reason: reason), "\(what)")
  }

  @Test("Unreadable data after each of three logins ends the session with that reason")
  func unreadableAgain() async throws {
    var turn = Words.roster()
    turn.bytes = Array("<a></b>".utf8)
    let result = try await Attack(Words.online + [turn]).run()
    #expect(
      result.failure
        == .unreadable(reason: "an end tag does not fit its start tag"))
    #expect(result.heard.count == 3)
  }

  @Test("A server that sends requests is not read from until it reads the answers")
  func unreadAnswers() async throws {
    var turn = Words.roster()
    let latch = ScriptedServer.Latch()
    // Long ids make long answers, which fill the kernel's buffers sooner.
    let id = String(repeating: "f", count: 1000)
    turn.after = .floods(latch) {
      "<iq type='get' id='\(id)\($0)' from='example.test'><ping xmlns='urn:xmpp:ping'/></iq>"
    }
    var attack = try Attack(Words.online + [turn])
    attack.timeouts.closing = 50
    _ = try await attack.run { session in
      // Until nothing more is read for a while.
      var (before, still, most) = (UInt64(0), 0, 0)
      while still < 100, before < 100_000 {
        let position = await session.roster.position
        still = position == before && position > 100 ? still + 1 : 0
        before = position
        most = max(most, await session.unwrittenBytes)
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(still == 100, "it keeps reading after \(before) records")
      // The answers to one read, and what NIO buffers before it is full.
      #expect(most < 1 << 20, "\(most) bytes wait")
      latch.open()
      try await Wire.wait(for: "more") { await session.roster.position > before + 100 }
    }
  }

  @Test("Unreadable data ends the connection, and is recorded", arguments: bytes.indices)
  func unreadable(_ index: Int) async throws {
    let (what, bytes, reason) = Self.bytes[index]
    var turn = Words.roster("<item jid='bob@example.test' subscription='both'/>")
    turn.bytes = bytes
    let result = try await Attack(Words.online + [turn], Words.last).run()
    #expect(result.failure == Self.gone && result.heard.count == 2, "\(what)")
    #expect(result.heard[0].contains("<not-well-formed"), "\(what)")
    #expect(result.heard[0].hasSuffix("</stream:stream>"), "\(what)")
    // Earlier data is kept.
    #expect(result.roster.sortedItems.map(\.jid.text) == ["bob@example.test"], "\(what)")
    guard !reason.isEmpty else { return }
    // Before the login, the failure gives the reason.
    var early = ScriptedServer.Turn(heard: "<stream:stream", said: Talk.header)
    early.bytes = bytes
    let failure = try await Attack(Words.startTLS + [early]).run().failure
    #expect(failure == .unreadable(reason: reason), "\(what)")
  }

  @Test("Bytes that arrive one by one make the same session")
  func slowly() async throws {
    var scripts = Words.online + [Words.roster("<item jid='bob@example.test'/>")]
    for index in scripts.indices { scripts[index].piece = 1 }
    scripts[scripts.count - 1].made = { [made = scripts[scripts.count - 1].made] heard in
      (made?(heard) ?? "") + "</stream:stream>"
    }
    let result = try await Attack(scripts, Words.last).run()
    #expect(result.failure == Self.gone)
    #expect(result.roster.sortedItems.map(\.jid.text) == ["bob@example.test"])
  }

  @Test("The end of one side ends both", arguments: [0, 1, 2, 3])
  func halfClosed(_ kind: Int) async throws {
    var turn = Words.roster()
    switch kind {
    case 0: turn = Words.roster(then: "</stream:stream>")
    case 1: turn.after = .endsOutput
    case 2: turn.after = .drops
    default: turn.closes = true
    }
    let result = try await Attack(Words.online + [turn], Words.last).run()
    #expect(result.failure == Self.gone && result.heard.count == 2)
    if kind == 0 { #expect(result.heard[0].hasSuffix("</stream:stream>")) }
  }

  /// `run` checks that the log says how the connection ended.
  @Test("A session that is closed just after its connection was lost says so in its log")
  func lostWhileClosed() async throws {
    let attack = try Attack(Words.online + [Words.roster()])
    let result = try await attack.run { await $0.loseConnectionAndClose() }
    #expect(result.failure == nil)
  }

  @Test("A flood is recorded completely and in order, and its requests are answered")
  func flood() async throws {
    let count = 10_000
    let messages = (0..<count).map { "<message from='bob@example.test' id='m\($0)'/>" }
    let asked = (0..<count / 10).map {
      "<iq type='get' id='f\($0)' from='bob@example.test/x'><ping xmlns='urn:xmpp:ping'/></iq>"
    }
    let flood = (messages + asked).joined() + "</stream:stream>"
    let result = try await Attack(Words.online + [Words.roster(then: flood)], Words.last).run()
    #expect(result.failure == Self.gone)
    #expect(result.records > count + count / 10 * 2)
    let answers = result.heard[0].matches(of: /<iq type="result" id="f([0-9]+)"/).map { $0.1 }
    #expect(answers == (0..<count / 10).map { "\($0)" })
  }
}

extension LiveSession {
  /// The number of bytes that wait to be written.
  fileprivate var unwrittenBytes: Int {
    let waiting = try? channel?.syncOptions?.getOption(.bufferedWritableBytes)
    return (waiting ?? 0) + outbox.reduce(0) { $0 + $1.count }
  }

  /// Does nothing else in between, so the loss is not recorded yet when the session is closed.
  fileprivate func loseConnectionAndClose() async {
    disconnected(.lost(reason: "of a test"), on: connections)
    await close()
  }
}
