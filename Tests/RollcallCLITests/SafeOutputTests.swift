import Foundation
import TestSupport
import Testing

/// Control and invisible characters wherever text from outside can appear, in the input of every
/// command.
@Suite("Output is safe on a terminal") struct SafeOutputTests {
  private let folder: TemporaryFolder

  /// Characters that XML allows literally.
  private static let inXML =
    "\u{7F}\u{80}\u{85}\u{9B}31m\u{9D}\u{AD}\u{34F}\u{61C}\u{115F}\u{180E}\u{200B}\u{200C}\u{200D}"
    + "\u{200E}\u{200F}\u{2028}\u{2029}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2060}\u{2061}"
    + "\u{2064}\u{2066}\u{2067}\u{2068}\u{2069}\u{206A}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}\u{E0001}"
    + "\u{E0041}\u{E007F}"
  /// Those characters, and others that XML allows as references.
  private static let escaped = inXML + "&#9;&#10;&#13;&#155;"
  /// Those characters, and others that JSON, file names and arguments allow.
  private static let anywhere = "\u{1}\u{7}\u{8}\u{1B}[31m\u{1B}]0;title\u{7}\r\u{B}" + inXML

  private static let capture = "ev" + anywhere + "il.jsonl"
  private static let log = "lo" + anywhere + "g.rollcall"
  private static let contact = "bob@example.test"

  init() throws {
    folder = try TemporaryFolder()
    let bad = Self.escaped
    let stanzas = [
      "<iq type='get' id='\(bad)'><query xmlns='jabber:iq:roster' ver=''/></iq>",
      "<iq type='result' id='\(bad)'><query xmlns='jabber:iq:roster' ver='\(bad)'><item "
        + "jid='bob@example.test' name='n\(bad)' subscription='both'><group>g\(bad)</group></item>"
        + "<item jid='x\(bad)@@'/><item jid='b\(bad)y@example.test'/>"
        + "<item jid='zoe@example.test' subscription='s\(bad)'/></query></iq>",
      "<presence from='bob@example.test/r\(bad)'><status>s\(bad)</status><show>\(bad)</show>"
        + "<priority>\(bad)</priority><delay xmlns='urn:xmpp:delay' stamp='\(bad)'/></presence>",
      "<presence type='subscribe' from='eve@example.test'><status>s\(bad)</status>"
        + "<nick xmlns='http://jabber.org/protocol/nick'>k\(bad)</nick></presence>",
      "<presence type='\(bad)' from='eve@example.test'/>",
      "<message from='bob@example.test/r'><body>\(bad)</body><x xmlns='u:\(bad)' a='\(bad)'/></message>",
      "<message from='bob@example.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
        + "<items node='http://jabber.org/protocol/nick'><item><nick "
        + "xmlns='http://jabber.org/protocol/nick'>k\(bad)</nick></item></items></event></message>",
      "<iq type='set' id='1' from='m@evil.test/\(bad)'><query xmlns='jabber:iq:roster'>"
        + "<item jid='\(bad)@@'/></query></iq>",
      "<iq type='set' id='2'><query xmlns='jabber:iq:roster'><item jid='bob@example.test' "
        + "name='m\(bad)' subscription='to'><group>h\(bad)</group></item></query></iq>",
      "<iq type='set' id='3'><block xmlns='urn:xmpp:blocking'><item jid='q@b.test/\(bad)'/></block></iq>",
      "<iq type='error' id='\(bad)'><error type='cancel'><text>\(bad)</text></error></iq>",
    ]
    let me = "alice@example.test/p" + Self.anywhere
    var lines: [[String: Any]] = [
      ["rollcall-capture": 1, "account": me],
      ["t": 1, "stream": "connected", "to": Self.anywhere],
      ["t": 1, "stream": "secured", "tls": Self.anywhere],
      ["t": 1, "stream": "authenticated", "mechanism": Self.anywhere],
      ["t": 1, "stream": "opened", "jid": me],
      ["t": 1, "c": 2, "name": "c" + Self.anywhere, "stream": "opened", "jid": me + "2"],
      [
        "t": 1, "dir": "in", "bytes": 400, "reason": Self.anywhere,
        "unreadable": Data(Self.anywhere.utf8).base64EncodedString(),
      ],
      ["t": 1, "bookmark": "m" + Self.anywhere, "back": 1],
    ]
    for (number, xml) in stanzas.enumerated() {
      lines.append(["t": 1, "dir": number == 0 ? "out" : "in", "xml": xml])
    }
    lines.append(["t": 2, "stream": "closed", "reason": Self.anywhere])
    try write(lines, to: Self.capture)
    var others = lines
    others[0]["account"] = "bob@example.test/p" + Self.anywhere
    others.removeAll { ($0["stream"] as? String) == "opened" }
    try write(others, to: "other" + Self.capture)
    lines.insert(["t": 1, "dir": Self.anywhere, "xml": "<a>" + Self.anywhere], at: 2)
    lines.insert(["t": 1, "stream": "opened", "jid": "@" + Self.anywhere], at: 2)
    try write(lines, to: "broken" + Self.capture)
    for (name, text) in [
      ("native", "{\"rollcall-capture\":1,\"account\":\"@\(Self.inXML)\"}"),
      ("nothing", Self.anywhere),
    ] {
      try text.write(toFile: folder.file(name + Self.capture), atomically: true, encoding: .utf8)
    }
    let imported = try Program("import", Self.capture, "-o", Self.log, in: folder.path)
    try #require(imported.code == 0, "\(imported.errors)")
  }

