import Foundation
import TestSupport
import Testing

/// Checks that every document for machines conforms to its schema.
@Suite("The schema of documents") struct SchemaTests {
  private let folder: TemporaryFolder
  private let schema: JSONSchema

  init() throws {
    folder = try TemporaryFolder()
    schema = try JSONSchema()
    for (name, capture) in [
      ("forged.log", "slixmpp-forged-push"), ("requests.log", "slixmpp-request-stays"),
      ("move.log", "profanity-rename-move"), ("undone.log", "slixmpp-rename-undone"),
    ] {
      let path = try #require(CaptureCase.all.first { $0.path.contains("/\(capture)/") }).path
      try FileManager.default.copyItem(atPath: path, toPath: folder.file(name))
    }
    try Data(Self.annotated.utf8).write(to: URL(filePath: folder.file("set.jsonl")))
    var devices = TwoDevices()
    devices.push(TwoDevices.bob("Robert"), to: [1])
    devices.presence()
    try Data(devices.text.utf8).write(to: URL(filePath: folder.file("two.jsonl")))
    try Data(Self.chat.utf8).write(to: URL(filePath: folder.file("chat.jsonl")))
    for (name, text) in Self.ends {
      try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
    }
    #expect(try Program("import", "undone.log", "-o", "a.rollcall", in: folder.path).code == 0)
    #expect(try Program("bookmark", "a.rollcall", "here", "12", in: folder.path).code == 0)
    try FileManager.default.createDirectory(
      atPath: folder.file("recorded"), withIntermediateDirectories: true)
    let recorded = try Program("import", "move.log", "-o", "recorded/a.rollcall", in: folder.path)
    #expect(recorded.code == 0)
  }

  /// The annotations that a user has set and removed again.
  private static let annotated = """
    {"rollcall-capture":1,"account":"alice@example.test"}
    {"dir":"in","xml":"<presence from='bob@example.test' type='subscribe'/>"}
    {"requestsSeen":["bob@example.test"]}
    {"jid":"bob@example.test","starred":true}
    {"jid":"bob@example.test","reading":"zeng"}
    {"jid":"bob@example.test","note":"from the chess club"}
    {"jid":"carol@example.test","starred":true}
    {"jid":"carol@example.test","starred":false}

    """

  /// The captures of two accounts: a subscription that one end has lost, one that both have, and a
  /// stanza that both have.
  private static let ends = [
    (
      "ann.jsonl",
      """
      {"rollcall-capture":1,"account":"ann@example.test"}
      {"t":1000,"stream":"opened","jid":"ann@example.test/pc"}
      {"t":1000,"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
      {"t":1000,"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'><item jid='ben@example.test' subscription='both'/></query></iq>"}
      {"t":1000,"dir":"out","xml":"<presence/>"}
      {"t":2000,"dir":"out","xml":"<presence to='ben@example.test' type='unsubscribe' id='u'/>"}
      {"t":2010,"dir":"in","xml":"<iq type='set' id='2'><query xmlns='jabber:iq:roster'><item jid='ben@example.test' subscription='from'/></query></iq>"}
      {"t":200000,"dir":"in","xml":"<presence from='ben@example.test/pc'/>"}

      """
    ),
    (
      "ben.jsonl",
      """
      {"rollcall-capture":1,"account":"ben@example.test"}
      {"t":1000,"stream":"opened","jid":"ben@example.test/pc"}
      {"t":1000,"dir":"out","xml":"<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"}
      {"t":1000,"dir":"in","xml":"<iq type='result' id='1'><query xmlns='jabber:iq:roster'><item jid='ann@example.test' subscription='both'/></query></iq>"}
      {"t":1000,"dir":"out","xml":"<presence/>"}
      {"t":200000,"dir":"in","xml":"<presence from='ann@example.test/pc'/>"}

      """
    ),
  ]

