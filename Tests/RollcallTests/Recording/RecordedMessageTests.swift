import Captures
import ConversationCore
import EventStore
import Foundation
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@testable import Rollcall

@Suite("What a recorder keeps of messages") struct RecordedMessageTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }

  init() throws { folder = try TemporaryFolder() }

  private func timeline() throws -> Timeline { try Timeline(ofLogAt: path) }

  /// A session with two messages of bob, one with ids and one without, a repetition of the first
  /// as a carbon, a reaction, a nickname that bob publishes, and a message with a bad address.
  private func pass(to session: RosterSession) throws -> [SessionStep] {
    try session.opened(as: address("alice@example.test/phone"), at: 1000)
    try session.sent("<presence/>".utf8, at: 1001)
    let first =
      "<message xmlns='jabber:client' from='bob@example.test/pc' to='alice@example.test' "
      + "type='chat' id='m1'><body>secret one</body></message>"
    let steps = [
      first,
      "<message from='alice@example.test'><received xmlns='urn:xmpp:carbons:2'>"
        + "<forwarded xmlns='urn:xmpp:forward:0'>\(first)</forwarded></received></message>",
      "<message from='bob@example.test/pc' type='chat'><body>secret two</body></message>",
      "<message from='bob@example.test/pc' type='chat'><body>secret two</body></message>",
      "<message from='bob@example.test/pc' type='chat'><reactions xmlns='urn:xmpp:reactions:0' "
        + "id='m1'><reaction>secret</reaction></reactions></message>",
      "<message from='bob@example.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
        + "<items node='http://jabber.org/protocol/nick'><item><nick "
        + "xmlns='http://jabber.org/protocol/nick'>Bobby</nick></item></items></event>"
        + "<body>secret</body></message>",
      "<message from='@'><body>secret</body></message>",
    ]
    return try steps.enumerated().flatMap { index, xml in
      try session.received(xml.utf8, at: Int64(2000 + index))
    }
  }

  @Test("The application sees what the log lacks", arguments: RecordingPolicy.Messages.allCases)
  func steps(_ messages: RecordingPolicy.Messages) throws {
    let session = try RosterSession(
      recordingTo: path, keeping: RecordingPolicy(messages: messages))
    let steps = try pass(to: session)
    let bodies = steps.map { step -> String? in
      guard case .element(let node) = step.part else { return nil }
      return node.child("body", in: Namespace.client)?.text
    }
    #expect(bodies == ["secret one", nil, "secret two", "secret two", nil, "secret", "secret"])
    // Bob's nickname, and the rejection of an address.
    let isOfRoster = [false, false, false, false, false, true, true]
    #expect(steps.map(\.isRecorded) == isOfRoster.map { $0 || messages != .none })
    try session.close()
    let kept = try Data(contentsOf: URL(filePath: path)).contains(text: "secret")
    #expect(kept == (messages == .all))
  }

  @Test(
    "A part of a message that the end of its connection cuts off has no text in a log without texts",
    arguments: RecordingPolicy.Messages.allCases)
  func cutOff(_ messages: RecordingPolicy.Messages) throws {
    let session = try RosterSession(
      recordingTo: path, keeping: RecordingPolicy(messages: messages))
    _ = try pass(to: session)
    let part = "<message from='bob@example.test/pc'><body>unfinished"
    try session.received(part.utf8, at: 3000)
    try session.closed(at: 3001)
    try session.close()
    let log = try Data(contentsOf: URL(filePath: path))
    #expect(log.contains(text: "\"unreadable\""), "how many bytes there were is kept")
    #expect(log.contains(text: Data(part.utf8).base64EncodedString()) == (messages == .all))
  }

  @Test("A log with heads has the entries without their texts, and says that it is not complete")
  func entries() throws {
    let session = try RosterSession(recordingTo: path, keeping: .heads)
    _ = try pass(to: session)
    try session.close()
    let history = try timeline().chats()
    #expect(!history.isComplete)
    let chat = try #require(history.chat(with: bare("bob@example.test")))
    #expect(chat.messages.map(\.text) == ["", "", "", ""])
    #expect(chat.messages.map(\.isTextLeftOut) == [true, true, true, true])
    // The carbon repeats the first. Those without ids are not known to be the same.
    #expect(chat.messages.map(\.stanzaID).prefix(3) == ["m1", nil, nil])
    #expect(chat.messages.count == 4, "bob's nickname comes with a text, too")
  }

  @Test("A log without messages has no entries and says so; one with everything is complete")
  func otherPolicies() throws {
    for (policy, isComplete, count) in [
      (RecordingPolicy(messages: .none), false, 0), (RecordingPolicy(messages: .all), true, 4),
    ] {
      let path = folder.file("\(count).rollcall")
      let session = try RosterSession(recordingTo: path, keeping: policy)
      _ = try pass(to: session)
      try session.close()
      let history = try Timeline(ofLogAt: path).chats()
      #expect(history.isComplete == isComplete)
      #expect(history.chat(with: bare("bob@example.test"))?.messages.count ?? 0 == count)
    }
  }

  @Test("The roster is the same under every policy", arguments: RecordingPolicy.Messages.allCases)
  func sameRoster(_ messages: RecordingPolicy.Messages) throws {
    let everything = RosterSession()
    let expected = try pass(to: everything)
    let session = try RosterSession(
      recordingTo: path, keeping: RecordingPolicy(messages: messages))
    let steps = try pass(to: session)
    for (step, full) in zip(steps, expected) {
      #expect(step.outcome.changes.map(\.values) == full.outcome.changes.map(\.values))
      #expect(step.outcome.findings.map(\.code) == full.outcome.findings.map(\.code))
    }
    try session.close()
    let roster = try timeline().state(at: .head).roster
    #expect(roster.name(of: bare("bob@example.test")).text == "Bobby")
  }

  /// What the roster is told does not depend on the policy, for messages that were not made for it.
  @Test("A head means to the roster what its message means")
  func sameEvents() throws {
    var count = 0
    var (full, head) = (EventEncoder(), EventEncoder())
    for payload in MessagePlaces.payloads + Self.announcements {
      for attributes in Self.attributes {
        let node = element("<message \(attributes)>\(payload)</message>")
        for direction in Direction.allCases {
          full.encode(node, direction)
          head.encode(MessageHead.head(of: node) ?? node, direction)
          #expect(full.event == head.event, "\(attributes) \(payload)")
          #expect(full.contacts == head.contacts, "\(attributes) \(payload)")
          if full.event != nil { count += 1 }
        }
      }
    }
    #expect(count > 50, "some of them mean something")
  }

  private static let attributes = [
    "", "from='bob@example.test'", "from='bob@example.test/pc' type='chat'",
    "to='bob@example.test' type='groupchat' id='1'", "from='@' to='alice@example.test'", "to='@'",
    "from='bob@example.test' type='error'", "from='bob@example.test' type='unknown' xml:lang='de'",
  ]

  /// Announcements of names, and near misses.
  private static let announcements: [String] = [
    ("http://jabber.org/protocol/nick", "<nick xmlns='http://jabber.org/protocol/nick'>B</nick>"),
    ("http://jabber.org/protocol/nick", "<nick xmlns='http://jabber.org/protocol/nick'/>"),
    ("http://jabber.org/protocol/nick", "<nick>B</nick>"), ("http://jabber.org/protocol/nick", ""),
    ("urn:other", "<nick xmlns='http://jabber.org/protocol/nick'>B</nick>"),
    (
      "urn:xmpp:vcard4",
      "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><nickname><text>B</text></nickname>"
        + "<fn> <text>Bob</text> </fn><note><text>x</text></note></vcard>"
    ),
    ("urn:xmpp:vcard4", "<vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'/>"),
    ("urn:xmpp:vcard4", "<entry>x</entry>"),
  ].map { node, item in
    "<event xmlns='http://jabber.org/protocol/pubsub#event'><items node='\(node)'>"
      + "<item>\(item)</item></items></event><body>x</body>"
  }
}

extension Data {
  fileprivate func contains(text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
