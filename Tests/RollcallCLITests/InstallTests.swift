import Foundation
import TestSupport
import Testing

#if os(Linux)
  @Suite("tools/install") struct InstallTests {
    private let folder: TemporaryFolder
    private let tool = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "tools/install").path(percentEncoded: false)

    /// A substitute for the program, with minimal answers.
    private static let program = """
      #!/bin/sh
      case $1 in
        manual) touch "$2/rollcall.1" "$2/rollcall-state.1" ;;
        --generate-completion-script) echo "for $2" ;;
        --version) echo "rollcall 1.2.3 (4567890)" ;;
      esac

      """

    init() throws {
      folder = try TemporaryFolder()
      try Self.program.write(
        toFile: folder.file("built"), atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder.file("built"))
    }

    /// Adds a companion program with a command of its own.
    private func addLive() throws {
      let text = "#!/bin/sh\n[ \"$1\" != manual ] || touch \"$2/rollcall-connect.1\"\n"
      #expect(
        FileManager.default.createFile(
          atPath: folder.file("rollcall-live"), contents: Data(text.utf8),
          attributes: [.posixPermissions: 0o755]))
    }

    @Test("A companion is installed with its pages, and removed when it is no longer there")
    func live() throws {
      try addLive()
      let both = try install("DESTDIR=\"$PWD/a b\" INSTALL /usr")
      #expect(both.code == 0, "\(both.errors)")
      #expect(both.output.contains("a b/usr/bin/rollcall-live, 3 manual pages"))
      let own = ["bin/rollcall-live", "share/man/man1/rollcall-connect.1"]
      #expect(try files("a b/usr").filter { own.contains($0) } == own)
      #expect(
        try Program(shell: "'a b/usr/bin/rollcall-live'", in: folder.path).code == 0)

      try FileManager.default.removeItem(atPath: folder.file("rollcall-live"))
      #expect(try install("DESTDIR=\"$PWD/a b\" INSTALL /usr").code == 0)
      #expect(try files("a b/usr").filter { own.contains($0) } == [])
    }

    private func install(_ line: String) throws -> Program {
      try Program(
        shell: line.replacing("INSTALL", with: "'\(tool)' --binary built"), in: folder.path)
    }

    private func files(_ path: String) throws -> [String] {
      let root = folder.file(path)
      return try FileManager.default.subpathsOfDirectory(atPath: root).filter {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
          && !isFolder.boolValue
      }.sorted()
    }

    @Test("Program, pages and completions are installed, and can be installed again")
    func twice() throws {
      let whole = [
        "bin/rollcall", "share/bash-completion/completions/rollcall",
        "share/fish/vendor_completions.d/rollcall.fish", "share/man/man1/rollcall-state.1",
        "share/man/man1/rollcall.1",
      ]
      let packaged = "share/zsh/vendor-completions/_rollcall"
      let local = "share/zsh/site-functions/_rollcall"

      let first = try install("DESTDIR=\"$PWD/a b\" INSTALL /usr")
      #expect(first.code == 0, "\(first.errors)")
      #expect(try files("a b/usr") == (whole + [packaged]).sorted())
      #expect(
        first.output.hasPrefix("rollcall 1.2.3 (4567890): ")
          && first.output.contains("a b/usr/bin/rollcall, 2 manual pages"))

      // A page for a command that no longer exists is removed; another program's page stays.
      for name in ["rollcall-gone.1", "rollcall2.1"] {
        try "".write(
          toFile: folder.file("a b/usr/share/man/man1/\(name)"), atomically: true, encoding: .utf8)
      }
      let second = try install("INSTALL 'a b/usr'")
      #expect(second.code == 0, "\(second.errors)")
      let kept = [packaged, local, "share/man/man1/rollcall2.1"]
      #expect(try files("a b/usr") == (whole + kept).sorted())
      #expect(second.output.contains("a b/usr/bin is not on the PATH"))
      let run = try Program(shell: "'a b/usr/bin/rollcall' --version", in: folder.path)
      #expect(run.output == "rollcall 1.2.3 (4567890)\n")
      for (path, shell) in [(whole[1], "bash"), (whole[2], "fish"), (local, "zsh")] {
        let script = try String(contentsOfFile: folder.file("a b/usr/\(path)"), encoding: .utf8)
        #expect(script == "for \(shell)\n")
      }
    }

    @Test("Unknown options are refused", arguments: ["--prefix", "a b", "--binary"])
    func usage(_ arguments: String) throws {
      let run = try Program(shell: "'\(tool)' \(arguments)", in: folder.path)
      #expect(run.code == 2)
      #expect(run.errors.contains("usage: tools/install"))
      #expect(try folder.names == ["built"])
    }
  }
#endif
