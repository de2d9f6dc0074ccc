import Captures
import HashTreeCollections
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The logs that programs wrote in one and the same scenario, each with the roster that its server
/// held at the end.
struct RealLogTests {
  @Test func thereAreLogs() {
    #expect(Fixture.logs.count > 10)
    #expect(Fixture.logs.allSatisfy { !$0.expected.isEmpty })
  }

  @Test(arguments: Fixture.logs)
  func givesTheRosterThatTheServerHeld(_ fixture: Fixture) throws {
    let reading = try fixture.reading()
    #expect(reading.error == nil)
    for expected in fixture.expected {
      let roster = try roster(of: expected.account, in: reading.records)
      #expect(roster.account?.text == expected.account)
      #expect(roster.completeness == .complete)
      let items = roster.sortedItems
      #expect(items.map(\.jid.text) == expected.items.map(\.jid))
      for (item, truth) in zip(items, expected.items) {
        #expect(item.name == truth.name)
        #expect(item.groups == truth.groups)
        #expect(item.subscription.rawValue == truth.subscription)
        #expect(item.isPending == (truth.ask != nil))
      }
      #expect(roster.incoming.keys.map(\.text).sorted() == expected.incoming_requests)
      #expect(roster.outgoing.keys.map(\.text).sorted() == expected.outgoing_requests)
    }
  }

  /// Somebody sent a message whose lines look like records of this very log.
  @Test(arguments: Fixture.logs)
  func aForgedRecordIsNotBelieved(_ fixture: Fixture) throws {
    let reading = try fixture.reading()
    let forged = reading.records.count { record in
      guard case .element(_, let node, _) = record.content,
        let query = node.child("query", in: Namespace.roster)
      else { return false }
      return query.children.contains { $0.attribute("jid")?.contains("evil") == true }
    }
    #expect(forged == 0)
  }

  @Test(arguments: Fixture.logs)
  func hasNoProblems(_ fixture: Fixture) throws {
    let problems = try fixture.reading().problems
      .filter { !$0.message.contains("it is an echo of it") }
    #expect(problems.isEmpty)
  }

  @Test(arguments: Fixture.logs)
  func isDetectedFromItsBeginning(_ fixture: Fixture) {
    #expect(CaptureFormat.detect(Array(fixture.bytes.prefix(64 << 10)))?.id == fixture.format)
    #expect(CaptureFormat.detect(Array(fixture.bytes.prefix(4000)))?.id == fixture.format)
  }

  @Test(arguments: Fixture.logs)
  func anyCutGivesTheSame(_ fixture: Fixture) throws {
    let whole = try fixture.reading()
    for seed in UInt64(0)..<4 {
      var generator = SeededGenerator(seed: seed)
      let pieces = (0..<50).map { _ in Int.random(in: 1...3000, using: &generator) }
      let isSame = try fixture.reading(pieces: pieces) == whole
      #expect(isSame, "seed \(seed)")
    }
  }

  private func roster(of account: String, in records: [CapturedRecord]) throws -> Roster {
    var filter = AccountFilter(account: try BareJID(parsing: account))
    var roster = Roster()
    var number: UInt64 = 0
    func take(_ record: CapturedRecord) {
      number += 1
      guard let event = event(of: record.content) else { return roster.move(to: number) }
      let stamp = RecordStamp(record: number, time: record.time)
      _ = RosterReducer.reduce(&roster, event, at: stamp)
    }
    for record in records { filter.take(record, take) }
    filter.finish(take)
    return roster
  }

  private func event(of content: CapturedRecord.Content) -> RosterEvent? {
    switch content {
    case .element(let direction, let node, _): StanzaTranslator.translate(node, direction)
    case .streamHeader: .session(.negotiated)
    case .streamEnd: .session(.closed(isLost: false))
    case .header(let account, let inboundOnly):
      .session(.captureBegan(account: account, inboundOnly: inboundOnly))
    case .opened(let jid): .session(.opened(jid))
    case .resumed(let jid): .session(.resumed(jid))
    case .closed: .session(.closed(isLost: true))
    }
  }
}
