import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// The stored form of states: decoding returns the state or an error.
@Suite("The codec of states")
struct RosterCodecTests {
  private func decode(_ bytes: [UInt8]) throws(CodecError) -> Roster {
    try Roster(snapshot: bytes.span.bytes)
  }

  /// A state with content in each of its parts.
  private static func full() -> Scenario {
    var scenario = Scenario()
    scenario.time = 1_763_600_000_000
    scenario.captureBegan("alice@example.test/phone")
    scenario.opened("alice@example.test/phone")
    scenario.received(
      "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>")
    scenario.fetches(
      item("bob@example.test", "name='Bob' subscription='both'", groups: ["Friends", "Work"])
        + item("bobby@example.test", "name='阿杰' subscription='from'", groups: ["Work"])
        + item("conference.example.test") + item("dave@other.test", "ask='subscribe'"),
      version: "ver7")
    scenario.receives(from: "bob@example.test/desk", "<priority>-5</priority><show>xa</show>")
    scenario.receives(
      from: "bob@example.test/pda", "<status>lunch</status><show>?</show>", at: 1_763_600_001_000)
    scenario.receives(
      from: "bobby@example.test",
      "<delay xmlns='urn:xmpp:delay' stamp='2026-11-20T10:00:00Z'/><status>lunch</status>")
    scenario.receives(from: "alice@example.test/tablet")
    scenario.receives("subscribe", from: "carol@example.test", "<status>Please</status>")
    scenario.receives("subscribe", from: "erin@example.test")
    scenario.receives("unsubscribe", from: "erin@example.test")
    scenario.sends("subscribe", to: "frank@example.test")
    scenario.receives("unsubscribe", from: "bobby@example.test")
    scenario.sets(item("bob@example.test", "name='Rob'", groups: ["Work"]), id: "edit")
    scenario.pushed(
      item("bob@example.test", "name='Rob' subscription='both'", groups: ["Work"]), version: "v8")
    scenario.receivesEmptyResult(id: "edit")
    scenario.sets(item("bobby@example.test", "subscription='remove'"), id: "removal")
    scenario.sent("<iq type='get' id='q' to='bob@example.test'><vCard xmlns='vcard-temp'/></iq>")
    scenario.received(
      "<iq type='result' id='q' from='bob@example.test'><vCard xmlns='vcard-temp'>"
        + "<FN>Bob B.</FN></vCard></iq>")
    scenario.received(
      "<message from='carol@example.test'><event xmlns='http://jabber.org/protocol/pubsub#event'>"
        + "<items node='http://jabber.org/protocol/nick'><item>"
        + "<nick xmlns='http://jabber.org/protocol/nick'>C</nick></item></items></event></message>")
    scenario.received(
      "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'><item jid='evil.test'/>"
        + "<item jid='evil.test/x'/></block></iq>")
    scenario.on(3) {
      $0.opened("alice@example.test/pad")
      $0.gets(id: "pad")
      $0.received(
        "<iq type='error' id='pad'><error type='auth'><forbidden "
          + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    }
    scenario.on(4) {
      $0.opened("alice@example.test/desk")
      $0.ended(.outbound)
      $0.ended(.inbound)
      $0.receives(from: "bob@example.test/desk")
    }
    scenario.gets(id: "open", version: "ver7")
    scenario.received("<enabled xmlns='urn:xmpp:sm:3' id='sm' resume='true'/>")
    scenario.lost()
    scenario.received("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='sm'/>")
    scenario.sends("unsubscribed", to: "grace@example.test")
    scenario.annotated(.starred(bare("bob@example.test"), true))
    scenario.annotated(.reading(bare("bobby@example.test"), "jie"))
    scenario.annotated(.note(bare("nobody@example.test"), "from the chess club"))
    scenario.annotated(.requestsSeen([bare("carol@example.test")]))
    scenario.reachedServer("example.test")
    return scenario
  }

  @Test("A state with content in each part can be read back unchanged")
  func fullState() throws {
    let roster = Self.full().roster
    // The content that the test is about exists.
    #expect(!roster.shownPresences.isEmpty && !roster.ownPresence.isEmpty)
    #expect(!roster.incoming.isEmpty && !roster.outgoing.isEmpty && !roster.ended.isEmpty)
    #expect(!roster.blocked.isEmpty && roster.ownNames.count == 2)
    let session = try #require(roster.sessions.all.first)
    #expect(!session.openQueries.isEmpty && !session.pendingEdits.isEmpty)
    #expect(!session.unacknowledged.isEmpty && session.features.versioning)
    #expect(session.resumed != nil && session.refusals.count == 1)
    #expect(session.server == bare("example.test") && roster.hasVerifiedStream)
    let known = roster.contacts.numbers.compactMap { roster.contacts.contact($0) }
    #expect(known.contains { !$0.expected.isEmpty } && known.contains { $0.confirmedEdit != nil })
    #expect(Array(roster.knownVersions) == ["ver7", "v8"] && roster.nextTimeout != .max)
    #expect(roster.annotations.count == 3 && roster.unseenRequests.isEmpty)
    let entry = try #require(roster.entries[bare("bob@example.test")])
    #expect(entry.provenance.name != entry.provenance.item)

    let read = try decode(roster.snapshot)
    #expect(read == roster)
    #expect(read.snapshot == roster.snapshot)
    #expect(read.canonicalBytes == roster.canonicalBytes)
  }

  @Test("Every state of a random history can be read back unchanged", arguments: 0..<UInt64(6))
  func fuzzed(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    var encodings: Set<[UInt8]> = []
    for step in 0..<500 {
      fuzzer.step(&scenario)
      let bytes = scenario.roster.snapshot
      let read = try decode(bytes)
      guard read == scenario.roster, read.canonicalBytes == scenario.roster.canonicalBytes else {
        Issue.record("seed \(seed), step \(step): \(scenario.roster) was read as \(read)")
        return
      }
      encodings.insert(bytes)
    }
    // Each event changes at least the position.
    #expect(encodings.count >= scenario.history.count, "seed \(seed)")
  }

  @Test(
    "A stored state and the events after it give the same result as all events",
    arguments: 10..<UInt64(16))
  func tail(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<600 { fuzzer.step(&scenario) }
    let history = scenario.history
    var full = Roster()
    var kept: [(after: Int, bytes: [UInt8])] = []
    var outcomes: [RosterOutcome] = []
    for (index, (event, stamp, connection)) in history.enumerated() {
      outcomes.append(RosterReducer.reduce(&full, event, at: stamp, on: connection))
      if index % 37 == 0 { kept.append((index, full.snapshot)) }
    }
    for (after, bytes) in kept {
      var roster = try decode(bytes)
      for (index, (event, stamp, connection)) in history.enumerated().dropFirst(after + 1) {
        let outcome = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
        #expect(outcome == outcomes[index], "seed \(seed), kept after \(after), event \(index)")
      }
      #expect(roster == full, "seed \(seed), kept after \(after)")
      #expect(roster.canonicalBytes == full.canonicalBytes, "seed \(seed), kept after \(after)")
    }
  }

  @Test(
    "The canonical bytes of equal states do not depend on their history",
    arguments: 20..<UInt64(30))
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let items = (0..<60).map { number in
      item(
        "user\(number)@host\(number % 3).test", "name='N\(number % 7)' subscription='to'",
        groups: ["G\(number % 4)", "H"])
    }
    let blocked = (0..<20).map { "<item jid='b\($0).test'/>" }
    func roster(_ random: inout SeededGenerator) -> Roster {
      var scenario = Scenario.alice(items.shuffled(using: &random).joined())
      scenario.received(
        "<iq type='set' id='b'><block xmlns='urn:xmpp:blocking'>"
          + blocked.shuffled(using: &random).joined() + "</block></iq>")
      return scenario.roster
    }
    let (one, other) = (roster(&random), roster(&random))
    #expect(one == other, "seed \(seed)")
    #expect(one.canonicalBytes == other.canonicalBytes, "seed \(seed)")
  }

