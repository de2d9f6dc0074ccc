import Foundation
import TestSupport
import Testing

@Suite("Compressed captures") struct CompressionTests {
  private static let tools = ["gzip", "xz", "zstd"]

  private static func isInstalled(_ tool: String) -> Bool {
    ["/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }

  /// A folder with fixture captures, by name, and the files that a line of shell creates in it.
  private func folder(_ fixtures: [String: String], _ line: String = "true") throws
    -> TemporaryFolder
  {
    let folder = try TemporaryFolder()
    for (name, fixture) in fixtures {
      let source = CaptureCase.fixtures.appending(path: "\(fixture)/capture.log")
      try FileManager.default.copyItem(at: source, to: URL(filePath: folder.file(name)))
    }
    let made = try Program(shell: line, in: folder.path)
    try #require(made.code == 0, "\(made.errors)")
    return folder
  }

  @Test(
    "A compressed capture gives the same results as the plain one, whatever its name",
    arguments: tools,
    ["captures/slixmpp-rename-undone", "captures/raw-add-offline", "logs/gajim"])
  func same(_ tool: String, _ fixture: String) throws {
    // Another test covers missing tools.
    guard Self.isInstalled(tool) else { return print("\(tool) is not installed: not tested") }
    let folder = try folder(["plain": fixture], "\(tool) -c plain > packed.log")
    for command in ["state", "findings", "connections"] {
      let plain = try Program(command, "plain", "--json", in: folder.path)
      let packed = try Program(command, "packed.log", "--json", in: folder.path)
      #expect(packed.output.replacing("packed.log", with: "plain") == plain.output)
      #expect(!packed.output.isEmpty && packed.code == plain.code, "\(packed.errors)")
    }
  }

  @Test("Each account of a compressed capture is read, and a connection of one is found")
  func secondPass() throws {
    let folder = try folder(["plain": "logs/finch-two-accounts"], "gzip -c plain > packed")
    let connections = try Program("connections", "plain", "--json", in: folder.path)
    let unpacked = try Program("connections", "packed", "--json", in: folder.path).output
    #expect(unpacked.replacing("packed", with: "plain") == connections.output)
    for number in ["1", "2"] {
      let plain = try Program("state", "plain", "--connection", number, in: folder.path)
      let packed = try Program("state", "packed", "--connection", number, in: folder.path)
      #expect(packed.output == plain.output && packed.code == plain.code)
    }
  }

  @Test("A rotated log that has been compressed is recognized by its content")
  func rotated() throws {
    let folder = try folder(
      ["debug.log": "captures/slixmpp-rename-undone"],
      "\"$ROLLCALL\" import debug.log -o x.rollcall && gzip -c debug.log > debug.log.1.gz")
    let before = try Program("log", "x.rollcall", "--json", in: folder.path).output
    let again = try Program("import", "debug.log.1.gz", "-o", "x.rollcall", in: folder.path)
    #expect(again.code == 0 && again.output.contains("nothing new"), "\(again)")
    #expect(try Program("log", "x.rollcall", "--json", in: folder.path).output == before)
  }

  @Test("Several compressed files are read like plain ones, and pairs are recognized")
  func several() throws {
    let folder = try folder(
      ["plain": "captures/slixmpp-rename-undone"],
      """
      "$ROLLCALL" export plain --format xml -o s
      mv s.in.xml in.xml; mv s.out.xml out.xml; gzip -k in.xml; gzip -k out.xml
      head -n 40 plain > one; gzip -k one; gzip -k plain
      """)
    for (plain, packed) in [
      (["in.xml", "out.xml"], ["in.xml.gz", "out.xml.gz"]),
      (["in.xml", "out.xml"], ["in.xml", "out.xml.gz"]),
      (["one", "plain"], ["one.gz", "plain.gz"]),
    ] {
      var states: [String] = []
      for (name, captures) in [("a", plain), ("b", packed)] {
        let log = "\(packed.joined())-\(name).rollcall"
        let made = try Program(["import"] + captures + ["-o", log], in: folder.path)
        #expect(made.code == 0, "\(made.errors)")
        states.append(try Program("state", log, "--json", in: folder.path).output)
      }
      #expect(states[0] == states[1] && !states[0].isEmpty)
    }
    let pair = try Program("state", "in.xml.gz", "--pair", "out.xml.gz", "--json", in: folder.path)
    let plain = try Program("state", "in.xml", "--pair", "out.xml", "--json", in: folder.path)
    #expect(pair.output == plain.output && pair.code == 0, "\(pair.errors)")
  }

  @Test("A truncated archive is refused with its tool's message, and nothing is imported")
  func truncated() throws {
    let folder = try folder(
      ["plain": "captures/slixmpp-rename-undone"],
      "gzip -c plain > whole; head -c -9 whole > cut; head -c 12 whole > stub; "
        + "\"$ROLLCALL\" import plain -o old.rollcall")
    let before = try Data(contentsOf: URL(filePath: folder.file("old.rollcall")))
    for (archive, log) in [("cut", "new"), ("stub", "new"), ("cut", "old")] {
      let refused = try Program("import", archive, "-o", "\(log).rollcall", in: folder.path)
      #expect(refused.code == 2 && refused.output.isEmpty)
      #expect(refused.errors.contains("\(archive): gzip cannot unpack it: gzip: "))
      #expect(refused.errors.contains("unexpected end of file"), "\(refused.errors)")
    }
    #expect(try Data(contentsOf: URL(filePath: folder.file("old.rollcall"))) == before)
    #expect(try !folder.names.contains { $0.contains("new") })
  }

  @Test(
    "A missing tool is named, with its package",
    arguments: [
      ("gzip", "gzip", "\\037\\213\\010"), ("xz", "xz-utils", "\\375\\067zXZ\\000"),
      ("zstd", "zstd", "\\050\\265\\057\\375"),
    ])
  func missing(_ tool: String, _ package: String, _ magic: String) throws {
    let folder = try folder([:], "printf '\(magic)rest' > packed")
    // A program next to the capture must not be run.
    let refused = try Program(
      shell: "printf '#!/bin/sh\nexit 0\n' > \(tool); chmod +x \(tool); "
        + "PATH=.:/nonexistent \"$ROLLCALL\" state packed", in: folder.path)
    #expect(refused.code == 2)
    #expect(
      refused.errors.contains(
        "packed: it is compressed with \(tool), which is not on the PATH; "
          + "install the package \(package)"), "\(refused.errors)")
  }

  @Test("A tool that never ends is killed if its output is not a capture")
  func endless() throws {
    let folder = try folder([:], "printf '\\037\\213\\010rest' > packed; mkdir bin")
    let script = "#!/bin/sh\necho $$ > \(folder.file("pid"))\nexec cat /dev/zero\n"
    try script.write(toFile: folder.file("bin/gzip"), atomically: true, encoding: .utf8)
    let refused = try Program(
      shell: "chmod +x bin/gzip; PATH=$PWD/bin:$PATH; \"$ROLLCALL\" state packed; code=$?; "
        + "kill -0 $(cat pid) 2> /dev/null && echo runs; exit $code", in: folder.path)
    #expect(refused.code == 2 && refused.output.isEmpty, "\(refused.output)")
    #expect(refused.errors.contains("NUL bytes"), "\(refused.errors)")
  }
}