  /// A chat with what a document of conversations has: both directions, a correction, a reaction, a
  /// file, a room, an avatar and a finding.
  private static let chat = """
    {"rollcall-capture":1,"account":"alice@example.test"}
    {"t":1,"stream":"opened","jid":"alice@example.test/pc"}
    {"dir":"in","xml":"<message from='bob@example.test/x' type='chat' id='a'><body>1</body></message>"}
    {"dir":"in","xml":"<message from='bob@example.test/x' type='chat' id='b'><body>2</body><replace xmlns='urn:xmpp:message-correct:0' id='a'/></message>"}
    {"dir":"out","xml":"<message to='bob@example.test' type='chat'><reactions xmlns='urn:xmpp:reactions:0' id='a'><reaction>+</reaction></reactions></message>"}
    {"dir":"out","xml":"<message to='bob@example.test' type='chat' id='c'><x xmlns='jabber:x:oob'><url>https://example.test/a.png</url></x></message>"}
    {"dir":"in","xml":"<message from='eve@example.test' type='chat'><received xmlns='urn:xmpp:receipts' id='c'/></message>"}
    {"dir":"in","xml":"<message from='room@example.test/bob' type='groupchat'><body>3</body></message>"}
    {"dir":"in","xml":"<presence from='bob@example.test/x'><x xmlns='vcard-temp:x:update'><photo/></x></presence>"}

    """

  /// The arguments that produce a document, by its name in the schema.
  private static let makers: [(String, [String])] = [
    ("state", ["state", "move.log"]), ("state", ["state", "requests.log", "--at", "0"]),
    ("state", ["state", "set.jsonl"]), ("replay", ["replay", "set.jsonl"]),
    ("diff", ["diff", "set.jsonl", "2", "head"]), ("log", ["log", "set.jsonl"]),
    ("friends", ["friends", "move.log", "--friends", "all"]),
    ("conversations", ["conversations", "chat.jsonl"]),
    ("conversations", ["conversations", "chat.jsonl", "--redact"]),
    ("replay", ["replay", "chat.jsonl"]), ("findings", ["findings", "chat.jsonl"]),
    ("history", ["history", "chat.jsonl", "bob@example.test"]),
    ("diff", ["diff", "chat.jsonl", "2", "head"]),
    ("whyOfMessage", ["why", "chat.jsonl", "bob@example.test", "--message", "a"]),
    ("explain", ["findings", "--explain", "carbon-forged"]),
    ("requests", ["requests", "requests.log"]), ("requests", ["requests", "move.log"]),
    ("sections", ["sections", "move.log", "--friends", "all", "--names"]),
    ("sections", ["sections", "requests.log", "--group-by", "groups+index", "--friends", "all"]),
    ("sections", ["sections", "move.log", "--friends", "all", "--search", "a"]),
    ("sections", ["sections", "move.log", "--friends", "all", "--cards"]),
    ("pinyin", ["pinyin", "曾贤"]), ("connections", ["connections", "forged.log"]),
    ("log", ["log", "requests.log"]), ("show", ["show", "forged.log", "16"]),
    ("show", ["show", "forged.log", "1"]), ("replay", ["replay", "requests.log"]),
    ("replay", ["replay", "move.log"]), ("findings", ["findings", "forged.log"]),
    ("explain", ["findings", "--explain", "undone-edit"]),
    ("history", ["history", "move.log", "李梅"]), ("history", ["history", "undone.log", "laochen"]),
    ("why", ["why", "undone.log", "laochen"]), ("diff", ["diff", "requests.log", "0", "head"]),
    ("diff", ["diff", "move.log", "head", "0"]), ("diff", ["diff", "undone.log", "16", "head"]),
    ("diffOfSources", ["diff", "undone.log", "a.rollcall", "--other-at", "20"]),
    ("diffOfConnections", ["diff", "two.jsonl", "--connection", "phone,pc"]),
    ("between", ["between", "ann.jsonl", "ben.jsonl"]),
    ("between", ["between", "ben.jsonl", "ann.jsonl"]),
    ("between", ["between", "ann.jsonl", "ben.jsonl", "--at", "5"]),
    ("why", ["why", "ann.jsonl", "ben@example.test", "--other", "ben.jsonl"]),
    ("diffOfSections", ["diff", "move.log", "0", "head", "--sections"]),
    ("bisect", ["bisect", "move.log", "--count-friends", ">0"]),
    ("bisect", ["bisect", "move.log", "--count-friends", ">900"]),
    ("what-if", ["what-if", "forged.log", "--policy", "lenient"]),
    ("what-if", ["what-if", "forged.log", "--drop", "12"]),
    ("bookmark", ["bookmark", "a.rollcall", "there", "9"]),
    ("bookmarks", ["bookmark", "a.rollcall"]),
    ("import", ["import", "move.log", "-o", "b.rollcall"]), ("verify", ["verify", "a.rollcall"]),
    ("verifyOfFolder", ["verify", "recorded"]), ("connections", ["connections", "recorded"]),
    ("recover", ["recover", "a.rollcall", "-o", "c.rollcall"]),
    ("test-from", ["test-from", "undone.log", "-o", "tests"]), ("formats", ["formats"]),
    ("formatsOfFiles", ["formats", "move.log", "a.rollcall"]),
  ]

