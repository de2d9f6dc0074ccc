import Foundation
import TestSupport
import Testing

/// What the commands about a log say of its messages.
@Suite("Messages in the commands about a log") struct MessageCommandTests {
  private let folder: TemporaryFolder

  private static func line(_ second: Int, _ direction: String, _ xml: String) -> String {
    #"{"t":\#(1_763_632_800_000 + 1000 * second),"dir":"\#(direction)","xml":"\#(xml)"}"#
  }

  private static let bob = "<message type='chat' from='bob@b.test/pc' to='alice@a.test/pc'"

  /// The records of the talk; the first is the header, and the roster is known at #4.
  private static let talk = [
    #"{"rollcall-capture":1,"account":"alice@a.test/pc"}"#,
    #"{"t":1763632799000,"stream":"opened","jid":"alice@a.test/pc"}"#,
    line(0, "out", "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"),
    line(
      0, "in",
      "<iq type='result' id='r'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@b.test' subscription='both'/></query></iq>"),
    // #5 to #8: a message, ours with a request for a receipt, a forged carbon, a receipt.
    line(1, "in", "\(bob) id='m1'><body>你好</body></message>"),
    line(
      2, "out",
      "<message type='chat' to='bob@b.test' id='m2'><body>老地方</body>"
        + "<request xmlns='urn:xmpp:receipts'/></message>"),
    line(
      3, "in",
      "<message from='eve@e.test/x' to='alice@a.test/pc'><received xmlns='urn:xmpp:carbons:2'>"
        + "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' type='chat' "
        + "from='bob@b.test/pc' id='m9'><body>转账</body></message></forwarded></received></message>"),
    line(
      4, "in", "\(bob)><received xmlns='urn:xmpp:receipts' id='m2'/></message>"),
    // #9 and #10: a correction, and a presence.
    line(
      5, "in",
      "\(bob) id='m3'><body>你好吗</body><replace xmlns='urn:xmpp:message-correct:0' id='m1'/>"
        + "</message>"),
    line(6, "in", "<presence from='bob@b.test/pc'/>"),
    // #11 to #15: five in a row, of which one repeats the text and one the id of another.
    line(7, "in", "\(bob) id='m4'><body>一</body></message>"),
    line(8, "in", "\(bob) id='m5'><body>二</body></message>"),
    line(9, "in", "\(bob) id='m6'><body>一</body></message>"),
    line(10, "out", "<message type='chat' to='bob@b.test' id='m7'><body>三</body></message>"),
    line(11, "in", "\(bob) id='m8'><body>四</body></message>"),
  ]

  init() throws {
    folder = try TemporaryFolder()
    try write(Self.talk, "talk.jsonl")
    // The same without messages.
    try write(Self.talk.filter { !$0.contains("<message") }, "roster.jsonl")
  }

