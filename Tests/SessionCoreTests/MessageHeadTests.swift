import SessionCore
import TestSupport
import Testing
import XMPPStanza

/// A message and its head, each without the tags of the message.
struct HeadCase: Sendable {
  let name: String
  let content: String
  /// `[]` is the mark; nil if the head is the whole message.
  let head: String?

  init(_ name: String, _ content: String, _ head: String?) {
    (self.name, self.content, self.head) = (name, content, head)
  }
}

@Suite("The head of a message")
struct MessageHeadTests {
  static let cases = [
    HeadCase("a text", "<body>hello</body>", "<body>[]</body>"),
    HeadCase("no text", "<body/><body> </body>", nil),
    HeadCase(
      "the thread stays", "<thread parent='t0'>t1</thread><subject>s</subject>",
      "<thread parent='t0'>t1</thread><subject>[]</subject>"),
    HeadCase(
      "ids and times stay",
      "<origin-id xmlns='urn:xmpp:sid:0' id='o'/><stanza-id xmlns='urn:xmpp:sid:0' id='s' by='a.b'/>"
        + "<delay xmlns='urn:xmpp:delay' from='a.b' stamp='2026-01-01T00:00:00Z'/>", nil),
    HeadCase(
      "the reason of a delay does not",
      "<delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'>Offline Storage</delay>",
      "<delay xmlns='urn:xmpp:delay' stamp='2026-01-01T00:00:00Z'>[]</delay>"),
    HeadCase(
      "receipts, markers and states stay",
      "<received xmlns='urn:xmpp:receipts' id='1'/><active "
        + "xmlns='http://jabber.org/protocol/chatstates'/>"
        + "<displayed xmlns='urn:xmpp:chat-markers:0' id='2'/>", nil),
    HeadCase(
      "an error says its condition",
      "<error type='cancel' by='b.c'><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>xmpp:x</gone>"
        + "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>away</text></error>",
      "<error type='cancel' by='b.c'><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>[]</gone>"
        + "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>[]</text></error>"),
    HeadCase(
      "of what is unknown, the name",
      "<x xmlns='urn:x' id='1' to='a.b'><y>z</y></x><z xmlns='urn:x'/>",
      "<x xmlns='urn:x'>[]</x><z xmlns='urn:x'/>"),
    HeadCase(
      "a carbon has the head of its message",
      "<received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
        + "<message xmlns='jabber:client' from='b@b.c/d' type='chat' id='1' xml:lang='de'>"
        + "<body>x</body></message></forwarded></received>",
      "<received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
        + "<message xmlns='jabber:client' from='b@b.c/d' type='chat' id='1'>"
        + "<body>[]</body></message></forwarded></received>"),
    HeadCase(
      "a forwarded message outside of an envelope is a text",
      "<note xmlns='urn:x'><message xmlns='jabber:client'/></note>", "<note xmlns='urn:x'>[]</note>"
    ),
    HeadCase(
      "a nickname and the names on a card stay",
      event(
        "http://jabber.org/protocol/nick", "<nick xmlns='http://jabber.org/protocol/nick'>B</nick>")
        + event(
          "urn:xmpp:vcard4",
          "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Bob</text></fn>"
            + "<tel><uri>tel:1</uri></tel></vcard>"),
      event(
        "http://jabber.org/protocol/nick", "<nick xmlns='http://jabber.org/protocol/nick'>B</nick>")
        + event(
          "urn:xmpp:vcard4",
          "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Bob</text></fn>"
            + "<tel>[]</tel></vcard>")),
    HeadCase(
      "what is beside a name does not",
      "<thread>t<body>x</body></thread>"
        + event(Self.nick, "<nick xmlns='\(Self.nick)'>B<b>secret</b></nick>")
        + event(
          "urn:xmpp:vcard4",
          "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><note>secret</note>"
            + "<text a='secret'>Bob<b>secret</b></text></fn></vcard>"),
      "<thread>t</thread>" + event(Self.nick, "<nick xmlns='\(Self.nick)'>B</nick>")
        + event(
          "urn:xmpp:vcard4",
          "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Bob</text></fn></vcard>")),
    HeadCase(
      "an encrypted message is one, and key transport is not",
      "<encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'><key rid='2'>a</key>"
        + "</header><payload>b</payload></encrypted>",
      "<encrypted xmlns='eu.siacs.conversations.axolotl'><header>[]</header><payload>[]</payload>"
        + "</encrypted>"),
    HeadCase("text between elements", "<body/>loose<body/>more", "<body/><body/>[]"),
  ]

  private static let nick = "http://jabber.org/protocol/nick"

  private static func event(_ node: String, _ item: String) -> String {
    "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='\(node)'><item id='1'>"
      + "\(item)</item></items></event>"
  }

  private static func message(_ content: String) -> XMPPElement {
    let mark = "<removed xmlns='urn:rollcall:removed:0' kind='text'/>"
    return element(
      "<message xmlns='jabber:client' from='b@b.c/d' to='a@b.c' type='chat' id='1'>"
        + content.split(separator: "[]", omittingEmptySubsequences: false).joined(separator: mark)
        + "</message>")
  }

  @Test("What a head has", arguments: cases)
  func head(_ sample: HeadCase) {
    let head = MessageHead.head(of: Self.message(sample.content))
    #expect(head == sample.head.map { Self.message($0) }, "\(sample.name)")
    #expect(head.flatMap { MessageHead.head(of: $0) } == nil, "the head of a head is the same")
  }

  @Test("No head has a word of what people wrote", arguments: MessagePlaces.payloads)
  func words(_ payload: String) {
    let head = MessageHead.head(of: Self.message(payload))
    let text = head.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? payload
    let isThread = payload.hasPrefix("<thread")
    for word in [MessagePlaces.word] + MessagePlaces.encodedWords {
      #expect(text.contains(word) == (isThread && word == MessagePlaces.word), "\(text)")
    }
  }
}