  @Test("The output of each command conforms to the schema", arguments: makers)
  func document(_ name: String, _ arguments: [String]) throws {
    let run = try Program(arguments + ["--json"], in: folder.path)
    #expect(run.code < 2, "\(run.errors)")
    #expect(run.output.utf8.count > 2 && run.output.hasSuffix("\n"))
    #expect(try schema.fault(in: run.output, name) == nil)
  }

  @Test(
    "Each line of a list conforms to the schema",
    arguments: [
      ("moment", ["replay", "requests.log"]), ("logRecord", ["log", "forged.log"]),
      ("historyEntry", ["history", "move.log", "李梅"]), ("reading", ["pinyin", "曾贤"]),
      ("logRecord", ["log", "set.jsonl"]), ("finding", ["findings", "forged.log"]),
    ])
  func line(_ name: String, _ arguments: [String]) throws {
    let run = try Program(arguments + ["--jsonl"], in: folder.path)
    let document = try Program(arguments + ["--json"], in: folder.path).document
    let lines = run.output.split(separator: "\n")
    // Findings about the end of the source are beside the list of another command.
    let lists = document.filter { $0.key as? String != "findings" || arguments[0] == "findings" }
    let list = try #require(lists.compactMap { $0.value as? [Any] }.first { !$0.isEmpty })
    #expect(lines.count == list.count && run.code == 0)
    for line in lines { #expect(try schema.fault(in: String(line), name) == nil) }
    let both = try Program(arguments + ["--json", "--jsonl"], in: folder.path)
    #expect(both.code == 2 && both.errors.contains("choose one"))
  }

  @Test("Every document is covered, and none conforms to the schema of another")
  func all() throws {
    #expect(try Set(Self.makers.map(\.0)) == Set(schema.documents))
    let state = try Program("state", "move.log", "--json", in: folder.path).output
    for name in try schema.documents where name != "state" {
      #expect(try schema.fault(in: state, name) != nil, "\(name)")
    }
  }

  @Test("A document with a missing or extra member does not conform to the schema")
  func faults() throws {
    let run = try Program("replay", "requests.log", "--json", in: folder.path)
    let document = try #require(run.document["records"] as? [[String: Any]])
    let moment = try #require(document.first { !(($0["changes"] as? [Any])?.isEmpty ?? true) })
    for key in moment.keys {
      var less = moment
      less[key] = nil
      #expect(try schema.fault(inValue: less, "moment") == "moment has no “\(key)”")
      var other = moment
      other[key] = 1.5 as NSNumber == moment[key] as? NSNumber ? "x" : ["x": 1]
      #expect(try schema.fault(inValue: other, "moment") != nil, "\(key)")
    }
    var more = moment
    more["more"] = 1
    #expect(try schema.fault(inValue: more, "moment") == "moment has “more”")
  }
}
