import Foundation
import TestSupport
import Testing

/// Commands that read the spool of a server's tap.
@Suite("Spools of servers") struct SpoolCommandTests {
  /// A spool of two runs of a server, and a folder with a segment of each.
  private struct Spool: CustomTestStringConvertible {
    let name: String
    let folder: TemporaryFolder
    var testDescription: String { name }

    init(_ name: String) throws {
      self.name = name
      folder = try TemporaryFolder()
      let fixture = CaptureCase.fixtures.appending(path: "logs/\(name)")
      let text = try String(contentsOf: fixture.appending(path: "capture.log"), encoding: .utf8)
      try text.write(toFile: folder.file("whole.jsonl"), atomically: true, encoding: .utf8)
      try FileManager.default.createDirectory(
        atPath: folder.file("spool"), withIntermediateDirectories: false)
      let runs = text.components(separatedBy: #"{"rollcall-tap""#).dropFirst()
      #expect(runs.count == 2)
      // In the order of the names, the second run would be the first.
      for (run, file) in zip(runs, ["ffffffff-000001.jsonl", "00000000-000002.jsonl"]) {
        try (#"{"rollcall-tap""# + run)
          .write(toFile: folder.file("spool/\(file)"), atomically: true, encoding: .utf8)
      }
    }

    /// The accounts with their expected rosters.
    func expected() throws -> [CaptureCase.Expected] {
      let fixture = CaptureCase.fixtures.appending(path: "logs/\(name)")
      return try FileManager.default
        .contentsOfDirectory(atPath: fixture.path(percentEncoded: false)).sorted()
        .filter { $0.hasPrefix("expected") }
        .map { file in
          try JSONDecoder().decode(
            CaptureCase.Expected.self, from: Data(contentsOf: fixture.appending(path: file)))
        }
    }
  }

  @Test(
    "A spool gives the stored roster of each account, as one file and in segments",
    arguments: ["tap-prosody", "tap-ejabberd"])
  func rosters(_ name: String) throws {
    let spool = try Spool(name)
    let expected = try spool.expected()
    #expect(expected.count == 3)
    for expected in expected {
      for source in ["whole.jsonl", "spool"] {
        let run = try Program(
          "state", source, "--account", expected.account, "--json", in: spool.folder.path)
        #expect(run.code == 0, "\(run.errors)")
        let document = try run.document
        #expect(document["complete"] as? Bool == true)
        let items = document["items"] as? [NSDictionary] ?? []
        #expect(items.map { $0["jid"] as? String } == expected.items.map(\.jid))
        #expect(
          items.map { $0["subscription"] as? String } == expected.items.map(\.subscription))
        #expect(items.map { $0["name"] as? String } == expected.items.map(\.name))
        let requests = document["requests"] as? NSDictionary
        let incoming = requests?["incoming"] as? [NSDictionary] ?? []
        #expect(incoming.compactMap { $0["jid"] as? String } == expected.incoming_requests)
      }
    }
  }

  @Test(
    "A log of an account is imported, also again, and nothing else in it is odd",
    arguments: ["tap-prosody", "tap-ejabberd"])
  func imported(_ name: String) throws {
    let spool = try Spool(name)
    for expected in try spool.expected() {
      let arguments = [
        "import", "spool", "--account", expected.account, "-o", "\(expected.account).rollcall",
      ]
      let first = try Program(arguments, in: spool.folder.path)
      #expect(first.code == 0, "\(first.errors)")
      let again = try Program(arguments + ["--json"], in: spool.folder.path)
      #expect(again.code == 0, "\(again.errors)")
      let captures = (try again.document)["imported"] as? [NSDictionary] ?? []
      #expect(
        captures.map { $0["capture"] as? String }
          == ["spool/ffffffff-000001.jsonl", "spool/00000000-000002.jsonl"])
      for capture in captures {
        #expect(capture["new"] as? Int == 0, "\(capture)")
        #expect(capture["known"] as? Int == capture["records"] as? Int, "\(capture)")
        #expect(capture["records"] as? Int != 0, "\(capture)")
      }
      let log = "\(expected.account).rollcall"
      let state = try Program("state", log, "--json", in: spool.folder.path)
      #expect((try state.document)["complete"] as? Bool == true)
      // Laowang's client was told to accept after a second. What he was sent between his sessions
      // is missed only in a spool with messages.
      let run = try Program("findings", log, "--json", in: spool.folder.path)
      let findings = (try run.document)["findings"] as? [NSDictionary] ?? []
      let odd = name == "tap-prosody" ? ["automatic-acceptance", "gap"] : ["automatic-acceptance"]
      let isLaowang = expected.account.hasPrefix("laowang")
      #expect(findings.map { $0["code"] as? String } == (isLaowang ? odd : []))
      #expect(try Program("connections", log, in: spool.folder.path).code == 0)
    }
  }

  @Test("Without an account, the command names those of the spool")
  func accounts() throws {
    let spool = try Spool("tap-prosody")
    for source in ["whole.jsonl", "spool"] {
      let run = try Program("state", source, in: spool.folder.path)
      #expect(run.code == 2)
      for expected in try spool.expected() { #expect(run.errors.contains(expected.account)) }
    }
    let other = try Program(
      "state", "whole.jsonl", "--account", "nobody@example.test", in: spool.folder.path)
    #expect(other.code != 0)
  }
}
