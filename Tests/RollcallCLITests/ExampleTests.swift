import Foundation
import TestSupport
import Testing

/// The files that the examples in the help use.
private struct ExampleFolder {
  private let folder: TemporaryFolder

  /// The time of the first record, 2026-11-20T09:50:00Z, and the interval between records.
  private static let start = 1_795_168_200_000
  private static let interval = 20_000
  private static let day = 86_400_000

  private static func header(_ resource: String) -> String {
    """
    {"rollcall-capture":1,"account":"alice@example.test/\(resource)"}

    """
  }

  /// A session in which bob is renamed, and removed near the end.
  private static func session(
    _ resource: String, after delay: Int = 0, records: Int = 240
  ) -> String {
    var lines: [String] = []
    func add(_ rest: String) {
      let time = start + delay + lines.count * interval
      lines.append("{\"t\":\(time),\(rest)}")
    }
    func add(_ direction: String, _ xml: String) {
      add("\"dir\":\"\(direction)\",\"xml\":\"\(xml)\"")
    }
    func push(_ item: String, from: String = "") {
      add(
        "in",
        "<iq type='set' id='p\(lines.count)'\(from)><query xmlns='jabber:iq:roster'>\(item)"
          + "</query></iq>")
    }
    add("\"stream\":\"opened\",\"jid\":\"alice@example.test/\(resource)\"")
    add("out", "<iq type='get' id='r1'><query xmlns='jabber:iq:roster'/></iq>")
    add(
      "in",
      "<iq type='result' id='r1'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test' name='Robert' subscription='both'/>"
        + "<item jid='zhang@example.test' name='张三' subscription='both'/></query></iq>")
    add("out", "<presence/>")
    while lines.count < records {
      switch lines.count {
      case 99: add("in", "<presence from='dave@example.test' type='subscribe'/>")
      case 129:
        push(
          "<item jid='eve@evil.test' subscription='both'/>", from: " from='eve@evil.test'")
      case 199: push("<item jid='bob@example.test' name='Bob' subscription='both'/>")
      case 235: push("<item jid='bob@example.test' subscription='remove'/>")
      case let count where count % 7 == 0:
        add("in", "<message from='bob@example.test/pc'><body>晚饭 \(count)</body></message>")
      case let count:
        let show = count % 2 == 0 ? "<show>away</show>" : ""
        add("in", "<presence from='bob@example.test/pc'>\(show)</presence>")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Substitutes for programs that may not be installed.
  private static let programs = [
    "ssh": "shift; exec \"$@\"", "tail": "shift; exec cat \"$@\"",
    "jq": "! grep -q '\"name\":\"Bob\"'",
  ]

  init() throws {
    folder = try TemporaryFolder()
    let alice = Self.header("phone") + Self.session("phone")
    for name in ["debug.log", "phone.log", "monday.log", "prosody.log"] {
      try write(alice, name)
    }
    try write(
      Self.header("laptop")
        + Self.session("laptop", after: Self.interval / 2, records: 220), "laptop.log")
    try write(Self.header("phone") + Self.session("phone", after: Self.day), "tuesday.log")
    try write(
      Self.header("phone") + """
        {"dir":"in","xml":"<iq type='set' id='x'><query xmlns='jabber:iq:roster'>\
        <item jid='carol@example.test' subscription='both'/></query></iq>"}

        """, "push.jsonl")
    try write(
      """
      {"rollcall-capture":1,"account":"bob@example.test/pc"}
      {"t":\(Self.start),"stream":"opened","jid":"bob@example.test/pc"}
      {"t":\(Self.start),"dir":"out","xml":"<iq type='get' id='r1'>\
      <query xmlns='jabber:iq:roster'/></iq>"}
      {"t":\(Self.start + 40_000),"dir":"in","xml":"<iq type='result' id='r1'>\
      <query xmlns='jabber:iq:roster'>\
      <item jid='alice@example.test' subscription='both'/></query></iq>"}
      {"t":\(Self.start + 900_000),"dir":"in","xml":"<message from='example.test'><body/></message>"}

      """, "bob.jsonl")
    try write("张三\n李四\n", "names.txt")
    var devices = TwoDevices()
    devices.push(TwoDevices.bob("Robert"), to: [1])
    devices.presence()
    try write(devices.text, "devices.log")
    let packed = try Program(shell: "gzip -c debug.log > debug.log.1.gz", in: folder.path)
    #expect(packed.code == 0, "\(packed.errors)")
    let streams = CaptureCase.fixtures.appending(path: "logs/raw-stream")
    for name in ["in.xml", "out.xml"] {
      try FileManager.default.copyItem(
        at: streams.appending(path: name), to: URL(filePath: folder.file(name)))
    }
    try FileManager.default.createDirectory(
      atPath: folder.file("bin"), withIntermediateDirectories: false)
    for (name, body) in Self.programs {
      try write("#!/bin/sh\n\(body)\n", "bin/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.file("bin/\(name)"))
    }
    try Self.log.get().write(to: URL(filePath: folder.file("alice.rollcall")))
    // The spool of a tap.
    try FileManager.default.createDirectory(
      atPath: folder.file("spool"), withIntermediateDirectories: false)
    try write(Self.spool, "spool/0a1b2c3d-000001.jsonl")
    // The folder of a recorder.
    try FileManager.default.createDirectory(
      atPath: folder.file("sessions"), withIntermediateDirectories: false)
    try Self.log.get().write(to: URL(filePath: folder.file("sessions/alice.rollcall")))
  }

  /// The stored rosters of two accounts, as a tap writes them.
  private static let spool =
    #"{"rollcall-tap":1,"boot":"0a1b2c3d","segment":1,"server":"Prosody 0.12.3","what":"roster"}"#
    + "\n"
    + [("alice", "bob"), ("bob", "alice")].map { account, contact in
      #"{"t":1795168200000,"a":"\#(account)@example.test","stored":"all","xml":"<iq type='result' id='rollcall-tap'><query xmlns='jabber:iq:roster'><item jid='\#(contact)@example.test' subscription='both'/></query></iq>","asked":[]}"#
        + "\n"
    }.joined()

  /// The log of the session, created once.
  private static let log = Result {
    let folder = try TemporaryFolder()
    try (header("phone") + session("phone")).write(
      toFile: folder.file("debug.log"), atomically: true, encoding: .utf8)
    let run = try Program("import", "debug.log", "-o", "alice.rollcall", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    return try Data(contentsOf: URL(filePath: folder.file("alice.rollcall")))
  }

  private func write(_ text: String, _ name: String) throws {
    try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  /// Runs a line in a shell in which `rollcall` is the program. The output of an import does not
  /// exist beforehand.
  func run(_ line: String) throws -> Program {
    if line.contains("import"),
      FileManager.default.fileExists(atPath: folder.file("alice.rollcall"))
    {
      try FileManager.default.removeItem(atPath: folder.file("alice.rollcall"))
    }
    // A command that never ends is read only briefly.
    let isEndless = line.contains("--follow") && !line.contains("|")
    let line = isEndless ? "\(line) | head -n 1" : line
    return try Program(
      shell: "PATH=\"$PWD/bin:$(dirname \"$ROLLCALL\"):$PATH\"; \(line)", in: folder.path)
  }
}

/// Readers of the help try its examples.
@Suite("The examples of the help") struct ExampleTests {
  /// The expected exit codes of an example; 1 if the answer is no.
  private func codes(_ example: String) -> [Int32] {
    if example.contains("rollcall what-if ") { return [0, 1] }
    return example.contains("rollcall diff ") || example.contains("--fail-on") ? [1] : [0]
  }

  /// The examples of `rollcall-live` need a server, so its own tests run them.
  private static let commands = Result {
    try CommandDump.commands().filter { !CommandDump.companions.contains($0.commandName) }
  }

  @Test("Every example runs as written", arguments: try commands.get())
  func runs(_ command: CommandDump) throws {
    let folder = try ExampleFolder()
    for example in command.examples {
      let run = try folder.run(example)
      #expect(codes(example).contains(run.code), "\(example): \(run.errors)")
      #expect(
        !run.output.isEmpty || example.contains(" -o ") || example.contains(" > "), "\(example)")
      #expect(!run.errors.contains("rollcall:"), "\(example): \(run.errors)")
    }
  }

  @Test("The examples of the overview run as written")
  func overview() throws {
    let folder = try ExampleFolder()
    let examples = try CommandDump.program().examples
    #expect(examples.count > 3)
    for example in examples {
      let run = try folder.run(example)
      #expect(run.code == 0, "\(example): \(run.errors)")
    }
  }
}
