import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// The causes noted by number are the records that the outcomes report with values.
@Suite("Which record caused a difference") struct ChangeCausesTests {
  private typealias Step = (event: RosterEvent, stamp: RecordStamp, connection: ConnectionID)

  /// The records that outcomes name, by the subject of their changes.
  private struct Told {
    struct Subject: Hashable {
      var field: StateField
      var contact: BareJID?
      var part: String?
    }

    var stamps: [Subject: RecordStamp] = [:]
    var contacts: Set<BareJID> = []

    mutating func note(_ outcome: RosterOutcome, at stamp: RecordStamp) {
      for change in outcome.changes {
        if let contact = change.contact { contacts.insert(contact) }
        guard let (field, part) = change.subject else { continue }
        stamps[Subject(field: field, contact: change.contact, part: part)] = stamp
      }
    }

    func cause(of difference: FieldDifference) -> RecordStamp? {
      let contact = difference.contact
      func last(_ field: StateField, _ contact: BareJID?, _ part: String? = nil)
        -> RecordStamp?
      {
        stamps[Subject(field: field, contact: contact, part: part)]
      }
      let values = difference.values
      var part = values.resource
      if case .blocked(let jid, _, _) = values { part = "\(jid)" }
      let own = last(difference.field, contact, part)
      let isPart = difference.field.isOfItem && difference.field != .item
      let whole = isPart ? last(.item, contact) : nil
      return [own, whole].compactMap { $0 }.max { $0.record < $1.record }
    }
  }

  /// Takes a roster from one of the events to the last one in both ways, and compares the causes of
  /// every difference.
  ///
  /// - Returns: The number of differences.
  private func compare(
    _ history: [Step], from start: Int, _ place: Comment
  ) -> Int {
    var before = Roster()
    for step in history[..<start] {
      RosterReducer.reduce(
        &before, step.event, at: step.stamp, on: step.connection, reporting: .nothing)
    }
    var (after, told) = (before, before)
    let causes = ChangeCauses()
    var model = Told()
    var found = 0
    for (index, step) in history[start...].enumerated() {
      RosterReducer.reduce(
        &after, step.event, at: step.stamp, on: step.connection, reporting: .causes(causes))
      model.note(
        RosterReducer.reduce(&told, step.event, at: step.stamp, on: step.connection),
        at: step.stamp)
      guard index.isMultiple(of: 23) || index == history.count - start - 1 else { continue }
      #expect(after == told, place)
      let differences = before.differences(to: after, among: causes, in: after)
      // Compared by what the states show, without using rows.
      #expect(leads(differences, from: before, to: after), place)
      #expect(differences == before.differences(to: told), place)
      let back = after.differences(to: before, among: causes, in: after)
      #expect(leads(back, from: after, to: before), place)
      #expect(back == told.differences(to: before), place)
      #expect(differences == before.differences(to: told, among: model.contacts), place)
      for difference in differences {
        let cause = causes.cause(of: difference, in: after)
        #expect(cause == model.cause(of: difference), "\(place), event \(index): \(difference)")
      }
      found += differences.count
    }
    return found
  }

  @Test("One connection", arguments: 700..<UInt64(712))
  func oneConnection(seed: UInt64) {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<400 { fuzzer.step(&scenario) }
    let history: [Step] = scenario.history.map { (event: $0, stamp: $1, connection: $2) }
    var random = SeededGenerator(seed: seed)
    var found = 0
    for start in [0, Int.random(in: 1..<history.count, using: &random)] {
      found += compare(history, from: start, "seed \(seed), from \(start)")
    }
    #expect(found > 50, "seed \(seed)")
  }

  @Test("Several connections", arguments: 720..<UInt64(732))
  func severalConnections(seed: UInt64) {
    var server = SimulatedServer(seed: seed, devices: 3)
    for _ in 0..<400 { server.step() }
    let history: [Step] = server.scenario.history.map { (event: $0, stamp: $1, connection: $2) }
    var random = SeededGenerator(seed: seed)
    let start = Int.random(in: 0..<history.count / 2, using: &random)
    let found = compare(history, from: start, "seed \(seed), from \(start)")
    #expect(found > 10, "seed \(seed): \(found)")
  }

  private static let bob = "bob@example.test"

