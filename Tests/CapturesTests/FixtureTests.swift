import Captures
import Foundation
import TestSupport
import Testing
import XMPPStanza

@Suite("Logs of real programs")
struct FixtureTests {
  /// The counts are from grep and, for the recorded bytes, from Python's XML parser.
  struct Counts: Equatable, Sendable {
    var elements: Int
    var headers: Int
    var ends: Int
    var closed: Int
  }

  static let counts: [String: Counts] = [
    "slixmpp-add-accept": Counts(elements: 30, headers: 4, ends: 1, closed: 1),
    "slixmpp-delete": Counts(elements: 18, headers: 4, ends: 1, closed: 1),
    "slixmpp-fetch-60": Counts(elements: 12, headers: 4, ends: 1, closed: 1),
    "slixmpp-forged-push": Counts(elements: 14, headers: 4, ends: 1, closed: 1),
    "slixmpp-rename-undone": Counts(elements: 26, headers: 8, ends: 2, closed: 2),
    "slixmpp-request-stays": Counts(elements: 39, headers: 12, ends: 3, closed: 3),
    "slixmpp-returned": Counts(elements: 32, headers: 4, ends: 1, closed: 1),
    "slixmpp-two-devices": Counts(elements: 25, headers: 4, ends: 1, closed: 1),
    "slixmpp-two-devices/laptop.log": Counts(elements: 23, headers: 8, ends: 2, closed: 2),
    "slixmpp-second-resource": Counts(elements: 27, headers: 4, ends: 1, closed: 1),
    "slixmpp-versioned": Counts(elements: 20, headers: 8, ends: 1, closed: 2),
    "slixmpp-versioned-unchanged": Counts(elements: 24, headers: 8, ends: 1, closed: 2),
    "profanity-add-reject": Counts(elements: 61, headers: 4, ends: 2, closed: 1),
    "profanity-chat-noise": Counts(elements: 73, headers: 4, ends: 2, closed: 1),
    "profanity-rename-move": Counts(elements: 100, headers: 4, ends: 2, closed: 1),
    "prosody-crossing": Counts(elements: 66, headers: 0, ends: 4, closed: 2),
    "raw-add-offline": Counts(elements: 29, headers: 4, ends: 2, closed: 0),
    "raw-fetch-0-register": Counts(elements: 26, headers: 4, ends: 2, closed: 0),
    "raw-pending-both": Counts(elements: 27, headers: 4, ends: 2, closed: 0),
    "raw-presence-first": Counts(elements: 17, headers: 4, ends: 2, closed: 0),
  ]

  @Test("Each capture has a count")
  func allAreThere() {
    #expect(Fixture.all.map(\.name) == Self.counts.keys.sorted())
  }

  @Test(
    "A capture is detected by its beginning",
    arguments: Fixture.all)
  func isDetected(_ fixture: Fixture) {
    #expect(CaptureFormat.detect(fixture.bytes)?.id == fixture.format)
    #expect(CaptureFormat.detect(Array(fixture.bytes.prefix(2000)))?.id == fixture.format)
  }

  @Test(
    "A capture is read completely, without problems",
    arguments: Fixture.all)
  func isReadCompletely(_ fixture: Fixture) throws {
    let reading = try fixture.reading()
    let counts = Counts(
      elements: reading.elements.count,
      headers: reading.count { if case .streamHeader = $0 { true } else { false } },
      ends: reading.count { if case .streamEnd = $0 { true } else { false } },
      closed: reading.count { if case .lifecycle(.closed) = $0 { true } else { false } })
    #expect(counts == Self.counts[fixture.name])
    #expect(reading.problems.isEmpty)
    #expect(reading.error == nil)
  }

  @Test(
    "The records do not depend on how a capture is split",
    arguments: Fixture.all)
  func anySplitGivesTheSame(_ fixture: Fixture) throws {
    let whole = try fixture.reading()
    #expect(try fixture.reading(pieces: [1]) == whole)
    for seed in UInt64(0)..<10 {
      var generator = SeededGenerator(seed: seed)
      let pieces = (0..<50).map { _ in Int.random(in: 1...3000, using: &generator) }
      let isSame = try fixture.reading(pieces: pieces) == whole
      #expect(isSame, "seed \(seed)")
    }
  }

  @Test(
    "Other line ends and a byte order mark change nothing",
    arguments: Fixture.all)
  func otherLineEndsAndAByteOrderMarkChangeNothing(_ fixture: Fixture) throws {
    var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    for byte in fixture.bytes {
      if byte == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\r")) }
      bytes.append(byte)
    }
    #expect(CaptureFormat.detect(bytes)?.id == fixture.format)
    let isSame = try read(bytes, fixture.format) == fixture.reading()
    #expect(isSame)
  }