  private func write(_ lines: [[String: Any]], to name: String) throws {
    let text = try lines.map { line in
      String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
    }.joined(separator: "\n")
    // The header must be the first line, whatever the order of its keys.
    try (text + "\n").write(toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  /// The calls of each command; commands that read a log are called with the log and with the
  /// capture.
  private static let calls: [String: [[String]]] = {
    var calls: [String: [[String]]] = [
      "import": [
        [capture, "-o", log], [capture, "-o", "other" + log],
        ["broken" + capture, "-o", "x" + log],
        [capture, "-o", "x" + log, "--account", anywhere], [anywhere, "-o", "y" + log],
        [capture, "-o", anywhere + "/" + log], [capture, "-o", capture], [anywhere],
        ["native" + capture, "-o", "z" + log], ["nothing" + capture, "-o", "z" + log],
        [capture, "-o", "w" + log, "--json"], [capture, "--format", anywhere, "-o", "z" + log],
      ],
      "pinyin": [
        ["a" + anywhere, "张" + anywhere], ["a" + anywhere, "--json"],
        ["--match", anywhere, anywhere],
      ],
      "bookmark": [
        [log], [log, "--json"], [log, "n" + anywhere], [log, "n" + anywhere, "3"],
        [log, "n\u{200B}\u{202E}\u{E0001}", "3"],
        [log, "k" + anywhere, anywhere], [log, "k" + anywhere, "3", "--json"], [capture, anywhere],
      ],
      "verify": [[log], [log, "--json"], [capture], [anywhere], [log, "--rebuild"]],
      "recover": [
        [log, "-o", "recovered" + log], [log, "-o", log], [anywhere, "-o", "r" + log],
        [log, "-o", "again" + log, "--json"],
      ],
      "formats": [[], ["--json"]],
      "fleet": [
        [], [anywhere], ["tap"], ["tap", "prosody"], ["tap", "ejabberd"], ["tap", anywhere],
        ["store", "fl" + anywhere, "--spool", anywhere], ["store", anywhere], ["status", anywhere],
        ["accounts", anywhere], ["log", anywhere, anywhere, "-o", anywhere],
        ["who-has", anywhere, anywhere], ["requests", anywhere, "--to", anywhere],
        ["disagreements", anywhere], ["findings", anywhere], ["verify", anywhere],
        ["recover", anywhere, "-o", anywhere], ["erase", anywhere, anywhere],
      ],
      "help": [[], [anywhere], ["state"]],
      // It has a program of its own, which is not beside the one that is tested.
      "inspect": [[anywhere], [anywhere, "--port", anywhere]],
      // As far as possible without a server; a session is printed by the code that prints a replay.
      "connect": [
        [anywhere], ["alice@example.test", "--server", anywhere],
        ["alice@example.test", "--password-file", anywhere], ["a" + anywhere + "@example.test"],
        [
          "alice@example.test", "--password-file", capture, "-o", "new" + log, "--server",
          "[::1]:1",
        ],
      ],
      "register": [[anywhere], ["alice@example.test", "--password-file", anywhere]],
      "record": [
        [anywhere], ["--listen", anywhere, "-o", "f"], ["--upstream", anywhere, "-o", "f"],
        ["--authority", anywhere, "-o", "f"], ["--authority", anywhere, "--make-authority"],
        ["--terminate-sasl", "--password-file", anywhere, "-o", "f"],
      ],
    ]
    let reading: [String: [[String]]] = [
      "state": [[], ["--at", anywhere], ["--account", anywhere], ["--connection", anywhere]],
      "friends": [["--friends", "all"], ["--friends", anywhere]],
      "requests": [[]],
      "sections": [
        ["--friends", "all", "--group-by", "groups+index", "--names"],
        ["--search", "m" + anywhere],
        ["--friends", "all", "--search", "m"],
      ],
      "connections": [[]],
      "log": [[], ["--contact", contact], ["--contact", anywhere], ["--kind", anywhere]],
      "show": (1...19).map { ["\($0)"] } + [[anywhere], ["99"]],
      "replay": [[], ["--connection", "2"], ["--connection", "p" + anywhere]],
      "findings": [[]],
      "diff": [["9", "head"], [anywhere, "head"]],
      "between": [
        ["other" + capture, "--full"], [anywhere], ["other" + capture, "--at", anywhere],
        ["--account", contact, "--other-account", anywhere], [capture],
      ],
      "conversations": [[], ["--search", anywhere], ["--search", "a"]],
      "chat": [
        [contact], [contact, "--search", anywhere], [contact, "--attachments", "f" + anywhere],
        [anywhere],
      ],
      "history": [[contact], [anywhere], ["nobody@" + "example.test"]],
      "bisect": [
        ["--name", contact + "=m" + anywhere.trimmingCharacters(in: .newlines)],
        ["--name", anywhere], ["--missing", contact], ["--run", "exit 3;" + anywhere],
      ],
      "why": [
        [contact], ["eve@example.test"], [anywhere], [contact, "--other", "other" + capture],
        [contact, "--other", anywhere],
      ],
      "what-if": [
        ["--drop", "10"], ["--drop", anywhere], ["--insert", anywhere + "@3"],
        ["--policy", "lenient"], ["--drop", "17", "-o", "branch" + log],
      ],
      "export": [[], ["--redact"], ["--format", anywhere], ["-o", log]],
      "report": [[], ["--redact"], ["--zone", anywhere], ["-o", log]],
      "test-from": [["-o", "test" + anywhere], ["--no-redact", "-o", "test" + anywhere]],
    ]
    for (command, options) in reading {
      calls[command, default: []].append([log] + (options.first ?? []))
      for options in options { calls[command, default: []].append([capture] + options) }
      if !["export"].contains(command) {
        calls[command, default: []].append([log] + (options.first ?? []) + ["--json"])
      }
      calls[command, default: []] += [[anywhere], [log, "--no" + anywhere]]
    }
    calls["diff", default: []].append([capture, log])
    return calls
  }()

  @Test("Every command is called")
  func everyCommand() throws {
    let help = try Program("help").output
    let names = help.matches(of: #/(?m)^  ([a-z][a-z-]+)  /#).map { String($0.output.1) }
    #expect(names.count > 20)
    #expect(Set(names).isSubset(of: Self.calls.keys), "\(names)")
  }

  @Test("Nothing moves the cursor, or hides or reverses a line", arguments: calls.keys.sorted())
  func isSafe(_ command: String) throws {
    for arguments in Self.calls[command] ?? [] {
      let run = try Program([command] + arguments, in: folder.path)
      #expect((0...2).contains(run.code), "\(command) \(arguments)")
      // A native capture and a document for machines are JSON, which escapes control characters.
      let isJSON = arguments.contains("--json") || command == "export"
      for (text, isJSON) in [(run.output, isJSON), (run.errors, false)] {
        let found = text.unicodeScalars.filter { isJSON ? Self.isControl($0) : Self.isUnsafe($0) }
        let numbers = Set(found.map { "U+" + String($0.value, radix: 16) }).sorted()
        #expect(numbers == [], "\(command) \(arguments)")
      }
      if isJSON, run.code == 0 {
        for line in run.output.split(separator: "\n") {
          let document = try? JSONSerialization.jsonObject(with: Data(line.utf8))
          #expect(document != nil, "\(command) \(arguments)")
        }
      }
    }
  }

  @Test("Unknown arguments are quoted without control characters")
  func unknown() throws {
    for arguments in [[Self.anywhere], ["--" + Self.anywhere], ["help", Self.anywhere, "x"]] {
      let run = try Program(arguments, in: folder.path)
      let found = (run.output + run.errors).unicodeScalars.filter(Self.isUnsafe)
      #expect(found.isEmpty, "\(arguments)")
    }
  }

  @Test("Colors are the only control sequences on a terminal")
  func colors() throws {
    // `script` runs the program on a terminal.
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else { return }
    try FileManager.default.copyItem(
      atPath: folder.file(Self.log), toPath: folder.file("x.rollcall"))
    for command in ["replay", "state", "connections", "findings", "sections"] {
      let run = try Program(
        shell:
          "ROLLCALL_PAGER=cat TERM=xterm script -qec \"$ROLLCALL \(command) x.rollcall\" /dev/null </dev/null",
        in: folder.path)
      let colourless = run.output.replacing(/\u{1B}\[[0-9]+m/, with: "")
        .replacing("\r\n", with: "\n")
      #expect(colourless != run.output, "it is coloured")
      #expect(colourless.unicodeScalars.filter(Self.isUnsafe).isEmpty, "\(command)")
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\n"
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: scalar != "\n"
    case .format, .lineSeparator, .paragraphSeparator: true
    default:
      scalar.properties.isBidiControl
        || scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
    }
  }
}
