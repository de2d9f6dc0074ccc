import Foundation
import TestSupport
import Testing

/// A secret in every possible place, planted in captures of several formats and then searched for
/// in the log and in all output of the program.
@Suite("Planted secrets do not leak") struct PlantedSecretTests {
  /// The beginning and end of every planted secret, so that half of one is found as well. It
  /// contains no characters that URLs, XML or JSON would escape.
  private static let stem = "tr0ub4dor"
  private static let header = """
    <stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' \
    version='1.0'>
    """
  private static let bind = """
    <iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\
    <jid>alice@example.test/pc</jid></bind></iq>
    """
  private static let roster = """
    <iq type='set' id='p'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' \
    name='Bob'/></query></iq>
    """

  /// The table with a different secret in each place, after the login and before a push.
  private static let elements: [String] =
    [bind]
    + SecretPlaces.elements.enumerated().map { number, xml in
      let secret = "\(stem)\(number)\(stem)"
      // The payloads of SASL are usually in Base64.
      let isPayload = number.isMultiple(of: 2) && !xml.contains("://") && !xml.contains("xmpp:")
      let planted = isPayload ? Data("\0alice\0\(secret)".utf8).base64EncodedString() : secret
      return xml.replacing("S3CRET", with: planted).replacing("<!--keep-->", with: "")
        .replacing("keep@a.test", with: "alice@example.test")
    } + [roster]

  /// An element with its sender. Logs whose directions contradict what only one side can send are
  /// refused.
  private struct Said {
    let isSent: Bool
    let text: String

    init(_ text: String, isSent: Bool) {
      (self.text, self.isSent) = (text, isSent)
    }

    /// An element from the side that can send it.
    init(_ element: String) {
      let ofClients = ["<auth", "<response", "<resume", "<body"]
      self.init(element, isSent: ofClients.contains { element.hasPrefix($0) })
    }

    /// A line with the word for the direction, and the element.
    func line(received: String, sent: String) -> String {
      (isSent ? sent : received) + text + "\n"
    }
  }

  private static func lines(_ all: [Said], received: String, sent: String) -> String {
    all.map { $0.line(received: received, sent: sent) }.joined()
  }

  /// Captures of the same elements, by format.
  private static let captures: [(format: String, text: @Sendable () throws -> String)] = [
    (
      "native",
      {
        let url = "wss://alice:\(stem)@a.test/?token=\(stem)"
        let start = header.replacing(">", with: " token='\(stem)'>")
        return try native(
          [
            ["stream": "connected", "to": url], ["stream": "closed", "reason": url],
            ["dir": "out", "xml": start],
          ] + said.map { ["dir": $0.isSent ? "out" : "in", "xml": $0.text] })
      }
    ),
    ("slixmpp", { lines(said, received: "DEBUG    RECV: ", sent: "DEBUG    SEND: ") }),
    ("strophe", { lines(said, received: "RECV: ", sent: "SENT: ") }),
    (
      "swiften",
      {
        lines(
          chunks, received: String(repeating: "<", count: 80) + "\n",
          sent: String(repeating: ">", count: 80) + "\n")
      }
    ),
    (
      "openfire",
      {
        let digest = "447b9ca3ad42f7bc78e09d35b882dfb3"
        let head = "2026.11.21 07:19:12 x - \(digest)"
        return lines(
          said, received: "\(head) : Delivered : ", sent: "\(head) : onMessage : Received : ")
      }
    ),
    (
      "jabberd2",
      {
        chunks.map {
          let count = $0.text.utf8.count
          return $0.line(
            received: "sx (io.c:1) encoding \(count) bytes for writing: ",
            sent: "sx (io.c:1) decoded read data (\(count) bytes): ")
        }.joined()
      }
    ),
    ("smack", { lines(said, received: "04:44:51 PM RCV  (1): ", sent: "04:44:51 PM SENT (1): ") }),
    (
      "qxmpp",
      {
        let time = "Sat Nov 21 10:46:05 2026"
        return lines(chunks, received: "\(time) RECEIVED ", sent: "\(time) SENT ")
      }
    ),
    (
      "aioxmpp",
      {
        chunks.map { chunk in
          let literal = chunk.text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
          let ascii = literal.utf8.map { byte in
            byte < 0x80
              ? String(Unicode.Scalar(byte)) : "\\x" + String(byte, radix: 16)
          }.joined()
          let word = chunk.isSent ? "SENT" : "RECV"
          return "2026-11-21 10:42:30,125 aioxmpp.x DEBUG \(word) b'\(ascii)'\n"
        }.joined()
      }
    ),
    (
      "raw-jsonl",
      {
        try chunks.enumerated().map { number, chunk in
          let encoded = Data(chunk.text.utf8).base64EncodedString()
          return try json(
            ["t": 1, "conn": 1, "dir": chunk.isSent ? "C>S" : "S>C"].merging(
              number.isMultiple(of: 2) ? ["data": chunk.text] : ["data_b64": encoded]
            ) { a, _ in a })
        }.joined()
      }
    ),
  ]

