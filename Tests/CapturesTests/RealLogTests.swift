import Captures
import Foundation
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Logs of one scenario by every program, each with its server's roster")
struct RealLogTests {
  @Test("There are logs, and each has a roster")
  func logsExist() {
    #expect(Fixture.logs.count > 10)
    #expect(Fixture.logs.allSatisfy { $0.name == "prosody-heads" || !$0.expected.isEmpty })
  }

  /// The logs with both sent and received elements.
  static let whole = Fixture.logs.filter { !partial.contains($0.name) }
  /// The logs that lack something, which have their own tests.
  static let partial = [
    "prosody-heads", "raw-stream/in.xml", "raw-stream/out.xml", "wireshark/follow.ascii.txt",
  ]

  @Test(
    "A log gives its server's roster",
    arguments: whole)
  func givesTheServersRoster(_ fixture: Fixture) throws {
    let reading = try reading(of: fixture)
    #expect(reading.error == nil)
    for expected in fixture.expected {
      let roster = try roster(of: expected.account, in: reading.records)
      #expect(roster.account?.text == expected.account)
      #expect(roster.completeness == .complete)
      expect(roster, toBe: expected, deniedElsewhere: fixture.deniedElsewhere)
    }
  }

  /// A contact sent a message whose lines look like records of this log.
  @Test(
    "A message whose lines look like records of the log gives no records",
    arguments: Fixture.logs)
  func aForgedRecordIsNotBelieved(_ fixture: Fixture) throws {
    let reading = try reading(of: fixture)
    let forged = reading.records.count { record in
      guard case .element(_, let node, _) = record.content,
        let query = node.child("query", in: Namespace.roster)
      else { return false }
      return query.children.contains { $0.attribute("jid")?.contains("evil") == true }
    }
    #expect(forged == 0)
  }

  @Test(
    "A log has no problems apart from echoes",
    arguments: whole)
  func hasNoProblems(_ fixture: Fixture) throws {
    let problems = try reading(of: fixture).problems
      .filter { !$0.message.contains("it is an echo of it") }
    guard fixture.name != "finch-two-accounts" else { return }
    #expect(problems.isEmpty)
  }

  /// Finch names no account for received elements: headers and challenges of two accounts that log
  /// in at once cannot be told apart.
  @Test("Finch's elements of unknown accounts are counted")
  func elementsOfUnknownAccountsAreCounted() throws {
    let fixture = try #require(Fixture.logs.first { $0.name == "finch-two-accounts" })
    let problems = try reading(of: fixture).problems
    #expect(problems.map(\.line) == [182])
    #expect(problems.first?.message.contains("no roster depends on them") == true)
  }

  /// The passwords of these accounts all have the same beginning.
  @Test(
    "No password is read",
    arguments: whole)
  func noPasswordComesOut(_ fixture: Fixture) throws {
    let elements = try reading(of: fixture).elements.joined(separator: "\n")
    #expect(!elements.contains("geheim"))
    for word in elements.matches(of: /[A-Za-z0-9+\/]{16,}={0,2}/) {
      let data = Data(base64Encoded: String(word.output)) ?? Data()
      #expect(data.range(of: Data("geheim".utf8)) == nil)
    }
  }

  /// A file whose line ends were converted.
  @Test(
    "Other line ends change nothing",
    arguments: whole)
  func otherLineEndsChangeNothing(_ fixture: Fixture) throws {
    // The bytes of a stream itself are not converted.
    guard fixture.format != "raw-stream", fixture.format != "psi", fixture.format != "wireshark"
    else { return }
    var bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
    for byte in fixture.bytes {
      if byte == UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\r")) }
      bytes.append(byte)
    }
    let format = try detected(fixture)
    #expect(CaptureFormat.detect(Array(bytes.prefix(64 << 10)))?.id == format)
    let isSame = try read(bytes, format).records == read(fixture.bytes, format).records
    #expect(isSame)
  }

  @Test(
    "A log that was cut off gives the records before",
    arguments: whole)
  func aCutOffLogGivesTheRecordsBefore(_ fixture: Fixture) throws {
    let format = try detected(fixture)
    let all = try reading(of: fixture).elements
    for eighth in 1..<8 {
      let end = fixture.bytes.count * eighth / 8
      let elements = try read(Array(fixture.bytes[..<end]), format).elements
      // The last element may be one whose chunk had not ended.
      #expect(all.starts(with: elements.dropLast(2)), "\(eighth)")
      #expect(elements.count <= all.count)
    }
  }

