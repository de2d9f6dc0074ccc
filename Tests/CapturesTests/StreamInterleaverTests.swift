import Captures
import Foundation
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Merging two directions that were recorded separately")
struct StreamInterleaverTests {
  /// Records of lines with an arrow: `>` to the server, `<` from it.
  private func records(_ lines: [String]) throws -> [CapturedRecord] {
    try lines.enumerated().map { number, line in
      let content = try CapturedRecord.Content(arrow: line)
      return CapturedRecord(connection: "", time: nil, line: number + 1, content: content)
    }
  }

  private func interleaved(
    _ records: [CapturedRecord], pieces: @escaping () -> Int = { 1 }
  ) -> [CapturedRecord] {
    var interleaver = StreamInterleaver()
    var rest: [Direction: ArraySlice<CapturedRecord>] = [:]
    for direction in Direction.allCases {
      rest[direction] = records.filter { $0.content.direction == direction }[...]
    }
    var output: [CapturedRecord] = []
    while true {
      while let record = interleaver.next() { output.append(record) }
      guard let direction = interleaver.neededDirection else { return output }
      let piece = rest[direction]?.prefix(pieces()) ?? []
      for record in piece { interleaver.append(record, direction) }
      rest[direction]?.removeFirst(piece.count)
      if piece.isEmpty { interleaver.finish(direction) }
    }
  }

  private static let push = "<iq type='set' id='p1'><query xmlns='jabber:iq:roster'>"
  private static let sm = "xmlns='urn:xmpp:sm:3'"

  /// Sessions in the only correct order.
  static let orders: [[String]] = [
    // A login as in RFC 6120 §9.1.
    [
      "><stream:stream to='example.test'>", "<<stream:stream from='example.test' id='1'>",
      "<<stream:features/>", "><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
      "<<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", "><stream:stream to='example.test'>",
      "<<stream:stream from='example.test' id='2'>", "<<stream:features/>",
      "><auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
      "<<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
      "><response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
      "<<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>",
      "><auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
      "<<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "><stream:stream to='example.test'>",
      "<<stream:stream from='example.test' id='3'>", "<<stream:features/>",
      "><iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>",
      "<<iq type='result' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<jid>alice@example.test/p</jid></bind></iq>",
      "><iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>",
      "<<iq type='result' id='r'><query xmlns='jabber:iq:roster'/></iq>",
      "><presence id='x'/>", "<<presence id='x' from='alice@example.test/p'/>",
      "<<presence from='bob@example.test/a'/>", "><presence type='unavailable'/>",
      "></stream:stream>", "<</stream:stream>",
    ],
    // Pushes are acknowledged at once, so the rename comes after the second one.
    [
      "><presence type='subscribe' to='bob@example.test'/>",
      "<\(push)<item jid='bob@example.test' ask='subscribe'/></query></iq>",
      "><iq type='result' id='p1'/>",
      "<<iq type='set' id='p2'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test' subscription='to'/></query></iq>",
      "><iq type='result' id='p2'/>",
      "><iq type='set' id='1'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test' name='B'/></query></iq>",
      "<<iq type='set' id='p3'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test' name='B' subscription='to'/></query></iq>",
      "><iq type='result' id='p3'/>", "<<iq type='result' id='1'/>",
    ],
    // An answer comes after its request; the contact asks twice.
    [
      "<<message from='x@example.test'><body>1</body></message>",
      "<<presence type='subscribe' from='eve@example.test'/>",
      "><presence type='unsubscribed' to='eve@example.test/'/>",
      "<<presence type='subscribe' from='Eve@example.test'/>",
      "><presence type='subscribed' to='eve@example.test'/>",
      "<\(push)<item jid='eve@example.test' subscription='from'/></query></iq>",
      "><iq type='result' id='p1'/>",
    ],
    // A contact loses our presence, and asks for it afterwards.
    [
      "><presence type='unsubscribed' to='bob@example.test'/>",
      "<\(push)<item jid='bob@example.test' subscription='none'/></query></iq>",
      "><iq type='result' id='p1'/>", "<<presence type='subscribe' from='bob@example.test'/>",
    ],
    // Counted stanzas come before the acknowledgement (XEP-0198 §4).
    [
      "><enable \(sm)/>", "<<enabled \(sm)/>", "<<presence from='a@example.test/1'/>",
      "<<message from='a@example.test/1'/>", "><a \(sm) h='2'/>",
      "><presence type='unsubscribe' to='a@example.test'/>", "<<a \(sm) h='1'/>",
      "<<presence from='a@example.test/1' type='unavailable'/>", "><a \(sm) h='3'/>",
    ],
    // An id may be reused.
    [
      "><iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>",
      "<<iq type='result' id='1'><query xmlns='jabber:iq:roster'/></iq>",
      "><iq type='set' id='1'><query xmlns='jabber:iq:roster'>"
        + "<item jid='bob@example.test'/></query></iq>",
      "<\(push)<item jid='bob@example.test'/></query></iq>", "><iq type='result' id='p1'/>",
      "<<iq type='result' id='1'/>",
      "><iq type='get' id='1' to='nobody@example.test'><ping xmlns='urn:xmpp:ping'/></iq>",
      "<<iq type='error' id='1' from='nobody@example.test'/>",
    ],
  ]