  /// The ways to end all resources of a contact at once.
  private static let endings: [(name: String, end: @Sendable (inout Scenario) -> Void)] = [
    ("an unavailable presence of the bare address", { $0.receives("unavailable", from: bob) }),
    ("our unsubscribe", { $0.sends("unsubscribe", to: bob) }),
    ("a push without “to”", { $0.pushed(item(bob, "subscription='from'")) }),
    ("a removal", { $0.pushed(item(bob, "subscription='remove'")) }),
    ("a result without “to”", { $0.receivesResult(item(bob), id: "open") }),
    ("a result without the contact", { $0.receivesResult(id: "open") }),
    ("our unavailable presence", { $0.sends("unavailable") }),
    ("a new session", { $0.opened("alice@example.test/phone") }),
  ]

  @Test("If one record ends several resources, it is the cause for each of them")
  func severalResources() throws {
    for (name, end) in Self.endings {
      for devices in [1, 2] {
        var scenario = Scenario.alice(item(Self.bob, "subscription='both'"))
        // With a second connection, each resource records which sessions received it.
        if devices == 2 { scenario.on(2) { _ = $0.opened("alice@example.test/desktop") } }
        for resource in ["a", "b", "c"] { scenario.receives(from: "\(Self.bob)/\(resource)") }
        scenario.gets(id: "open")
        let start = scenario.history.count
        end(&scenario)
        let comment: Comment = "\(name), \(devices) devices"
        let history: [Step] = scenario.history.map { (event: $0, stamp: $1, connection: $2) }
        _ = compare(history, from: start, comment)
        let causes = ChangeCauses()
        var before = Roster()
        for step in history[..<start] {
          RosterReducer.reduce(
            &before, step.event, at: step.stamp, on: step.connection, reporting: .nothing)
        }
        var after = before
        for step in history[start...] {
          RosterReducer.reduce(
            &after, step.event, at: step.stamp, on: step.connection, reporting: .causes(causes))
        }
        let presence = before.differences(to: after).filter { $0.field == .presence }
        #expect(presence.count == 3, comment)
        let records = presence.map { causes.cause(of: $0, in: after)?.record }
        #expect(records == [scenario.record, scenario.record, scenario.record], comment)
      }
    }
  }

  @Test("A table that grows large is rebuilt only after its changes' causes have been noted")
  func largeTable() throws {
    var roster = Roster()
    let causes = ChangeCauses()
    var record: UInt64 = 0
    func receive(
      _ contact: String, _ status: String, reporting: Reporting
    ) throws {
      record += 1
      let from = try JID(parsing: "\(contact)@example.test/phone")
      RosterReducer.reduce(
        &roster, .stanza(.availableReceived(from: from, Availability(status: status))),
        at: RecordStamp(record: record), reporting: reporting)
    }
    let before = roster
    // A rebuilt table has the two in reverse order.
    try receive("dave", "first", reporting: .causes(causes))
    let most = ContactTable.Tables.leastCompactionSize
    for number in 0..<most {
      try receive("carol", "\(number)", reporting: .causes(causes))
    }
    #expect(roster.contacts.counts.texts > most)
    let differences = before.differences(to: roster, among: causes, in: roster)
    let presence = differences.filter { $0.field == .presence }
    #expect(presence.map(\.contact?.text) == ["carol@example.test", "dave@example.test"])
    #expect(presence.map { causes.cause(of: $0, in: roster)?.record } == [record, 1])
    try receive("carol", "last", reporting: .nothing)
    #expect(roster.contacts.counts.texts < 10)
  }

  @Test("Resources are distinguished by their bytes")
  func resources() throws {
    let (composed, apart) = ("caf\u{E9}", "cafe\u{301}")
    let causes = ChangeCauses()
    var roster = Roster()
    let bob = try BareJID(parsing: "bob@example.test")
    let number = roster.contacts.insert(bob)
    for (record, name) in [(UInt64(3), composed), (4, apart)] {
      causes.note(
        .presence, of: number, part: roster.contacts.insert(name),
        at: RecordStamp(record: record))
    }
    func cause(_ name: String) -> UInt64? {
      let values = FieldValues.presence(resource: name, before: nil, after: nil)
      return causes.cause(
        of: FieldDifference(contact: bob, values: values, record: nil), in: roster)?.record
    }
    #expect([cause(composed), cause(apart)] == [3, 4])
  }
}

extension RosterChange {
  /// The difference that a change makes; nil for a change without one.
  fileprivate var subject: (field: StateField, part: String?)? {
    // Our request is open before the server shows it.
    if case .outgoing(_?, _?) = values { return nil }
    if case .blocked(let jid, _, _) = values { return (field, jid.description) }
    return (field, values.resource)
  }
}
