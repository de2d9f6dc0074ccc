import TestSupport
import Testing
import XMPPStanza

@testable import ConversationCore

/// Rule 36: the whole content of the last answer, with its record.
@Suite("Cards")
struct CardTests {
  private static let bob = address("bob@example.test")

  /// A picture of one pixel, in 42 bytes.
  private static let gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

  private static func vCard(_ content: String) -> XMPPElement {
    element("<vCard xmlns='vcard-temp'>\(content)</vCard>")
  }

  private static func vCard4(_ content: String) -> XMPPElement {
    element("<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'>\(content)</vcard>")
  }

  private func read(_ element: XMPPElement?, _ form: Card.Form = .vCardTemp) -> Card? {
    var cards = CardTable()
    return cards.answered(element, form, of: Self.bob, record: 7)
  }

  @Test("Names and the photo are read, with the address and the record")
  func vCardTemp() throws {
    let card = try #require(
      read(
        Self.vCard(
          """
          <FN> 王小波 </FN><N><FAMILY>王</FAMILY></N><NICKNAME>小波</NICKNAME>\
          <PHOTO><TYPE>image/png</TYPE><BINVAL>\(Self.gif.prefix(20))&#13;
          \(Self.gif.dropFirst(20))</BINVAL></PHOTO>
          """)))
    #expect(card.jid == Self.bob && card.form == .vCardTemp && card.record == 7)
    #expect(card.fullName == "王小波" && card.nickname == "小波")
    // The bytes say GIF, whatever the card claims.
    #expect(card.photo?.mediaType == "image/gif" && card.photo?.size == 42)
    #expect(card.photo?.sha1.utf8.count == 40)
  }

  @Test(
    "A photo that is not in the card is none",
    arguments: [
      "<FN>Bob</FN>", "<PHOTO/>", "<PHOTO><TYPE>image/png</TYPE></PHOTO>",
      "<PHOTO><BINVAL/></PHOTO>", "<PHOTO><BINVAL>no Base64!</BINVAL></PHOTO>",
      "<PHOTO><EXTVAL>https://example.test/bob.png</EXTVAL></PHOTO>",
      "<PHOTO xmlns='jabber:client'><BINVAL>Zm9v</BINVAL></PHOTO>",
      "<LOGO><BINVAL>Zm9v</BINVAL></LOGO>",
    ])
  func noPhoto(content: String) throws {
    #expect(try #require(read(Self.vCard(content))).photo == nil)
  }

  @Test("The claim counts if the bytes are in no known format")
  func claim() {
    let photo = read(Self.vCard("<PHOTO><TYPE>image/x-a</TYPE><BINVAL>Zm9v</BINVAL></PHOTO>"))?
      .photo
    #expect(photo?.mediaType == "image/x-a" && photo?.size == 3)
    // The digest of “foo”.
    #expect(photo?.sha1 == "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33")
    #expect(read(Self.vCard("<PHOTO><BINVAL>Zm9v</BINVAL></PHOTO>"))?.photo?.mediaType == nil)
  }

  @Test("Blank names are none, and the first that is not blank counts")
  func blankNames() {
    let card = read(Self.vCard("<FN> </FN><FN>B</FN><NICKNAME/><FN>C</FN>"))
    #expect(card?.fullName == "B" && card?.nickname == nil)
  }

  @Test("vCard4 has its values in elements of their type")
  func vCard4() {
    let card = read(
      Self.vCard4(
        """
        <fn><text>王小波</text></fn><nickname><text>小波</text></nickname>\
        <photo><uri>data:image/png;base64,\(Self.gif)</uri></photo>
        """), .vCard4)
    #expect(card?.form == .vCard4 && card?.fullName == "王小波" && card?.nickname == "小波")
    #expect(card?.photo?.mediaType == "image/gif" && card?.photo?.size == 42)
  }

  @Test(
    "A photo of vCard4 must be data in Base64",
    arguments: [
      "https://example.test/a.png", "data:image/png,abc", "data:image/png;base64", "data:;base64,!",
      "base64,Zm9v", "xdata:;base64,Zm9v", "",
    ])
  func otherAddresses(uri: String) {
    #expect(read(Self.vCard4("<photo><uri>\(uri)</uri></photo>"), .vCard4)?.photo == nil)
    #expect(
      read(Self.vCard4("<photo><uri>DATA:;Base64,Zm9v</uri></photo>"), .vCard4)?.photo?.size == 3)
  }

  @Test("The last answer replaces all of the one before")
  func replacing() {
    var cards = CardTable()
    cards.answered(
      Self.vCard("<FN>B</FN><NICKNAME>b</NICKNAME>"), .vCardTemp, of: Self.bob, record: 1)
    cards.answered(Self.vCard("<FN>Bob</FN>"), .vCardTemp, of: Self.bob, record: 2)
    #expect(cards.all.map(\.fullName) == ["Bob"] && cards.all.map(\.nickname) == [nil])
    #expect(cards.all.map(\.record) == [2])
  }

  @Test(
    "An error and an empty card mean that there is none", arguments: [nil, vCard(""), vCard(" ")])
  func none(answer: XMPPElement?) {
    var cards = CardTable()
    cards.answered(Self.vCard("<FN>B</FN>"), .vCardTemp, of: Self.bob, record: 1)
    cards.answered(answer, .vCardTemp, of: Self.bob, record: 2)
    #expect(cards.all.isEmpty)
  }

  @Test("Both forms are kept, and cards are sorted by address")
  func sorting() {
    var cards = CardTable()
    cards.answered(Self.vCard4("<fn><text>4</text></fn>"), .vCard4, of: Self.bob, record: 1)
    cards.answered(Self.vCard("<FN>T</FN>"), .vCardTemp, of: Self.bob, record: 2)
    cards.answered(
      Self.vCard("<FN>A</FN>"), .vCardTemp, of: address("alice@example.test"), record: 3)
    #expect(cards.all.map(\.fullName) == ["A", "T", "4"])
    // One form being empty says nothing about the other.
    cards.answered(nil, .vCardTemp, of: Self.bob, record: 4)
    #expect(cards.all.map(\.fullName) == ["A", "4"])
  }
}