  /// Every log has a long chat, which is split into chunks inside characters.
  @Test(
    "A chat in chunks that split characters is complete",
    arguments: whole)
  func theLongChatIsComplete(_ fixture: Fixture) throws {
    let sent = String(decoding: fixture.bytes, as: UTF8.self).contains("'m-long'")
    guard sent else { return }
    let reading = try reading(of: fixture)
    let chats = reading.elements.filter { $0.contains("m-long") && $0.contains("<message") }
    #expect(!chats.isEmpty)
    #expect(chats.allSatisfy { !$0.contains("\u{FFFD}") })
  }

  @Test(
    "A log is detected by its beginning",
    arguments: Fixture.logs)
  func isDetectedFromItsBeginning(_ fixture: Fixture) {
    let format = Self.format(of: fixture)
    #expect(CaptureFormat.detect(Array(fixture.bytes.prefix(64 << 10)))?.id == format)
    // The server's lines before the first client are the same with either module and none.
    guard !["prosody-raw", "prosody-heads"].contains(format) else { return }
    #expect(CaptureFormat.detect(Array(fixture.bytes.prefix(4000)))?.id == format)
  }

  /// Formats that the log's notes distinguish but one reader reads.
  private static func format(of fixture: Fixture) -> String {
    switch fixture.name {
    case "wireshark/follow.bin", "psi-plus-console": "raw-stream"
    default: fixture.format
    }
  }

  /// The format of each log, detected once for all tests.
  private static let detected = Dictionary(
    uniqueKeysWithValues: Fixture.logs.compactMap { fixture in
      CaptureFormat.detect(Array(fixture.bytes.prefix(64 << 10))).map { (fixture.name, $0.id) }
    })

  private func detected(_ fixture: Fixture) throws -> String {
    try #require(Self.detected[fixture.name])
  }

  /// What each log gives, read once for all tests.
  private static let readings = Result {
    try Dictionary(
      uniqueKeysWithValues: detected.map { name, format in
        let fixture = try #require(Fixture.logs.first { $0.name == name })
        return (name, try read(fixture.bytes, format))
      })
  }

  private func reading(of fixture: Fixture) throws -> Reading {
    try #require(Self.readings.get()[fixture.name])
  }

  @Test(
    "The records do not depend on how a log is split",
    arguments: Fixture.logs)
  func anySplitGivesTheSame(_ fixture: Fixture) throws {
    let format = try detected(fixture)
    let whole = try reading(of: fixture)
    for seed in UInt64(0)..<4 {
      var generator = SeededGenerator(seed: seed)
      let pieces = (0..<50).map { _ in Int.random(in: 1...3000, using: &generator) }
      let isSame = try read(fixture.bytes, format, pieces: pieces) == whole
      #expect(isSame, "seed \(seed)")
    }
  }

  @Test("The server's side alone gives a roster")
  func theServersSideAloneGivesARoster() throws {
    let fixture = try #require(Fixture.logs.first { $0.name == "raw-stream/in.xml" })
    let reading = try read(fixture.bytes, "raw-stream")
    #expect(reading.problems.isEmpty)
    #expect(reading.records.first?.content == .lifecycle(.header(account: nil, inboundOnly: true)))
    #expect(reading.elements.allSatisfy { $0.hasPrefix("<") })
    let expected = try #require(fixture.expected.first)
    let roster = try roster(of: expected.account, in: reading.records)
    #expect(roster.sortedItems.map(\.jid.text) == expected.items.map(\.jid))
  }

  @Test("The client's side alone gets a note on what is missing")
  func theClientsSideAloneIsReported() throws {
    let fixture = try #require(Fixture.logs.first { $0.name == "raw-stream/out.xml" })
    let reading = try read(fixture.bytes, "raw-stream")
    #expect(reading.elements.count > 10)
    #expect(reading.elements.allSatisfy { $0.hasPrefix(">") })
    #expect(reading.problems.count == 1)
    #expect(reading.problems.first?.message.contains("what the server sent") == true)
  }

  @Test("A stream that was saved as ASCII is refused with a reason")
  func asciiLosesCharacters() throws {
    let fixture = try #require(Fixture.logs.first { $0.name == "wireshark/follow.ascii.txt" })
    let reading = try read(fixture.bytes, "wireshark")
    #expect(reading.records.isEmpty)
    #expect(reading.problems.first?.message.contains("ASCII") == true)
  }
}
