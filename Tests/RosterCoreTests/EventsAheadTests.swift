import RawBytes
import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// What an event looks at is asked for before it is reduced.
@Suite("Events that are looked at ahead")
struct EventsAheadTests {
  private func history(_ seed: UInt64) -> [(RosterEvent, RecordStamp, ConnectionID)] {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<600 { fuzzer.step(&scenario) }
    return scenario.history.map { ($0, $1, $2) }
  }

  private func contact(of event: RosterEvent) -> String? {
    let bytes = event.canonicalBytes
    return .init(decoding: StoredEvent.contact(of: bytes.span.bytes))
  }

  /// The contact that is to be found in the bytes of an event.
  private func firstContact(of event: RosterEvent) -> BareJID? {
    guard case .stanza(let stanza) = event else { return nil }
    return switch stanza {
    case .availableReceived(let from, _), .unavailableReceived(let from): from.bare
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza): stanza.contact
    case .setSent(let set): set.query.items.first?.jid
    case .pushReceived(let push): push.query.items.first?.jid
    default: nil
    }
  }

  @Test("The contact of an event is found without reading it", arguments: 300..<UInt64(306))
  func contacts(seed: UInt64) {
    var kinds: Set<UInt8> = []
    for (event, stamp, _) in history(seed) {
      let expected = firstContact(of: event)?.text
      #expect(contact(of: event) == expected, "seed \(seed), record \(stamp.record)")
      if expected != nil { kinds.insert(event.canonicalBytes[0]) }
    }
    #expect(kinds.count == 6, "seed \(seed): of these kinds \(kinds.sorted())")
  }

  @Test("Bytes that end early have no contact")
  func truncated() throws {
    let item = RosterItem(jid: try BareJID(parsing: "bob@example.test"))
    let query = RosterQuery(
      version: "v1", items: [RosterQuery.Item(change: .set(item), unknownSubscription: nil)],
      malformed: [])
    let push = RosterEvent.stanza(
      .pushReceived(
        RosterPush(id: "push", from: try JID(parsing: "alice@example.test"), query: query))
    )
    #expect(contact(of: push) == "bob@example.test")
    let bytes = push.canonicalBytes
    let end = try #require(bytes.firstRange(of: Array("bob@example.test".utf8))).upperBound
    for count in 0..<bytes.count {
      let isFound = StoredEvent.contact(of: bytes.span.bytes[0..<count]) != nil
      #expect(isFound == (count >= end), "\(count) bytes")
    }
  }

  @Test("Those that are looked at are found in the table")
  func found() throws {
    var roster = Roster()
    var ahead = EventsAhead()
    let events = try (0..<EventsAhead.distance).map { number in
      RosterEvent.stanza(
        .availableReceived(
          from: try JID(parsing: "contact\(number)@example.test/phone"), Availability()))
    }
    for (number, event) in events.enumerated() {
      RosterReducer.advance(&roster, by: event, at: RecordStamp(record: UInt64(number + 1)))
    }
    for event in events {
      let bytes = event.canonicalBytes
      ahead.look(at: bytes.span.bytes, for: &roster)
    }
    // The last ones have not been followed so far; a few are not where they are looked for.
    let found = ahead.expected.compactMap(\.number).sorted()
    #expect(!found.isEmpty && found.allSatisfy { $0 < 5 }, "\(found)")
  }

  @Test(
    "It changes no state, even where the table is made anew in between",
    arguments: 400..<UInt64(406))
  func states(seed: UInt64) throws {
    let history = history(seed)
    var (plain, looked) = (Roster(), Roster())
    var ahead = EventsAhead()
    for (index, (event, stamp, connection)) in history.enumerated() {
      // After the last event there is none.
      let later = index + EventsAhead.distance
      let bytes = later < history.count ? history[later].0.canonicalBytes : nil
      if let bytes {
        ahead.look(at: bytes.span.bytes, for: &looked)
      } else {
        ahead.look(at: nil, for: &looked)
      }
      RosterReducer.advance(&plain, by: event, at: stamp, on: connection)
      RosterReducer.advance(&looked, by: event, at: stamp, on: connection)
      if index % 5 == 0 { looked.compact() }
      if index % 97 == 0 { (plain, looked) = (Roster(), Roster()) }
      #expect(looked == plain, "seed \(seed), record \(stamp.record)")
    }
  }
}
