import Foundation
import TestSupport
import Testing

/// A folder such as `rollcall record` writes: a log per account, and a folder of streams without
/// an account.
@Suite("The folder of a recorder") struct RecordedFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for account in ["alice", "bob"] {
      try Self.session(account).write(to: URL(filePath: folder.file("\(account).jsonl")))
    }
    try Data(Self.refused.utf8).write(to: URL(filePath: folder.file("refused.jsonl")))
    let made = try Program(
      shell: """
        mkdir -p one/unbound two/unbound none/unbound plain
        for folder in one two; do
          "$ROLLCALL" import alice.jsonl -o $folder/alice@example.test.rollcall
          "$ROLLCALL" import refused.jsonl -o $folder/unbound/1.rollcall
        done
        "$ROLLCALL" import bob.jsonl -o two/bob@example.test.rollcall
        "$ROLLCALL" import refused.jsonl -o none/unbound/1.rollcall
        "$ROLLCALL" import alice.jsonl -o plain/alice@example.test.rollcall
        "$ROLLCALL" import alice.jsonl -o plain/alice@example.test.plain.rollcall
        """, in: folder.path)
    try #require(made.code == 0, "\(made.errors)")
  }

  private static func session(_ account: String) -> Data {
    Data(
      """
      {"rollcall-capture":1,"account":"\(account)@example.test/phone"}
      {"stream":"opened","jid":"\(account)@example.test/phone"}
      {"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
      {"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'><item \
      jid='carol@example.test' name='Carol' subscription='both'/></query></iq>"}

      """.utf8)
  }

  private static let refused = """
    {"rollcall-capture":1}
    {"dir":"out","xml":"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'/>"}
    {"dir":"in","xml":"<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>"}

    """

  private func run(_ arguments: [String]) throws -> Program {
    try Program(arguments, in: folder.path)
  }

  /// The commands that read a source, with FOLDER for it.
  static let readers = [
    "state FOLDER", "friends FOLDER", "requests FOLDER", "sections FOLDER", "findings FOLDER",
    "why FOLDER carol", "history FOLDER carol", "export FOLDER", "log FOLDER", "replay FOLDER",
    "diff FOLDER 1 head", "bisect FOLDER --friend carol@example.test",
    "what-if FOLDER --drop 4", "show FOLDER 4", "what-if alice.jsonl --insert FOLDER@4",
  ]

  @Test("Every command that reads a log reads the folder of one account", arguments: readers)
  func oneAccount(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    func run(_ path: String) throws -> Program {
      try self.run(words.map { $0.replacing("FOLDER", with: path) })
    }
    let log = try run("one/alice@example.test.rollcall")
    let whole = try run("one")
    #expect(whole.output == log.output && whole.code == log.code, "\(whole.errors)")
    #expect(whole.errors.contains("1 stream in its folder unbound"), "\(whole.errors)")
    #expect(try run("one/").output == log.output)
  }

  @Test("--account chooses one of several accounts", arguments: readers)
  func severalAccounts(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    func run(_ path: String, _ options: [String] = []) throws -> Program {
      try self.run(words.map { $0.replacing("FOLDER", with: path) } + options)
    }
    let both = try run("two")
    #expect(both.code == 2 && both.errors.contains("choose one with --account"), "\(both)")
    #expect(both.errors.contains("alice@example.test, bob@example.test"))
    let chosen = try run("two", ["--account", "bob@example.test"])
    let log = try run("two/bob@example.test.rollcall", ["--account", "bob@example.test"])
    #expect(chosen.output == log.output && chosen.code == log.code, "\(chosen.errors)")
  }

  @Test("A folder without the chosen account, or with nothing but failed logins, says so")
  func nothing() throws {
    let other = try run(["state", "two", "--account", "dave@example.test"])
    #expect(other.code == 2 && other.errors.contains("dave@example.test is not in it"))
    let none = try run(["state", "none"])
    #expect(none.code == 2 && none.errors.contains("rollcall connections none"), "\(none.errors)")
  }

  @Test("Of several logs of an account, the one with its name is read, and a note names the others")
  func severalLogs() throws {
    let run = try run(["state", "plain"])
    #expect(run.code == 0 && run.output.contains("carol@example.test"))
    #expect(run.errors.contains("plain/alice@example.test.plain.rollcall has other streams"))
  }

  @Test("The connections of all logs are listed, and those of streams without an account")
  func connections() throws {
    let run = try run(["connections", "two"])
    #expect(run.code == 0)
    for title in [
      "alice@example.test · two/alice@example.test.rollcall",
      "bob@example.test · two/bob@example.test.rollcall",
      "account unknown · two/unbound/1.rollcall",
    ] {
      #expect(run.output.contains(title + "\n"), "\(run.output)")
    }
    let none = try self.run(["connections", "none", "--json"])
    #expect(none.code == 0 && none.output.contains(#""account":null"#), "\(none)")
  }

  @Test("All logs in it are verified; a command that writes wants one")
  func maintenance() throws {
    let verified = try run(["verify", "two"])
    #expect(verified.code == 0 && verified.output.split(separator: "intact").count == 4)
    let json = try run(["verify", "two", "--json"]).document["logs"] as? [[String: Any]]
    #expect(json?.count == 3)
    let several = try run(["bookmark", "two", "here"])
    #expect(several.code == 2 && several.errors.contains("two has 3 logs; name one of them"))
    #expect(try run(["recover", "two", "-o", "saved.rollcall"]).code == 2)
    #expect(try run(["bookmark", "none", "here", "1"]).code == 0)
    #expect(try run(["recover", "none", "-o", "saved.rollcall"]).code == 0)
  }

  @Test("--account chooses the log that is verified, bookmarked or recovered")
  func maintainedAccount() throws {
    let bob = ["--account", "bob@example.test"]
    let verified = try run(["verify", "two"] + bob)
    #expect(verified.code == 0 && verified.output.split(separator: "intact").count == 2)
    #expect(verified.output.contains("two/bob@example.test.rollcall"))
    #expect(try run(["verify", "plain", "--account", "alice@example.test"]).code == 0)
    #expect(try run(["bookmark", "two", "here", "1"] + bob).code == 0)
    let listed = try run(["bookmark", "two/bob@example.test.rollcall"])
    #expect(listed.code == 0 && listed.output.contains("here"))
    let saved = try run(["recover", "two", "-o", "saved.rollcall"] + bob)
    #expect(saved.code == 0 && saved.output.contains("bob@example.test"), "\(saved.errors)")
    // The log of another account is left alone, by itself or in a folder.
    let log = URL(filePath: folder.file("two/alice@example.test.rollcall"))
    let kept = try Data(contentsOf: log)
    for path in ["two", "one", "two/alice@example.test.rollcall"] {
      let dave = ["--account", path == "two" ? "dave@example.test" : "bob@example.test"]
      for command in [
        ["verify", path], ["verify", path, "--rebuild"], ["bookmark", path],
        ["recover", path, "-o", "x.rollcall"],
      ] {
        let other = try run(command + dave)
        #expect(other.code == 2, "\(command) \(other.output)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("x.rollcall")))
    #expect(try Data(contentsOf: log) == kept)
  }

  @Test("A log and the folder of one are imported, and recognized when they are imported again")
  func imported() throws {
    let folder = try run(["import", "one", "-o", "new.rollcall"])
    #expect(folder.code == 0, "\(folder.errors)")
    let log = "one/alice@example.test.rollcall"
    for command in ["state", "log", "findings"] {
      #expect(try run([command, "new.rollcall"]).output == run([command, log]).output)
    }
    let again = try run(["import", log, "-o", "new.rollcall"])
    #expect(again.code == 0 && again.output.contains("nothing new"), "\(again)")
    let both = try run(["import", "two", "-o", "new.rollcall"])
    #expect(both.code == 2 && both.errors.contains("choose one with --account"))
  }

  @Test("A damaged log in a folder does not end the command by a signal")
  func damaged() throws {
    for name in ["one", "two"] {
      let path = folder.file("\(name)/alice@example.test.rollcall")
      let file = try FileHandle(forUpdating: URL(filePath: path))
      try file.seek(toOffset: 2 * 4096)
      try file.write(contentsOf: Data(repeating: 0xff, count: 16 * 4096))
      try file.close()
    }
    let commands = [["state", "one"], ["state", "two"], ["import", "two", "-o", "x.rollcall"]]
    for command in commands {
      let run = try run(command)
      #expect(run.code == 2 && run.errors.contains("rollcall verify"), "\(command): \(run)")
    }
  }
}
