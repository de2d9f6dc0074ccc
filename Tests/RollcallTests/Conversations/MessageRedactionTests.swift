import Captures
import Foundation
import RawBytes
import TestSupport
import Testing
import XMPPStanza

/// What messages need to mean the same after redaction, to the rules of conversations.
@Suite("Redacted messages")
struct MessageRedactionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The redacted elements, received by Alice.
  private func redacted(_ elements: String...) throws -> [String] {
    var capture = Array(#"{"rollcall-capture":1,"account":"alice@a.test/pc"}"#.utf8) + [0x0A]
    for xml in elements {
      NativeWriter.append(
        time: 1, on: NativeConnection(number: 1), .inbound, xml: Array(xml.utf8).span.bytes,
        to: &capture)
    }
    let pair = try RedactedPair(of: RedactedPair.log(of: capture, in: folder), in: folder)
    return String(decoding: pair.capture, as: UTF8.self).split(separator: "\n").dropFirst()
      .map { String($0).replacing(#"\""#, with: "'") }
  }

  /// The text between two parts of a line.
  private func part(of line: String, after start: String, before end: String) throws -> String {
    let rest = try #require(line.firstRange(of: start).map { line[$0.upperBound...] }, "\(line)")
    let range = try #require(rest.firstRange(of: end), "\(line)")
    return String(rest[..<range.lowerBound])
  }

  private func picture(_ base64: String, body: String = "ImageMessage") -> String {
    "<message from='b@b.test' type='chat'><body>\(body)</body><subject>ImageMessage</subject>"
      + "<ImageMessage>\(base64)</ImageMessage>"
      + "<XMPPElementImageMessage>Secret</XMPPElementImageMessage></message>"
  }

  @Test("A picture in Base64 has a stand-in in Base64, equal for equal bytes")
  func pictures() throws {
    let lines = try redacted(
      picture("c2VjcmV0IG9uZQ=="), picture("c2Vj&#13;\ncmV0IG9uZQ=="), picture("c2VjcmV0IHR3bw=="))
    let standIns = try lines.map {
      try part(of: $0, after: "<ImageMessage>", before: "</ImageMessage>")
    }
    #expect(standIns[0] == standIns[1] && standIns[0] != standIns[2])
    for standIn in standIns {
      #expect(Base64.decode(Array(standIn.utf8).span.bytes) != nil, "\(standIn)")
    }
    #expect(lines.allSatisfy { $0.contains("<body>ImageMessage</body><subject>ImageMessage<") })
    #expect(!lines.joined().contains("Secret") && !lines.joined().contains("c2VjcmV0"))
  }

  @Test("What is not Base64 has a stand-in that is not", arguments: ["no secret!", "c2Vj=", "秘密"])
  func unreadable(text: String) throws {
    let line = try redacted(picture(text))[0]
    let standIn = try part(of: line, after: "<ImageMessage>", before: "</ImageMessage>")
    #expect(Base64.decode(Array(standIn.utf8).span.bytes) == nil)
    #expect(!line.contains(text))
  }

  @Test("A body that its subject declares to be a picture stays readable or not")
  func bodies() throws {
    func message(_ body: String) -> String {
      "<message from='b@b.test' type='chat'><body>\(body)</body><subject>VoiceMessage</subject>"
        + "</message>"
    }
    let lines = try redacted(message("c2VjcmV0"), message("secret, not Base64"))
    let bodies = try lines.map { try part(of: $0, after: "<body>", before: "</body>") }
    #expect(bodies.map { Base64.decode(Array($0.utf8).span.bytes) != nil } == [true, false])
  }

  @Test("Other subjects are replaced, even if they resemble the words")
  func otherSubjects() throws {
    let lines = try redacted(
      "<message from='b@b.test'><subject>ImageMessages</subject><body>imagemessage</body></message>"
    )
    #expect(!lines[0].contains("ImageMessages") && !lines[0].contains("imagemessage"))
  }

  @Test("The address of a file stays the same in a body, an attribute and an element")
  func addresses() throws {
    let url = "https://up.b.test/secret/1.png"
    let lines = try redacted(
      "<message from='b@b.test'><body>\(url)</body><x xmlns='jabber:x:oob'><url>\(url)</url></x>"
        + "<file-sharing xmlns='urn:xmpp:sfs:0'><sources>"
        + "<url-data xmlns='http://jabber.org/protocol/url-data' target='\(url)'/></sources>"
        + "</file-sharing></message>")
    let body = try part(of: lines[0], after: "<body>", before: "</body>")
    #expect(try part(of: lines[0], after: "<url>", before: "</url>") == body)
    #expect(try part(of: lines[0], after: "target='", before: "'") == body)
    #expect(!lines[0].contains("secret"))
  }

  @Test("The ids of an archive stay equal, whether an attribute or a text has them")
  func pages() throws {
    let lines = try redacted(
      "<message from='alice@a.test'><result xmlns='urn:xmpp:mam:2' queryid='q' id='secret-1'/>"
        + "</message>",
      "<iq type='result' id='m'><fin xmlns='urn:xmpp:mam:2' complete='true'>"
        + "<set xmlns='http://jabber.org/protocol/rsm'><last>secret-1</last></set></fin></iq>")
    let id = try part(of: lines[0], after: " id='", before: "'")
    #expect(try part(of: lines[1], after: "<last>", before: "</last>") == id)
    #expect(lines[1].contains("complete='true'") && id != "secret-1")
  }

  @Test(
    "What the protocol says of rooms and acknowledgements is kept",
    arguments: [
      "<x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x>",
      "<x xmlns='http://jabber.org/protocol/muc#user'><item affiliation='none' role='visitor'/></x>",
      "<a xmlns='urn:xmpp:sm:3' h='7'/>",
    ])
  func protocolValues(xml: String) throws {
    #expect(try redacted("<presence from='r@b.test/n'>\(xml)</presence>")[0].contains(xml))
  }

  @Test(
    "Values that only resemble those are replaced",
    arguments: ["h='seven'", "h='-1'", "code='secret'", "code='99'", "code='1100'", "role='king'"])
  func otherValues(attribute: String) throws {
    let xml = "<presence from='r@b.test/n'><status \(attribute)/></presence>"
    #expect(try !redacted(xml)[0].contains(attribute))
  }

  @Test("The address of a read position is an address")
  func readPositions() throws {
    let lines = try redacted(
      "<message from='alice@a.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
        + "<items node='urn:xmpp:mds:displayed:0'><item id='b@b.test'>"
        + "<displayed xmlns='urn:xmpp:mds:displayed:0'/></item></items></event></message>",
      "<message from='b@b.test'><body>x</body></message>")
    let id = try part(of: lines[0], after: "<item id='", before: "'")
    #expect(try part(of: lines[1], after: " from='", before: "'") == id)
  }
}