  private static let said = elements.map { Said($0) }

  /// Both streams in pieces, cut within each secret.
  private static let chunks: [Said] = {
    var chunks = [Said(header, isSent: true), Said(header, isSent: false)]
    for element in said {
      let text = element.text
      guard let secret = text.firstRange(of: stem) ?? text.firstRange(of: "AGFsaWNl") else {
        chunks.append(element)
        continue
      }
      let cut = text.index(secret.lowerBound, offsetBy: 5)
      chunks += [text[..<cut], text[cut...]].map { Said(String($0), isSent: element.isSent) }
    }
    return chunks
  }()

  private static func json(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
  }

  private static func native(_ lines: [[String: Any]]) throws -> String {
    try json(["rollcall-capture": 1, "account": "alice@example.test"])
      + lines.map { try json($0) }.joined()
  }

  // MARK: The search

  /// The stem as it is, and in Base64 at every offset.
  private static let forms: [String] =
    [stem]
    + (0..<3).map { offset in
      let bytes = Data(String(repeating: "x", count: offset).utf8) + Data(stem.utf8)
      let text = Array(bytes.base64EncodedString())
      return String(text[(8 * offset + 5) / 6..<8 * bytes.count / 6])
    }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func search(_ data: Data, _ place: String) {
    for form in Self.forms where data.range(of: Data(form.utf8)) != nil {
      let found = String(decoding: data, as: UTF8.self).firstRange(of: form)
      let text = String(decoding: data, as: UTF8.self)
      let around = found.map { text[..<$0.upperBound].suffix(200) } ?? ""
      Issue.record("a secret is in \(place): \(around)")
    }
  }

  @discardableResult
  private func run(_ arguments: String...) throws -> Program {
    let run = try Program(arguments, in: folder.path)
    search(Data((run.output + run.errors).utf8), arguments.joined(separator: " "))
    return run
  }

  private func searchFiles() throws {
    for name in FileManager.default.subpaths(atPath: folder.path) ?? [] where name != "capture" {
      guard let data = FileManager.default.contents(atPath: folder.file(name)) else { continue }
      search(data, name)
    }
  }

  @Test("The search finds planted secrets") func theSearchWorks() throws {
    #expect(Self.elements.count > 50)
    for capture in Self.captures {
      let text = try capture.text()
      #expect(Self.forms.contains { text.contains($0) })
    }
    for offset in 0..<3 {
      let data = Data((String(repeating: "\0", count: offset) + "\(Self.stem)1\(Self.stem)").utf8)
      #expect(Self.forms.contains { data.base64EncodedString().contains($0) })
    }
  }

  @Test("No secret from any place is stored or printed", arguments: captures.map(\.format))
  func planted(_ format: String) throws {
    let capture = try #require(Self.captures.first { $0.format == format })
    try capture.text().write(toFile: folder.file("capture"), atomically: true, encoding: .utf8)
    let imported = try run("import", "capture", "--format", format, "-o", "x.rollcall")
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(!imported.errors.contains("cannot be read"), "\(imported.errors)")
    let log = try run("log", "x.rollcall", "--json")
    let marks = log.output.components(separatedBy: "removed").count
    #expect(marks > SecretPlaces.elements.count, "what was taken out left its mark")
    #expect(log.output.contains("bob@example.test"))
    try run("export", "x.rollcall")
    try run("replay", "x.rollcall")
    if format == "native" { try everyOutput() }
    try searchFiles()
  }

  private func everyOutput() throws {
    try run("log", "x.rollcall")
    try run("replay", "x.rollcall", "--json")
    try run("state", "x.rollcall")
    try run("state", "x.rollcall", "--json")
    try run("state", "capture", "--json")
    try run("findings", "x.rollcall")
    try run("findings", "x.rollcall", "--json")
    try run("connections", "x.rollcall", "--json")
    try run("export", "x.rollcall", "--redact")
    try run("export", "x.rollcall", "--format", "xml", "-o", "xml")
    try run("report", "x.rollcall")
    try run("report", "x.rollcall", "--redact", "-o", "report.html")
    try run("test-from", "x.rollcall", "-o", "redacted")
    try run("test-from", "x.rollcall", "--no-redact", "-o", "plain")
    try run("verify", "x.rollcall")
    try run("recover", "x.rollcall", "-o", "y.rollcall")
    for contact in ["bob@example.test", "keep", "alice@example.test"] {
      try run("why", "x.rollcall", contact)
      try run("history", "x.rollcall", contact)
    }
    for record in stride(from: 1, through: Self.elements.count, by: 5) {
      try run("show", "x.rollcall", "\(record)")
      try run("show", "x.rollcall", "\(record)", "--json")
    }
  }

