import Foundation
import TestSupport
import Testing

@Suite("Suggestions") struct SuggestionTests {
  @Test(
    "An unknown command is refused, with the nearest ones",
    arguments: [
      ("reply", ["replay"]), ("Replay", ["replay"]), ("hist", ["history"]), ("lgo", ["log"]),
      ("stats", ["state"]), ("whatif", ["what-if"]), ("findngs", ["findings"]),
      ("con", ["connections", "connect", "conversations"]), ("conect", ["connect"]),
      ("re", ["register", "record", "replay", "requests", "report", "recover"]), ("xyzzy", []),
      // Hidden commands are not suggested.
      ("verify-work", []), ("", []), ("l", []),
    ])
  func commands(_ written: String, _ meant: [String]) throws {
    let hint = meant.map { "“\($0)”" }.joined(separator: " or ")
    let expected =
      "rollcall: “\(written)” is not a command" + (meant.isEmpty ? "" : "; did you mean \(hint)?")
      + "\n  See 'rollcall help' for the commands.\n"
    for arguments in [[written, "debug.log"], ["help", written], [written, "--help"]] {
      let run = try Program(arguments)
      #expect(run.code == 2)
      #expect(run.output.isEmpty)
      #expect(run.errors == expected, "\(arguments)")
    }
  }

  @Test("A file in place of a command is answered with a hint")
  func file() throws {
    let folder = try TemporaryFolder()
    try "".write(toFile: folder.file("debug.log"), atomically: true, encoding: .utf8)
    let run = try Program("debug.log", in: folder.path)
    #expect(run.code == 2)
    #expect(run.errors.contains("a command comes first, such as rollcall replay"))
  }

  @Test(
    "An unknown option is refused, with the nearest one",
    arguments: [
      ("state x --accont y", "--account"), ("replay x --fom 3", "--from"),
      ("sections x --group-bye index", "--group-by"), ("why x y --othr z", "--other"),
    ])
  func options(_ line: String, _ meant: String) throws {
    let run = try Program(line.split(separator: " ").map(String.init))
    #expect(run.code == 2)
    #expect(run.errors.contains("Did you mean '\(meant)'?"), "\(run.errors)")
  }

  @Test("An invalid value of an option is refused, with the valid ones")
  func values() throws {
    let run = try Program("sections", "x", "--friends", "mutal")
    #expect(run.code == 2)
    #expect(run.errors.contains("'mutual', 'subscribed' or 'all'"), "\(run.errors)")
  }
}
