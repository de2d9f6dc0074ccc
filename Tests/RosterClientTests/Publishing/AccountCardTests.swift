@testable import RosterClient
import TestSupport
import Testing
import XMPPStanza

/// The names on the own card, and the requests that publish a picture.
@Suite("The own card and avatar") struct AccountCardTests {
  private struct Change {
    var card: String?
    var fullName: String?
    var nickname: String?
    var becomes: String
  }

  private static func legacy(_ content: String) -> String {
    content.isEmpty
      ? "<vCard xmlns='vcard-temp'/>" : "<vCard xmlns='vcard-temp'>\(content)</vCard>"
  }

  private static func modern(_ content: String) -> String {
    content.isEmpty
      ? "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'/>"
      : "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'>\(content)</vcard>"
  }

  private static let photo = "<PHOTO><TYPE>image/png</TYPE><BINVAL>AAAA</BINVAL></PHOTO>"

  private static let legacyChanges = [
    Change(fullName: "王小波", nickname: "小波", becomes: legacy("<FN>王小波</FN><NICKNAME>小波</NICKNAME>")),
    Change(card: legacy(""), fullName: "A & B", becomes: legacy("<FN>A &amp; B</FN>")),
    // What another device has put there stays, in its place.
    Change(
      card: legacy("\(photo)<FN>old</FN><EMAIL>a@b</EMAIL>"), fullName: "new",
      becomes: legacy("\(photo)<FN>new</FN><EMAIL>a@b</EMAIL>")),
    Change(
      card: legacy("<FN>old</FN>"), nickname: "n",
      becomes: legacy("<FN>old</FN><NICKNAME>n</NICKNAME>")),
    Change(
      card: legacy("<FN>1</FN><NICKNAME>x</NICKNAME><FN>2</FN>"), fullName: "new",
      becomes: legacy("<FN>new</FN><NICKNAME>x</NICKNAME>")),
    Change(card: legacy("<FN>old</FN>\(photo)"), fullName: "", becomes: legacy(photo)),
    Change(card: legacy("<FN>old</FN>\(photo)"), becomes: legacy("<FN>old</FN>\(photo)")),
    // Of another namespace.
    Change(
      card: legacy("<FN xmlns='x'>old</FN>"), fullName: "new",
      becomes: legacy("<FN xmlns='x'>old</FN><FN>new</FN>")),
  ]

  private static let modernChanges = [
    Change(
      fullName: "王小波", nickname: "小波",
      becomes: modern("<fn><text>王小波</text></fn><nickname><text>小波</text></nickname>")),
    Change(
      card: modern("<n><surname>王</surname></n><fn><parameters/><text>old</text></fn><note/>"),
      fullName: "new",
      becomes: modern("<n><surname>王</surname></n><fn><text>new</text></fn><note/>")),
    Change(card: modern("<nickname><text>n</text></nickname>"), nickname: "", becomes: modern("")),
  ]

  @Test(
    "Only the names that are set change on a card of XEP-0054", arguments: legacyChanges.indices)
  func legacyCard(_ index: Int) {
    let change = Self.legacyChanges[index]
    let card = AccountCard.legacy(
      change.card.map { element($0) }, fullName: change.fullName, nickname: change.nickname)
    #expect(card == element(change.becomes))
  }

  @Test(
    "Only the names that are set change on a card of XEP-0292", arguments: modernChanges.indices)
  func modernCard(_ index: Int) {
    let change = Self.modernChanges[index]
    let card = AccountCard.modern(
      change.card.map { element($0) }, fullName: change.fullName, nickname: change.nickname)
    #expect(card == element(change.becomes))
  }

  @Test("A picture is published with its digest, and then what it is")
  func avatar() throws {
    let avatar = try AvatarPicture(SentMedia.picture)
    // The digest by another program: `sha1sum`.
    let id = SentMedia.pictureSHA1
    #expect(
      avatar.data
        == element(
          """
          <iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'>\
          <publish node='urn:xmpp:avatar:data'><item id='\(id)'>\
          <data xmlns='urn:xmpp:avatar:data'>\(SentMedia.pictureBase64)</data>\
          </item></publish></pubsub></iq>
          """))
    #expect(
      avatar.metadata
        == element(
          """
          <iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'>\
          <publish node='urn:xmpp:avatar:metadata'><item id='\(id)'>\
          <metadata xmlns='urn:xmpp:avatar:metadata'>\
          <info bytes='\(SentMedia.picture.count)' id='\(id)' type='image/png' width='1' height='1'/>\
          </metadata></item></publish></pubsub></iq>
          """))
    #expect(
      AvatarPicture.none
        == element(
          """
          <iq type='set'><pubsub xmlns='http://jabber.org/protocol/pubsub'>\
          <publish node='urn:xmpp:avatar:metadata'><item>\
          <metadata xmlns='urn:xmpp:avatar:metadata'/></item></publish></pubsub></iq>
          """))
  }

  @Test("What clients do not show, or servers do not pass on, is refused")
  func unfit() {
    let large = SentMedia.picture + [UInt8](repeating: 0, count: AvatarPicture.byteLimit)
    let unfit: [[UInt8]] = [[], Array("hello".utf8), SentMedia.recording, large]
    for bytes in unfit {
      let error = #expect(throws: LiveError.self) { try AvatarPicture(bytes) }
      guard case .unfitPicture? = error else {
        Issue.record("\(error as Any)")
        continue
      }
    }
  }
}
