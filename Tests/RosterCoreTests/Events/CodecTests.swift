@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The stored form of events: each value has one encoding, and decoding returns a value or an
/// error.
@Suite struct CodecTests {
  private static let jid = address("bob@example.test/Büro")
  private static let query = RosterQuery(
    version: "v\u{0}1",
    items: [
      .init(
        change: .set(
          RosterItem(
            jid: jid.bare, name: "小梅 <&>", subscription: .from, isPending: true,
            isApproved: true, groups: ["a", "b\n", "朋友"]))),
      .init(change: .remove(bare("example.test"))),
      .init(change: .set(RosterItem(jid: jid.bare)), unknownSubscription: "both "),
    ],
    malformed: [.init(jid: nil, reason: "it has no jid"), .init(jid: "@", reason: "")])

  /// One event of each case, and of each shape within a case.
  private static let plain: [RosterEvent] =
    [
      .session(.captureBegan(account: jid, inboundOnly: true)),
      .session(.captureBegan(account: nil, inboundOnly: false)), .session(.negotiated),
      .session(.featuresOffered(StreamFeatures(versioning: true, preApproval: false))),
      .session(.serverIdentified(domain: bare("example.test"), isVerified: true)),
      .session(.serverIdentified(domain: nil, isVerified: false)),
      .session(.authenticated(jid)), .session(.opened(jid)),
      .session(.opened(jid, from: address("example.test"))),
      .session(.opened(jid, resumptionID: "sm1")), .session(.resumable(id: "sm1")),
      .session(.resumed(jid, id: "sm1")), .session(.resumed(nil)),
      .session(.resumed(jid)), .session(.closed(isLost: true)), .session(.closed(isLost: false)),
      .session(.ended(.inbound)), .session(.ended(.outbound)),
      .session(.streamFailed(.inbound, ErrorReport(condition: "conflict", text: "Replaced"))),
      .session(.streamFailed(.outbound, ErrorReport())),
      .session(.loginFailed(ErrorReport(condition: "not-authorized"))),
      .stanza(.querySent(Query(id: "1", to: jid, subject: .roster(version: nil)))),
      .stanza(.querySent(Query(id: nil, to: nil, subject: .roster(version: "")))),
      .stanza(.querySent(Query(id: "", to: nil, subject: .blockList))),
      .stanza(.querySent(Query(id: "2", to: nil, subject: .vCard))),
      .stanza(.querySent(Query(id: "3", to: nil, subject: .nickname))),
      .stanza(.setSent(RosterSet(id: "4", peer: nil, query: query))),
      .stanza(.pushReceived(RosterSet(id: nil, peer: jid, query: query))),
      .stanza(.answerReceived(Answer(id: "5", from: nil, payload: .nothing))),
      .stanza(.answerReceived(Answer(id: "5", from: jid, payload: .other))),
      .stanza(.answerReceived(Answer(id: nil, from: nil, payload: .roster(query)))),
      .stanza(.answerReceived(Answer(id: "6", from: nil, payload: .blockList([jid])))),
      .stanza(
        .answerReceived(
          Answer(
            id: "7", from: nil, payload: .vCard(VCardNames(nickname: "n", fullName: nil))))),
      .stanza(.answerReceived(Answer(id: "8", from: nil, payload: .nickname("阿杰")))),
      .stanza(
        .answerReceived(
          Answer(id: "9", from: nil, payload: .error(ErrorReport(condition: "forbidden"))))),
      .stanza(
        .answerReceived(
          Answer(id: nil, from: jid, payload: .error(ErrorReport(text: "多行\n"))))),
      .stanza(.answerSent(id: "x", to: nil)),
      .stanza(.answerSent(id: "x", to: nil, error: ErrorReport(condition: "gone", text: nil))),
      .stanza(.answerSent(id: "", to: jid)),
      .stanza(.availableReceived(from: jid, Availability())),
      .stanza(
        .availableReceived(
          from: jid,
          Availability(show: .xa, priority: -128, status: "多行\n状态", delay: "d", malformed: "o"))),
      .stanza(.unavailableReceived(from: jid)),
      .stanza(.unavailableReceived(from: jid, status: "再见")),
      .stanza(.presenceErrorReceived(from: jid, ErrorReport(condition: "forbidden", text: "不"))),
      .stanza(.presenceSent(to: nil, isAvailable: true)),
      .stanza(.presenceSent(to: jid, isAvailable: false)),
      .stanza(.blocked(from: nil, [jid, address("evil.test")])),
      .stanza(.unblocked(from: jid, [])),
      .stanza(
        .blockingSent(
          BlockingRequest(id: "b", to: nil, isBlock: true, jids: [jid, address("evil.test")]))),
      .stanza(.blockingSent(BlockingRequest(id: nil, to: jid, isBlock: false, jids: []))),
      .stanza(.vCardPublished(jid.bare, VCardNames(nickname: nil, fullName: "F"))),
      .annotation(.starred(jid.bare, true)), .annotation(.starred(jid.bare, false)),
      .annotation(.reading(jid.bare, "zeng xian")), .annotation(.reading(jid.bare, nil)),
      .annotation(.note(jid.bare, "多行\n")), .annotation(.note(jid.bare, "")),
      .annotation(.requestsSeen([])),
      .annotation(.requestsSeen([jid.bare, bare("example.test")])),
      .stanza(.nicknamePublished(jid.bare, nil)), .stanza(.nicknamePublished(jid.bare, "n")),
    ]

