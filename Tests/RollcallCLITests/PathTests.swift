import Foundation
import TestSupport
import Testing

/// Folders and files with names that people use: with spaces, percent signs and characters beyond
/// ASCII.
@Suite("Paths with any characters") struct PathTests {
  private let folder: TemporaryFolder
  private let home: String

  /// Names that change if they are encoded or decoded as parts of a URL.
  private static let directory = "目录 甲 %41"
  private static let log = "曾 log.rollcall"
  private static let capture = "曾 capture+%20.jsonl"

  private static let other = "鲍 capture+%20.jsonl"

  private static let session = """
    {"rollcall-capture":1,"account":"alice@example.test/phone"}
    {"stream":"opened","jid":"alice@example.test/phone"}
    {"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
    {"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'><item \
    jid='bob@example.test' name='Bob' subscription='both'/></query></iq>"}

    """

  init() throws {
    folder = try TemporaryFolder()
    home = folder.file(Self.directory)
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
    try Data(Self.session.utf8).write(to: URL(filePath: "\(home)/\(Self.capture)"))
    let other = Self.session.replacing("bob@", with: "carol@").replacing("alice@", with: "bob@")
      .replacing("carol@", with: "alice@")
    try Data(other.utf8).write(to: URL(filePath: "\(home)/\(Self.other)"))
    let imported = try Program("import", Self.capture, "-o", Self.log, in: home)
    #expect(imported.code == 0, "\(imported.errors)")
  }

  /// A command with its files, and the exit code of success.
  struct Case: Sendable, CustomTestStringConvertible {
    var command: String
    var arguments: [String]
    var code: Int32 = 0
    /// The names of the files that it writes in the folder.
    var files: [String] = []

    var testDescription: String { ([command] + arguments).joined(separator: " ") }
  }

  static let cases = [
    Case(
      command: "import", arguments: ["曾 capture+%20.jsonl", "-o", "新 %41.rollcall"],
      files: ["新 %41.rollcall"]),
    Case(command: "state", arguments: [log]),
    Case(command: "state", arguments: [capture]),
    Case(command: "friends", arguments: [log]),
    Case(command: "requests", arguments: [log], code: 1),
    Case(command: "sections", arguments: [log]),
    Case(command: "log", arguments: [log]),
    Case(command: "show", arguments: [log, "4"]),
    Case(command: "replay", arguments: [log]),
    Case(command: "findings", arguments: [log]),
    Case(command: "diff", arguments: [log, "1", "4"], code: 1),
    Case(command: "diff", arguments: [log, capture]),
    Case(command: "between", arguments: [log, other]),
    Case(command: "connections", arguments: [log]),
    Case(command: "history", arguments: [log, "bob@example.test"]),
    Case(command: "why", arguments: [log, "bob@example.test"]),
    Case(command: "why", arguments: [log, "bob@example.test", "--other", other]),
    Case(command: "conversations", arguments: [log], code: 1),
    Case(command: "chat", arguments: [log, "bob@example.test"], code: 1),
    Case(command: "bisect", arguments: [log, "--friend", "bob@example.test"]),
    Case(command: "bookmark", arguments: [log, "here", "3"]),
    Case(
      command: "what-if", arguments: [log, "--drop", "4", "-o", "没 有.rollcall"], code: 1,
      files: ["没 有.rollcall"]),
    Case(command: "what-if", arguments: [log, "--insert", "\(capture)@4"]),
    Case(command: "verify", arguments: [log]),
    Case(command: "verify", arguments: [log, "--rebuild"]),
    Case(command: "recover", arguments: [log, "-o", "救 回.rollcall"], files: ["救 回.rollcall"]),
    Case(command: "export", arguments: [log, "-o", "出 口.jsonl"], files: ["出 口.jsonl"]),
    Case(
      command: "export", arguments: [log, "--format", "xml", "-o", "出 口"],
      files: ["出 口.in.xml", "出 口.out.xml"]),
    Case(command: "report", arguments: [log, "-o", "报 告.html"], files: ["报 告.html"]),
    Case(
      command: "test-from", arguments: [log, "-o", "测 试/a b"],
      files: [
        "测 试/a b/AB.findings.json", "测 试/a b/AB.jsonl", "测 试/a b/AB.state.json",
        "测 试/a b/ABTests.swift",
      ]),
  ]

  @Test(
    "Every command reads and writes there, and prints the names unchanged", arguments: cases)
  func commands(_ test: Case) throws {
    let names = Set(try FileManager.default.subpathsOfDirectory(atPath: home))
    // From another folder, so that the paths are complete.
    let paths = test.arguments.map { argument in
      names.contains { argument.hasPrefix($0) } || isWritten(argument, by: test)
        ? "\(home)/\(argument)" : argument
    }
    let far = try Program([test.command] + paths, in: folder.path)
    #expect(far.code == test.code, "\(far.errors)")
    for file in test.files {
      #expect(FileManager.default.fileExists(atPath: "\(home)/\(file)"), "\(file)")
      try FileManager.default.removeItem(atPath: "\(home)/\(file)")
    }
    let near = try Program([test.command] + test.arguments, in: home)
    #expect(near.code == test.code, "\(near.errors)")
    for run in [near, far] {
      #expect(!(run.output + run.errors).contains("%E7"), "an encoded name")
      #expect(!(run.output + run.errors).contains("%2541"), "an encoded name")
    }
    for file in test.files {
      #expect(FileManager.default.fileExists(atPath: "\(home)/\(file)"), "\(file)")
    }
  }

  private func isWritten(_ argument: String, by test: Case) -> Bool {
    test.files.contains { $0.hasPrefix(argument) }
  }

  @Test("Every command is covered")
  func complete() throws {
    let commands = try CommandDump.commands().map(\.commandName)
    #expect(commands.count > 20)
    // These read no files, and those that need a server have their own test.
    let others = ["pinyin", "formats", "fleet"] + CommandDump.companions
    #expect(Set(commands) == Set(Self.cases.map(\.command) + others))
  }

  @Test("Both directions of a stream are read from there")
  func pair() throws {
    let streams = CaptureCase.fixtures.appending(path: "logs/raw-stream")
    for name in ["in", "out"] {
      try FileManager.default.copyItem(
        at: streams.appending(path: "\(name).xml"),
        to: URL(filePath: "\(home)/\(name) %41.xml"))
    }
    let run = try Program("state", "in %41.xml", "--pair", "out %41.xml", in: home)
    #expect(run.code == 0, "\(run.errors)")
  }

  @Test("A generated test that was edited is not overwritten")
  func writtenTest() throws {
    let arguments = ["test-from", Self.log, "-o", "a b/out"]
    #expect(try Program(arguments, in: home).code == 0)
    let file = "\(home)/a b/out/OutTests.swift"
    try "edited".write(toFile: file, atomically: true, encoding: .utf8)
    let again = try Program(arguments, in: home)
    #expect(again.code == 2)
    #expect(again.errors.contains("a b/out"))
    #expect(again.errors.contains("exists already"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "edited")
  }

  @Test(
    "Temporary files are created in TMPDIR",
    arguments: [
      "test-from 'LOG' -o out", "state 'CAPTURE'", "export 'CAPTURE' -o out.jsonl",
      "report 'LOG' --redact",
    ])
  func temporaryFolder(_ command: String) throws {
    let command = command.replacing("LOG", with: Self.log)
      .replacing("CAPTURE", with: Self.capture)
    let run = try Program(shell: "TMPDIR='\(home)' \"$ROLLCALL\" \(command)", in: home)
    #expect(run.code == 0, "\(run.errors)")
  }
}
