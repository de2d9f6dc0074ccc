import ConversationCore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// What is odd about messages, beside what is odd about the roster.
@Suite("Findings about messages") struct ConversationFindingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let login = """
    {"rollcall-capture":1,"account":"alice@a.test/pc"}
    {"t":1000,"stream":"opened","jid":"alice@a.test/pc"}
    {"t":1000,"dir":"out","xml":"<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>"}
    {"t":1000,"dir":"in","xml":"<iq type='result' id='r'><query xmlns='jabber:iq:roster'><item jid='bob@b.test' subscription='both'/></query></iq>"}

    """
  /// A connection that is lost, and a new session.
  private static let nextSession = """
    {"t":2000,"stream":"closed"}
    {"t":3000,"stream":"connected"}
    {"t":3000,"stream":"opened","jid":"alice@a.test/pc"}

    """

  private static func received(_ xml: String) -> String {
    #"{"t":1500,"dir":"in","xml":"\#(xml)"}"# + "\n"
  }

  private func timeline(_ lines: String) throws -> Timeline {
    let path = folder.file("capture.jsonl")
    try lines.write(toFile: path, atomically: true, encoding: .utf8)
    return Timeline(try importedLog(of: path, "alice@a.test", in: folder))
  }

  private func codes(_ lines: String) throws -> [String] {
    let timeline = try timeline(lines)
    return try timeline.conversationFindings(upTo: timeline.record(at: .head(minus: 0)))
      .map(\.code.rawValue)
  }

  @Test("Nothing is odd about the messages of a log without messages")
  func rosterAlone() throws {
    #expect(try codes(Self.login + Self.nextSession) == [])
  }

  @Test("With a message, what is missing between two sessions is a finding")
  func gap() throws {
    let hello = Self.received("<message from='bob@b.test/x' type='chat'><body>hi</body></message>")
    #expect(try codes(Self.login + hello + Self.nextSession) == ["gap"])
    #expect(try codes(Self.login + Self.nextSession + hello) == ["gap"])
    #expect(try codes(Self.login + hello) == [])
  }

  @Test("A message of a stranger is a finding, and one of a contact or after a request is not")
  func strangers() throws {
    func hello(_ from: String) -> String {
      Self.received("<message from='\(from)' type='chat'><body>hi</body></message>")
    }
    let request = Self.received("<presence from='carol@c.test' type='subscribe'/>")
    #expect(try codes(Self.login + hello("carol@c.test/x")) == ["message-from-stranger"])
    #expect(try codes(Self.login + hello("bob@b.test/x")) == [])
    #expect(try codes(Self.login + request + hello("carol@c.test/x")) == [])
  }

  @Test("A follower finds what one reading of the whole log finds, however the log grows")
  func growth() throws {
    let carbon =
      "<message from='eve@e.test'><received xmlns='urn:xmpp:carbons:2'>"
      + "<forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='bob@b.test'>"
      + "<body>pay</body></message></forwarded></received></message>"
    let lines =
      Self.login + Self.nextSession
      + Self.received("<message from='carol@c.test/x' type='chat'><body>hi</body></message>")
      + Self.received(carbon)
      + Self.received("<message from='dave@d.test/x' type='chat'><body>ho</body></message>")
    let timeline = try timeline(lines)
    let head = try timeline.record(at: .head(minus: 0))
    let whole = try timeline.conversationFindings(upTo: head)
    #expect(
      whole.map(\.code) == [.gap, .messageFromStranger, .carbonForged, .messageFromStranger])
    for step in 1...head {
      var follower = ConversationFollower(timeline)
      var found: [ConversationFinding] = []
      for last in stride(from: step, to: head, by: Int(step)) {
        found += try follower.follow(upTo: last)
      }
      found += try follower.follow(upTo: head)
      found += follower.findingsAtEnd()
      #expect(Set(found) == Set(whole) && found.count == whole.count, "step \(step)")
    }
  }

  @Test("What a later record explains is not found in steps after a look at all of them")
  func explainedLater() throws {
    let lines =
      Self.login
      + Self.received(
        "<message from='bob@b.test/x' type='chat' id='c'><body>new</body>"
          + "<replace xmlns='urn:xmpp:message-correct:0' id='m1'/></message>")
      + Self.received(
        "<message from='bob@b.test/x' type='chat' id='m1'><body>old</body>"
          + "<delay xmlns='urn:xmpp:delay' stamp='1970-01-01T00:00:01Z'/></message>")
    let timeline = try timeline(lines)
    let head = try timeline.record(at: .head(minus: 0))
    for looksAhead in [false, true] {
      var follower = ConversationFollower(timeline)
      if looksAhead { try follower.settle(upTo: head) }
      var found: [ConversationFinding] = []
      for last in 1...head { found += try follower.follow(upTo: last) }
      #expect(found.contains { $0.code == .correctionOfUnknown } == !looksAhead)
    }
  }

  @Test("Each kind has words that end like sentences", arguments: ConversationFinding.Code.allCases)
  func words(code: ConversationFinding.Code) throws {
    let jid = try JID(parsing: "eve@e.test/x")
    let sentence = ConversationFinding(code, record: 1, contact: jid).sentence
    #expect(sentence.hasSuffix(".") && sentence.contains(#/XEP-|RFC |Base64|shown|request/#))
    let guide = code.guide
    for text in [guide.rule, guide.causes, guide.remedy] { #expect(text.hasSuffix("."), "\(text)") }
    #expect(!code.title.isEmpty && !code.title.hasSuffix("."))
  }

  @Test("No kind has the name or the title of another")
  func names() {
    let codes = ConversationFinding.Code.allCases
    let names = Finding.Code.allCases.map(\.rawValue) + codes.map(\.rawValue)
    let titles = Finding.Code.allCases.map(\.title) + codes.map(\.title)
    #expect(Set(names).count == names.count && Set(titles).count == titles.count)
  }
}