  @Test("Addresses of any shape can be read back unchanged")
  func addresses() throws {
    let long = String(repeating: "l", count: 100)
    let domains = ["x.test", "\(long).test", "\(long).\(long).test", "münchen.test", "[::1]"]
    let locals = ["", "a", "ab", "abc", "b", "é", "éa", "\(long)", "\(long)a", "\(long)b"]
    var scenario = Scenario.alice()
    for local in locals {
      for domain in domains {
        scenario.pushed(item(local.isEmpty ? domain : "\(local)@\(domain)"))
      }
    }
    #expect(scenario.roster.entries.count == 50)
    let read = try decode(scenario.roster.snapshot)
    #expect(read == scenario.roster)
  }

  @Test("Texts keep their bytes, whatever normal form they are in")
  func normalForms() throws {
    let composed = "Am\u{E9}lie"
    let decomposed = "Ame\u{301}lie"
    var scenario = Scenario.alice(
      item("a@x.test", "name='\(composed)'", groups: [decomposed])
        + item("b@x.test", "name='\(decomposed)'", groups: [composed]))
    scenario.receives(from: "a@x.test/\(composed)", "<status>\(decomposed)</status>")
    scenario.receives(from: "b@x.test/\(decomposed)", "<status>\(composed)</status>")
    let read = try decode(scenario.roster.snapshot)
    func texts(_ roster: Roster, _ jid: String) throws -> [[UInt8]] {
      let entry = try #require(roster.entries[bare(jid)])
      let best = try #require(roster.presence(of: bare(jid)).best)
      return [
        entry.item.name, entry.item.groups.first, best.resource, best.presence.availability.status,
      ]
      .map { Array(($0 ?? "").utf8) }
    }
    let (a, b) = (Array(composed.utf8), Array(decomposed.utf8))
    #expect(try texts(read, "a@x.test") == [a, b, a, b])
    #expect(try texts(read, "b@x.test") == [b, a, b, a])
  }

