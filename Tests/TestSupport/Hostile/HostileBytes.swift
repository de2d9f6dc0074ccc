// Malformed bytes and lines.
extension HostileCapture {
  static let bytes: [HostileCapture] = [
    native("broken lines", 2000) { capture, size in
      for number in 0..<size { capture.line("{\"t\":\(number),\"dir\":\"in\",\"xml\":\"<iq") }
    },
    native("broken elements", 2000) { capture, size in
      for _ in 0..<size { capture.received("<iq type='set'><query>") }
    },
    native("elements with a tag that ends another", 2000) { capture, size in
      for _ in 0..<size { capture.received("<message><body>x</message>") }
    },
    native("unreadable bytes", 2000) { capture, size in
      for number in 0..<size {
        capture.line(
          #"{"t":\#(number),"dir":"in","unreadable":"<iq \#(number)","length":9,"reason":"x"}"#)
      }
    },
    native("one line of broken JSON", 200_000) { capture, size in
      capture.line(String(repeating: "{", count: size))
    },
    native("nested arrays", 200_000) { capture, size in
      capture.line(#"{"t":1,"x":"# + String(repeating: "[", count: size))
    },
    native("keys in one object", 10_000) { capture, size in
      capture.line("{" + (0..<size).map { "\"k\($0)\":1" }.joined(separator: ",") + "}")
    },
    native("digits of a number", 100_000) { capture, size in
      capture.line(#"{"t":"# + String(repeating: "7", count: size) + "}")
    },
    native("escapes of JSON", 50_000) { capture, size in
      capture.received("<message><body>\(text(#"\u4f60\n"#, size))</body></message>")
    },
    native("headers", 2000) { capture, size in
      for number in 0..<size {
        capture.line(#"{"rollcall-capture":1,"account":"alice@example.test/r\#(number)"}"#)
      }
    },
    native("bookmarks", 2000) { capture, size in
      for number in 0..<size { capture.line(#"{"bookmark":"mark\#(number)","back":0}"#) }
    },
    native("names of connections", 2000) { capture, size in
      for number in 0..<size {
        capture.line(#"{"c":\#(number + 1),"name":"n\#(number)","stream":"closed"}"#)
      }
    },
    pasted("stanzas of a text that do not end", 2000) {
      text("RECV: <iq type='set'><query>\n", $0)
    },
    pasted("stanzas of a text with a tag that ends another", 2000) {
      text("RECV: <message from='b@example.test'><body>x</message>\n", $0)
    },
    pasted("lines of one stanza of a text", 20_000) {
      "RECV: <message from='b@example.test'><body>" + text("<\n", $0)
    },
    pasted("words before a stanza of a text", 50_000) { text("in out got sent ", $0) },
    pasted("brackets of a text", 200_000) { text("<", $0) },
    pasted("elements of a text that a text before them has", 2000) {
      let stanza = "<presence from='b@example.test/x'/>"
      let escaped = stanza.replacing("<", with: "&lt;")
      return text("RECV: <message from='b@example.test'><body>\(escaped)</body></message>\n", $0)
        + text("RECV: \(stanza)\n", $0)
    },
    archive("values of an archive that are nested", 200_000) { text("[", $0) },
    archive("text of an archive that does not end", 500_000) {
      "[{\"_webSocketMessages\":[{\"data\":\"" + text("x", $0)
    },
    archive("messages of an archive", 2000) { size in
      let message =
        "{\"type\":\"receive\",\"time\":1,\"data\":\"<presence xmlns='jabber:client'/>\"}"
      return "[{\"_webSocketMessages\":[" + text("\(message),", size) + "\(message)]}]}}"
    },
    native("empty lines", 200_000) { capture, size in capture.line(text("\n", size)) },
    native("zeros", 500_000) { capture, size in capture.line(text("\0", size)) },
    native("colors", 20_000) { capture, size in capture.line(text("\u{1B}[31m", size)) },
    HostileCapture("accounts", 1000, ["connections FILE", "state FILE --account a7@example.test"]) {
      size in
      (0..<size).map { number in
        #"{"t":\#(number),"conn":\#(number),"dir":"S>C","data":"\#(bound("a\(number)"))"}"#
      }.joined(separator: "\n").utf8.map { $0 }
    },
    HostileCapture("connections one after the other", 1000) { size in
      (0..<size).flatMap { number in
        [
          #"{"t":\#(number),"conn":\#(number),"event":"open"}"#,
          #"{"t":\#(number),"conn":\#(number),"dir":"S>C","data":"\#(bound("alice"))"}"#,
          #"{"t":\#(number),"conn":\#(number),"event":"close"}"#,
        ]
      }.joined(separator: "\n").utf8.map { $0 }
    },
    HostileCapture("connections that say nothing", 1000) { size in
      (0..<size).flatMap { number in
        [
          #"{"t":\#(number),"conn":\#(number),"event":"open"}"#,
          #"{"t":\#(number),"conn":\#(number),"dir":"S>C","data":"<presence/>"}"#,
        ]
      }.joined(separator: "\n").utf8.map { $0 }
    },
    HostileCapture("connections within an element", 1000) { size in
      (0..<size).flatMap { number in
        [
          #"{"t":\#(number),"conn":\#(number),"event":"open"}"#,
          #"{"t":\#(number),"conn":\#(number),"dir":"S>C","data":"<presence><status>"}"#,
        ]
      }.joined(separator: "\n").utf8.map { $0 }
    },
    HostileCapture("sessions of a connection without a name", 1000) { size in
      (0..<size).flatMap { number in
        [
          "<stream:stream xmlns='jabber:client' version='1.0' from='example.test' id='i\(number)' "
            + "xmlns:stream='http://etherx.jabber.org/streams'>",
          bound("alice"), "</stream:stream>",
        ]
      }.joined(separator: "\n").utf8.map { $0 }
    },
    HostileCapture("bytes left out", 5000) { size in
      let text = text("<!-- some bytes omitted -->", size)
      return Array(
        "2026-11-20 10:00:00,000 DEBUG XMLStream: RECV b'<presence>\(text)</presence>'".utf8)
    },
    HostileCapture("an element a byte at a time", 5000) { size in
      let element =
        "<presence from='bob@example.test/x'><status>\(text("x", size))</status></presence>"
      return element.map { #"{"t":1,"conn":1,"dir":"S>C","data":"\#($0)"}"# }
        .joined(separator: "\n").utf8.map { $0 }
    },
    HostileCapture("an element with entities a byte at a time", 5000) { size in
      let element =
        "<message from='b@example.test/x'><body>\(text("&#65;", size / 5))</body></message>"
      return element.map { #"{"t":1,"conn":1,"dir":"S>C","data":"\#($0)"}"# }
        .joined(separator: "\n").utf8.map { $0 }
    },
  ]

  /// The server's answer that binds a session.
  static func bound(_ local: String) -> String {
    "<iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
      + "<jid>\(local)@example.test/x</jid></bind></iq>"
  }

  static func text(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
}

extension HostileCapture {
  /// A text that fits no program's format, after a stanza that shows that it contains stanzas.
  private static func pasted(
    _ name: String, _ size: Int, _ text: @escaping @Sendable (Int) -> String
  ) -> HostileCapture {
    HostileCapture(name, size) {
      Array("TX: <presence to='a@example.test' type='subscribe'/>\n\(text($0))".utf8)
    }
  }

  /// A HAR archive of a browser's traffic with these entries.
  private static func archive(
    _ name: String, _ size: Int, _ entries: @escaping @Sendable (Int) -> String
  ) -> HostileCapture {
    HostileCapture(name, size, ["state FILE --json --format har"]) {
      Array("{\"log\":{\"creator\":{},\"entries\":\(entries($0))".utf8)
    }
  }
}
