import Captures
import Foundation
import InspectorCore
import Rollcall
import TestSupport
import Testing
import XMPPStanza

/// The cards and avatars of a contact are those of `conversations` at every moment.
@Suite struct CardAnswerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Three pictures, whose digests stand for them.
  private static let pictures = ["Zm9v", "YmFy", "YmF6"]
  private static let digests = [
    "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33", "62cdb7020ff920e5aa642c3d4066950dd1f01f4d",
    "bbe960a25ea311d21d40669e93df2003ba9b90a2",
  ]
  private static let account = "alice@example.test"

  /// A session in which cards and pictures are announced, asked for, changed and withdrawn.
  private var capture: String {
    get throws {
      let (bob, carol) = ("bob@example.test", "carol@example.test")
      var session = Session(account: Self.account)
      session.announce(bob, Self.digests[0])
      session.announce(carol, Self.digests[0])
      session.askForCard("c1", bob, "<FN>Bob</FN>", picture: Self.pictures[0])
      session.announce(bob, Self.digests[1])
      session.announce(bob, Self.digests[1])
      session.askForCard("c2", nil, "<FN>Alice</FN>", picture: Self.pictures[2])
      session.publish(carol, Self.digests[2])
      session.askForCard("c3", carol, "", picture: nil)
      session.askForPicture("d1", bob, Self.digests[1], Self.pictures[1])
      session.publish(carol, nil)
      session.askForCard("c4", bob, "<FN>Robert</FN>", picture: nil)
      session.announce(bob, nil)
      let path = folder.file("cards.jsonl")
      try Data(session.capture.utf8).write(to: URL(filePath: path))
      return path
    }
  }

  @Test func cardsAreThoseOfEveryMoment() throws {
    let inspected = try Inspected(capture: try capture, of: Self.account, in: folder)
    let head = try inspected.head
    var seen: Set<String> = []
    for contact in [Self.account, "bob@example.test", "carol@example.test", "dave@example.test"] {
      let jid = try BareJID(parsing: contact)
      for at in 1...head {
        let document = JSONValue(try inspected.timeline.conversationView(upTo: at))
        let answer = try inspected.get("/api/contacts/\(jid)/cards?at=\(at)")
        #expect(
          answer["cards"].list == document["cards"].list.filter { $0["jid"].words == contact },
          "\(contact) #\(at)")
        #expect(
          answer["avatar"]
            == document["avatars"].list.first { $0["jid"].words == contact } ?? .null,
          "\(contact) #\(at)")
        seen.insert(answer["avatar"].text)
      }
    }
    // Bob's first picture before and after it was seen, his second, and so on: nothing is trivial.
    #expect(seen.count >= 8)
  }

  /// What was known before a log grew stays, and what is new is added.
  @Test func cardsOfPartsAreThoseOfTheWhole() throws {
    let whole = try Inspected(capture: try capture, of: Self.account, in: folder)
    let head = try whole.head
    var (parts, all) = (CardHistory(), CardHistory())
    try all.extend(over: whole.timeline, upTo: head)
    for end in 1...head { try parts.extend(over: whole.timeline, upTo: end) }
    for contact in ["bob@example.test", "carol@example.test", Self.account] {
      let jid = try BareJID(parsing: contact)
      for at in 0...head { #expect(parts.shown(by: jid, at: at) == all.shown(by: jid, at: at)) }
    }
    #expect(all.shown(by: try BareJID(parsing: "bob@example.test"), at: head).cards.count == 1)
  }

  @Test func anAddressThatIsNoneIsRefused() throws {
    let inspected = try Inspected(capture: try capture, of: Self.account, in: folder)
    #expect(inspected.refusal("/api/contacts/@/cards").code == "bad-request")
    let late = inspected.refusal("/api/contacts/bob@example.test/cards?at=900")
    #expect(late.code == "no-such-record")
  }
}

/// What a client and its server say about cards and pictures.
private struct Session {
  let account: String
  private var stanzas: [(way: String, xml: String)] = []

  init(account: String) { self.account = account }

  private var me: String { "\(account)/phone" }

  /// The session as a capture in the format of Rollcall.
  var capture: String {
    let head: [JSONValue] = [
      .object(["rollcall-capture": .integer(1), "account": .string(me)]),
      .object(["t": .integer(1_763_600_000_000), "stream": .string("opened"), "jid": .string(me)]),
    ]
    let lines = stanzas.enumerated().map { number, stanza in
      JSONValue.object([
        "t": .integer(1_763_600_001_000 + Int64(number)), "dir": .string(stanza.way),
        "xml": .string(stanza.xml),
      ])
    }
    return (head + lines).map { $0.text + "\n" }.joined()
  }

  private mutating func ask(_ id: String, _ contact: String?, _ query: String, _ answer: String) {
    let to = contact.map { " to='\($0)'" } ?? ""
    let from = contact.map { " from='\($0)'" } ?? ""
    stanzas.append(("out", "<iq type='get' id='\(id)'\(to)>\(query)</iq>"))
    stanzas.append(("in", "<iq type='result' id='\(id)'\(from) to='\(me)'>\(answer)</iq>"))
  }

  /// XEP-0054; nil asks for our own card.
  mutating func askForCard(_ id: String, _ contact: String?, _ fields: String, picture: String?) {
    let photo = picture.map { "<PHOTO><TYPE>image/png</TYPE><BINVAL>\($0)</BINVAL></PHOTO>" } ?? ""
    ask(
      id, contact, "<vCard xmlns='vcard-temp'/>",
      "<vCard xmlns='vcard-temp'>\(fields)\(photo)</vCard>")
  }

  /// XEP-0153.
  mutating func announce(_ contact: String, _ digest: String?) {
    let photo = digest.map { "<photo>\($0)</photo>" } ?? "<photo/>"
    stanzas.append(
      (
        "in",
        "<presence from='\(contact)/a' to='\(me)'><x xmlns='vcard-temp:x:update'>"
          + photo + "</x></presence>"
      ))
  }

  /// The metadata of XEP-0084.
  mutating func publish(_ contact: String, _ digest: String?) {
    let info = digest.map { "<info id='\($0)' type='image/png' bytes='3'/>" } ?? ""
    stanzas.append(
      (
        "in",
        "<message from='\(contact)' to='\(me)' type='headline'>"
          + "<event xmlns='http://jabber.org/protocol/pubsub#event'>"
          + "<items node='urn:xmpp:avatar:metadata'><item id='\(digest ?? "none")'>"
          + "<metadata xmlns='urn:xmpp:avatar:metadata'>" + info
          + "</metadata></item></items></event></message>"
      ))
  }

  /// The data of XEP-0084.
  mutating func askForPicture(
    _ id: String, _ contact: String, _ digest: String, _ picture: String
  ) {
    func items(_ data: String) -> String {
      "<pubsub xmlns='http://jabber.org/protocol/pubsub'><items node='urn:xmpp:avatar:data'>"
        + "<item id='\(digest)'>\(data)</item></items></pubsub>"
    }
    ask(id, contact, items(""), items("<data xmlns='urn:xmpp:avatar:data'>\(picture)</data>"))
  }
}
