import Foundation
import TestSupport
import Testing

/// Options that are given twice although the command uses one value.
@Suite("Options given twice") struct RepeatedOptionTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let capture = """
      {"rollcall-capture":1,"account":"alice@example.test/phone"}
      {"dir":"in","xml":"<presence from='bob@example.test' type='subscribe'/>"}
      {"dir":"in","xml":"<presence from='carol@example.test' type='subscribe'/>"}

      """
    try Data(capture.utf8).write(to: URL(filePath: folder.file("debug.jsonl")))
  }

  @Test(
    "An option given twice and used once is refused",
    arguments: [
      (
        ["replay", "debug.jsonl", "--contact", "bob", "--contact", "carol"],
        "--contact is given twice (bob, carol): give it once"
      ),
      (
        ["replay", "--contact=bob", "debug.jsonl", "--contact", "carol"],
        "--contact is given twice (bob, carol): give it once"
      ),
      (
        ["state", "debug.jsonl", "--at", "1", "--at", "2", "--at", "3"],
        "--at is given 3 times (1, 2, 3): give it once"
      ),
      (
        ["replay", "debug.jsonl", "--to", "-5m", "--at", "-1m"],
        "--at and --to are one option, given twice (-5m, -1m): give it once"
      ),
      (
        ["import", "debug.jsonl", "-o", "a.rollcall", "--output", "b.rollcall"],
        "--output and -o are one option, given twice (a.rollcall, b.rollcall): give it once"
      ),
    ])
  func refused(_ arguments: [String], _ sentence: String) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(run.errors == "rollcall: \(sentence)\n")
    #expect(try folder.names == ["debug.jsonl"])
  }

  @Test(
    "Options that take several values, flags, and words after -- can be repeated",
    arguments: [
      ["why", "debug.jsonl", "bob", "--about", "request", "--about", "friend"],
      ["what-if", "debug.jsonl", "--drop", "2", "--drop", "3"],
      ["state", "debug.jsonl", "--json", "--json"],
      ["pinyin", "--", "--at", "--at"], ["replay", "debug.jsonl", "--from", "2", "--to", "head"],
    ])
  func allowed(_ arguments: [String]) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code < 2, "\(run.errors)")
  }

  @Test("Contradicting flags about redaction are refused")
  func redaction() throws {
    let run = try Program(
      "test-from", "debug.jsonl", "--redact", "--no-redact", "-o", "tests", in: folder.path)
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(try folder.names == ["debug.jsonl"])
  }
}
