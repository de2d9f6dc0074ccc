import Foundation
import TestSupport
import Testing

/// `--follow` in practice: the program runs while something else writes.
@Suite("Following a source") struct FollowCommandTests {
  private let folder: TemporaryFolder
  private let lines: [String]

  init() throws {
    folder = try TemporaryFolder()
    let path = CaptureCase.fixtures.appending(path: "captures/raw-pending-both/capture.log")
    lines = try String(contentsOf: path, encoding: .utf8)
      .split(separator: "\n").map { $0 + "\n" }
    try lines.joined().write(toFile: folder.file("whole.log"), atomically: true, encoding: .utf8)
  }

  /// Appends lines to a file, the last one in two halves.
  private func append(_ lines: ArraySlice<String>, to name: String) throws {
    let path = folder.file(name)
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    let bytes = Data(lines.joined().utf8)
    let half = bytes.count - (lines.last?.utf8.count ?? 0) / 2
    try file.write(contentsOf: bytes[..<half])
    try file.write(contentsOf: bytes[half...])
  }

  @Test("The story continues as a file grows and is rotated, and Ctrl-C ends it")
  func replay() throws {
    try append(lines[..<13], to: "debug.log")
    let program = try LiveProgram("replay", "debug.log", "-f", "--full", in: folder.path)
    try program.wait { program.output.contains("a session is bound") }
    #expect(!program.output.contains("jia20@example.test"))
    try append(lines[13..<20], to: "debug.log")
    try program.wait { program.output.contains("wuren20@example.test") }
    try FileManager.default.moveItem(
      atPath: folder.file("debug.log"), toPath: folder.file("debug.log.1"))
    try append(lines[20...], to: "debug.log")
    try program.wait { program.output.contains("the stream is closed") }
    #expect(!program.output.contains("1 contact"))
    #expect(try program.end(by: SIGINT) == 0)
    let whole = try Program("replay", "whole.log", "--full", in: folder.path)
    #expect(program.output == whole.output)
    #expect(program.errors == whole.errors)
  }

  @Test("Findings from a pipe are printed as they arrive, and the exit code comes at its end")
  func findings() throws {
    let first = lines[..<14].joined().utf8.count
    let program = try LiveProgram(
      shell: """
        (head -c \(first) whole.log; until [ -e go ]; do sleep 0.05; done; \
        tail -c +\(first + 1) whole.log) \
        | "$ROLLCALL" findings - --follow --jsonl --fail-on info
        """, in: folder.path)
    try program.wait { program.output.contains("\n") }
    let whole = try Program("findings", "whole.log", "--jsonl", in: folder.path)
    #expect(whole.output.hasPrefix(program.output))
    try Data().write(to: URL(filePath: folder.file("go")))
    #expect(try program.end() == 1)
    #expect(program.output == whole.output)
  }

  @Test("All logs in a folder are followed, including new ones, each under its name")
  func logsInFolder() throws {
    let sessions = folder.file("sessions é")
    try FileManager.default.createDirectory(atPath: sessions, withIntermediateDirectories: false)
    try append(lines[..<13], to: "debug.log")
    #expect(
      try Program("import", "debug.log", "-o", "sessions é/a.rollcall", in: folder.path).code == 0)
    let program = try LiveProgram("replay", "sessions é", "-f", "--full", in: folder.path)
    try program.wait { program.output.contains("a session is bound") }
    #expect(program.output.hasPrefix("==> sessions é/a.rollcall <==\n"))
    #expect(
      try Program("import", "whole.log", "-o", "sessions é/b.rollcall", in: folder.path).code == 0)
    try program.wait { program.output.contains("the stream is closed") }
    try append(lines[13..<20], to: "debug.log")
    #expect(
      try Program("import", "debug.log", "-o", "sessions é/a.rollcall", in: folder.path).code == 0)
    try program.wait {
      program.output.components(separatedBy: "wuren20@example.test “无人应答” none in").count == 5
    }
    #expect(try program.end(by: SIGINT) == 0)
    let headings = program.output.matches(of: /==> sessions é\/(.).rollcall <==/).map(\.1)
    // Each summary is printed at the end.
    #expect(headings == ["a", "b", "a", "b"])
    let whole = try Program("replay", "sessions é/b.rollcall", "--full", in: folder.path)
    let story = program.output.components(separatedBy: " <==\n")
    #expect(whole.output.hasPrefix(story[2].components(separatedBy: "==> ")[0]))
    let refused = try Program("replay", "sessions é", "-f", "--json", in: folder.path)
    #expect(refused.code == 2 && refused.errors.contains("name one of them"), "\(refused.errors)")
  }

  @Test("Records from another process are listed, and SIGTERM ends both cleanly")
  func importAndLog() throws {
    try append(lines[..<13], to: "debug.log")
    let importing = try LiveProgram(
      "import", "debug.log", "--follow", "-o", "a.rollcall", in: folder.path)
    try importing.wait { FileManager.default.fileExists(atPath: folder.file("a.rollcall")) }
    let listing = try LiveProgram(
      "log", "a.rollcall", "--follow", "--jsonl", in: folder.path)
    try listing.wait { listing.output.contains(#""record":10"#) }
    try append(lines[13...], to: "debug.log")
    try listing.wait { listing.output.contains(#""record":33"#) }
    #expect(try listing.end(by: SIGTERM) == 0)
    #expect(try importing.end(by: SIGTERM) == 0)
    #expect(importing.output.hasPrefix("debug.log: 33 records of alice20@example.test"))
    let again = try Program("import", "debug.log", "-o", "a.rollcall", in: folder.path)
    #expect(again.output == "debug.log: nothing new: its 33 records are in the log already\n")
    let whole = try Program("log", "whole.log", "--jsonl", in: folder.path)
    #expect(listing.output == whole.output)
    #expect(try folder.names == ["a.rollcall", "a.rollcall-lock", "debug.log", "whole.log"])
  }

  @Test("It ends when the reader of its output has gone")
  func closedOutput() throws {
    let program = try LiveProgram(
      shell: #""$ROLLCALL" log whole.log --follow | head -n 1"#, in: folder.path)
    #expect(try program.end() == 0)
    #expect(program.output.hasPrefix("record"))
  }

  @Test(
    "Options for an end are refused",
    arguments: [
      ["replay", "whole.log", "--follow", "--at", "20"],
      ["findings", "whole.log", "--follow", "--to", "20"],
      ["import", "whole.log", "whole.log", "--follow", "-o", "b.rollcall"],
    ])
  func refused(_ arguments: [String]) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.contains("--follow"))
  }
}
