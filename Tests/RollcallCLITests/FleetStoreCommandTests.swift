import Foundation
import TestSupport
import Testing

@Suite("A fleet on the command line") struct FleetStoreCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Puts a recorded spool into a folder, as the segments of its two runs.
  private func spool(_ fixture: String) throws {
    let path = CaptureCase.fixtures.appending(path: "logs/\(fixture)/capture.log")
    let text = try String(contentsOf: path, encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: folder.file(fixture), withIntermediateDirectories: false)
    for (index, run) in text.components(separatedBy: #"{"rollcall-tap""#).dropFirst().enumerated() {
      try (#"{"rollcall-tap""# + run).write(
        toFile: folder.file("\(fixture)/aaaaaaa\(index)-00000\(index + 1).jsonl"),
        atomically: true, encoding: .utf8)
    }
  }

  private func rollcall(_ arguments: String...) throws -> Program {
    try Program(arguments, in: folder.path)
  }

  @Test(
    "Every account of a spool has the roster that its server stored",
    arguments: ["tap-prosody", "tap-ejabberd"])
  func rosters(_ fixture: String) throws {
    try spool(fixture)
    let stored = try rollcall("fleet", "store", "fleet", "--spool", fixture, "--json")
    #expect(stored.code == 0, "\(stored.errors)")
    #expect(try stored.document["newAccounts"] as? Int == 3)
    let again = try rollcall("fleet", "store", "fleet", "--spool", fixture)
    #expect(again.code == 0)
    #expect(again.output == "fleet: nothing new\n")
    let accounts = try rollcall("fleet", "accounts", "fleet", "--json")
    let rows = try accounts.document["accounts"] as? [NSDictionary] ?? []
    #expect(rows.count == 3)
    let path = CaptureCase.fixtures.appending(path: "logs/\(fixture)")
    for file in try FileManager.default.contentsOfDirectory(
      atPath: path.path(percentEncoded: false))
    where file.hasPrefix("expected") {
      let expected = try JSONDecoder().decode(
        CaptureCase.Expected.self, from: Data(contentsOf: path.appending(path: file)))
      #expect(rows.contains { $0["account"] as? String == expected.account })
      let log = "\(expected.account).rollcall"
      let written = try rollcall("fleet", "log", "fleet", expected.account, "-o", log)
      #expect(written.code == 0, "\(written.errors)")
      let state = try rollcall("state", log, "--json").document
      #expect(state["account"] as? String == expected.account)
      #expect(state["complete"] as? Bool == true)
      let items = state["items"] as? [NSDictionary] ?? []
      #expect(items.map { $0["jid"] as? String } == expected.items.map(\.jid))
      #expect(items.map { $0["subscription"] as? String } == expected.items.map(\.subscription))
    }
    let found = try rollcall("fleet", "disagreements", "fleet")
    #expect(found.code == 0, "\(found.output)\(found.errors)")
  }

  /// A spool with the stored rosters of some accounts, each with its contacts.
  private func write(_ rosters: [(account: String, items: String, asked: [String])]) throws {
    var text =
      #"{"rollcall-tap":1,"boot":"0a1b2c3d","segment":1,"server":"ejabberd 23.01","what":"roster"}"#
      + "\n"
    for (index, roster) in rosters.enumerated() {
      let asked = roster.asked.map { "\"\($0)\"" }.joined(separator: ",")
      text +=
        #"{"t":\#(1_795_168_200_000 + index * 86_400_000),"a":"\#(roster.account)","stored":"all","xml":"<iq type='result' id='r'><query xmlns='jabber:iq:roster'>\#(roster.items)</query></iq>","asked":[\#(asked)]}"#
        + "\n"
    }
    try FileManager.default.createDirectory(
      atPath: folder.file("spool"), withIntermediateDirectories: false)
    try text.write(
      toFile: folder.file("spool/0a1b2c3d-000001.jsonl"), atomically: true, encoding: .utf8)
  }

  private static func item(_ contact: String, _ subscription: String, _ more: String = "") -> String
  {
    "<item jid='\(contact)' subscription='\(subscription)'\(more)/>"
  }

  @Test("A subscription that one end has lost is found, with its repair, and nothing else")
  func disagreements() throws {
    let (ann, ben, cat) = ("ann@example.test", "ben@example.test", "cat@example.test")
    try write([
      (ann, Self.item(ben, "both") + Self.item(cat, "both") + Self.item("x@far.test", "both"), []),
      // Ben's server has lost that Ann sees him.
      (ben, Self.item(ann, "to", " name='Ann'"), []),
      (cat, Self.item(ann, "both"), []),
      ("dan@example.test", "", []),
    ])
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "spool").code == 0)
    let run = try rollcall("fleet", "disagreements", "fleet", "--json")
    #expect(run.code == 1)
    let document = try run.document
    let found = document["disagreements"] as? [NSDictionary] ?? []
    #expect(found.count == 1)
    #expect(found.first?["mismatch"] as? String == "unseen-end")
    #expect(found.first?["right"] as? String == ben)
    #expect((found.first?["subscriber"] as? NSDictionary)?["account"] as? String == ann)
    // Ann sees Ben no more, and he still sees her.
    #expect(
      found.first?["repairs"] as? [String]
        == ["ejabberdctl add_rosteritem ann example.test ben example.test '' '' from"])
    #expect(document["elsewhere"] as? Int == 1)
    #expect(document["pairs"] as? Int == 2)
    let text = try rollcall("fleet", "disagreements", "fleet", "--full")
    #expect(text.output.contains("\(ben) is right"), "\(text.output)")
    let other = try rollcall("fleet", "disagreements", "fleet", "--domain", "other.test")
    #expect(other.code == 0)
  }

  @Test("A contact that was removed a moment ago is settling, and not a disagreement")
  func removed() throws {
    let (ann, ben) = ("ann@example.test", "ben@example.test")
    try write([(ann, Self.item(ben, "both"), []), (ben, Self.item(ann, "both"), [])])
    let path = folder.file("spool/0a1b2c3d-000001.jsonl")
    let before = try String(contentsOfFile: path, encoding: .utf8)
    let time = 1_795_168_200_000 + 9 * 86_400_000
    let lines = [
      #""c":1,"a":"\#(ben)","stream":"opened","jid":"\#(ben)/x""#,
      #""c":1,"a":"\#(ben)","dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>""#,
      #""c":1,"a":"\#(ben)","dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'>\#(Self.item(ann, "both"))</query></iq>""#,
      #""c":1,"a":"\#(ben)","dir":"in","xml":"<iq type='set' id='2'><query xmlns='jabber:iq:roster'><item jid='\#(ann)' subscription='remove'/></query></iq>""#,
    ].map { "{\"t\":\(time),\($0)}\n" }
    try (before + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "spool").code == 0)
    let now = try rollcall("fleet", "disagreements", "fleet", "--json")
    #expect(now.code == 0, "\(now.output)")
    #expect(try now.document["settling"] as? Int == 2)
    let later = "{\"t\":\(time + 61_000),\"alive\":9}\n"
    try (before + lines.joined() + later).write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "spool").code == 0)
    let found = try rollcall(
      "fleet", "disagreements", "fleet", "--domain", "EXAMPLE.test", "--json")
    #expect(found.code == 1, "\(found.output)")
    #expect((try found.document["disagreements"] as? [NSDictionary])?.count == 2)
  }

  @Test("Contacts are found by address and by domain, and requests by age")
  func queries() throws {
    let (ann, ben) = ("ann@example.test", "ben@example.test")
    try write([
      (ann, Self.item(ben, "both") + Self.item("x@far.test", "none", " ask='subscribe'"), []),
      (ben, Self.item(ann, "both") + Self.item("y@far.test", "to"), ["eve@evil.test"]),
      ("cat@example.test", "", []),
    ])
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "spool").code == 0)
    func accounts(_ arguments: String...) throws -> [String] {
      let run = try Program(["fleet"] + arguments + ["--jsonl"], in: folder.path)
      return try run.output.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
        return "\(object?["account"] ?? "") \(object?["contact"] ?? "")"
      }.sorted()
    }
    #expect(try accounts("who-has", "fleet", ben) == ["\(ann) \(ben)"])
    #expect(
      try accounts("who-has", "fleet", "@far.test") == ["\(ann) x@far.test", "\(ben) y@far.test"])
    #expect(
      try accounts("who-has", "fleet", "@far.test", "--subscription", "to")
        == ["\(ben) y@far.test"])
    #expect(try rollcall("fleet", "who-has", "fleet", "zoe@example.test").code == 1)
    #expect(try accounts("requests", "fleet") == ["\(ann) x@far.test", "\(ben) eve@evil.test"])
    // The newest record is two days after Ann's request and one after Ben's.
    #expect(try accounts("requests", "fleet", "--unanswered", "36h") == ["\(ann) x@far.test"])
    #expect(
      try accounts("requests", "fleet", "--to", "@example.test") == ["\(ben) eve@evil.test"])
  }

  @Test("Commands that read a log read that of an account of a fleet")
  func accounts() throws {
    try spool("tap-prosody")
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "tap-prosody").code == 0)
    let rows = try rollcall("fleet", "accounts", "fleet", "--json").document["accounts"]
    let names = (rows as? [NSDictionary] ?? []).compactMap { $0["account"] as? String }.sorted()
    #expect(names.count == 3)
    for name in names {
      let log = "\(name).rollcall"
      #expect(try rollcall("fleet", "log", "fleet", name, "-o", log).code == 0)
      for command in ["state", "findings", "connections", "log"] {
        let own = try rollcall(command, log, "--json")
        let read = try rollcall(command, "fleet", "--account", name, "--json")
        #expect(read.code == own.code, "\(command): \(read.errors)")
        // Some answers name what was read.
        let output = read.output.replacing("\"log\":\"fleet\"", with: "\"log\":\"\(log)\"")
        #expect(output == own.output, "\(command)")
      }
    }
    let both = try rollcall(
      "between", "fleet", "--account", names[0], "--other-account", names[1])
    #expect(both.code < 2, "\(both.errors)")
    let none = try rollcall("state", "fleet")
    #expect(none.code == 2)
    #expect(none.errors.contains("--account"), "\(none.errors)")
    #expect(try rollcall("state", "fleet", "--account", "zoe@example.test").code == 2)
  }

  @Test("A fleet is verified, recovered and rid of an account")
  func lookedAfter() throws {
    try spool("tap-ejabberd")
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "tap-ejabberd").code == 0)
    let intact = try rollcall("fleet", "verify", "fleet")
    #expect(intact.code == 0, "\(intact.output)\(intact.errors)")
    let recovered = try rollcall("fleet", "recover", "fleet", "-o", "new")
    #expect(recovered.code == 0, "\(recovered.output)\(recovered.errors)")
    let lists = try ["fleet", "new"].map { try rollcall("fleet", "accounts", $0, "--jsonl").output }
    #expect(lists[0] == lists[1])
    let name = try #require(
      (try rollcall("fleet", "accounts", "new", "--json").document["accounts"] as? [NSDictionary])?
        .first?["account"] as? String)
    #expect(try rollcall("fleet", "erase", "new", name).code == 0)
    #expect(try rollcall("fleet", "erase", "new", name).code == 1)
    #expect(try rollcall("fleet", "verify", "new").code == 0)
    let findings = try rollcall("fleet", "findings", "fleet", "--json")
    let found = try findings.document["findings"] as? [NSDictionary] ?? []
    #expect(found.compactMap { $0["code"] as? String } == ["automatic-acceptance"])
  }

  @Test("What is not a fleet, a spool or an account is refused with the reason")
  func refused() throws {
    try write([("ann@example.test", "", [])])
    for arguments in [
      ["accounts", "nothing"], ["status", "spool"], ["who-has", "nothing", "a@b.test"],
      ["store", "fleet", "--spool", "nothing"], ["store", "fleet"],
      ["requests", "fleet", "--unanswered", "soon"], ["log", "nothing", "a@b.test", "-o", "x"],
    ] {
      let run = try Program(["fleet"] + arguments, in: folder.path)
      #expect(run.code == 2, "\(arguments): \(run.output)\(run.errors)")
      #expect(!run.errors.isEmpty, "\(arguments)")
    }
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "spool").code == 0)
    let unknown = try rollcall("fleet", "log", "fleet", "zoe@example.test", "-o", "z.rollcall")
    #expect(unknown.code == 1)
    #expect(unknown.errors.contains("no records of zoe@example.test"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("z.rollcall")))
    // The file of a shard is not the log of one account.
    let shard = try folder.names(in: "fleet").first {
      $0.hasPrefix("shard-") && !$0.contains("lock")
    }
    let state = try rollcall("state", "fleet/\(try #require(shard))")
    #expect(state.code == 2)
    #expect(state.errors.contains("rollcall fleet log"), "\(state.errors)")
  }

  @Test("A store that is killed again and again has every line once", arguments: 1...2)
  func killed(_ seed: UInt64) throws {
    try spool("tap-prosody")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<8 {
      let pause = Double.random(in: 0.005...0.08, using: &generator)
      _ = try Program(
        shell: "\"$ROLLCALL\" fleet store fleet --spool tap-prosody >/dev/null 2>&1 & p=$!; "
          + "sleep \(pause); kill -9 $p 2>/dev/null; wait $p 2>/dev/null; true", in: folder.path)
    }
    #expect(try rollcall("fleet", "store", "fleet", "--spool", "tap-prosody").code == 0)
    #expect(try rollcall("fleet", "store", "whole", "--spool", "tap-prosody").code == 0)
    let rows = try ["fleet", "whole"].map { fleet in
      try rollcall("fleet", "accounts", fleet, "--jsonl").output
    }
    #expect(rows[0] == rows[1], "seed \(seed)")
    #expect(!rows[0].isEmpty)
  }
}

extension TemporaryFolder {
  fileprivate func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: file(name)).sorted()
  }
}
