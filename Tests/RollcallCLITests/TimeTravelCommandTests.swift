import Foundation
import TestSupport
import Testing

private func capture(_ name: String) -> String {
  CaptureCase.fixtures.appending(path: "captures/\(name)/capture.log").path(percentEncoded: false)
}

/// Alice's capture: bob is added, renamed and removed; carol sends a request.
private let lines = """
  {"rollcall-capture":1,"account":"alice@example.test/phone"}
  {"t":1000,"stream":"opened","jid":"alice@example.test/phone"}
  {"t":2000,"dir":"out","xml":"<iq id='1' type='get'><query xmlns='jabber:iq:roster'/></iq>"}
  {"t":3000,"dir":"in","xml":"<iq id='1' type='result'><query xmlns='jabber:iq:roster'><item \
  jid='bob@example.test' name='Bob' subscription='both'/></query></iq>"}
  {"t":4000,"dir":"in","xml":"<iq id='2' type='set'><query xmlns='jabber:iq:roster'><item \
  jid='bob@example.test' name='Robert' subscription='both'/></query></iq>"}
  {"t":5000,"dir":"in","xml":"<presence from='carol@example.test' type='subscribe'/>"}
  {"t":6000,"dir":"in","xml":"<iq id='3' type='set'><query xmlns='jabber:iq:roster'><item \
  jid='bob@example.test' subscription='remove'/></query></iq>"}

  """

