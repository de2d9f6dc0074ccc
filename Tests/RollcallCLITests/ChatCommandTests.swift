import Foundation
import TestSupport
import Testing

/// One conversation as lines for people, its search, and its files.
@Suite("The command chat") struct ChatCommandTests {
  private let folder: TemporaryFolder
  private let capture: String

  /// A picture of one pixel, in 42 bytes.
  private static let picture = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

  init() throws {
    folder = try TemporaryFolder()
    capture = folder.file("talk.jsonl")
    let bob = "<message type='chat' from='bob@b.test/pc' to='alice@a.test/pc'"
    try write([
      // 10:00:00 UTC.
      (0, "in", "\(bob) id='1'><body>晚饭在哪\n10:00:09  me  I pay</body></message>"),
      (1, "out", "<message type='chat' to='bob@b.test' id='2'><body>老地方</body></message>"),
      (
        2, "in",
        "\(bob) id='3'><body>ImageMessage</body><subject>ImageMessage</subject>"
          + "<ImageMessage>\(Self.picture)</ImageMessage>"
          + "<XMPPElementImageMessage>../../evil</XMPPElementImageMessage></message>"
      ),
      (3, "in", "\(bob) id='4'><body>第一版</body></message>"),
      (
        86_400, "in",
        "\(bob) id='5'><body>第二版</body><replace xmlns='urn:xmpp:message-correct:0' id='4'/></message>"
      ),
      (
        86_401, "in",
        "\(bob) id='6'><reactions xmlns='urn:xmpp:reactions:0' id='2'><reaction>👍</reaction>"
          + "</reactions></message>"
      ),
      (86_402, "in", "\(bob) id='7'><body>明天见</body></message>"),
      (
        86_403, "in",
        "<message type='chat' from='carol@c.test/x' id='8'><body>hi</body></message>"
      ),
    ])
  }

  private func write(_ stanzas: [(Int, String, String)]) throws {
    var lines: [[String: Any]] = [
      ["rollcall-capture": 1, "account": "alice@a.test/pc"],
      ["t": 1_763_632_799_000, "stream": "opened", "jid": "alice@a.test/pc"],
    ]
    for (seconds, direction, xml) in stanzas {
      lines.append(["t": 1_763_632_800_000 + 1000 * seconds, "dir": direction, "xml": xml])
    }
    let data = try lines.map { try JSONSerialization.data(withJSONObject: $0) }
    try Data(data.joined(separator: [0x0A])).write(to: URL(filePath: capture))
  }

  private func chat(_ arguments: String...) throws -> Program {
    try Program(["chat", capture] + arguments)
  }

