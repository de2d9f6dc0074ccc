import Foundation
import TestSupport
import Testing

#if os(Linux)
  @Suite("tools/install") struct InstallTests {
    private let folder: TemporaryFolder
    private let tool = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "tools/install").path(percentEncoded: false)

    init() throws {
      folder = try TemporaryFolder()
    }

    private func install(_ prefix: String, setting variables: String = "") throws -> Program {
      try Program(
        shell: "\(variables) '\(tool)' --binary \"$ROLLCALL\" \(prefix)", in: folder.path)
    }

    private func files(_ path: String) throws -> [String] {
      let root = folder.file(path)
      return try FileManager.default.subpathsOfDirectory(atPath: root).filter {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
          && !isFolder.boolValue
      }.sorted()
    }

    private func expected(zsh: String) throws -> [String] {
      let pages = try CommandDump.commands().map { "share/man/man1/rollcall-\($0.commandName).1" }
      return
        (pages + [
          "bin/rollcall", "share/bash-completion/completions/rollcall",
          "share/fish/vendor_completions.d/rollcall.fish", "share/man/man1/rollcall.1", zsh,
        ]).sorted()
    }

    @Test("Program, pages and completions are put in place, by one run or two")
    func twice() throws {
      let first = try install("'a b'")
      #expect(first.code == 0, "\(first.errors)")
      let whole = try expected(zsh: "share/zsh/site-functions/_rollcall")
      #expect(try files("a b") == whole)
      // A page of a command that there is no longer goes, another program's stays.
      for name in ["rollcall-gone.1", "rollcall2.1"] {
        try "".write(
          toFile: folder.file("a b/share/man/man1/\(name)"), atomically: true, encoding: .utf8)
      }
      let second = try install("'a b'")
      #expect(second.code == 0, "\(second.errors)")
      #expect(try files("a b") == (whole + ["share/man/man1/rollcall2.1"]).sorted())
      #expect(second.output == first.output)
      #expect(first.output.contains("a b/bin/rollcall, \(whole.count - 4) manual pages"))
      let run = try Program(shell: "'a b/bin/rollcall' --version", in: folder.path)
      #expect(run.output == (try Program("--version")).output)
    }

    @Test("DESTDIR stands in front of the prefix, and a package has its own place for zsh")
    func destination() throws {
      let run = try install("/usr", setting: "DESTDIR=\"$PWD/tree\"")
      #expect(run.code == 0, "\(run.errors)")
      #expect(
        try files("tree/usr") == expected(zsh: "share/zsh/vendor-completions/_rollcall"))
    }

    @Test("What it does not know is refused", arguments: ["--prefix", "a b", "--binary"])
    func usage(_ arguments: String) throws {
      let run = try Program(shell: "'\(tool)' \(arguments)", in: folder.path)
      #expect(run.code == 2)
      #expect(run.errors.contains("usage: tools/install"))
      #expect(try folder.names.isEmpty)
    }
  }
#endif