  private static let subscriptions = SubscriptionStanza.Kind.allCases.flatMap { kind in
    let stanza = SubscriptionStanza(kind: kind, contact: jid.bare, status: "hello", nickname: nil)
    return [
      RosterEvent.stanza(.subscriptionReceived(stanza)), .stanza(.subscriptionSent(stanza)),
    ]
  }

  private static let rejections = Rejection.Kind.allCases.map { kind in
    RosterEvent.stanza(.rejected(Rejection(kind: kind, reason: "because")))
  }

  static let events = plain + subscriptions + rejections

  private func decode(_ bytes: [UInt8]) throws(CodecError) -> RosterEvent {
    try RosterEvent.decode(bytes.span.bytes)
  }

  @Test("Decoding after encoding is identity", arguments: events)
  func identity(_ event: RosterEvent) throws {
    #expect(try decode(event.canonicalBytes) == event)
  }

  @Test("A number of any size can be decoded, wherever the bytes end", arguments: 0..<10)
  func numbers(more: Int) {
    var numbers: [UInt64] = [0, 1, .max - 1, .max]
    for bits in stride(from: 7, through: 63, by: 7) {
      let border: UInt64 = 1 << UInt64(bits)
      numbers += [border - 1, border]
    }
    for number in numbers {
      var output = CanonicalOutput()
      output.write(number)
      let padding = [UInt8](repeating: 0xFF, count: more)
      let bytes = output.bytes + padding
      var input = CanonicalInput(bytes.span.bytes)
      let read = try? input.readNumber()
      #expect(read == number)
      let rest = input.rest
      #expect(rest == more, "\(number)")
    }
  }

  @Test("Different events have different bytes")
  func injective() {
    #expect(Set(Self.events.map(\.canonicalBytes)).count == Self.events.count)
  }

  @Test("Decoding after encoding is identity for the events of a random stream", arguments: 1...20)
  func fuzzed(_ seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<300 { fuzzer.step(&scenario) }
    #expect(!scenario.history.isEmpty)
    for (event, _, _) in scenario.history {
      #expect(try decode(event.canonicalBytes) == event, "seed \(seed)")
    }
  }

  @Test("A truncated encoding is an error", arguments: events)
  func truncated(_ event: RosterEvent) {
    let bytes = event.canonicalBytes
    for count in bytes.indices {
      #expect(throws: CodecError.self) { try decode(Array(bytes[..<count])) }
    }
  }

  @Test("Bytes after the value are an error", arguments: events)
  func excess(_ event: RosterEvent) {
    let bytes = event.canonicalBytes
    #expect(throws: CodecError.excess(offset: bytes.count)) { try decode(bytes + [0]) }
  }

  /// What is decoded from damaged bytes encodes to those bytes: there is no second encoding.
  @Test("Damage is an error or another value, never a trap", arguments: 1...20)
  func damaged(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for event in Self.events {
      var bytes = event.canonicalBytes
      for _ in 0..<40 {
        let place = Int.random(in: bytes.indices, using: &random)
        let kept = bytes[place]
        bytes[place] = UInt8.random(in: 0...255, using: &random)
        if let read = try? decode(bytes) {
          #expect(read.canonicalBytes == bytes, "seed \(seed)")
        }
        bytes[place] = kept
      }
    }
  }

  @Test("A count without that many bytes reserves no memory")
  func hugeCount() {
    // An unblocking push without a sender, with 2^63 addresses.
    let bytes: [UInt8] = [49, 0] + Array(repeating: 0xFF, count: 8) + [0x7F]
    #expect(throws: CodecError.self) { try decode(bytes) }
  }
}