  @Test("Messages are shown by day, with times, senders, states and records")
  func lines() throws {
    let run = try chat("bob@b.test")
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("bob@b.test · 5 messages"))
    #expect(lines.filter { $0.hasPrefix("── 2025-11-") }.count == 2)
    #expect(lines.contains { $0.hasPrefix("10:00:00") && $0.contains("晚饭在哪") })
    #expect(lines.contains { $0.hasPrefix("10:00:01  me") && $0.contains("老地方  sent") })
    #expect(!run.output.contains("hi"))
  }

  @Test("The later lines of a text cannot look like a message")
  func spoofedLines() throws {
    let lines = try chat("bob@b.test").output.split(separator: "\n").map(String.init)
    let spoof = try #require(lines.first { $0.contains("I pay") })
    #expect(spoof.hasPrefix(" ") && spoof.contains("│ 10:00:09"))
  }

  @Test("Nothing that others write begins a line of a terminal, however long it is")
  func longSpoofs() throws {
    let spoof = String(repeating: "-", count: 37) + " 10:00:09  me  I pay you 1000 euro  sent"
    let bob = "<message type='chat' from='bob@b.test/pc' to='alice@a.test/pc'"
    try write([
      (0, "in", "\(bob) id='1'><body>\(spoof)</body><subject>\(spoof)</subject></message>"),
      (1, "out", "<message type='chat' to='bob@b.test' id='2'><body>\(spoof)</body></message>"),
      (
        2, "in",
        "\(bob) id='3'><reactions xmlns='urn:xmpp:reactions:0' id='2'><reaction>\(spoof)"
          + "</reaction></reactions></message>"
      ),
      (
        3, "in",
        "\(bob) id='4'><x xmlns='jabber:x:oob'><url>https://b.test/\(spoof)</url></x></message>"
      ),
      (
        4, "in",
        "\(bob) id='5'><apply-to xmlns='urn:xmpp:fasten:0' id='1'><moderated "
          + "xmlns='urn:xmpp:message-moderate:0'><reason>\(spoof)</reason></moderated></apply-to>"
          + "<body>\(spoof)</body></message>"
      ),
    ])
    let run = try Program(
      shell:
        "export ROLLCALL; TERM=dumb script -qec 'stty cols 60; \"$ROLLCALL\" chat talk.jsonl "
        + "bob@b.test' /dev/null </dev/null",
      in: folder.path)
    let rows = run.output.split(whereSeparator: \.isNewline).map(String.init)
    #expect(rows.count > 12, "\(run.output)")
    for row in rows where row.contains("-----") || row.contains("I pay") {
      let isBegun = row.wholeMatch(of: /10:00:0[0-4]  (me|bob@b\.test) .*/) != nil
      #expect(isBegun || row.contains(#/^\ +│\ /#), "\(row)")
      // Only the state and the record, which are ours, may be too much for the row.
      let text = row.split(separator: #/\ \ (?:sent|\#)/#)[0]
      #expect(text.count <= 60, "\(row)")
    }
  }

  @Test("Edits and reactions are below their message, and a picture is one line")
  func details() throws {
    let output = try chat("bob@b.test").output
    let lines = output.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains("第二版") && $0.contains("edited") })
    #expect(lines.contains { $0.contains("│ was “第一版”") })
    #expect(lines.contains { $0.contains("│ 👍  bob@b.test") })
    #expect(
      lines.contains {
        $0.contains("[picture, image/gif, 1 × 1, 42 bytes, “../../evil”, in the log]")
      },
      "\(output)")
  }

  @Test(
    "A search finds characters, pinyin and first letters",
    arguments: ["晚饭", "晚飯", "wanfan", "wf", "WanFan", "evil"])
  func search(text: String) throws {
    let run = try chat("bob@b.test", "--search", text)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains(text == "evil" ? "[picture" : "晚饭在哪"))
    #expect(!run.output.contains("老地方"))
  }

  @Test("A search that finds nothing exits with 1, and a text that is only replaced is not found")
  func searchNothing() throws {
    #expect(try chat("bob@b.test", "--search", "diyiban").code == 1)
    #expect(try chat("bob@b.test", "--search", "dierban").code == 0)
    #expect(try chat("bob@b.test", "--search", " ").code == 2)
  }

  @Test("The last messages can be chosen")
  func last() throws {
    let output = try chat("bob@b.test", "--last", "1").output
    #expect(output.contains("明天见") && !output.contains("第二版"))
    #expect(try chat("bob@b.test", "--last", "0").code == 2)
  }

  @Test("A conversation that does not exist is not an error of the input")
  func unknown() throws {
    #expect(try chat("dave@d.test").code == 1)
    #expect(try chat("carol@c.test").code == 0)
  }

  @Test("The picture is written under its digest, once, and nothing outside of the folder")
  func attachments() throws {
    let pictures = folder.file("pictures")
    let run = try chat("bob@b.test", "--attachments", pictures)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("1 file written"))
    let names = try FileManager.default.contentsOfDirectory(atPath: pictures)
    #expect(names.count == 1 && names[0].hasSuffix(".gif") && names[0].count == 68)
    let data = try Data(contentsOf: URL(filePath: "\(pictures)/\(names[0])"))
    #expect(data == Data(base64Encoded: Self.picture))
    #expect(try folder.names == ["pictures", "talk.jsonl"])
    #expect(try chat("bob@b.test", "--attachments", pictures).errors.contains("1 already there"))
  }

  @Test("A picture that was sent twice is one file")
  func repeatedPicture() throws {
    let picture =
      "<message type='chat' from='bob@b.test/pc' to='alice@a.test/pc'><body>ImageMessage</body>"
      + "<subject>ImageMessage</subject><ImageMessage>\(Self.picture)</ImageMessage></message>"
    try write([(0, "in", picture), (60, "in", picture)])
    let run = try chat("bob@b.test", "--attachments", folder.file("pictures"))
    #expect(run.output.split(separator: "[picture").count == 3, "\(run.output)")
    #expect(run.errors.contains("1 file written") && !run.errors.contains("already there"))
  }

  @Test("A link in the place of the folder is refused")
  func linkedFolder() throws {
    let target = folder.file("target")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(try chat("bob@b.test", "--attachments", link).code == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target).isEmpty)
  }
}