  private func write(_ lines: [String], _ name: String) throws {
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: folder.file(name), atomically: true, encoding: .utf8)
  }

  private func run(_ arguments: String...) throws -> Program {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code < 2, "\(run.errors)")
    return run
  }

  private func lines(_ run: Program) -> [String] {
    run.output.split(separator: "\n").map(String.init)
  }

  // MARK: findings

  @Test("A forged carbon is among the findings, as text, in the document, and line by line")
  func findings() throws {
    let text = try run("findings", "talk.jsonl").output
    #expect(text.contains("! #7 carbon-forged (error): A carbon from eve@e.test/x was ignored"))
    let found = try #require(
      try run("findings", "talk.jsonl", "--json").document["findings"] as? [NSDictionary])
    let carbon = try #require(found.first { $0["code"] as? String == "carbon-forged" })
    #expect(carbon["record"] as? Int == 7 && carbon["contact"] as? String == "eve@e.test")
    #expect(try lines(run("findings", "talk.jsonl", "--jsonl")).count == found.count)
  }

  @Test("The filters of findings apply to findings about messages")
  func filters() throws {
    func shows(_ arguments: String...) throws -> Bool {
      let run = try Program(["findings", "talk.jsonl"] + arguments, in: folder.path)
      return run.output.contains("carbon-forged")
    }
    #expect(try shows("--contact", "eve@e.test") && !shows("--contact", "bob@b.test"))
    #expect(try shows("--kind", "message") && !shows("--kind", "iq"))
    #expect(try shows("--from", "7") && !shows("--from", "8") && !shows("--to", "6"))
    #expect(try Program("findings", "talk.jsonl", "--fail-on", "error", in: folder.path).code == 1)
    let roster = try Program("findings", "roster.jsonl", "--fail-on", "info", in: folder.path)
    #expect(roster.code == 0, "\(roster.output)")
  }

  @Test("A kind of finding about messages is explained")
  func explanation() throws {
    let lines = try lines(run("findings", "--explain", "carbon-forged"))
    #expect(lines.first == "carbon-forged (error)")
    #expect(lines.contains { $0.hasPrefix("Rule:    ") && $0.contains("XEP-0280") })
  }

  // MARK: replay

  @Test("The story has messages, and folds four or more in a row")
  func story() throws {
    let story = try lines(run("replay", "talk.jsonl"))
    #expect(story.contains { $0.hasPrefix("#5 ") && $0.hasSuffix("← bob@b.test writes “你好”") })
    #expect(story.contains { $0.hasSuffix("→ we write to bob@b.test: “老地方”") })
    #expect(story.contains { $0.hasPrefix("    ! #7 carbon-forged") })
    #expect(story.contains { $0.hasPrefix("#8 ") && $0.hasSuffix("#6 was received") })
    #expect(story.contains { $0.hasSuffix("bob@b.test corrects #5 to “你好吗”") })
    #expect(
      story.contains {
        $0.hasPrefix("#11–#15 ") && $0.hasSuffix("5 records: 5 messages with bob@b.test")
      }, "\(story)")
    #expect(!story.contains { $0.contains("转账") }, "a forged carbon is no message")
    // A filter that leaves fewer of them makes the story no longer.
    let part = try lines(run("replay", "talk.jsonl", "--from", "13"))
    #expect(part.contains { $0.hasPrefix("#13–#15 ") && $0.contains("3 messages with bob@b.test") })
    let full = try lines(run("replay", "talk.jsonl", "--full"))
    #expect(full.contains { $0.hasSuffix("← bob@b.test writes “四”") })
  }

  @Test("The story of the roster is the same without the messages")
  func sameStory() throws {
    let with = try lines(run("replay", "talk.jsonl", "--full", "--no-pager"))
    let without = try lines(run("replay", "roster.jsonl", "--full", "--no-pager"))
    func clauses(_ lines: [String]) -> [String] {
      lines.map { $0.replacing(#/^\#[0-9]+\ /#, with: "") }
    }
    let known = Set(clauses(with))
    for clause in clauses(without) where !clause.hasPrefix("!") {
      #expect(known.contains(clause), "\(clause)")
    }
  }

  @Test("In the document of the story, each record is once, with what it did to messages")
  func storyDocument() throws {
    let rows = try #require(
      try run("replay", "talk.jsonl", "--json").document["records"] as? [NSDictionary])
    let numbers = rows.compactMap { $0["record"] as? Int }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    let receipt = try #require(rows.first { $0["record"] as? Int == 8 })
    let effects = try #require(receipt["messages"] as? [NSDictionary])
    #expect(effects.count == 1 && effects[0]["effect"] as? String == "state")
    #expect(effects[0]["message"] as? Int == 6 && effects[0]["state"] as? String == "received")
    let roster = try #require(
      try run("replay", "roster.jsonl", "--json").document["records"] as? [NSDictionary])
    #expect(roster.allSatisfy { $0["messages"] == nil })
  }

  // MARK: history and diff

  @Test("The history of a contact has its messages")
  func history() throws {
    let output = try run("history", "talk.jsonl", "bob@b.test").output
    for text in ["writes “你好”", "“老地方”", "#6 was received", "corrects #5"] {
      #expect(output.contains(text), "\(text)")
    }
    #expect(!output.contains("carbon-forged"))
    #expect(!output.contains("such as messages"))
    let stranger = try run("history", "talk.jsonl", "eve@e.test")
    #expect(stranger.output.contains("carbon-forged"), "\(stranger.output)")
  }

  @Test("Two points differ by conversations")
  func differences() throws {
    let output = try run("diff", "talk.jsonl", "6", "10").output
    #expect(output.contains("~ conversation with bob@b.test: 2 messages changed (#9)"), "\(output)")
    #expect(
      try run("diff", "talk.jsonl", "4", "5").output
        .contains("+ conversation with bob@b.test: 1 message, 1 unread (#5)"))
    #expect(try Program("diff", "talk.jsonl", "6", "7", in: folder.path).code == 0)
    let back = try run("diff", "talk.jsonl", "5", "4").output
    #expect(back.contains("- conversation with bob@b.test: 1 message"), "\(back)")
  }

  /// The lines of an archive's answer: each message with its id in the archive, the seconds after
  /// the talk began, and its attributes and children.
  private static func archived(_ messages: [(id: String, second: Int, xml: String)]) -> [String] {
    [line(13, "out", "<iq type='set' id='a'><query xmlns='urn:xmpp:mam:2' queryid='q'/></iq>")]
      + messages.map { message in
        let stamp = "2025-11-20T10:00:\(message.second < 10 ? "0" : "")\(message.second)Z"
        return line(
          14, "in",
          "<message><result xmlns='urn:xmpp:mam:2' queryid='q' id='\(message.id)'>"
            + "<forwarded xmlns='urn:xmpp:forward:0'>"
            + "<delay xmlns='urn:xmpp:delay' stamp='\(stamp)'/>"
            + "<message xmlns='jabber:client' type='chat' \(message.xml)</message>"
            + "</forwarded></result></message>")
      }
  }

  @Test("What an archive returns of ours may be of this device, and a carbon is of another")
  func writers() throws {
    let ours = "from='alice@a.test/pad' to='bob@b.test' id"
    try write(
      Self.talk
        + [
          Self.line(
            12, "in",
            "<message from='alice@a.test' to='alice@a.test/pc'><sent xmlns='urn:xmpp:carbons:2'>"
              + "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' type='chat' "
              + "\(ours)='s1'><body>五</body></message></forwarded></sent></message>")
        ] + Self.archived([("x1", 0, "\(ours)='s0'><body>零</body>")]), "ours.jsonl")
    let output = try run("replay", "ours.jsonl", "--full").output
    #expect(output.contains("another device of ours writes to bob@b.test: “五”"), "\(output)")
    #expect(output.contains("we wrote to bob@b.test: “零”"), "\(output)")
  }

  @Test("A copy is not the record that changed a conversation")
  func copyIsNoCause() throws {
    let copied =
      Self.talk + [
        Self.line(
          12, "out", "<iq type='set' id='a'><query xmlns='urn:xmpp:mam:2' queryid='q'/></iq>"),
        Self.line(
          13, "in",
          "<message><result xmlns='urn:xmpp:mam:2' queryid='q' id='x1'>"
            + "<forwarded xmlns='urn:xmpp:forward:0'>"
            + "<delay xmlns='urn:xmpp:delay' stamp='2025-11-20T10:00:11Z'/>"
            + "<message xmlns='jabber:client' type='chat' from='bob@b.test/pc' id='m8'>"
            + "<body>四</body></message></forwarded></result></message>"),
      ]
    try write(copied, "copied.jsonl")
    let output = try run("diff", "copied.jsonl", "10", "17").output
    #expect(output.contains("(#15)") && !output.contains("#17"), "\(output)")
  }

  @Test("What a resumption acknowledges is not said to be on the way again")
  func acknowledgedByResumption() throws {
    let resumed =
      Self.talk.prefix(4) + [
        Self.line(1, "out", "<enable xmlns='urn:xmpp:sm:3' resume='true'/>"),
        Self.line(1, "in", "<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>"),
        Self.line(
          2, "out", "<message type='chat' to='bob@b.test' id='n1'><body>在吗</body></message>"),
        Self.line(
          3, "out", "<message type='chat' to='bob@b.test' id='n2'><body>喂</body></message>"),
        #"{"t":1763632810000,"stream":"closed"}"#,
        #"{"t":1763632810000,"stream":"connected"}"#,
        Self.line(11, "out", "<resume xmlns='urn:xmpp:sm:3' previd='s' h='0'/>"),
        Self.line(12, "in", "<resumed xmlns='urn:xmpp:sm:3' previd='s' h='1'/>"),
      ]
    try write(Array(resumed), "resumed.jsonl")
    let output = try run("replay", "resumed.jsonl", "--full").output
    #expect(output.contains("the server acknowledges #7"), "\(output)")
    #expect(output.contains("#8 is on the way again") && !output.contains("#7 is on the way again"))
  }

  // MARK: why

  @Test("An error that answers a message is no copy of it")
  func errorIsNoCopy() throws {
    let failed =
      Self.talk + [
        Self.line(
          12, "in",
          "<message type='error' from='bob@b.test/pc' id='m7'><error type='cancel'>"
            + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>"
        )
      ]
    try write(failed, "failed.jsonl")
    let output = try run("why", "failed.jsonl", "bob@b.test", "--message", "m7").output
    #expect(output.contains("It is in one record, #14: live."), "\(output)")
    #expect(output.contains("It failed"))
  }

  @Test("Why a message is unread, or is not")
  func unread() throws {
    let unread = try run("why", "talk.jsonl", "bob@b.test", "--message", "m8").output
    #expect(unread.contains("Is it unread? Yes."))
    #expect(unread.contains("#14 says that we have read up to #14"), "\(unread)")
    let read = try run("why", "talk.jsonl", "bob@b.test", "--message", "#5").output
    #expect(read.contains("Is it unread? No."))
    let first = try run("why", "talk.jsonl", "bob@b.test", "--message", "m1", "--at", "5").output
    #expect(first.contains("Nothing in the log says that we have read the conversation"))
  }

  @Test("A message that arrives late is read if we have read everything up to a later time")
  func readByTime() throws {
    let reaction =
      "<message type='chat' to='bob@b.test' id='r1'><reactions xmlns='urn:xmpp:reactions:0' id='m8'>"
      + "<reaction>👍</reaction></reactions></message>"
    try write(
      Self.talk + [Self.line(12, "out", reaction)]
        + Self.archived([("x1", 11, "from='bob@b.test/pc' id='m9'><body>五</body>")]), "late.jsonl")
    let output = try run("why", "late.jsonl", "bob@b.test", "--message", "m9").output
    #expect(output.contains("Is it unread? No."), "\(output)")
    #expect(output.contains("#16 says that we have read everything up to then"), "\(output)")
  }

  @Test("Two messages of an archive differ by its ids, whatever else they have")
  func archivedTwins() throws {
    let bob = "from='bob@b.test/pc'"
    try write(
      Self.talk
        + Self.archived([
          ("x1", 20, "\(bob) id='k'><body>六</body>"), ("x2", 21, "\(bob) id='k'><body>六</body>"),
        ]), "twins.jsonl")
    let output = try run("why", "twins.jsonl", "bob@b.test", "--message", "#17").output
    #expect(output.contains("the archive gave them different ids"), "\(output)")
  }

  @Test("Why two messages say the same")
  func twins() throws {
    let output = try run("why", "talk.jsonl", "bob@b.test", "--message", "m4").output
    #expect(output.contains("Is it there more than once? Yes."))
    #expect(output.contains("#13 says the same and is another message: its id is m6, not m4"))
    let other = try run("why", "talk.jsonl", "bob@b.test", "--message", "m5").output
    #expect(other.contains("Is it there more than once? No."))
  }

  @Test("Whether a message of ours arrived")
  func arrival() throws {
    let received = try run("why", "talk.jsonl", "bob@b.test", "--message", "m2").output
    #expect(received.contains("Did it arrive? Yes."))
    let sent = try run("why", "talk.jsonl", "bob@b.test", "--message", "m7").output
    #expect(sent.contains("Did it arrive? Unknown.") && sent.contains("asks for no receipt"))
  }

  @Test("A message that is nowhere, and questions that do not fit, are refused")
  func unknownMessage() throws {
    #expect(
      try Program("why", "talk.jsonl", "bob@b.test", "--message", "m99", in: folder.path).code == 1)
    #expect(
      try Program("why", "talk.jsonl", "eve@e.test", "--message", "m9", in: folder.path).code == 1)
    #expect(
      try Program(
        "why", "talk.jsonl", "bob@b.test", "--message", "m1", "--about", "friend", in: folder.path
      ).code == 2)
  }
}
