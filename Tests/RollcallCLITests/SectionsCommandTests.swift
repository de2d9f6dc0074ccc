import Foundation
import TestSupport
import Testing

/// A session in the native format: a roster with all kinds of names, presence, and two requests.
private let session: String = {
  let items = [
    ("zeng", "曾国藩", "both", ["同事"]), ("chang", "长城", "both", ["同事", "Chess"]),
    ("bob", "Bob", "both", []), ("shan", "单雄信", "to", []), ("n7", "7 号", "both", []),
    ("ann", "", "none", []),
  ].map { jid, name, subscription, groups in
    "<item jid='\(jid)@example.test' name='\(name)' subscription='\(subscription)'>"
      + groups.map { "<group>\($0)</group>" }.joined() + "</item>"
  }.joined()
  let lines = [
    "out", "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>",
    "in", "<iq type='result' id='r'><query xmlns='jabber:iq:roster'>\(items)</query></iq>",
    "in", "<presence from='bob@example.test/pc'><show>dnd</show></presence>",
    "in", "<presence from='zeng@example.test/pc'><status>在</status></presence>",
    "in",
    "<presence type='subscribe' from='wang@example.test'><status>是我，小王</status>"
      + "<nick xmlns='http://jabber.org/protocol/nick'>小王</nick></presence>",
    "in", "<presence type='subscribe' from='li@example.test'/>",
  ]
  var text = #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"# + "\n"
  text += #"{"stream":"opened","jid":"alice@example.test/phone"}"# + "\n"
  for index in stride(from: 0, to: lines.count, by: 2) {
    text += #"{"dir":"\#(lines[index])","xml":"\#(lines[index + 1])"}"# + "\n"
  }
  return text
}()

@Suite("The command sections") struct SectionsCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try session.write(toFile: folder.file("a.jsonl"), atomically: true, encoding: .utf8)
  }

  private func sections(_ arguments: String...) throws -> Program {
    try Program(["sections", "a.jsonl"] + arguments, in: folder.path)
  }

  @Test("--cards shows the card and the avatar of each contact, with their records")
  func cards() throws {
    let digest = String(repeating: "a", count: 40)
    let more = [
      ("out", "<iq type='get' id='v' to='bob@example.test'><vCard xmlns='vcard-temp'/></iq>"),
      (
        "in",
        "<iq type='result' id='v' from='bob@example.test'><vCard xmlns='vcard-temp'>"
          + "<FN>Robert</FN></vCard></iq>"
      ),
      (
        "in",
        "<presence from='bob@example.test/pc'><x xmlns='vcard-temp:x:update'>"
          + "<photo>\(digest)</photo></x></presence>"
      ),
      // A room can be in the roster too, and the card of an occupant is not the room's.
      (
        "out",
        "<presence to='zeng@example.test/me'><x xmlns='http://jabber.org/protocol/muc'/></presence>"
      ),
      ("out", "<iq type='get' id='o' to='zeng@example.test/x'><vCard xmlns='vcard-temp'/></iq>"),
      (
        "in",
        "<iq type='result' id='o' from='zeng@example.test/x'><vCard xmlns='vcard-temp'>"
          + "<FN>Occupant</FN></vCard></iq>"
      ),
    ].map { #"{"dir":"\#($0)","xml":"\#($1)"}"# + "\n" }.joined()
    try (session + more).write(toFile: folder.file("a.jsonl"), atomically: true, encoding: .utf8)
    let document = try sections("--json", "--cards").document
    let lists = try #require(document["sections"] as? [NSDictionary])
    let contacts = lists.flatMap { $0["contacts"] as? [NSDictionary] ?? [] }
    let bob = try #require(contacts.first { $0["jid"] as? String == "bob@example.test" })
    let card = try #require((bob["cards"] as? [NSDictionary])?.first)
    #expect(card["fn"] as? String == "Robert" && card["record"] as? Int == 10)
    let avatar = try #require(bob["avatar"] as? NSDictionary)
    #expect(avatar["sha1"] as? String == digest && avatar["record"] as? Int == 11)
    #expect(avatar["have"] as? Bool == false)
    let zeng = try #require(contacts.first { $0["jid"] as? String == "zeng@example.test" })
    #expect((zeng["cards"] as? [Any])?.isEmpty == true && zeng["avatar"] is NSNull)
    #expect(try sections("--cards").code == 2)
  }

  @Test("sections --json is the documented document")
  func document() throws {
    let run = try sections("--json")
    #expect(run.code == 0, "\(run.errors)")
    func contact(_ jid: String, _ name: String, _ reading: String, _ show: Any) -> [String: Any] {
      ["jid": "\(jid)@example.test", "displayName": name, "reading": reading, "presence": show]
    }
    let expected: NSDictionary = [
      "sections": [
        [
          "title": "", "kind": "requests",
          "requests": [
            ["jid": "li@example.test", "nick": NSNull(), "text": NSNull(), "since": 8],
            ["jid": "wang@example.test", "nick": "小王", "text": "是我，小王", "since": 7],
          ],
        ],
        ["title": "B", "kind": "index", "contacts": [contact("bob", "Bob", "bob", "dnd")]],
        [
          "title": "C", "kind": "index",
          "contacts": [contact("chang", "长城", "cháng chéng", NSNull())],
        ],
        [
          "title": "Z", "kind": "index",
          "contacts": [contact("zeng", "曾国藩", "zēng guó fān", "available")],
        ],
        ["title": "#", "kind": "index", "contacts": [contact("n7", "7 号", "7 hào", NSNull())]],
      ],
      "index": ["B", "C", "Z", "#"],
    ]
    #expect(try run.document == expected)
  }

  @Test("The screen for people: requests on top, wide characters aligned")
  func people() throws {
    let run = try sections("--friends", "all")
    #expect(run.code == 0, "\(run.errors)")
    let expected = """
      alice@example.test · after record 8 · 6 contacts, 2 new requests

      new requests
        +  li      li@example.test                          #8
        +  小王    wang@example.test   “是我，小王”         #7

      A
           ann     ann@example.test                         none

      B
        -  Bob     bob@example.test    dnd (pc)             both

      C
           长城    chang@example.test  offline              both

      S
           单雄信  shan@example.test   offline              to

      Z
        *  曾国藩  zeng@example.test   available “在” (pc)  both

      #
           7 号    n7@example.test     offline              both

      index: A B C S Z #

      """
    #expect(run.output == expected)
  }

  @Test("An option decides who is a friend, and the screen mentions the others")
  func friends() throws {
    #expect(try sections().output.contains("who are not mutual friends (2 of 6)"))
    #expect(try titles("--friends", "subscribed") == ["B", "C", "S", "Z", "#"])
    #expect(try titles("--friends", "all") == ["A", "B", "C", "S", "Z", "#"])
    #expect(try titles("--at", "2") == [])
  }

  private func titles(_ arguments: String...) throws -> [String]? {
    let run = try Program(["sections", "a.jsonl", "--json"] + arguments, in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    return try run.document["index"] as? [String]
  }

  @Test(
    "Groups have their names as titles, and letters inside if requested",
    arguments: [
      (
        "groups",
        [" requests", "Chess group Chess -", "同事 group 同事 -", " ungrouped - -"]
      ),
      (
        "groups+index",
        [
          " requests", "Chess C group Chess C", "同事 C group 同事 C", "同事 Z group 同事 Z",
          "B ungrouped - B", "# ungrouped - #",
        ]
      ),
    ])
  func groups(_ grouping: String, _ expected: [String]) throws {
    let run = try sections("--json", "--group-by", grouping)
    let sections = try #require(try run.document["sections"] as? [[String: Any]])
    let found = sections.map { section in
      ["title", "kind", "group", "letter"].compactMap { key in
        section[key].map { $0 as? String ?? "-" }
      }.joined(separator: " ")
    }
    #expect(found == expected)
  }

  @Test("A search lists the best match first, and finding none gives exit code 1")
  func search() throws {
    let run = try sections("--search", "c", "--json")
    #expect(run.code == 0)
    let sections = try #require(try run.document["sections"] as? [[String: Any]])
    #expect(sections.map { $0["kind"] as? String } == ["search"])
    let hits = try #require(sections.first?["contacts"] as? [[String: Any]])
    // 长城 begins with c; 曾国藩 matches by another reading, ceng.
    #expect(hits.map { $0["displayName"] as? String } == ["长城", "曾国藩"])
    let none = try self.sections("--search", "xyz", "--json")
    #expect(none.code == 1)
    #expect(
      try none.document == [
        "sections": [["title": "", "kind": "search", "contacts": []]], "index": [],
      ])
  }

  @Test("--names says which record set a name")
  func names() throws {
    #expect(try sections("--names").output.contains("name in the roster, #4"))
    let run = try sections("--names", "--json", "--search", "bob")
    let sections = try #require(try run.document["sections"] as? [[String: Any]])
    let bob = try #require((sections.first?["contacts"] as? [[String: Any]])?.first)
    #expect(bob["nameFrom"] as? NSDictionary == ["source": "roster", "record": 4])
  }
}

