import Foundation
import TestSupport
import Testing

/// Several files and directories on one command line.
@Suite("Several captures") struct ManySourcesTests {
  private let folder: TemporaryFolder

  /// A rotated log next to files that are not captures, and two devices.
  init() throws {
    folder = try TemporaryFolder()
    for (name, fixture) in [
      ("whole", "slixmpp-rename-undone/capture.log"), ("phone", "slixmpp-two-devices/capture.log"),
      ("laptop", "slixmpp-two-devices/laptop.log"), ("other", "slixmpp-forged-push/capture.log"),
    ] {
      try FileManager.default.copyItem(
        at: CaptureCase.fixtures.appending(path: "captures/\(fixture)"),
        to: URL(filePath: folder.file(name)))
    }
    let made = try Program(
      shell: """
        mkdir -p logs/older devices none 'a b'
        head -n 40 whole | gzip > logs/debug.log.2.gz; sed -n 41,80p whole > logs/debug.log.1
        sed -n '81,$p' whole > logs/debug.log; echo hello > logs/notes.txt; echo > none/x
        cp whole logs/.debug.log.swp
        mv phone devices/phone.log; mv laptop devices/laptop.log; cp whole 'a b/x.log'
        """, in: folder.path)
    try #require(made.code == 0, "\(made.errors)")
  }

  private func run(_ arguments: String...) throws -> Program {
    try Program(arguments, in: folder.path)
  }

  @Test("The parts of a rotated log form one, given by directory or by name")
  func rotated() throws {
    let whole = try run("log", "whole")
    let inDirectory = try run("log", "logs/")
    #expect(inDirectory.output == whole.output && inDirectory.code == 0)
    #expect(
      inDirectory.errors == """
        note: logs/older: skipped: it is a directory; name it to read what is in it
        note: logs/notes.txt: skipped: it is not a capture of a known format

        """)
    // In the order of a shell's debug.log*, newest first.
    let parts = ["logs/debug.log", "logs/debug.log.1", "logs/debug.log.2.gz"]
    let named = try Program(["log"] + parts, in: folder.path)
    #expect(named.output == whole.output && named.errors.isEmpty)
    let history = try run(
      "history", parts[1], "laochen", "--also", parts[0], "--also", parts[2])
    #expect(history.output == (try run("history", "whole", "laochen")).output)
    let imported = try Program(["import"] + parts + ["-o", "x.rollcall"], in: folder.path)
    #expect(imported.code == 0, "\(imported.errors)")
    #expect(try run("log", "x.rollcall").output == whole.output)
    // The import is recognized by its parts.
    let again = try run("import", parts[1], "-o", "x.rollcall")
    #expect(again.output.contains("nothing new"), "\(again)")
  }

  @Test("Devices are distinguished by their files, and the content of each file is reported")
  func devices() throws {
    let run = try run("connections", "devices", "--json")
    let account = try #require((run.document["accounts"] as? [NSDictionary])?.first)
    let connections = try #require(account["connections"] as? [NSDictionary])
    #expect(connections.map { $0["name"] as? String } == ["laptop.log", "phone.log"])
    let captures = try #require(account["captures"] as? [NSDictionary])
    #expect(
      captures.map { $0["capture"] as? String } == ["devices/laptop.log", "devices/phone.log"])
    let laptop = try self.run("friends", "devices", "--connection", "laptop.log", "--json")
    let alone = try self.run("friends", "devices/laptop.log", "--json")
    #expect(laptop.code == 0)
    #expect(try laptop.document["friends"] as? NSArray == alone.document["friends"] as? NSArray)
    let formats = try self.run("formats", "logs", "devices")
    #expect(formats.output.contains(/logs\/debug.log.2.gz +slixmpp +gzip/))
    #expect(formats.output.contains(/logs\/notes.txt +– +– +an unknown format/))
  }

  @Test(
    "Sources that cannot be read together are reported",
    arguments: [
      (["state", "none"], "none: there is no capture in it"),
      (["state", "none", "logs/older"], "logs/older: there is no capture in it"),
      (["state", "whole", "missing"], "missing: there is no such file"),
      (["state", "whole", "logs/notes.txt"], "logs/notes.txt: the format is not known"),
      (["state", "-", "whole", "-"], "standard input, -, can be read only once"),
      (["state", "whole", "other"], "choose one with --account: liwei25@example.test, xiaoyun25"),
      (["state", "whole", "other", "--pair", "whole"], "--pair names the file"),
      (["formats", "none"], ""),
    ])
  func refused(_ arguments: [String], _ words: String) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == (words.isEmpty ? 1 : 2))
    #expect(words.isEmpty || run.errors.contains(words), "\(run.errors)")
    #expect(run.output.isEmpty || words.isEmpty)
  }

  @Test("A log is read alone, and captures of another account are skipped with a note")
  func leftOut() throws {
    #expect(try run("import", "whole", "-o", "devices/x.rollcall").code == 0)
    let beside = try run("state", "devices", "--json")
    #expect(beside.code == 0)
    #expect(try beside.document["account"] as? String == "haoran25@example.test")
    #expect(
      beside.errors
        == "note: devices/x.rollcall: skipped: it is a log, which is read alone\n")
    let named = try run("state", "whole", "devices/x.rollcall")
    #expect(
      named.code == 2 && named.errors.contains("x.rollcall is a log, which is read alone"))
    let chosen = try run("state", "whole", "other", "--account", "liwei25@example.test", "--json")
    #expect(chosen.output == (try run("state", "other", "--json")).output)
    #expect(chosen.errors.hasPrefix("note: whole: skipped: liwei25@example.test is not in it"))
  }
}

