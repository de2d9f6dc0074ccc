import Testing
import XMPPStanza

@testable import Captures

/// Each direction of a stream ends with its own closing tag (RFC 6120 §4.4), which servers report
/// in messages of their own, with the reason for the end of the connection.
@Suite("Ends of streams in servers' logs")
struct StreamEndTests {
  private static let stanza = "<presence from='bob@example.test/x' to='alice@example.test/pc'/>"

  /// The lines of a session in Prosody's log, with a prefix for each.
  private func prosody(_ messages: String...) -> String {
    let lines = ["SEND: \(Self.stanza)"] + messages
    return lines.map { "Nov 21 07:02:24 c2s5\tdebug\t\($0)\n" }.joined()
  }

  private typealias Content = CapturedRecord.Content

  /// The ends among the records of a log.
  private func ends(_ text: String, _ format: String = "prosody-debug") throws -> [Content] {
    try read(text, format).records.map(\.content).filter {
      switch $0 {
      case .streamEnd, .lifecycle(.closed): true
      case .lifecycle, .streamHeader, .annotation, .unreadable, .element: false
      }
    }
  }

  @Test("Prosody's messages about closing tags are the ends of their directions, in their order")
  func prosodyTags() throws {
    let received = "Received </stream:stream>"
    let sent = "Sending[c2s]: </stream:stream>"
    #expect(
      try ends(prosody(received, sent)) == [.streamEnd(.outbound), .streamEnd(.inbound)])
    #expect(
      try ends(prosody(sent, received)) == [.streamEnd(.inbound), .streamEnd(.outbound)])
    #expect(
      try ends(prosody("Sending[c2s_unauthed]: </stream:stream>")) == [.streamEnd(.inbound)])
  }

  @Test("They are not counted as unread, also where the bytes themselves are records")
  func prosodyUnread() throws {
    let text = prosody("Received </stream:stream>", "Sending[c2s]: </stream:stream>")
    for (format, lines) in [
      ("prosody-debug", text),
      ("prosody-raw", "Nov 21 07:02:24 c2s5\tdebug\tRECV(17): </stream:stream>\n" + text),
    ] {
      var reader = CaptureReader(format: try #require(CaptureFormat.named(format)))
      try reader.read(Array(lines.utf8)) { _ in }
      try reader.finish { _ in }
      #expect(reader.unread.count == (format == "prosody-raw" ? 1 : 0), "\(format)")
    }
  }

  @Test("The words in a text, in another session's line, or without a tag are no end")
  func prosodyNearMisses() throws {
    #expect(
      try ends(
        prosody(
          "RECV: <message><body>Received &lt;/stream:stream></body></message>",
          "Received </stream:features>"
        ) + "Nov 21 07:02:24 s2sin7\tdebug\tReceived </stream:stream>\n"
      ).isEmpty)
  }

  @Test(
    "Why a connection ended is kept in the server's words",
    arguments: [
      (["Client disconnected: connection closed"], "connection closed"),
      (["Client disconnected: timeout"], "timeout"),
      (["BOSH client disconnected: session close"], nil),
      (["BOSH client disconnected: item-not-found"], "item-not-found"),
      (
        [
          "c2s stream for alice@example.test/is closed: for now closed: Replaced",
          "Client disconnected: connection closed",
        ], "Replaced"
      ),
      (["Client disconnected"], nil),
      (
        [
          "c2s stream for alice@example.test/pc closed: Replaced by new connection",
          "Client disconnected: connection closed",
        ], "Replaced by new connection"
      ),
      (
        [
          "c2s stream for alice@example.test/pc closed: session closed",
          "Client disconnected: connection closed",
        ], "connection closed"
      ),
    ] as [([String], String?)])
  func prosodyReasons(_ messages: [String], _ reason: String?) throws {
    let text = messages.map { "Nov 21 07:02:24 c2s5\tinfo\t\($0)\n" }.joined()
    #expect(try ends(prosody() + text) == [.lifecycle(.closed(reason: reason))])
  }

  @Test("A reason belongs to its own connection, and is bounded")
  func prosodyOtherConnection() throws {
    let long = String(repeating: "x", count: 5_000)
    let text =
      prosody("c2s stream for alice@example.test/pc closed: reset")
      + "Nov 21 07:02:24 c2s6\tinfo\tClient disconnected: \(long)\n"
    guard case .lifecycle(.closed(let reason?))? = try ends(text).first else {
      Issue.record("no end")
      return
    }
    #expect(reason.hasPrefix("xxx") && reason.utf8.count < 1_000)
  }

  @Test("A reason that is cut ends with a whole character")
  func cutReason() throws {
    for start in 0..<4 {
      let long = String(repeating: "x", count: start) + String(repeating: "é🙂", count: 200)
      let text = "Nov 21 07:02:24 c2s6\tinfo\tClient disconnected: \(long)\n"
      guard case .lifecycle(.closed(let reason?))? = try ends(prosody() + text).first else {
        Issue.record("no end")
        return
      }
      #expect(long.hasPrefix(reason) && (253...256).contains(reason.utf8.count))
    }
  }

  @Test("A stream error that mod_rawdebug shows is not unread because Prosody announces it, too")
  func announcedRaw() throws {
    let announcement = "Disconnecting client, <stream:error> is: \(Self.error)"
    let raw = "SEND(\(Self.error.utf8.count)): \(Self.error)"
    let text = [announcement, raw].map { "Nov 21 07:02:24 c2s5\tdebug\t\($0)\n" }.joined()
    #expect(try read(text, "prosody-raw").elements.count == 1)
    var reader = CaptureReader(format: try #require(CaptureFormat.named("prosody-raw")))
    try reader.read(Array(text.utf8)) { _ in }
    try reader.finish { _ in }
    #expect(reader.unread.count == 0)
  }

  private static let error =
    "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"

  @Test("A stream error that Prosody sends as text is read from its announcement, and only once")
  func streamError() throws {
    let announcement = "Disconnecting client, <stream:error> is: \(Self.error)"
    let once = try read(prosody(announcement, "Sending[c2s]: <stream:error>"), "prosody-debug")
    #expect(once.elements.count == 2)
    #expect(once.elements.last?.contains("<conflict") == true)
    // Earlier versions send it as a stanza, so that the module logs it, too.
    let twice = try read(prosody(announcement, "SEND: \(Self.error)"), "prosody-debug")
    #expect(twice.elements.count == 2)
    #expect(try read(prosody("SEND: \(Self.error)"), "prosody-debug").elements.count == 2)
    // Earlier still, the line has only the reason.
    let reason = "Disconnecting client, <stream:error> is: connection-timeout"
    let named = try read(prosody(reason, "SEND: \(Self.error)"), "prosody-debug")
    #expect(named.elements.count == 2 && named.problems.isEmpty)
  }

  @Test("A log without the module is recognized although it announces a stream error")
  func announcedAlone() {
    let lines = [
      "Received[c2s]: <presence to='bob@example.test' type='subscribe'>",
      "Disconnecting client, <stream:error> is: \(Self.error)",
    ]
    let text = lines.map { "Nov 21 07:02:24 c2s5\tdebug\t\($0)\n" }.joined()
    #expect(CaptureFormat.detect(Array(text.utf8))?.id == "prosody-heads")
  }

  @Test("A text that quotes the announcement is no stream error")
  func quotedError() throws {
    let quoted = "eve says: Disconnecting client, <stream:error> is: \(Self.error)"
    #expect(try read(prosody(quoted), "prosody-debug").elements.count == 1)
  }

  @Test(
    "ejabberd's reasons are kept without the time that it waits",
    arguments: [
      (
        "connection for a@b.test/pc: Connection failed: connection closed; waiting 300 seconds for "
          + "stream resumption", "Connection failed: connection closed"
      ),
      ("session for a@b.test/pc: Stream reset by peer", "Stream reset by peer"),
      ("session for a@b.test/x: y: Stream reset by peer", "Stream reset by peer"),
      (
        "connection for a@b.test/a; waiting: b: Connection failed: timed out; waiting 300 seconds "
          + "for stream resumption", "Connection failed: timed out"
      ),
      ("session for a@b.test/pc", nil),
    ] as [(String, String?)])
  func ejabberd(_ message: String, _ reason: String?) throws {
    let line = "2026-11-21 07:25:14.147 [debug] <0.5.0>@x:y:1 (tcp|<0.5.0>) "
    let text =
      line + "Send XML on stream = <<\"\(Self.stanza)\">>\n" + line + "Closing c2s \(message)\n"
    #expect(try ends(text, "ejabberd") == [.lifecycle(.closed(reason: reason))])
  }
}
