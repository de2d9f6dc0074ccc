import Foundation
import TestSupport
import Testing

/// Malicious input, and an uncooperative environment.
@Suite("Hostile surroundings") struct HostileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    // XML 1.0 allows C1 controls literally; the line feed and the tab are references.
    let bad = "\u{9B}31m\u{85}\u{202E}\u{2066}\u{2028}\u{200E}\u{7F}&#10;&#9;&#155;"
    let stanzas = [
      "<iq type='get' id='\(bad)'><query xmlns='jabber:iq:roster' ver=''/></iq>",
      "<iq type='result' id='\(bad)'><query xmlns='jabber:iq:roster' ver='\(bad)'><item "
        + "jid='bob@example.test' name='\(bad)' subscription='both'><group>\(bad)</group></item>"
        + "</query></iq>",
      "<presence from='bob@example.test/\(bad)'><status>\(bad)</status></presence>",
      "<presence type='subscribe' from='eve@example.test'><status>\(bad)</status>"
        + "<nick xmlns='http://jabber.org/protocol/nick'>\(bad)</nick></presence>",
      "<presence type='\(bad)' from='eve@example.test'/>",
      "<iq type='set' id='1' from='m@evil.test/\(bad)'><query xmlns='jabber:iq:roster'>"
        + "<item jid='\(bad)@@'/></query></iq>",
      "<iq type='set' id='2'><query xmlns='jabber:iq:roster'><item jid='\(bad)@@'/></query></iq>",
    ]
    var lines = [#"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#]
    lines.append(#"{"t":1,"stream":"opened","jid":"alice@example.test/phone"}"#)
    let name = bad.replacingOccurrences(of: "\u{7F}", with: "x")
    lines.append(
      #"{"t":1,"c":2,"name":"\#(name)","stream":"opened","jid":"alice@example.test/\#(name)"}"#)
    for (number, xml) in stanzas.enumerated() {
      lines.append(#"{"t":1,"dir":"\#(number == 0 ? "out" : "in")","xml":"\#(xml)"}"#)
    }
    try write(lines.joined(separator: "\n"), to: "evil")
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  @Test(
    "Text from a contact neither moves the cursor nor reverses a line",
    arguments: [
      "state", "friends", "requests", "connections", "log", "replay", "findings", "show",
    ])
  func controls(_ command: String) throws {
    var calls = [[command, "evil"], [command, "evil", "--json"]]
    if command == "show" { calls = (1...9).flatMap { n in calls.map { $0 + ["\(n)"] } } }
    for call in calls {
      let run = try Program(call, in: folder.path)
      #expect(run.code == 0)
      let obeyed = (run.output + run.errors).unicodeScalars.filter { scalar in
        let category = scalar.properties.generalCategory
        return scalar != "\n" && category == .control || scalar.properties.isBidiControl
          || category == .lineSeparator || category == .paragraphSeparator
      }
      #expect(obeyed.isEmpty, "\(call)")
    }
  }

  @Test("Control characters in a name on the command line are made visible")
  func arguments() throws {
    for call in [["state", "no\u{1B}[31m"], ["state", "evil", "--at", "\u{1B}[31m"]] {
      let run = try Program(call, in: folder.path)
      #expect(run.code == 2)
      #expect(!run.errors.contains("\u{1B}"))
    }
  }

  @Test(
    "An error that happens to contain a short file name still begins with it",
    arguments: ["in", "a", "is"])
  func shortName(_ name: String) throws {
    try write("nothing", to: name)
    let run = try Program("state", name, in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.hasPrefix("rollcall: \(name): the format is not known"))
  }

  @Test("A closed output ends the program quietly, whatever the caller does with SIGPIPE")
  func brokenPipe() throws {
    try write(
      #"{"rollcall-capture":1,"account":"alice@example.test"}"# + "\n"
        + String(
          repeating: #"{"t":1,"dir":"in","xml":"<presence from='b@c.test/p'/>"}"# + "\n",
          count: 9999),
      to: "long")
    for before in ["", "trap '' PIPE; "] {
      for command in ["log long", "log long --json", "replay --full long"] {
        let line = "\(before)(\"$ROLLCALL\" \(command); echo $? >code) | head -c 1"
        let run = try Program(shell: line, in: folder.path)
        #expect(run.errors.isEmpty)
        #expect(run.output.count == 1)
        let code = try String(contentsOfFile: folder.file("code"), encoding: .utf8)
        #expect(code == "141\n", "\(command)")
      }
    }
  }

  #if os(Linux)
    @Test("A result that cannot be written is an error, not a crash")
    func fullDevice() throws {
      for command in ["log evil", "state evil --json", "replay evil", "help"] {
        let run = try Program(shell: "\"$ROLLCALL\" \(command) >/dev/full", in: folder.path)
        #expect(run.code == 2)
        #expect(run.errors.contains("the result cannot be written: No space left on device"))
      }
      #expect(try Program(shell: "\"$ROLLCALL\" nosuch 2>/dev/full", in: folder.path).code == 2)
    }
  #endif

  @Test("With its output closed, an import does not write messages into the log")
  func closedOutput() throws {
    let run = try Program(shell: "\"$ROLLCALL\" import evil -o x.rollcall >&-", in: folder.path)
    #expect(run.code == 2)
    let bytes = try Data(contentsOf: URL(filePath: folder.file("x.rollcall")))
    #expect(bytes.range(of: Data("evil: ".utf8)) == nil)
    #expect(try Program("state", "x.rollcall", in: folder.path).code == 0)
  }

  @Test("A capture from a pipe gives the same results as from a file")
  func pipes() throws {
    let direct = try Program("state", "evil", "--json", in: folder.path)
    for line in [
      "cat evil | \"$ROLLCALL\" state - --json",
      "(head -c 10 evil; sleep 0.2; tail -c +11 evil) | \"$ROLLCALL\" state /dev/stdin --json",
      "mkfifo pipe; cat evil >pipe & timeout 60 \"$ROLLCALL\" state pipe --json",
    ] {
      let run = try Program(shell: line, in: folder.path)
      #expect(run.output == direct.output, "\(line): \(run.errors)")
    }
    let line = "cat evil | \"$ROLLCALL\" import - -o x.rollcall"
    #expect(try Program(shell: line, in: folder.path).code == 0)
    let again = try Program("import", "evil", "-o", "x.rollcall", in: folder.path)
    #expect(again.code == 0)
    #expect(again.output.hasPrefix("evil: nothing new: its "))
  }

  @Test("The next import removes the leftovers of a killed one", arguments: [true, false])
  func killed(isNew: Bool) throws {
    if !isNew {
      #expect(try Program("import", "evil", "-o", "x.rollcall", in: folder.path).code == 0)
    }
    // Named like drafts of the program, of a process that has ended and of one that runs.
    let ended = try Program(shell: "echo $$", in: folder.path).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let (stale, others) = (
      ["x.rollcall.draft-\(ended)-1", "x.rollcall.0.draft-\(ended)-2"],
      ["x.rollcall.draft-\(getpid())-1", "y.rollcall.draft-\(ended)-1", "x.rollcall.draft-notes"]
    )
    for name in stale + others {
      try Data("draft".utf8).write(to: URL(filePath: folder.file(name)))
    }
    let run = try Program("import", "evil", "-o", "x.rollcall", "--force", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    let names = try folder.names
    #expect(names.filter { $0.contains("draft-") } == others.sorted())
  }

  @Test("An interrupted import leaves nothing behind", arguments: ["TERM", "HUP"])
  func interrupted(_ name: String) throws {
    // The import still waits for input when the signal arrives, however late it has started.
    let line = """
      mkfifo pipe; sleep 300 >pipe & feeder=$!
      "$ROLLCALL" import pipe -o x.rollcall & import=$!
      for i in $(seq 600); do ls x.rollcall.draft-* 2>/dev/null && break; sleep 0.2; done
      kill -\(name) $import; wait $import; echo $?; kill $feeder; ls
      """
    let run = try Program(shell: line, in: folder.path)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("x.rollcall.draft-") == true, "it had begun")
    #expect(lines.dropFirst(2) == ["evil", "pipe"])
  }

  @Test("Reading a capture without importing it leaves no files")
  func noTemporary() throws {
    let line = "mkdir t; TMPDIR=$PWD/t \"$ROLLCALL\" state evil --json; ls t"
    let run = try Program(shell: line, in: folder.path)
    #expect(run.code == 0)
    #expect(run.output.hasSuffix("}\n"))
    let none = try Program(shell: "TMPDIR=/none \"$ROLLCALL\" state evil", in: folder.path)
    #expect(none.code == 2)
    #expect(none.errors.contains("/none") && none.errors.contains("TMPDIR"))
  }

  @Test("An account is recognized in any spelling")
  func account() throws {
    for account in ["ALICE@Example.TEST", "alice@example.test/phone"] {
      #expect(try Program("state", "evil", "--account", account, in: folder.path).code == 0)
    }
  }
}