/// Compressed captures from pipes.
@Suite("Compressed pipes") struct CompressedPipeTests {
  @Test(
    "Standard input and a named pipe are unpacked, however slowly they are filled",
    arguments: [
      "gzip -c x | \"$ROLLCALL\" log -", "gzip -c x > y; \"$ROLLCALL\" log - < y",
      "zstd -qc x | \"$ROLLCALL\" log -",
      "xz -c x | (head -c 1; sleep 1; head -c 1; sleep 0.1; cat) | \"$ROLLCALL\" log -",
      "mkfifo p; gzip -c x > p & \"$ROLLCALL\" log p", "cat x | \"$ROLLCALL\" log -",
      "(head -c 1 x; sleep 0.1; tail -c +2 x) | \"$ROLLCALL\" log -",
      "gzip -c x | \"$ROLLCALL\" import - -o l.rollcall > /dev/null && \"$ROLLCALL\" log l.rollcall",
    ])
  func unpacked(_ line: String) throws {
    let folder = try TemporaryFolder()
    let fixture = "captures/slixmpp-rename-undone/capture.log"
    try FileManager.default.copyItem(
      at: CaptureCase.fixtures.appending(path: fixture), to: URL(filePath: folder.file("x")))
    let run = try Program(shell: line, in: folder.path)
    #expect(run.output == (try Program("log", "x", in: folder.path)).output, "\(run.errors)")
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
  }

  @Test("A missing tool and a truncated stream are named")
  func refused() throws {
    let folder = try TemporaryFolder()
    try Data(repeating: 7, count: 9000).write(to: URL(filePath: folder.file("x")))
    let missing = try Program(
      shell: "gzip -c x | (PATH=/nonexistent; \"$ROLLCALL\" state -)", in: folder.path)
    #expect(missing.code == 2)
    #expect(
      missing.errors.contains(
        "-: it is compressed with gzip, which is not on the PATH; install the package gzip"),
      "\(missing.errors)")
    let cut = try Program(
      shell: "gzip -c x | head -c 20 | \"$ROLLCALL\" state -", in: folder.path)
    #expect(cut.code == 2 && cut.errors.contains("-: gzip cannot unpack it"), "\(cut.errors)")
  }
}
