import Foundation
import Rollcall
import TestSupport
import Testing

@Suite("Version and completions") struct CompletionTests {
  @Test("The version is the library's, and the changelog has it")
  func version() throws {
    let run = try Program("--version")
    #expect(run.code == 0)
    // The commit is printed if the build recorded it.
    #expect(run.output.hasPrefix("rollcall \(RollcallVersion.current)"))
    let commit = run.output.dropFirst("rollcall \(RollcallVersion.current)".count)
    #expect(
      try commit == "\n" || commit.wholeMatch(of: Regex(#" \([0-9a-f]+(-dirty)?\)\n"#)) != nil)
    let root = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
    let changelog = try String(
      contentsOf: root.appending(path: ".github/CHANGELOG.md"), encoding: .utf8)
    #expect(changelog.contains("\n## [\(RollcallVersion.current)]"))
  }

  @Test(
    "The completion script for each shell contains commands, options and formats",
    arguments: ["bash", "zsh", "fish"])
  func completions(_ shell: String) throws {
    let run = try Program("--generate-completion-script", shell)
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    for word in ["what-if", "policy", "profanity", "test-from"] {
      #expect(run.output.contains(word), "\(word)")
    }
  }

  @Test("bash completes file names where a file is expected")
  func files() throws {
    let folder = try TemporaryFolder()
    let script = try Program("--generate-completion-script", "bash")
    try script.output.write(
      toFile: folder.file("rollcall.bash"), atomically: true, encoding: .utf8)
    try "".write(toFile: folder.file("debug.log"), atomically: true, encoding: .utf8)
    for words in ["state deb", "diff debug.log deb", "import x -o deb", "state x --pair deb"] {
      let run = try Program(
        shell: """
          bash -c 'source ./rollcall.bash; COMP_WORDS=(rollcall \(words)); \
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="rollcall \(words)"; \
          COMP_POINT=${#COMP_LINE}; _rollcall; printf "%s\\n" "${COMPREPLY[@]}"'
          """, in: folder.path)
      #expect(run.output.contains("debug.log"), "\(words): \(run.errors)")
    }
  }

  @Test("An unknown shell is refused")
  func unknownShell() throws {
    #expect(try Program("--generate-completion-script", "cmd").code == 2)
  }
}
