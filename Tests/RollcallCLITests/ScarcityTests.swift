import Foundation
import TestSupport
import Testing

/// Resources of the system that are scarce or missing.
@Suite("Scarce resources") struct ScarcityTests {
  private let folder: TemporaryFolder
  private let expected: String

  init() throws {
    folder = try TemporaryFolder()
    let capture = CaptureCase.fixtures.appending(path: "captures/raw-presence-first/capture.log")
    try FileManager.default.copyItem(
      at: capture, to: URL(filePath: folder.file("capture.log")))
    expected = try Program("state", "capture.log", "--json", in: folder.path).output
    #expect(try Program("import", "capture.log", "-o", "a.rollcall", in: folder.path).code == 0)
    #expect(!expected.isEmpty)
  }

  /// Runs a command under limits: it must give the answer, or say what was missing.
  private func run(_ limits: String, _ arguments: String) throws -> Program {
    let run = try Program(
      shell: "\(limits); timeout -s KILL 60 \"$ROLLCALL\" \(arguments)", in: folder.path)
    #expect(run.code == 0 || run.code == 2, "\(limits): \(arguments): \(run.code) \(run.errors)")
    #expect((run.code == 0) == !run.errors.hasPrefix("rollcall: "), "\(run.errors)")
    #expect(!run.errors.contains("Domain"), "an error as it is written for programmers")
    return run
  }

  @Test("With any number of descriptors, the answer is right or refused", arguments: 4...9)
  func descriptors(_ count: Int) throws {
    let limits = "ulimit -n \(count)"
    for source in ["capture.log", "a.rollcall"] {
      let run = try run(limits, "state \(source) --json")
      #expect(run.code != 0 || run.output == expected)
      // As many as are needed to run at all.
      #expect(count < 8 || run.code == 0, "\(run.errors)")
    }
    let imported = try run(limits, "import capture.log -o b\(count).rollcall")
    let names = try folder.names
    #expect(imported.code == 0 || !names.contains { $0.hasPrefix("b") })
  }

  @Test(
    "With any number of descriptors, no command prints an error meant for programmers",
    arguments: [
      "verify a.rollcall", "verify a.rollcall --rebuild", "recover a.rollcall -o r.rollcall",
      "test-from a.rollcall -o T", "test-from capture.log -o T", "export a.rollcall -o x.jsonl",
      "report a.rollcall -o x.html", "bisect a.rollcall --run true", "what-if a.rollcall --drop 3",
      "import capture.log.gz -o z.rollcall", "replay --follow no.log", "import . -o d.rollcall",
    ])
  func words(command: String) throws {
    let gzip = try Program(shell: "gzip -k capture.log", in: folder.path)
    #expect(gzip.code == 0)
    for count in 4...14 {
      let run = try Program(
        shell: "rm -rf T r.* x.* z.* d.*; ulimit -n \(count); "
          + "exec timeout -s KILL 60 \"$ROLLCALL\" \(command)", in: folder.path)
      #expect([0, 1, 2].contains(run.code), "\(count): \(run.code) \(run.errors)")
      let last = run.errors.split(separator: "\n").last ?? ""
      #expect(run.code != 2 || last.hasPrefix("rollcall: "), "\(count): \(run.errors)")
      for word in ["Domain", "operation could", "NSError", "Code="] {
        #expect(!run.errors.contains(word), "\(count): \(run.errors)")
      }
    }
  }

  @Test("With little address space a log has a smaller map", arguments: [150, 250])
  func addressSpace(megabytes: Int) throws {
    let limits = "ulimit -v \(megabytes * 1000)"
    for source in ["capture.log", "a.rollcall"] {
      #expect(try run(limits, "state \(source) --json").output == expected)
    }
    #expect(try run(limits, "import capture.log -o b.rollcall").code == 0)
    #expect(try run(limits, "verify b.rollcall").code == 0)
    #expect(try run(limits, "recover b.rollcall -o c.rollcall").code == 0)
    #expect(try Program("state", "c.rollcall", "--json", in: folder.path).output == expected)
  }
}
