import Foundation
import TestSupport
import Testing

/// A session in the native format: bob is a friend, a stranger pushes, carol sends a request.
private let session = """
  {"rollcall-capture":1,"account":"alice@example.test/phone"}
  {"t":1763600000000,"stream":"opened","jid":"alice@example.test/phone"}
  {"t":1763600000100,"dir":"out","xml":"<iq type='get' id='r1'><query xmlns='jabber:iq:roster' ver=''/></iq>"}
  {"t":1763600000200,"dir":"in","xml":"<iq type='result' id='r1'><query xmlns='jabber:iq:roster' ver='v1'><item jid='bob@example.test' name='Bob' subscription='both'><group>Friends</group></item></query></iq>"}
  {"t":1763600000300,"dir":"out","xml":"<presence/>"}
  {"t":1763600000400,"dir":"in","xml":"<presence from='bob@example.test/phone'><show>away</show><priority>5</priority><status>lunch</status></presence>"}
  {"t":1763600000500,"dir":"in","xml":"<iq type='set' id='evil' from='mallory@evil.test'><query xmlns='jabber:iq:roster' ver='v9'><item jid='mallory@evil.test' subscription='both'/></query></iq>"}
  {"t":1763600000600,"dir":"in","xml":"<presence type='subscribe' from='carol@example.test'><status>It is me</status></presence>"}
  {"t":1763600000700,"dir":"in","xml":"<message from='bob@example.test/phone'><body>hello</body></message>"}

  """

/// A folder that contains the session.
private func folder() throws -> TemporaryFolder {
  let folder = try TemporaryFolder()
  try session.write(toFile: folder.file("alice.jsonl"), atomically: true, encoding: .utf8)
  return folder
}

@Suite("The command state") struct StateCommandTests {
  @Test(
    "state --json says whether the block list was ever fetched",
    arguments: [("", true), ("<item jid='eve@example.test'/>", true), (nil, false)])
  func blockedKnown(_ items: String?, _ isKnown: Bool) throws {
    let folder = try folder()
    var text = session
    if let items {
      text += """
        {"dir":"out","xml":"<iq type='get' id='b'><blocklist xmlns='urn:xmpp:blocking'/></iq>"}
        {"dir":"in","xml":"<iq type='result' id='b'><blocklist xmlns='urn:xmpp:blocking'>\
        \(items)</blocklist></iq>"}

        """
    }
    try text.write(toFile: folder.file("b.jsonl"), atomically: true, encoding: .utf8)
    let document = try Program("state", "b.jsonl", "--json", in: folder.path).document
    #expect(document["blockedKnown"] as? Bool == isKnown)
    #expect((document["blocked"] as? [String])?.isEmpty == (items ?? "").isEmpty)
  }

  @Test("The account of a log is known before the first record too")
  func account() throws {
    let folder = try folder()
    _ = try Program("import", "alice.jsonl", "-o", "alice.rollcall", in: folder.path)
    for command in ["state", "friends", "requests", "findings", "replay"] {
      let run = try Program(command, "alice.rollcall", "--at", "0", "--json", in: folder.path)
      #expect(try run.document["account"] as? String == "alice@example.test", "\(command)")
    }
    for command in ["state", "sections", "replay"] {
      let run = try Program(command, "alice.rollcall", "--at", "0", in: folder.path)
      #expect(run.output.contains("alice@example.test"), "\(command)")
    }
    let diff = try Program("diff", "alice.rollcall", "0", "1", in: folder.path)
    #expect(diff.output.contains("alice@example.test"))
    #expect(!diff.output.contains("unknown"))
  }