@Suite("The command pinyin") struct PinyinCommandTests {
  @Test("It prints letters and readings of the given names")
  func arguments() throws {
    let run = try Program("pinyin", "曾国藩", "曾经", "Zoë", "7")
    #expect(run.code == 0)
    #expect(
      run.output == """
        Z  zēng guó fān  曾国藩
        C  céng jīng     曾经
        Z  zoe           Zoë
        #  7             7

        """)
  }

  @Test("Standard input has one name per line, also an empty one")
  func input() throws {
    let folder = try TemporaryFolder()
    let run = try Program(
      shell: #"printf ' 单车\n\n曾\r\n\342\200\213重庆' | "$ROLLCALL" pinyin --jsonl"#,
      in: folder.path)
    #expect(run.code == 0)
    let objects = try run.output.split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String] ?? [:]
    }
    #expect(objects.map { $0["name"] } == [" 单车", "", "曾\r", "\u{200B}重庆"])
    #expect(objects.map { $0["section"] } == ["D", "#", "Z", "C"])
    #expect(objects.map { $0["reading"] } == ["dān chē", "", "zēng", "chóng qìng"])
    #expect(objects.allSatisfy { Set($0.keys) == ["name", "section", "reading", "sortKey"] })
  }

  @Test("The sort keys are in the order of a list")
  func sortKeys() throws {
    let names = ["阿宝", "安娜", "Ann", "Bob", "重庆", "张三", "2", "10", "😀", "あ", ""]
    let run = try Program(["pinyin", "--jsonl"] + names)
    let keys = try run.output.split(separator: "\n").compactMap {
      (try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])?["sortKey"]
    }
    #expect(keys.count == names.count)
    #expect(keys == keys.sorted())
  }

  @Test("--match prints the matching names, best first")
  func match() throws {
    let run = try Program("pinyin", "--match", "sm", "王参谋", "李四", "孙明", "沈梅")
    #expect(run.code == 0)
    #expect(
      run.output == """
        S  shěn méi      沈梅
        S  sūn míng      孙明
        W  wáng cān móu  王参谋

        """)
    // 参 can be read shēn, but not here.
    let none = try Program("pinyin", "--match", "hangs", "张三")
    #expect(none.code == 1)
    #expect(none.output.isEmpty)
  }
}
