import TestSupport
import Testing

@testable import ConversationCore

@Suite("Pictures, voice, files and encryption (rules 24 to 28)")
struct MediaRuleTests {
  /// A picture of one pixel, as GIF.
  static let gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
  static let gifSHA1 = "d5fceb6532643d0d84ffe09c40c481ecdf59e15a"

  /// The same text as Foundation breaks lines.
  static let brokenGIF = "\(gif.prefix(20))&#13;\n\(gif.dropFirst(20))"

  static func omemo(_ payload: String?) -> String {
    let payload = payload.map { "<payload>\($0)</payload>" } ?? ""
    return
      "<encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'/>\(payload)</encrypted>"
  }

  static func tutorial(_ word: String, _ body: String, _ media: String? = nil) -> Dialogue.Step {
    let child = media.map {
      "<\(word)>\($0)</\(word)><XMPPElement\(word)>../name</XMPPElement\(word)>"
    }
    return fromBob(body, "<subject>\(word)</subject>" + (child ?? ""))
  }

  /// One line for each message: the body, the type word, and the files.
  static func lines(_ dialogue: Dialogue) -> [String] {
    dialogue.messages().map { message in
      let files = message.attachments.map { file in
        let url = file.url.map { " \($0)" } ?? ""
        let size = file.size.map { " \($0)" } ?? ""
        return " [\(file.source.rawValue) \(file.kind.rawValue)\(url)\(size)]"
      }
      return message.body + (message.current.content.typeWord.map { " \($0)" } ?? "")
        + files.joined()
    }
  }

  static let rule24: [ContentCase] = [
    ContentCase("text", [tutorial("TextMessage", "hi")], ["hi TextMessage"]),
    ContentCase(
      "a picture in a child", [tutorial("ImageMessage", "ImageMessage", gif)],
      [" ImageMessage [inline picture 42]"]),
    ContentCase(
      "lines that end with CR LF",
      [tutorial("ImageMessage", "ImageMessage", brokenGIF)],
      [" ImageMessage [inline picture 42]"]),
    ContentCase(
      "a picture in the body", [tutorial("ImageMessage", gif)],
      [" ImageMessage [inline picture 42]"]),
    ContentCase(
      "no base64", [tutorial("ImageMessage", "ImageMessage", "!!!")],
      ["ImageMessage ImageMessage"], findings: ["media-unreadable"]),
    ContentCase(
      "the word alone", [tutorial("VoiceMessage", "VoiceMessage")],
      ["VoiceMessage VoiceMessage"], findings: ["media-unreadable"]),
    ContentCase("the word as a body", [fromBob("ImageMessage")], ["ImageMessage"]),
    ContentCase(
      "another subject", [fromBob("hi", "<subject>imagemessage</subject>")], ["hi"]),
    ContentCase(
      "another type",
      [
        .received(
          message(
            from: "bob@example.test/peer", type: nil, "hi", "<subject>TextMessage</subject>"))
      ], ["hi"]),
  ]