  /// A copy of the state with all details decoded and moved into slots.
  private func touched(_ roster: Roster) -> Roster {
    var copy = roster
    for number in roster.contacts.numbers where roster.contacts.hasDetails(number) {
      copy.contacts.updateDetails(of: number) { _ in }
    }
    return copy
  }

  @Test("Details that were never decoded equal decoded ones")
  func unread() throws {
    var unread = 0
    for seed in 50..<UInt64(56) {
      var fuzzer = StanzaFuzzer(seed: seed)
      var scenario = Scenario()
      for step in 0..<300 {
        fuzzer.step(&scenario)
        guard step.isMultiple(of: 20) else { continue }
        let read = try decode(scenario.roster.snapshot)
        unread += stored(read.contacts)
        compare(read, with: touched(read), "seed \(seed), step \(step)")
      }
    }
    #expect(unread > 20, "hardly anything was left as it was stored")
  }

  @Test("A state that continues with the details of its snapshots stays equal")
  func takenSnapshot() throws {
    var taken = 0
    for seed in 60..<UInt64(64) {
      var fuzzer = StanzaFuzzer(seed: seed)
      var scenario = Scenario()
      for _ in 0..<300 { fuzzer.step(&scenario) }
      var roster = Roster()
      for (step, (event, stamp, connection)) in scenario.history.enumerated() {
        _ = RosterReducer.reduce(&roster, event, at: stamp, on: connection)
        guard step.isMultiple(of: 20) else { continue }
        let note: Comment = "seed \(seed), step \(step)"
        let before = roster
        let bytes = roster.takeSnapshot()
        #expect(bytes == before.snapshot && bytes == roster.snapshot, note)
        let details = roster.contacts.numbers.count { roster.contacts.hasDetails($0) }
        #expect(stored(roster.contacts) == details, note)
        taken += details
        let read = try decode(bytes)
        #expect(read == before && roster == before, note)
        compare(roster, with: touched(read), note)
      }
      #expect(roster == scenario.roster, "seed \(seed)")
    }
    #expect(taken > 20, "hardly anybody had details")
  }

  @Test("No snapshot contains much unused data")
  func unused() throws {
    var scenario = Scenario()
    scenario.receives(from: "bob@example.test/desk", "<status>here</status>")
    var roster = scenario.roster
    let short = roster.snapshot
    for number in 0..<200 { _ = roster.contacts.insert("unused \(number)") }
    #expect(roster.contacts.counts.texts > 200)
    #expect(roster.snapshot == short, "what nobody says was written")
    #expect(roster.contacts.counts.texts > 200, "to write it changed it")
    #expect(roster.takeSnapshot() == short)
    #expect(roster.contacts.counts.texts == scenario.roster.contacts.counts.texts)
    #expect(roster == scenario.roster)
    // A small unused part stays, including contacts without state.
    let bob = roster.contacts.insert(bare("bob@example.test"))
    var presence = try #require(roster.contacts.presence(of: bob))
    presence.status = roster.contacts.insert(String(repeating: "long", count: 500))
    roster.contacts.setPresence(presence, of: bob)
    _ = roster.contacts.insert("little")
    _ = roster.contacts.insert(bare("dave@example.test"))
    let read = try decode(roster.takeSnapshot())
    #expect(read.contacts.number(of: "little") != nil)
    #expect(read.contacts.counts.contacts == scenario.roster.contacts.counts.contacts + 1)
    #expect(read == roster && read.canonicalBytes == roster.canonicalBytes)
  }

  /// The number of contacts whose details are stored in a snapshot.
  private func stored(_ table: ContactTable) -> Int {
    table.numbers.count { table.row(of: $0).details.isStored }
  }

