import Foundation
import TestSupport
import Testing

/// A copy of the program, next to which other programs can be installed.
private struct Installation {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("bin"), withIntermediateDirectories: false)
    let program = try Program.executable().path(percentEncoded: false)
    let copy = folder.file("bin/rollcall")
    do {
      // A link has a path of its own, too, and avoids a copy.
      try FileManager.default.linkItem(atPath: program, toPath: copy)
    } catch {
      // By another process: a child that another test starts while this one writes the file would
      // have it open, too, and a file that is open for writing cannot be run.
      let copying = try Program(shell: "cp \"$ROLLCALL\" bin/rollcall", in: folder.path)
      #expect(copying.code == 0, "\(copying.errors)")
    }
  }

  /// Installs a program that is a line of shell.
  func add(_ line: String, to place: String = "bin") throws {
    try FileManager.default.createDirectory(
      atPath: folder.file(place), withIntermediateDirectories: true)
    #expect(
      FileManager.default.createFile(
        atPath: folder.file("\(place)/rollcall-live"), contents: Data("#!/bin/sh\n\(line)\n".utf8),
        attributes: [.posixPermissions: 0o755]))
  }

  func run(_ line: String) throws -> Program { try Program(shell: line, in: folder.path) }
}

@Suite("Commands of a companion program") struct CompanionTests {
  private static let printArguments = "printf '<%s>' \"$@\"; echo"

  @Test(
    "The companion gets the arguments unchanged for its own commands",
    arguments: [
      ("connect 'a  b' é '' --exit -- -x", "<connect><a  b><é><><--exit><--><-x>"),
      ("register alice@a.test", "<register><alice@a.test>"),
      ("connect --help", "<connect><--help>"), ("help connect", "<help><connect>"),
      ("connect", "<connect>"), ("connect --version", "<connect><--version>"),
    ])
  func arguments(line: String, expected: String) throws {
    let installation = try Installation()
    try installation.add(Self.printArguments)
    let run = try installation.run("bin/rollcall \(line)")
    #expect(run.output == expected + "\n")
    #expect(run.errors.isEmpty)
    #expect(run.code == 0)
  }

  @Test("Arguments that are not text are passed unchanged")
  func bytes() throws {
    let installation = try Installation()
    try installation.add("printf '%s' \"$2\" | od -An -tx1 | tr -d ' '")
    #expect(
      try installation.run("bin/rollcall connect \"$(printf 'a\\377b')\"").output == "61ff62\n")
  }

  @Test(
    "The exit code, input, outputs and ending signal of the companion are the command's")
  func outcome() throws {
    let installation = try Installation()
    try installation.add("cat; echo told >&2; exit 7")
    let run = try installation.run("printf given | bin/rollcall connect")
    #expect((run.code, run.output, run.errors) == (7, "given", "told\n"))
    // The process stays the same, so signals reach the companion.
    try installation.add("trap 'echo asked; exit 5' TERM; kill -TERM $$; sleep 60")
    let asked = try installation.run("bin/rollcall connect")
    #expect((asked.code, asked.output) == (5, "asked\n"))
    try installation.add("kill -KILL $$")
    #expect(try installation.run("bin/rollcall connect; echo $?").output == "137\n")
    try installation.add("echo $$")
    let same = try installation.run("sh -c 'echo $$; exec bin/rollcall connect'")
    let numbers = same.output.split(separator: "\n")
    #expect(numbers.count == 2 && numbers.first == numbers.last, "\(same.output)")
  }

  @Test("A closed pipe ends it like any other program")
  func brokenPipe() throws {
    let installation = try Installation()
    // A shell that ignores the signal cannot be made to obey it.
    try installation.add("kill -PIPE $$; echo lived")
    #expect(try installation.run("bin/rollcall connect; echo $?").output == "141\n")
  }

  @Test("It is found next to the program, also through a link, and otherwise on the PATH")
  func places() throws {
    let installation = try Installation()
    try installation.add("echo path", to: "on path")
    try FileManager.default.createSymbolicLink(
      atPath: installation.folder.file("link"), withDestinationPath: "bin/rollcall")
    let line = "PATH=\"$PWD/on path:$PATH\"; ./link connect"
    #expect(try installation.run(line).output == "path\n")
    try installation.add("echo beside")
    #expect(try installation.run(line).output == "beside\n")
  }

  @Test("If it is missing or cannot be run, the error says so, and how to get it")
  func missing() throws {
    let installation = try Installation()
    let missing = try installation.run("PATH=/usr/bin:/bin; bin/rollcall connect alice@a.test")
    #expect(missing.code == 2)
    #expect(missing.output.isEmpty)
    for part in [
      "rollcall: connect is a command of the program rollcall-live", "tools/rollcall connect",
      "tools/install", installation.folder.file("bin"),
    ] {
      #expect(missing.errors.contains(part), "\(missing.errors)")
    }
    try installation.add("")
    try Data("no program".utf8).write(
      to: URL(filePath: installation.folder.file("bin/rollcall-live")))
    let broken = try installation.run("bin/rollcall connect")
    #expect(broken.code == 2)
    #expect(broken.errors.contains("rollcall-live: the program cannot be run"), "\(broken.errors)")
  }

  @Test("The help and the manual list its commands")
  func listed() throws {
    let help = try Program("--help")
    #expect(help.code == 0)
    let group = help.output.components(separatedBy: "\n\n").first {
      $0.hasPrefix("RECORD A SESSION:\n")
    }
    let names = try #require(group).split(separator: "\n").dropFirst()
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names == CommandDump.companions + ["fleet"])
    let folder = try TemporaryFolder()
    #expect(try Program("manual", folder.path).code == 0)
    let page = try String(contentsOfFile: folder.file("rollcall.1"), encoding: .utf8)
    for name in CommandDump.companions {
      #expect(page.contains("rollcall\\-\(name)\\fR(1)"))
      // The other program writes that page, because it knows the options.
      #expect(try !folder.names.contains("rollcall-\(name).1"))
    }
  }

  @Test("The companion calls itself rollcall and lists its own commands")
  func itself() throws {
    let version = try Program(beside: "rollcall-live", ["--version"])
    #expect(version.output == (try Program("--version")).output)
    let help = try Program(beside: "rollcall-live", ["--help"])
    #expect(help.code == 0)
    #expect(help.output.contains("USAGE: rollcall <subcommand>"))
    let wrong = try Program(beside: "rollcall-live", ["--nonsense"])
    #expect(wrong.code == 2)
    #expect(wrong.errors.hasPrefix("rollcall: "))
  }

  @Test("tools/rollcall builds it only for its commands")
  func tool() throws {
    let tool = CaptureCase.fixtures.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "tools/rollcall")
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(at: tool, to: URL(filePath: folder.file("rollcall")))
    let build = "#!/bin/sh\necho \"built: $*\" >&2\necho /bin/true\n"
    #expect(
      FileManager.default.createFile(
        atPath: folder.file("build"), contents: Data(build.utf8),
        attributes: [.posixPermissions: 0o755]))
    let lines = CommandDump.companions.flatMap { ["\($0) x", "help \($0)"] }
    for line in lines + ["replay connect", "help", "", "help replay", "--help"] {
      let run = try Program(shell: "./rollcall \(line)", in: folder.path)
      #expect(run.errors == "built: \(lines.contains(line) ? "--live" : "")\n", "\(line)")
    }
    for line in ["inspect x", "help inspect"] {
      let run = try Program(shell: "./rollcall \(line)", in: folder.path)
      #expect(run.errors == "built: --inspect\n", "\(line)")
    }
  }
}