  @Test(
    "The account of a capture is found",
    arguments: Fixture.all)
  func theAccountIsFound(_ fixture: Fixture) throws {
    var filter = AccountFilter(account: nil)
    for record in try fixture.reading().records { filter.take(record) { _ in } }
    filter.finish { _ in }
    let accounts = filter.accounts.map(\.text)
    #expect(accounts.contains(fixture.account))
    #expect(accounts.count == (fixture.format == "prosody-debug" ? 2 : 1))
    #expect(filter.unattributed == 0)
  }

  @Test("Records of slixmpp have their times and their texts")
  func slixmppRecords() throws {
    let reading = try Fixture.named("slixmpp-fetch-60").reading()
    let first = try #require(reading.records.first)
    guard case .streamHeader(.outbound, let header, _) = first.content else {
      Issue.record("\(first)")
      return
    }
    #expect(header.attribute("to") == "example.test")
    // 2026-11-21 07:13:37 UTC.
    let second: Int64 = 1_795_245_217_000
    let times = reading.records.compactMap(\.time)
    #expect(times.count == reading.records.count)
    #expect(times.allSatisfy { (second..<(second + 60_000)).contains($0) })
    let roster = reading.elements.first { $0.contains("jabber:iq:roster") && $0.hasPrefix("<") }
    #expect(roster?.components(separatedBy: "<item ").count == 61)
  }

  @Test("A prefix that slixmpp writes twice is read once")
  func slixmppDoubledPrefixes() throws {
    let reading = try Fixture.named("slixmpp-second-resource").reading()
    let features = reading.count { content in
      guard case .element(.inbound, let node, _) = content else { return false }
      return node.is("features", in: Namespace.streams)
    }
    #expect(features == 2)
    #expect(!reading.elements.contains { $0.contains("stream:stream:") })
  }

  @Test("Records of profanity have their times and their texts")
  func profanityRecords() throws {
    let reading = try Fixture.named("profanity-chat-noise").reading()
    // 2026-11-21T07:14:29.920226Z
    #expect(reading.records.first?.time == 1_795_245_269_920)
    let bodies = reading.records.compactMap { record -> XMPPElement? in
      guard case .element(.inbound, let node, _) = record.content else { return nil }
      return node.child("body", in: Namespace.client)
    }
    #expect(bodies.count == 5)
    #expect(bodies.last?.text.components(separatedBy: "\n").count == 4)
    #expect(bodies.last?.text.contains("RECV: <iq type='set' id='evil2'>") == true)
    #expect(!reading.elements.contains { $0.hasPrefix("< <iq type='set' id='evil") })
    let status = reading.elements.first { $0.contains("<status>多行\n状态</status>") }
    #expect(status != nil)
  }

  @Test("Records of Prosody are told apart by session, and dated by a year")
  func prosodyRecords() throws {
    let reading = try Fixture.named("prosody-crossing").reading()
    #expect(Set(reading.records.map(\.connection)).count == 3)
    #expect(reading.records.allSatisfy { $0.time == nil })
    let dated = try read(
      Fixture.named("prosody-crossing").bytes, "prosody-debug",
      options: ReaderOptions(year: 2026))
    // Nov 21 07:14:48
    #expect(dated.records.first?.time == 1_795_245_288_000)
    let bind = try #require(reading.elements.first { $0.contains("<resource>pc</resource>") })
    #expect(bind.hasPrefix("> "))
    #expect(reading.elements.contains { $0.hasPrefix("< ") && $0.contains("<jid>lilei17@") })
  }

  @Test("Only the chosen account's sessions of Prosody pass")
  func prosodyAccounts() throws {
    let records = try Fixture.named("prosody-crossing").reading().records
    for (account, connections) in [("lilei17@example.test", 1), ("xiaomei17@example.test", 2)] {
      var filter = AccountFilter(account: try BareJID(parsing: account))
      var passed: [CapturedRecord] = []
      for record in records { filter.take(record) { passed.append($0) } }
      filter.finish { passed.append($0) }
      #expect(Set(passed.map(\.connection)).count == connections)
      let expected = records.filter { Set(passed.map(\.connection)).contains($0.connection) }
      #expect(passed == expected)
    }
  }

  @Test("Recorded bytes have their times and their connections")
  func rawRecords() throws {
    let reading = try Fixture.named("raw-fetch-0-register").reading()
    // 1795245296.502078 s
    #expect(reading.records.first?.time == 1_795_245_296_502)
    #expect(reading.records.first?.connection == "1")
    let last = reading.records.suffix(2).map(\.content)
    guard case .element(.inbound, let node, _) = try #require(last.first) else {
      Issue.record("\(last)")
      return
    }
    #expect(node.attribute("type") == "unavailable")
    #expect(last.last == .streamEnd(.inbound))
  }
}
