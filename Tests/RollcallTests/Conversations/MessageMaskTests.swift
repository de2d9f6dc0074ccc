import Captures
import Rollcall
import TestSupport
import Testing
import XMPPStanza

/// What a page about the roster shows of messages.
@Suite("Masked messages") struct MessageMaskTests {
  private func masked(_ xml: String) throws -> String {
    let node = try #require(RecordReader().element(Array(xml.utf8)), "\(xml)")
    var mask = MessageMask()
    return String(decoding: mask.masked(node).serialized(), as: UTF8.self)
  }

  @Test("Nothing that a person wrote is left, in any place", arguments: MessagePlaces.payloads)
  func messages(payload: String) throws {
    let message = "<message from='bob@b.test/x' type='chat'>\(payload)</message>"
    #expect(MessagePlaces.leaks(message))
    let text = try masked(message)
    #expect(!MessagePlaces.leaks(text), "\(text)")
    let carbon =
      "<message from='alice@a.test'><sent xmlns='urn:xmpp:carbons:2'>"
      + "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='alice@a.test/x'>"
      + "\(payload)</message></forwarded></sent></message>"
    #expect(!MessagePlaces.leaks(try masked(carbon)))
  }

  @Test("Nothing of a file is left in what belongs to messages", arguments: MessagePlaces.queries)
  func queries(xml: String) throws {
    #expect(MessagePlaces.leaks(xml))
    let text = try masked(xml)
    #expect(!MessagePlaces.leaks(text), "\(text)")
  }

  @Test("Equal texts have equal stand-ins, and different ones have different ones")
  func standIns() throws {
    let text = try masked(
      "<message><body>one</body><subject>two</subject><thread>one</thread></message>")
    #expect(
      text.contains("<body>text1</body><subject>text2</subject><thread>text1</thread>"), "\(text)")
  }

  @Test(
    "What the page is about is kept",
    arguments: [
      "<iq type='set'><query xmlns='jabber:iq:roster'><item jid='b@b.test' name='Bob'>"
        + "<group>Club</group></item></query></iq>",
      "<message from='b@b.test' id='7'><nick xmlns='http://jabber.org/protocol/nick'>Bob</nick>"
        + "<received xmlns='urn:xmpp:receipts' id='8'/></message>",
    ])
  func kept(xml: String) throws {
    let text = try masked(xml)
    for part in ["Bob", "Club", "id='7'", "id='8'"] where xml.contains(part) {
      #expect(text.replacing("\"", with: "'").contains(part), "\(text)")
    }
  }
}
