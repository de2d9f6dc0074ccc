import Foundation
import TestSupport
import Testing

/// A word in every place of a message where a client shows something, searched for in what the
/// program prints for strangers.
@Suite("Redacted output has nothing that people wrote") struct PlantedTextTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    var lines: [[String: Any]] = [
      ["rollcall-capture": 1, "account": "alice@a.test/pc"],
      ["t": 1_763_632_799_000, "stream": "opened", "jid": "alice@a.test/pc"],
    ]
    var time = 1_763_632_800_000
    func add(_ direction: String, _ xml: String) {
      lines.append(["t": time, "dir": direction, "xml": xml])
      time += 1000
    }
    add("out", "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>")
    add(
      "in",
      "<iq type='result' id='r'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@b.test' name='\(MessagePlaces.word)' subscription='both'/></query></iq>")
    add("in", "<message type='chat' from='bob@b.test/x' id='1'><body>first</body></message>")
    for (number, payload) in MessagePlaces.payloads.enumerated() {
      add(
        "in",
        "<message type='chat' from='bob@b.test/x' id='m\(number)'>\(payload)"
          + "<nick xmlns='http://jabber.org/protocol/nick'>\(MessagePlaces.word)</nick></message>")
      add("out", "<message type='chat' to='bob@b.test' id='o\(number)'>\(payload)</message>")
      add(
        "in",
        "<message type='groupchat' from='room@c.test/\(MessagePlaces.word)' id='g\(number)'>"
          + "\(payload)</message>")
    }
    for query in MessagePlaces.queries {
      add(query.contains("type='get'") ? "out" : "in", query)
    }
    let data = try lines.map { try JSONSerialization.data(withJSONObject: $0) }
    try Data(data.joined(separator: [0x0A])).write(to: URL(filePath: folder.file("talk.jsonl")))
  }

  private static let commands: [[String]] = [
    ["conversations", "talk.jsonl", "--redact"],
    ["conversations", "talk.jsonl", "--redact", "--json"],
    ["conversations", "talk.jsonl", "--redact", "--search", "x"],
    ["chat", "talk.jsonl", "bob@b.test", "--redact"],
    ["chat", "talk.jsonl", "bob@b.test", "--redact", "--json"],
    ["chat", "talk.jsonl", "room@c.test", "--redact", "--last", "5"],
    ["export", "talk.jsonl", "--redact"], ["report", "talk.jsonl", "--redact"],
    ["test-from", "talk.jsonl", "-o", "test"],
  ]

  @Test("The word is nowhere", arguments: commands)
  func redacted(arguments: [String]) throws {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    #expect(!MessagePlaces.leaks(run.output) && !MessagePlaces.leaks(run.errors))
    #expect(!run.output.contains("bob@b.test") && !run.output.contains("room@c.test"))
    guard let test = arguments.last, test == "test" else {
      return #expect(!run.output.isEmpty)
    }
    for name in FileManager.default.subpaths(atPath: folder.file("test")) ?? [] {
      let data = FileManager.default.contents(atPath: folder.file("test/\(name)")) ?? Data()
      #expect(!MessagePlaces.leaks(String(decoding: data, as: UTF8.self)), "\(name)")
    }
  }

  @Test("Without the option, the word is there, so the test can find it")
  func plain() throws {
    for arguments in Self.commands.prefix(5) {
      let run = try Program(arguments.filter { $0 != "--redact" }, in: folder.path)
      #expect(MessagePlaces.leaks(run.output), "\(arguments)")
    }
  }

  @Test("The same messages are shown, with equal stand-ins for equal texts")
  func sameConversation() throws {
    func document(_ option: [String]) throws -> [NSDictionary] {
      let run = try Program(["conversations", "talk.jsonl", "--json"] + option, in: folder.path)
      return try #require(try run.document["conversations"] as? [NSDictionary])
    }
    func counts(_ conversations: [NSDictionary]) -> [Int] {
      conversations.map { ($0["messages"] as? [Any])?.count ?? 0 }.sorted()
    }
    let (plain, redacted) = (try document([]), try document(["--redact"]))
    #expect(counts(plain) == counts(redacted))
    #expect(plain.count == redacted.count && plain.count == 2)
  }

  @Test("Files are not written while they are hidden")
  func attachments() throws {
    let run = try Program(
      "chat", "talk.jsonl", "bob@b.test", "--redact", "--attachments", "f", in: folder.path)
    #expect(run.code == 2 && run.errors.contains("choose one"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("f")))
  }
}