  // MARK: Unreadable input

  /// Unreadable parts of a login in each format: truncated lines, and elements with mismatched
  /// tags.
  private static let broken: [(format: String, text: @Sendable () throws -> String)] = [
    (
      "native",
      {
        let payload = Data(auth.utf8).base64EncodedString()
        return try native([
          ["dir": "out", "xml": auth], ["dir": "out", "xml": auth + "</b>"],
          ["dir": auth, "xml": "<a/>"], ["t": auth, "dir": "out", "xml": "<a/>"],
          ["stream": auth], ["stream": "opened", "jid": "@" + auth], ["c": auth],
          ["dir": "out", "xml": auth + "</auth>" + auth + "</auth>"],
          ["dir": "out", "xml": "\u{1}" + auth + "</auth>"],
          ["dir": "out", "unreadable": payload, "bytes": 900, "reason": "it ends too early"],
          ["dir": "out", "unreadable": auth, "bytes": 900, "reason": "it ends too early"],
          ["bookmark": 1, "xml": auth], ["dir": "in", "xml": roster],
        ])
          + #"{"dir":"out","xml":"\#(auth)\q"}"# + "\n" + #"{"dir":"out","xml":"\#(auth)"# + "\n"
          + #"{"dir":"in","xml":"\#(bind)"}"# + "\n" + #"{"dir":"out","xml":"\#(auth)"#
      }
    ),
    (
      "slixmpp",
      {
        let texts = [
          bind, auth, auth + "</b>", "&\(auth)</auth>", "<x>" + auth + "</auth>", roster, auth,
        ]
        return lines(texts.map { Said($0) }, received: "DEBUG    RECV: ", sent: "DEBUG    SEND: ")
      }
    ),
    (
      "qxmpp",
      {
        ([header, bind, auth + "</b>", auth + "&</auth>", header, bind, roster, auth])
          .map { "Sat Nov 21 10:46:05 2026 RECEIVED \($0)\n" }.joined()
      }
    ),
    (
      "aioxmpp",
      {
        let lines = [header, bind, roster, auth + "</b>", header, auth].map { chunk in
          "RECV b'\(chunk.replacing("'", with: "\\'"))'"
        }
        return (lines + ["RECV b'" + auth.replacing("'", with: "\""), "RECV b'\\x" + auth])
          .map { "2026-11-21 10:42:30,125 aioxmpp.x DEBUG \($0)\n" }.joined()
      }
    ),
    (
      "raw-jsonl",
      {
        try [header, bind, roster, auth + "</b>", header, auth].map { chunk in
          try json(["t": 1, "conn": 1, "dir": "S>C", "data": chunk])
        }.joined()
          + json(["t": 1, "conn": 1, "dir": auth, "data": auth])
          + #"{"t":1,"conn":1,"dir":"S>C","data":"\#(auth)"# + "\n"
          + #"{"t":1,"conn":1,"dir":"S>C","data_b64":"\#(auth)"}"# + "\n"
      }
    ),
  ]

  private static let auth =
    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>"
    + Data("\0alice\0\(stem)1\(stem)".utf8).base64EncodedString()

  @Test("Nothing unreadable is printed", arguments: broken.map(\.format))
  func unreadable(_ format: String) throws {
    let capture = try #require(Self.broken.first { $0.format == format })
    try capture.text().write(toFile: folder.file("capture"), atomically: true, encoding: .utf8)
    let imported = try run(
      "import", "capture", "--format", format, "-o", "x.rollcall", "--account",
      "alice@example.test")
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(imported.errors.contains("capture:"), "\(imported.errors)")
    let log = try run("log", "x.rollcall", "--json")
    #expect(log.output.contains("bob@example.test"))
    try run("export", "x.rollcall")
    try run("log", "capture", "--format", format)
    try searchFiles()
  }

  @Test(
    "A file that is refused is not quoted",
    arguments: [
      #"{"rollcall-capture":1,"account":"@AUTH"}"#, #"{"rollcall-capture":"AUTH"}"#,
      #"{"rollcall-capture":1,"account":"alice@example.test","directions":"AUTH"}"#,
      #"{"rollcall-capture":1,"account":"AUTH"#, "AUTH", "AUTH</auth>", "{\"AUTH\":1}",
      "\(header)AUTH</b>", "DEBUG    RECV: AUTH",
    ])
  func refused(_ text: String) throws {
    let escaped = Self.auth.replacing("\"", with: "\\\"")
    try text.replacing("AUTH", with: escaped)
      .write(toFile: folder.file("capture"), atomically: true, encoding: .utf8)
    for format in [[], ["--format", "native"], ["--format", "raw-stream"]] {
      let run = try Program(["state", "capture"] + format, in: folder.path)
      search(Data((run.output + run.errors).utf8), "\(format)")
    }
  }
}
