import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The content of each place of an element in a redacted capture.
@Suite("Redacted exports") struct RedactionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A log from the lines of a native capture; an element counts as received.
  private func log(_ lines: [String]) throws -> EventLog {
    var capture = Array(#"{"rollcall-capture":1,"account":"alice@a.test/pc"}"#.utf8) + [0x0A]
    for line in lines {
      if line.hasPrefix("{") {
        capture += line.utf8
        capture.append(0x0A)
      } else {
        NativeWriter.append(
          time: 1, on: NativeConnection(number: 1), .inbound, xml: Array(line.utf8).span.bytes,
          to: &capture)
      }
    }
    return try RedactedPair.log(of: capture, in: folder)
  }

  /// The lines of the redacted capture without its header, after checking that its story is the
  /// same.
  private func redacted(_ lines: [String]) throws -> [String] {
    let pair = try RedactedPair(of: log(lines), in: folder)
    try pair.expectSameStory()
    try pair.expectSafeTest()
    return String(decoding: pair.capture, as: UTF8.self).split(separator: "\n").dropFirst()
      .map { String($0).replacing(#"\""#, with: "'") }
  }

  /// `Secret` in each place that people can write to.
  private static let secretPlaces = [
    "<message from='bob@b.test/Secretpc' id='Secret1'><body>Secret2</body></message>",
    "<message><x xmlns='Secret:ns'><y secret='Secret3'>Secret4</y></x></message>",
    "<message xml:lang='Secret' xml:base='http://Secret.test/' xml:id='Secret'/>",
    "<message xmlns:x='http://www.w3.org/1999/xlink' x:href='http://Secret.test/a?b=c'/>",
    "<message xmlns:s='urn:Secret' s:Secret='Secret' s:type='Secret' s:from='Secret@b.test'/>",
    "<message Secret='1'><Secret/><s:Secret xmlns:s='jabber:client'/></message>",
    "<Secret xmlns='urn:xmpp:secret'/>", "<x xmlns='urn:xmpp:sm:15551234567'/>",
    "<message><delay xmlns='urn:xmpp:delay' stamp='at noon, as Secret said' from='Secret'/></message>",
    "<message><x xmlns='jabber:x:delay' stamp='Secret0T00:00:00'/></message>",
    "<message><x xmlns='urn:x' node='Secret@Secret.test' nick='Secret' type='Secret'/></message>",
    "<message><mood xmlns='http://jabber.org/protocol/mood'><in_secret_love/></mood></message>",
    "<presence from='bob@b.test/pc'><show>Secret</show><status>Secret6</status></presence>",
    "<presence from='bob@b.test/pc'><priority>Secret</priority></presence>",
    "<presence from='@Secret' type='subscribe'/>", "<presence from='b@b.test' type='Secret8'/>",
    "<iq type='set' id='Secret9'><query xmlns='jabber:iq:roster' ver='Secret10'>"
      + "<item jid='Secret11@x@y'/></query></iq>",
    "<iq type='set' id='a'><query xmlns='jabber:iq:roster' ver=''><item jid='BOB@b.test' "
      + "name=' Secret12 ' subscription='Secret13' approved='Secret'><group>Secret14</group>"
      + "<group/></item></query></iq>",
    "<iq type='result' id='v'><vCard xmlns='vcard-temp'><FN>Secret</FN><N><FAMILY>Secret</FAMILY>"
      + "</N><X-SECRET>Secret</X-SECRET></vCard></iq>",
    "<iq type='error' id='e'><error type='cancel'><Secret "
      + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/><text>Secret</text></error></iq>",
    "<iq type='error' id='e'>" + stanzaError("not-allowed", "Secret said so") + "</iq>",
    "<stream:error xmlns:stream='http://etherx.jabber.org/streams'><conflict "
      + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'/><text "
      + "xmlns='urn:ietf:params:xml:ns:xmpp-streams'>Secret</text></stream:error>",
    "<failure xmlns='urn:xmpp:sasl:2'><text>Secret</text></failure>",
    "<presence from='alice@a.test/pc' type='unavailable'><status>Secret</status></presence>",
    "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>@Secret"
      + "</authorization-identifier></success>",
    #"{"stream":"connected","to":"Secret.test:5222"}"#, #"{"stream":"secured","tls":"Secret"}"#,
    #"{"stream":"authenticated","mechanism":"Secret"}"#, #"{"bookmark":"Secret","back":0}"#,
    #"{"jid":"b@b.test","note":"Secret"}"#, #"{"jid":"Secret@b.test","reading":"Secret"}"#,
    #"{"requestsSeen":["Secret@b.test","b@Secret.test"]}"#,
    #"{"stream":"closed","reason":"Secret"}"#, #"{"c":2,"name":"Secret","stream":"closed"}"#,
    #"{"dir":"in","unreadable":"U2VjcmV0","bytes":6,"reason":"Secret"}"#,
  ]

  @Test("No place of an element keeps what people wrote there", arguments: secretPlaces)
  func places(_ line: String) throws {
    let lines = try redacted([line])
    #expect(lines.count == 1)
    #expect(!lines[0].lowercased().contains("secret"), "\(lines)")
  }

  /// The words of the protocol are kept.
  @Test(
    "What the protocol defines is kept",
    arguments: [
      "<item jid='b@b.test' approved=' true '/>": "approved='true'",
      "<item jid='b@b.test' approved='0'/>": "approved='0'",
      "<item jid='b@b.test' subscription='both' ask='subscribe'/>":
        "subscription='both' ask='subscribe'",
    ])
  func items(_ item: String, _ kept: String) throws {
    let lines = try redacted([
      "<iq type='set' id='a'><query xmlns='jabber:iq:roster'>\(item)</query></iq>"
    ])
    #expect(lines[0].contains(kept))
  }

  @Test(
    "Times, namespaces, nodes and errors are kept",
    arguments: [
      "<delay xmlns='urn:xmpp:delay' stamp='2026-11-20T10:00:00.5Z'/>",
      "<x xmlns='jabber:x:delay' stamp='20261120T10:00:00'/>",
      "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='urn:xmpp:vcard4'/></event>",
      "<c xmlns='urn:xmpp:caps' node='http://jabber.org/protocol/nick+notify'/>",
      "<error type='cancel'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
      "<removed xmlns='urn:rollcall:removed:0' kind='sasl'/>", "<priority> 5</priority>",
    ])
  func kept(_ xml: String) throws {
    let lines = try redacted(["<message>\(xml)</message>"])
    let kept = xml.replacing("<priority> 5", with: "<priority>5")
    #expect(lines[0].contains(kept), "\(lines)")
  }

  private func published(_ text: String) -> String {
    "<message from='bob@b.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
      + "<items node='urn:xmpp:vcard4'><item><vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'>"
      + "<fn><text>\(text)</text></fn></vcard></item></items></event></message>"
  }

  @Test("The texts of a vCard 4 are names; their initials and their order are kept")
  func vCard4() throws {
    let lines = try redacted(["曾国藩", "Zoe", " Aal ", "12 Mann", "7 Mann"].map(published))
    let texts = lines.map { $0.split(separator: "<text>").last?.prefix { $0 != "<" } }
    #expect(texts == ["Z-name2", "Z-name3", "A-name1", "0-name5", "0-name4"])
  }

  @Test("Different texts stay different, and equal texts stay equal")
  func bytes() throws {
    let names = ["e\u{301}lan", "\u{e9}lan", "Bob@b.test", "bob@b.test", "Bob@b.test"]
    let lines = try redacted(
      names.map { name in
        "<iq type='set' id='a'><query xmlns='jabber:iq:roster' ver='\(name)'>"
          + "<item jid='bob@b.test' name='\(name)'><group>\(name)</group></item></query></iq>"
      })
    #expect(Set(lines).count == 4)
    #expect(lines[2] == lines[4])
  }

  @Test("A name in several pieces is one name")
  func pieces() throws {
    let lines = try redacted(
      ["ab<x xmlns='u'/>cd", "abc<x xmlns='u'/>d", "abcd"].map { nick in
        "<presence from='b@b.test' type='subscribe'><nick "
          + "xmlns='http://jabber.org/protocol/nick'>\(nick)</nick></presence>"
      })
    #expect(lines.allSatisfy { $0.components(separatedBy: "A-name1").count == 2 }, "\(lines)")
  }

  @Test("Servers and accounts keep their order")
  func order() throws {
    let contacts = ["bab@x.test", "bb.test", "bob@x.test", "b.test", "ba@b.test"]
    let lines = try redacted(contacts.map { "<presence from='\($0)/r' type='subscribe'/>" })
    let standIns = lines.map { line in
      String(line.split(separator: "from='").last?.prefix { $0 != "/" } ?? "")
    }
    let order = contacts.indices.sorted { contacts[$0] < contacts[$1] }
    #expect(order == contacts.indices.sorted { standIns[$0] < standIns[$1] }, "\(standIns)")
  }
}