@Suite("The commands diff, history, bisect and bookmark") struct TimeTravelCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Data(lines.utf8).write(to: URL(filePath: folder.file("alice.jsonl")))
  }

  private func run(_ arguments: String...) throws -> Program {
    try Program(arguments, in: folder.path)
  }

  private func list(_ run: Program) throws -> [[String: Any]] {
    try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
  }

  // MARK: diff

  @Test("diff lists contact, field, both values and the record that caused it")
  func diff() throws {
    let run = try run("diff", "alice.jsonl", "4", "6", "--json")
    #expect(run.code == 1)
    let differences = try list(run)
    #expect(differences.map { $0["field"] as? String } == ["name", "request"])
    let name = try #require(differences.first)
    #expect(name["contact"] as? String == "bob@example.test")
    #expect(name["before"] as? String == "Bob")
    #expect(name["after"] as? String == "Robert")
    #expect(name["record"] as? Int == 5)
    #expect(name["time"] as? String == "1970-01-01T00:00:04.000Z")
    #expect(differences.last?["before"] is NSNull)
  }

  @Test("A removed item is one difference, and an added item in reverse")
  func item() throws {
    for (points, before, after) in [(["6", "head"], true, false), (["head", "6"], false, true)] {
      let differences = try list(run("diff", "alice.jsonl", points[0], points[1], "--json"))
      #expect(differences.map { $0["field"] as? String } == ["item"])
      #expect(differences.map { $0["record"] as? Int } == [7])
      #expect((differences.first?["before"] is NSNull) != before)
      #expect((differences.first?["after"] is NSNull) != after)
    }
  }

  @Test("An added or removed contact is named once")
  func whole() throws {
    let lines = try run("diff", "alice.jsonl", "0", "6").output.split(separator: "\n")
    let back = try run("diff", "alice.jsonl", "6", "0").output.split(separator: "\n")
    let came = lines.filter { $0.hasPrefix("+ ") }
    #expect(!came.isEmpty && back.count { $0.hasPrefix("- ") } == came.count)
    for line in came {
      let contact = try #require(line.split(separator: " ").dropFirst().first)
      #expect(lines.count { $0.contains(contact) } == 1, "\(contact)")
    }
  }

  @Test("No difference is exit code 0")
  func same() throws {
    let run = try run("diff", "alice.jsonl", "5", "5")
    #expect(run.code == 0)
    #expect(run.output.hasSuffix("no difference\n"))
    #expect(try list(self.run("diff", "alice.jsonl", "5", "5", "--json")).isEmpty)
    #expect(try self.run("diff", "alice.jsonl", "alice.jsonl").code == 0)
  }

  @Test("--sections shows who was added to and removed from the contacts screen")
  func sections() throws {
    let run = try run("diff", "alice.jsonl", "4", "head", "--sections")
    #expect(run.code == 1)
    #expect(
      run.output == """
        new requests
          + <carol@example.test>

        B
          - Bob <bob@example.test>

        """)
  }

  @Test("Two accounts cannot be compared, and an invalid point is named")
  func refusals() throws {
    let other = lines.replacing("alice@", with: "dave@")
    try Data(other.utf8).write(to: URL(filePath: folder.file("dave.jsonl")))
    let accounts = try run("diff", "alice.jsonl", "dave.jsonl")
    #expect(accounts.code == 2)
    #expect(accounts.errors.contains("alice@example.test"))
    let point = try run("diff", "alice.jsonl", "4", "8")
    #expect(point.code == 2)
    #expect(point.errors.contains("there is no record 8: the last is 7"))
  }

  // MARK: history

  @Test("history prints one contact only, and an unknown one gives exit code 1")
  func history() throws {
    let run = try run("history", "alice.jsonl", "BOB@example.test/x", "--json")
    #expect(run.code == 0)
    let entries = try #require(run.document["history"] as? [[String: Any]])
    #expect(entries.map { $0["record"] as? Int } == [4, 5, 7])
    #expect((entries[1]["origin"] as? [String: String])?["kind"] == "elsewhere")
    #expect(try self.run("history", "alice.jsonl", "eve@example.test").code == 1)
    #expect(try self.run("history", "alice.jsonl", "").code == 1)
  }

  // MARK: bisect

  @Test(
    "bisect names the first record after which a condition holds",
    arguments: [
      (["--missing", "bob@example.test"], 7), (["--friend", "bob@example.test"], 4),
      (["--name", "bob@example.test=Robert"], 5), (["--pending", "carol@example.test"], 6),
      (["--count-friends", "<1"], 7), (["--count-friends", "1"], 4),
      (["--run", "! grep -q Robert"], 5), (["--run", "grep -q '\"items\":\\[\\]'"], 4),
    ])
  func bisect(_ condition: [String], _ record: Int) throws {
    let run = try Program(["bisect", "alice.jsonl", "--json"] + condition, in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(try run.document["record"] as? Int == record)
  }

  @Test("bisect says that a condition changed more than once")
  func changesOfCondition() throws {
    let run = try run("bisect", "alice.jsonl", "--friend", "bob@example.test")
    #expect(run.output.contains("it changes 2 times: #4 holds, #7 no longer"))
  }

  @Test(
    "bisect says that a condition already holds at the start",
    arguments: [["--friend", "bob@example.test"], ["--run", "! grep -q bob@example.test"]])
  func holdsAtStart(_ condition: [String]) throws {
    let arguments = ["bisect", "alice.jsonl", "--from", "4"] + condition
    let document = try Program(arguments + ["--json"], in: folder.path).document
    #expect(document["holdsFromStart"] as? Bool == true)
    #expect(document["record"] is NSNull)
    let turns = try #require(document["turns"] as? [[String: Any]])
    #expect(turns.map { $0["record"] as? Int } == [7])
    #expect(turns.map { $0["holds"] as? Bool } == [false])
    let text = try Program(arguments, in: folder.path)
    #expect(text.code == 1)
    #expect(text.output.contains("already at the start of the search"))
    #expect(text.output.contains("once: "))
  }

  @Test("A condition that never holds gives exit code 1; none, two or a bad one give 2")
  func bisectCodes() throws {
    #expect(try run("bisect", "alice.jsonl", "--friend", "carol@example.test").code == 1)
    #expect(try run("bisect", "alice.jsonl").code == 2)
    #expect(try run("bisect", "alice.jsonl", "--friend", "b@x.test", "--run", "true").code == 2)
    #expect(try run("bisect", "alice.jsonl", "--count-friends", "many").code == 2)
    #expect(try run("bisect", "alice.jsonl", "--run", "exit 130").code == 2)
  }

  @Test("A command that cannot decide leaves a range")
  func undecided() throws {
    let run = try run("bisect", "alice.jsonl", "--run", "exit 125", "--json")
    #expect(run.code == 1)
    #expect(try run.document["within"] as? [Int] == [0, 7])
  }

  // MARK: Points

  @Test("A bookmark is set, listed and used; --at also takes times of day and spans")
  func bookmark() throws {
    #expect(try run("import", "alice.jsonl", "-o", "alice.rollcall").code == 0)
    #expect(try run("bookmark", "alice.rollcall").code == 1)
    let set = try run("bookmark", "alice.rollcall", "renamed", "5")
    #expect(set.output == "renamed is after record 5\n")
    let marks = try run("bookmark", "alice.rollcall", "--json").document["bookmarks"]
    #expect((marks as? [[String: Any]])?.first?["at"] as? Int == 5)
    let points = ["renamed", "00:00:04", "-2s", "head-2s", "1970-01-01 00:00:04", "head~3"]
    for point in points {
      let state = try run("state", "alice.rollcall", "--at", point, "--json")
      #expect(try state.document["at"] as? Int == 5, "\(point)")
    }
    let unknown = try run("state", "alice.rollcall", "--at", "renamd")
    #expect(unknown.code == 2)
    #expect(unknown.errors.contains("there is no bookmark “renamd”; there are renamed"))
    #expect(try run("bookmark", "alice.rollcall", "head2", "5").code == 2)
    #expect(try run("verify", "alice.rollcall").code == 0)
  }
}