  @Test("Rule 24: what the tutorials send", arguments: rule24)
  func tutorials(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(Self.lines(dialogue) == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  static let url = "https://example.test/a.png"
  static func oob(_ url: String) -> String { "<x xmlns='jabber:x:oob'><url>\(url)</url></x>" }

  static func sfs(_ url: String, size: Int = 7) -> String {
    "<file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'>"
      + "<media-type>image/png</media-type><size>\(size)</size></file>"
      + "<sources><url-data xmlns='http://jabber.org/protocol/url-data' target='\(url)'/></sources>"
      + "</file-sharing>"
  }

  static let slot: [Dialogue.Step] = [
    .sent(
      "<iq xmlns='jabber:client' type='get' to='up.example.test' id='s'>"
        + "<request xmlns='urn:xmpp:http:upload:0' filename='a' size='9' "
        + "content-type='audio/ogg'/></iq>"),
    .received(
      "<iq xmlns='jabber:client' type='result' from='up.example.test' id='s'>"
        + "<slot xmlns='urn:xmpp:http:upload:0'><put url='\(url)?put'/><get url='\(url)'/></slot>"
        + "</iq>"),
  ]

  static let rules25to27: [ContentCase] = [
    ContentCase("25: without a body", [fromBob("", oob(url))], [" [oob picture \(url)]"]),
    ContentCase(
      "25: next to the same body", [fromBob(url, oob(url))], ["\(url) [oob picture \(url)]"]),
    ContentCase("25: next to another body", [fromBob("look", oob(url))], ["look"]),
    ContentCase("25: only in a body", [fromBob(url)], [url]),
    ContentCase("26: described", [fromBob("", sfs(url))], [" [sfs picture \(url) 7]"]),
    ContentCase(
      "26: described twice", [fromBob(url, sfs(url) + oob(url))],
      ["\(url) [sfs picture \(url) 7]"]),
    ContentCase(
      "26: with a fallback",
      [fromBob(url, sfs(url) + ChangeTests.fallback("<body/>", for: "urn:xmpp:sfs:0"))],
      [" [sfs picture \(url) 7]"]),
    ContentCase(
      "26: our upload slot", slot + [fromBob("", oob(url))], [" [oob voice \(url) 9]"]),
    ContentCase(
      "27: bytes with their digest",
      [
        fromBob(
          "", "<data xmlns='urn:xmpp:bob' cid='sha1+\(gifSHA1)@bob.xmpp.org'>\(gif)</data>")
      ], [" [bob picture 42]"]),
    ContentCase(
      "27: bytes with another digest",
      [
        fromBob(
          "hi",
          "<data xmlns='urn:xmpp:bob' cid='sha1+\(gifSHA1.dropLast())0@bob.xmpp.org'>\(gif)</data>")
      ], ["hi"], findings: ["digest-wrong"]),
  ]

  static let picture =
    "<html xmlns='http://jabber.org/protocol/xhtml-im'>"
    + "<body xmlns='http://www.w3.org/1999/xhtml'><p>"
    + "<img src='cid:sha1+\(gifSHA1)@bob.xmpp.org'/></p></body></html>"

  static func bits(_ from: String, _ data: String) -> Dialogue.Step {
    .received(
      "<iq xmlns='jabber:client' type='result' id='b' from='\(from)'>"
        + "<data xmlns='urn:xmpp:bob' cid='sha1+\(gifSHA1)@bob.xmpp.org'>\(data)</data></iq>")
  }

  static let asksBob = Dialogue.Step.sent(
    "<iq xmlns='jabber:client' type='get' id='b' to='bob@example.test/peer'>"
      + "<data xmlns='urn:xmpp:bob' cid='sha1+\(gifSHA1)@bob.xmpp.org'/></iq>")

  static let answers: [ContentCase] = [
    ContentCase("not asked for", [fromBob("hi", picture)], ["hi [bob picture]"]),
    ContentCase(
      "answered", [fromBob("hi", picture), asksBob, bits("bob@example.test/peer", gif)],
      ["hi [bob picture 42]"]),
    ContentCase(
      "answered before", [asksBob, bits("bob@example.test/peer", gif), fromBob("hi", picture)],
      ["hi [bob picture 42]"]),
    ContentCase(
      "answered by a stranger",
      [fromBob("hi", picture), asksBob, bits("mallory@example.test", gif)],
      ["hi [bob picture]"]),
    ContentCase(
      "answered with other bytes",
      [fromBob("hi", picture), asksBob, bits("bob@example.test/peer", "AAAA")],
      ["hi [bob picture]"], findings: ["digest-wrong"]),
  ]

  @Test("Rule 27: the answer to a get of ours gives the bytes", arguments: answers)
  func bytesThatWereAsked(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(Self.lines(dialogue) == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  @Test("Rules 25 to 27: files", arguments: rules25to27)
  func files(_ test: ContentCase) {
    let dialogue = Dialogue.online(test.steps)
    #expect(Self.lines(dialogue) == test.expected)
    #expect(dialogue.findings == test.findings)
  }

  /// A file with an id, and sources that are attached to it later (XEP-0447 §3.2).
  static func file(_ id: String, _ urls: String...) -> String {
    "<file-sharing xmlns='urn:xmpp:sfs:0' id='\(id)'><file xmlns='urn:xmpp:file:metadata:0'>"
      + "<media-type>image/png</media-type></file>\(sources(urls))</file-sharing>"
  }
  static func attached(to message: String, _ file: String?, _ urls: String...) -> String {
    "<attach-to xmlns='urn:xmpp:message-attaching:1' id='\(message)'/>" + sources(urls, of: file)
  }
  private static func sources(_ urls: [String], of file: String? = nil) -> String {
    let id = file.map { " id='\($0)'" } ?? ""
    let data = urls.map {
      "<url-data xmlns='http://jabber.org/protocol/url-data' target='\($0)'/>"
    }
    return "<sources xmlns='urn:xmpp:sfs:0'\(id)>\(data.joined())</sources>"
  }

  /// A message with two files, then sources; the addresses that each file has then.
  static let laterSources: [(Dialogue.Step, [[String]])] = [
    (fromBob("", attached(to: "m", "b", "u")), [["a"], ["u"]]),
    (fromBob("", attached(to: "m", "a", "u", "v", "u", "a")), [["a", "u", "v"], []]),
    (
      fromBob("u", attached(to: "m", "b", "u") + oob("u") + ChangeTests.fallback("<body/>")),
      [["a"], ["u"]]
    ),
    (fromBob("", attached(to: "m", "c", "u")), [["a"], []]),
    (fromBob("", attached(to: "m", nil, "u")), [["a"], []]),
    (fromBob("", attached(to: "n", "b", "u")), [["a"], []]),
    (.sent(message(to: "bob@example.test", "", attached(to: "m", "b", "u"))), [["a"], []]),
  ]

  @Test("Rule 26: the sender attaches sources to the file that they name", arguments: laterSources)
  func furtherSources(step: Dialogue.Step, expected: [[String]]) {
    let dialogue = Dialogue.online(
      fromBob("", id: "m", Self.file("a", "a") + Self.file("b")), step)
    #expect(dialogue.messages().count == 1)
    let urls = dialogue.messages().first?.attachments.map { file in
      [file.url].compactMap { $0 } + file.furtherURLs
    }
    #expect(urls == expected)
  }

  @Test("Rule 26: the archive's copies of a file and of its sources change nothing")
  func archivedSources() {
    let steps = [("m", Self.file("a")), ("n", Self.attached(to: "m", "a", "u"))]
    let dialogue = Dialogue.online(
      steps.map { fromBob("", id: $0, $1) } + [query("q")]
        + steps.map { id, more in
          result("x\(id)", ChangeTests.bob("", id: id, more), stamp: "2026-11-26T12:00:00Z")
        } + [fin("q")])
    #expect(dialogue.messages().map { $0.attachments.map(\.url) } == [["u"]])
    #expect(dialogue.messages().map { $0.attachments[0].furtherURLs } == [[]])
  }

  @Test("Rule 26: sources that name no file belong to the only one")
  func sourcesOfTheOnlyFile() {
    let dialogue = Dialogue.online(
      fromBob("", id: "m", Self.sfs(Self.url)), fromBob("", Self.attached(to: "m", nil, "u")))
    #expect(dialogue.messages().map { $0.attachments[0].furtherURLs } == [["u"]])
  }

  static let eme = "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:example:e'/>"

  static let rule28: [(String, [String?])] = [
    (
      message(from: "bob@example.test/p", "fallback", omemo("x")),
      ["eu.siacs.conversations.axolotl"]
    ),
    (message(from: "bob@example.test/p", "fallback", omemo(nil)), []),
    (message(from: "bob@example.test/p", "", omemo("x")), ["eu.siacs.conversations.axolotl"]),
    (
      message(from: "bob@example.test/p", "f", "<openpgp xmlns='urn:xmpp:openpgp:0'>x</openpgp>"),
      ["urn:xmpp:openpgp:0"]
    ),
    (
      message(from: "bob@example.test/p", "f", "<x xmlns='jabber:x:encrypted'>x</x>"),
      ["jabber:x:encrypted"]
    ),
    (message(from: "bob@example.test/p", "f", eme), ["urn:example:e"]),
    (message(from: "bob@example.test/p", "f", omemo(nil) + eme), []),
  ]

  @Test("Rule 28: an encrypted message has a namespace and no body", arguments: rule28)
  func encryption(xml: String, namespaces: [String?]) {
    let dialogue = Dialogue.online(.received(xml))
    #expect(dialogue.messages().map(\.current.content.encryption) == namespaces)
    #expect(dialogue.bodies().allSatisfy { $0.isEmpty })
  }

  @Test("Rule 28: OTR in a body is a body")
  func otr() {
    let dialogue = Dialogue.online(fromBob("?OTRv2?"))
    #expect(dialogue.bodies() == ["?OTRv2?"])
    #expect(dialogue.messages()[0].current.content.encryption == nil)
  }
}