  @Test("state --json is the documented document, from a capture and from its log")
  func document() throws {
    let folder = try folder()
    let imported = try Program("import", "alice.jsonl", "-o", "alice.rollcall", in: folder.path)
    #expect(imported.code == 0, "\(imported.errors)")
    for source in ["alice.jsonl", "alice.rollcall"] {
      let run = try Program("state", source, "--json", in: folder.path)
      #expect(run.code == 0, "\(run.errors)")
      let expected: NSDictionary = [
        "account": "alice@example.test", "at": 9, "time": "2025-11-20T00:53:20.700Z",
        "version": "v1", "complete": true, "completeness": "complete", "connected": true,
        "connections": [["id": 1, "name": NSNull(), "resource": "phone", "open": true]],
        "blocked": [],
        "blockedKnown": false,
        "items": [
          [
            "jid": "bob@example.test", "name": "Bob", "subscription": "both", "ask": NSNull(),
            "approved": false, "groups": ["Friends"],
            "records": [
              "item": 4, "name": 4, "subscription": 4, "ask": 4, "approved": 4, "groups": 4,
            ],
          ]
        ],
        "requests": [
          "incoming": [
            [
              "jid": "carol@example.test", "since": 8, "count": 1, "text": "It is me",
              "nick": NSNull(), "confirmed": true, "crossing": false, "seen": false,
              "seenRecord": NSNull(),
            ]
          ],
          "unconfirmed": [], "outgoing": [], "unseen": 1,
        ],
        "presence": [
          "bob@example.test": [
            "phone": ["show": "away", "priority": 5, "status": "lunch", "since": 6]
          ]
        ],
        "names": [],
        "ownResources": [:],
        "annotations": [],
      ]
      #expect(try run.document == expected)
    }
  }

  @Test(
    "Points select the state after a record",
    arguments: [
      ("0", 0, 0), ("3", 3, 0), ("4", 4, 1), ("head", 9, 1), ("head~6", 3, 0),
      ("2025-11-20T00:53:20.199Z", 3, 0), ("2025-11-20T00:53:20.200Z", 4, 1),
      ("2025-11-20T01:53:20+01:00", 2, 0), ("1999-01-01T00:00:00Z", 0, 0),
    ])
  func points(_ point: String, _ record: Int, _ items: Int) throws {
    let folder = try folder()
    let run = try Program("state", "alice.jsonl", "--at", point, "--json", in: folder.path)
    let document = try run.document
    #expect(document["at"] as? Int == record)
    #expect((document["items"] as? [Any])?.count == items)
  }

  @Test(
    "An invalid point is refused and named",
    arguments: ["10", "head~10", "yesterday", "-1", "2025-11-32"])
  func badPoints(_ point: String) throws {
    let folder = try folder()
    let run = try Program("state", "alice.jsonl", "--at=\(point)", in: folder.path)
    #expect(run.code == 2)
    #expect(run.output.isEmpty)
    #expect(
      run.errors.contains(point.hasPrefix("head") ? point : "10") || run.errors.contains(point))
  }

  @Test("The text for people contains the account, the time, the state and its records")
  func people() throws {
    let folder = try folder()
    let run = try Program("state", "alice.jsonl", in: folder.path)
    #expect(run.output.contains("alice@example.test · after record 9"))
    #expect(run.output.contains("bob@example.test  Bob   both          Friends  #4"))
    #expect(run.output.contains("carol@example.test asks for our presence (#8)"))
    #expect(run.output.contains("bob@example.test/phone away “lunch”, priority 5 (#6)"))
    #expect(!run.output.contains("\u{1B}["), "color is for terminals")
  }

  @Test("It says so while the whole roster was not seen")
  func incomplete() throws {
    let folder = try folder()
    let run = try Program("state", "alice.jsonl", "--at", "3", in: folder.path)
    #expect(run.output.contains("the whole roster was not seen"))
  }
}

