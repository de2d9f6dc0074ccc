import Foundation
import TestSupport
import Testing

/// The output that a user at a terminal sees; `script` of util-linux provides the terminal.
@Suite("The pager") struct PagerTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      at: CaptureCase.fixtures.appending(path: "captures/slixmpp-rename-undone/capture.log"),
      to: URL(filePath: folder.file("x.log")))
  }

  /// Runs a line of shell on a terminal, whose content is the output.
  private func run(_ line: String, _ environment: String = "") throws -> Program {
    try line.write(toFile: folder.file("line"), atomically: true, encoding: .utf8)
    return try Program(
      shell: "export ROLLCALL TERM=xterm \(environment); unset NO_COLOR; "
        + "script -qec 'sh ./line' /dev/null < /dev/null", in: folder.path)
  }

  private func paged() throws -> String? {
    let path = folder.file("paged")
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test("A pager gets the terminal output with colors, and the exit code is the command's")
  func pages() throws {
    let plain = try run("\"$ROLLCALL\" diff x.log 0 --no-pager")
    let shown = try run("\"$ROLLCALL\" diff x.log 0", "ROLLCALL_PAGER='cat > paged' PAGER=false")
    #expect(plain.code == 1 && plain.output.contains("\u{1B}["))
    #expect(shown.code == 1 && shown.output.isEmpty)
    #expect(try paged() == plain.output.replacing("\r\n", with: "\n"))
    // Notes before the answer come first.
    let noted = try run("\"$ROLLCALL\" history x.log laochen", "PAGER='sed s/#12/paged/'")
    #expect(noted.output.contains(/^note: “laochen” is .*\r\n.*paged/), "\(noted.output)")
  }

  @Test(
    "There is none for machines, with --no-pager, and without output",
    arguments: [
      ("log x.log --json", "PAGER='cat > paged'"), ("log x.log --jsonl", "PAGER='cat > paged'"),
      ("log x.log --no-pager", "PAGER='cat > paged'"), ("log x.log", "ROLLCALL_PAGER=cat PAGER=no"),
      ("log x.log", "ROLLCALL_PAGER= PAGER='cat > paged'"),
      ("log x.log", "TERM=dumb PAGER='cat > paged'"),
      ("log x.log | cat", "PAGER='cat > paged'"), ("log missing", "PAGER='cat > paged'"),
      ("pinyin 曾", "PAGER='cat > paged'"),
    ])
  func none(_ command: String, _ environment: String) throws {
    let run = try run("\"$ROLLCALL\" \(command)", environment)
    #expect(!run.output.isEmpty)
    #expect(try paged() == nil)
    #expect(run.code == (command.contains("missing") ? 2 : 0))
  }

  @Test("There is none for followed sources, with any form of the option")
  func live() throws {
    let run = try run("cat x.log | \"$ROLLCALL\" log - -f", "PAGER='cat > paged'")
    #expect(run.output.contains(/record +time/) && run.code == 0)
    #expect(try paged() == nil)
  }

  @Test("Quitting it ends the command without an error")
  func quitting() throws {
    let lines = try Program("log", "x.log", in: folder.path).output.split(separator: "\n").count
    #expect(lines > 20)
    let run = try run("\"$ROLLCALL\" log x.log; echo $?", "PAGER='head -n 1'")
    #expect(run.output.contains(/record +time/))
    #expect(run.output.hasSuffix("\r\n0\r\n") && run.output.split(separator: "\r\n").count == 2)
    // A pager that cannot be run prints its own error, and the command behaves as if it was quit.
    let missing = try self.run("\"$ROLLCALL\" log x.log; echo $?", "PAGER=no-such-pager")
    #expect(missing.output.contains("no-such-pager") && missing.output.hasSuffix("\r\n0\r\n"))
  }
}
