// An element or a stream with too much of something.
extension HostileCapture {
  static let elements: [HostileCapture] = [
    native("attributes", 20_000) { capture, size in
      capture.received("<presence \((0..<size).map { "a\($0)='1'" }.joined(separator: " "))/>")
    },
    native("the same attribute", 20_000) { capture, size in
      capture.received("<presence \(text("a='1' ", size))/>")
    },
    native("attributes of many elements", 200) { capture, size in
      let one = "<x \((0..<250).map { "a\($0)='1'" }.joined(separator: " "))/>"
      capture.received("<message>\(text(one, size))</message>")
    },
    native("namespaces of many elements", 2000) { capture, size in
      let all = (0..<size).map { "<p\($0):x xmlns:p\($0)='urn:n\($0)'/>" }.joined()
      capture.received("<message>\(all)</message>")
    },
    native("declarations of many elements", 200) { capture, size in
      let one = "<x \((0..<250).map { "xmlns:a\($0)='urn:\($0)'" }.joined(separator: " "))/>"
      capture.received("<message>\(text(one, size))</message>")
    },
    native("depth", 100_000) { capture, size in
      capture.received("<message>\(text("<x>", size))\(text("</x>", size))</message>")
    },
    native("deep elements", 100) { capture, size in
      let one = text("<x>", 120) + text("</x>", 120)
      capture.received("<message>\(text(one, size))</message>")
    },
    native("empty elements", 50_000, ["state FILE --json", "replay FILE", "export FILE --redact"]) {
      capture, size in capture.received("<message>\(text("<x/>", size))</message>")
    },
    native("elements too many", 600_000) { capture, size in
      capture.received("<message>\(text("<x/>", size))</message>")
    },
    native("texts and elements in turn", 50_000) { capture, size in
      capture.received("<message>\(text("x<x/>", size))</message>")
    },
    native("ids to confirm", 20_000) { capture, size in
      // Each id begins like most of the text.
      let ids = (0..<size / 100).map {
        "<confirm xmlns='http://jabber.org/protocol/http-auth' id='\(text("a", 20))\($0)'/>"
      }
      capture.received("<message><body>\(text("a", size))</body>\(ids.joined())</message>")
    },
    native("a long id to confirm", 50_000) { capture, size in
      let id = "<confirm xmlns='http://jabber.org/protocol/http-auth' id='\(text("a", size))b'/>"
      capture.received("<message><body>\(text("a", size))</body>\(id)</message>")
    },
    native("a name of an element", 200_000) { capture, size in
      capture.received("<message><\(text("x", size))/></message>")
    },
    native("a namespace", 200_000) { capture, size in
      capture.received("<message><x xmlns='\(text("x", size))'/></message>")
    },
    native("names of elements", 20_000) { capture, size in
      capture.received("<message>\((0..<size).map { "<x\($0)/>" }.joined())</message>")
    },
    native("entities", 50_000, ["state FILE --json", "replay FILE", "export FILE --redact"]) {
      capture, size in
      capture.received("<message><body>\(text("&amp;", size))</body></message>")
    },
    native("entities of an attribute", 50_000) { capture, size in
      capture.received("<presence from='b@example.test/\(text("&amp;", size))'/>")
    },
    native("character data", 20_000) { capture, size in
      capture.received("<message><body>\(text("<![CDATA[x]]>", size))</body></message>")
    },
    native("a text", 500_000, ["state FILE --json", "replay FILE", "export FILE --redact"]) {
      capture, size in
      capture.received("<message><body>\(text("x", size))</body></message>")
    },
    native("a status", 500_000, ["state FILE", "replay FILE", "log FILE", "show FILE 5"]) {
      capture, size in
      capture.presence("b@example.test/x", "><status>\(text("x", size))</status></presence>")
    },
    native("an unfinished tag", 500_000) { capture, size in
      capture.received("<message \(text(" ", size))")
    },
    native("a comment", 500_000) { capture, size in
      capture.received("<message><!--\(text("-x", size))--></message>")
    },
    stream("a stream's elements", 5000) { text("<presence from='b@example.test/x'/>", $0) },
    stream("a stream's comments", 5000) { text("<presence/><!-- TS:2026-07-22T10:00:00-->", $0) },
    stream("a comment without an end", 200_000) { "<!--" + text("x-", $0) },
    stream("a stream's unfinished elements", 5000) { text("<presence><status>", $0) },
    stream("a stream of openings", 100_000) { text("<", $0) },
    stream("a stream of ends", 100_000) { text(">", $0) },
    stream("a stream of brackets", 100_000) { text("<![CDATA[", $0) },
    stream("a stream's text", 100_000) { text("x", $0) },
    stream("a stream's headers", 2000) { text(header, $0) },
    stream("headers within elements", 2000) { text("<presence><status>" + header, $0) },
    stream("an attribute without an end", 200_000) { "<presence a='" + text("x", $0) },
    stream("ends in an attribute", 50_000) { "<presence from='b@example.test/" + text(">", $0) },
    stream("ends in a text", 50_000) { "<presence><status>" + text(">", $0) },
    stream("ends in character data", 50_000) { "<message><body><![CDATA[" + text("x>", $0) },
  ]

  static let header =
    "<stream:stream xmlns='jabber:client' version='1.0' from='example.test' "
    + "xmlns:stream='http://etherx.jabber.org/streams'>"

  private static func stream(
    _ name: String, _ size: Int, _ content: @escaping @Sendable (Int) -> String
  ) -> HostileCapture {
    HostileCapture(name, size) { size in
      Array((header + bound("alice") + content(size)).utf8)
    }
  }
}