@Suite("The commands that print the story") struct StoryTests {
  @Test("replay prints each change with its record, and findings in place")
  func replay() throws {
    let folder = try folder()
    let run = try Program("replay", "alice.jsonl", in: folder.path)
    #expect(run.code == 0)
    let lines = run.output.split(separator: "\n").map(String.init)
    let push = try #require(lines.firstIndex { $0.hasPrefix("#7 ") })
    #expect(lines[push].contains("←"))
    #expect(lines[push + 1].contains("! #7 foreign-push (error)"))
    #expect(lines.contains { $0.contains("+ contact bob@example.test “Bob” both in Friends") })
    #expect(
      lines.contains {
        $0.hasPrefix("#9 ") && $0.hasSuffix("← bob@example.test writes “hello”")
      })
  }

  @Test("A repeated request is printed with its count and its newest text")
  func repeated() throws {
    let folder = try folder()
    let again =
      session + """
        {"dir":"in","xml":"<presence type='subscribe' from='carol@example.test'/>"}
        {"dir":"in","xml":"<presence type='subscribe' from='carol@example.test'/>"}

        """
    try again.write(toFile: folder.file("again.jsonl"), atomically: true, encoding: .utf8)
    let run = try Program("replay", "again.jsonl", in: folder.path)
    for count in 2...3 {
      #expect(
        run.output.contains("~ request of carol@example.test, sent \(count) times: “It is me”"))
    }
  }

  @Test("findings lists findings, with stable codes in --json")
  func findings() throws {
    let folder = try folder()
    let run = try Program("findings", "alice.jsonl", "--json", in: folder.path)
    let findings = try #require(try run.document["findings"] as? [NSDictionary])
    #expect(findings.map { $0["code"] as? String } == ["foreign-push"])
    #expect(findings.first?["record"] as? Int == 7)
    #expect(findings.first?["contact"] as? String == "mallory@evil.test")
  }

  @Test("friends, requests and show answer from the same state")
  func lists() throws {
    let folder = try folder()
    let friends = try Program("friends", "alice.jsonl", in: folder.path)
    #expect(friends.output.contains("Bob   bob@example.test  both"))
    let requests = try Program("requests", "alice.jsonl", in: folder.path)
    #expect(requests.output.contains("asks us  carol@example.test  #8     “It is me”"))
    let shown = try Program("show", "alice.jsonl", "7", in: folder.path)
    #expect(shown.output.contains("record 7 · from the server · element"))
    #expect(shown.output.contains("    <item jid=\"mallory@evil.test\" subscription=\"both\"/>"))
    #expect(shown.output.contains("It changed nothing."))
    let missing = try Program("show", "alice.jsonl", "99", in: folder.path)
    #expect(missing.code == 2)
    #expect(missing.errors.contains("alice.jsonl") && missing.errors.contains("99"))
  }

  @Test(
    "log filters by contact, direction, kind and range",
    arguments: [
      (["--contact", "BOB@example.test"], [4, 6, 9]), (["--direction", "out"], [3, 5]),
      (["--direction", "none"], [1, 2]), (["--kind", "message"], [9]),
      (["--kind", "stream"], [1, 2]), (["--range", "3-4"], [3, 4]), (["--range", "8-"], [8, 9]),
      (["--kind", "iq", "--direction", "in"], [4, 7]), (["--at", "2"], [1, 2]),
    ])
  func log(_ options: [String], _ expected: [Int]) throws {
    let folder = try folder()
    let run = try Program(["log", "alice.jsonl", "--json"] + options, in: folder.path)
    let records = try #require(try run.document["records"] as? [NSDictionary])
    #expect(records.map { $0["record"] as? Int } == expected)
  }

  @Test("Finding nothing gives the exit code for no")
  func nothing() throws {
    let folder = try folder()
    let run = try Program("log", "alice.jsonl", "--contact", "nobody@example.test", in: folder.path)
    #expect(run.code == 1)
    for (command, words) in [("friends", "no friends\n"), ("requests", "no requests\n")] {
      let none = try Program(command, "alice.jsonl", "--at", "0", in: folder.path)
      #expect(none.code == 1 && none.output == words, "\(none.errors)")
      let machine = try Program(command, "alice.jsonl", "--at", "0", "--json", in: folder.path)
      #expect(machine.code == 1 && machine.output.hasPrefix("{"), "\(machine.errors)")
      #expect(try Program(command, "alice.jsonl", in: folder.path).code == 0)
    }
  }

  @Test("No command prints a secret of any capture", arguments: CaptureCase.all)
  func secrets(_ test: CaptureCase) throws {
    for command in ["log", "replay", "state", "findings"] {
      for form in [[], ["--json"]] {
        let run = try Program([command, test.path, "--account", test.account] + form)
        #expect(run.code == 0, "\(run.errors)")
        let text = run.output + run.errors
        #expect(!text.contains("qing-chun-7"))
        #expect(!text.contains("cWluZy1jaHVuLTc"), "the password in base64")
        #expect(!text.contains("biws"), "a SCRAM message in base64")
      }
    }
  }
}