  @Test(
    "The directions of a session are merged into their order",
    arguments: orders)
  func comesIntoItsOrder(_ lines: [String]) throws {
    let records = try records(lines)
    #expect(interleaved(records).map(\.line) == Array(1...lines.count))
  }

  @Test("A missing part does not hold up the rest")
  func aPartThatIsMissingHoldsNothingUp() throws {
    // No request has the id 7, no push has q, and 9 has no answer.
    let records = try records([
      "<<iq type='result' id='7'/>", "><iq type='result' id='q'/>",
      "><iq type='get' id='9'><query xmlns='jabber:iq:roster'/></iq>", "><a \(Self.sm) h='500'/>",
      "<<iq type='result' id='8'/>", "><iq type='get' id='8'/>",
    ])
    let output = interleaved(records)
    #expect(output.map(\.line).sorted() == Array(1...6))
    #expect(output.map(\.line).suffix(1) == [5])
  }

  @Test("No record is lost, and each direction keeps its order")
  func anythingComesOutAsItWentIn() throws {
    let pool = Self.orders.flatMap { $0 }
    for seed in UInt64(0)..<200 {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 0...60, using: &generator)
      let lines = (0..<count).compactMap { _ in pool.randomElement(using: &generator) }
      let records = try records(lines)
      let output = interleaved(records)
      for direction in Direction.allCases {
        let before = records.filter { $0.content.direction == direction }
        let after = output.filter { $0.content.direction == direction }
        #expect(after == before, "seed \(seed)")
      }
      let again = interleaved(records) { Int.random(in: 1...7, using: &generator) }
      #expect(again == output, "seed \(seed)")
    }
  }

  // MARK: Real sessions

  /// A connection with both directions, from a capture or log.
  struct Session: CustomTestStringConvertible, Sendable {
    let name: String
    let records: [CapturedRecord]
    var testDescription: String { name }

    static let all: [Session] = (Fixture.all + Fixture.logs).flatMap { fixture -> [Session] in
      // A spool has no file of one direction, and no login.
      guard fixture.format != "tap" else { return [] }
      let head = Array(fixture.bytes.prefix(64 << 10))
      guard let format = CaptureFormat.detect(head)?.id,
        let reading = try? read(fixture.bytes, format)
      else { return [] }
      let connections = Set(reading.records.map(\.connection)).sorted()
      return connections.compactMap { connection in
        let records = reading.records.filter { $0.connection == connection }
          .filter { $0.content.direction != nil }
          .map {
            CapturedRecord(connection: "", time: nil, line: $0.line, content: $0.content)
          }
        guard Set(records.map(\.content.direction)).count == 2 else { return nil }
        return Session(name: "\(fixture.name) \(connection)", records: records)
      }
    }
  }

  @Test("There are enough real sessions")
  func thereAreSessions() { #expect(Session.all.count > 35) }

  @Test(
    "A merged session gives the same roster and findings",
    arguments: Session.all)
  func aSessionEndsAsItDid(_ session: Session) throws {
    let before = Outcome(session.records)
    let after = Outcome(interleaved(session.records))
    #expect(after.roster.sortedItems == before.roster.sortedItems)
    #expect(after.roster.version == before.roster.version)
    #expect(after.roster.completeness == before.roster.completeness)
    #expect(after.roster.incoming.keys.sorted() == before.roster.incoming.keys.sorted())
    #expect(after.roster.unconfirmed.keys.sorted() == before.roster.unconfirmed.keys.sorted())
    #expect(after.roster.outgoing.keys.sorted() == before.roster.outgoing.keys.sorted())
    // Nothing in the files shows which element an unprompted stanza of ours was a reaction to.
    let tied = { (codes: [String]) in codes.filter { $0 != "wrong-refusal" }.sorted() }
    #expect(tied(after.findings) == tied(before.findings))
  }

  struct Outcome {
    var roster = Roster()
    var findings: [String] = []

    init(_ records: [CapturedRecord]) {
      for (index, record) in records.enumerated() {
        guard let event = event(of: record.content) else { continue }
        let stamp = RecordStamp(record: UInt64(index) + 1, time: nil)
        let step = RosterReducer.reduce(&roster, event, at: stamp)
        findings += step.findings.map(\.code.rawValue)
      }
    }
  }
}

extension CapturedRecord.Content {
  var direction: Direction? {
    switch self {
    case .element(let direction, _, _), .streamHeader(let direction, _, _),
      .streamEnd(let direction):
      direction
    case .unreadable(let bytes): bytes.direction
    case .lifecycle, .annotation: nil
    }
  }

  /// An element after the arrow of its direction.
  fileprivate init(arrow line: String) throws {
    let direction = line.hasPrefix("<") ? "in" : "out"
    let xml = line.dropFirst().replacing("'", with: "\\\"")
    let text = """
      {"rollcall-capture":1}
      {"dir":"\(direction)","xml":"\(xml)"}
      """
    let reading = try read(text, "native")
    self = try #require(reading.records.last).content
    try #require(self.direction != nil, "\(line)")
  }
}