  private func compare(_ read: Roster, with other: Roster, _ note: Comment) {
    let (table, places) = (read.contacts, other.contacts)
    #expect(stored(places) == 0, note)
    #expect(other == read && read == other, note)
    #expect(other.snapshot == read.snapshot, note)
    #expect(other.canonicalBytes == read.canonicalBytes, note)
    #expect(table.requestCount == places.requestCount, note)
    for part in ContactParts.indexed {
      #expect(table.members(part) == places.members(part), note)
    }
    // Each part by itself gives the same result as all of them together.
    for number in table.numbers {
      let contact = places.contact(number)
      #expect(table.request(of: number) == contact?.request, note)
      #expect(table.lastEnded(of: number) == contact?.lastEnded, note)
      let isUntaken = contact?.lastEnded != nil && contact?.endIsConfirmedByRoster == false
      #expect(table.hasUnconfirmedEnd(of: number) == isUntaken, note)
      #expect(table.outgoing(of: number) == contact?.outgoing, note)
      #expect(table.names(of: number) == contact?.names, note)
      #expect(table.expected(of: number) == contact?.expected ?? .init(), note)
      #expect(table.deliveries(of: number) == contact?.deliveries ?? [], note)
      #expect(table.confirmedEdit(of: number) == contact?.confirmedEdit, note)
    }
  }

  // MARK: Damage

  /// Reads, compares and stores every part of a state, which need not make sense.
  private func use(_ read: Roster) {
    _ = touched(read).snapshot
    _ = try? decode(read.canonicalBytes)
    _ = read == touched(read)
    _ = Roster().differences(to: read)
  }

  @Test("A truncated encoding is an error, and so are bytes after it")
  func truncated() {
    let bytes = Self.full().roster.snapshot
    for count in bytes.indices {
      #expect(throws: CodecError.self) { try decode(Array(bytes[..<count])) }
    }
    #expect(throws: CodecError.excess(offset: bytes.count)) { try decode(bytes + [0]) }
  }

  @Test("A changed byte gives an error or another state, which can be used")
  func damaged() {
    var bytes = Self.full().roster.snapshot
    var others = 0
    for place in bytes.indices {
      let kept = bytes[place]
      for mask: UInt8 in [1, 2, 4, 8, 16, 32, 64, 128, 0x7F, 0xFF] {
        bytes[place] = kept ^ mask
        guard let read = try? decode(bytes) else { continue }
        others += 1
        use(read)
      }
      bytes[place] = kept
    }
    #expect(others > 0)
  }

  @Test("Damage in several places is never a trap", arguments: 40..<UInt64(50))
  func shuffled(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var fuzzer = StanzaFuzzer(seed: seed)
    var scenario = Scenario()
    for _ in 0..<100 { fuzzer.step(&scenario) }
    let whole = scenario.roster.snapshot
    for _ in 0..<400 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: bytes.remove(at: place)
        }
      }
      if let read = try? decode(bytes) { use(read) }
    }
  }

  /// U+2000 and U+2001 are canonically equivalent to U+2002 and U+2003.
  @Test("A text in two normal forms is two texts, and read back as two")
  func equivalentTexts() throws {
    var roster = Roster()
    let texts = ["\u{2000}", "\u{2002}"]
    for (index, text) in texts.enumerated() {
      let jid = BareJID(prepared: "\(index)@x.test")
      let item = RosterItem(jid: jid, name: text, groups: texts)
      let push = RosterSet(
        id: nil, peer: nil, query: RosterQuery(items: [.init(change: .set(item))]))
      _ = RosterReducer.reduce(
        &roster, .stanza(.pushReceived(push)), at: RecordStamp(record: UInt64(2 * index + 1)))
      let from = JID(prepared: bare("0@x.test"), resource: text)
      _ = RosterReducer.reduce(
        &roster, .stanza(.availableReceived(from: from, Availability(status: text))),
        at: RecordStamp(record: UInt64(2 * index + 2)))
    }
    let read = try decode(roster.snapshot)
    #expect(read == roster)
    let names = read.sortedItems.map { Array(($0.name ?? "").utf8) }
    #expect(names == texts.map { Array($0.utf8) })
    #expect(read.sortedItems.allSatisfy { $0.groups.map { Array($0.utf8) } == names })
    #expect(read.presence(of: bare("0@x.test")).resources.keys.map { Array($0.utf8) } == names)
  }

  @Test("A count without that many bytes reserves no memory")
  func hugeCounts() {
    let bytes = Self.full().roster.snapshot
    let huge: [UInt8] = Array(repeating: 0xFF, count: 8) + [0x7F]
    for place in bytes.indices {
      // Any number that begins here becomes 2^63 - 1.
      #expect(throws: CodecError.self) {
        try decode(Array(bytes[..<place]) + huge)
      }
    }
  }

  @Test("Another version's encoding is refused")
  func version() {
    var bytes = Roster().snapshot
    #expect(bytes.first == UInt8(Roster.codecVersion))
    bytes[0] += 1
    #expect(throws: CodecError.self) { try decode(bytes) }
  }
}
