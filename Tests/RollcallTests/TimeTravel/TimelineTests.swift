import Captures
import EventStore
import Foundation
import TestSupport
import Testing
import XMPPStanza

@testable import Rollcall

@Suite("Timelines of long logs, and of logs of other versions") struct TimelineTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("alice.rollcall") }

  init() throws { folder = try TemporaryFolder() }

  /// A log of many records, every third of which concerns bob.
  private func record(_ count: Int) throws {
    let log = try EventLog.create(at: path, eventVersion: RecordReader.version)
    let reader = RecordReader()
    let drafts = (0..<count).map { number in
      let name = number.isMultiple(of: 3) ? "bob" : "carol"
      let xml = Array("<presence from='\(name)@example.test/\(number)'/>".utf8)
      return RecordDraft(
        time: Int64(number), direction: .inbound, kind: .element, bytes: xml,
        decoded: reader.decode(.element, .inbound, xml))
    }
    try log.append(drafts)
  }

  private func open(version: UInt32 = RecordReader.version) throws -> EventLog {
    try EventLog.open(at: path, access: .readWrite, eventVersion: version)
  }

  @Test(
    "A replay in many slices misses no record and repeats none",
    arguments: [4095, 4096, 9000])
  func slices(_ count: Int) throws {
    try record(count)
    var seen: [UInt64] = []
    let state = try Timeline(open()).replay(upTo: .head(minus: 1)) { moment, _ in
      seen.append(moment.stamp.record)
    }
    #expect(seen == Array(1...UInt64(count - 1)))
    #expect(state.roster.position == UInt64(count - 1))
    #expect(state.time == Int64(count - 2))
  }

  @Test("The log can be written while a replay passes on its results")
  func noTransactionIsHeld() throws {
    try record(10)
    let log = try open()
    var appended: UInt64 = 10
    try Timeline(log).replay(upTo: .head(minus: 0)) { _, _ in
      appended = try log.append([
        RecordDraft(
          time: nil, direction: .none, kind: .lifecycle, bytes: Lifecycle.closed(reason: nil).bytes,
          decoded: RecordReader().decode(.lifecycle, .none, Lifecycle.closed(reason: nil).bytes))
      ]).lowerBound
    }
    #expect(appended == 20)
  }

  @Test("A contact's records are found with the index and without a complete one")
  func concerning() throws {
    try record(5000)
    let bob = try BareJID(parsing: "bob@example.test")
    let expected = Set((10...UInt64(4990)).filter { ($0 - 1).isMultiple(of: 3) })
    #expect(try Timeline(open()).records(concerning: bob, in: 10...4990) == expected)
    // Another version of the program leaves an index that must not be read.
    try open(version: RecordReader.version + 1)
      .rebuildDerived { _, _ in DerivedParts(event: nil, contacts: []) }
    #expect(try Timeline(open()).records(concerning: bob, in: 10...4990) == expected)
  }

  @Test("Events that another version rebuilds between two slices are not read")
  func rebuiltBetweenSlices() throws {
    try record(30)
    let timeline = Timeline(try open())
    let bob = try BareJID(parsing: "bob@example.test")
    let candidates = try timeline.log.read { try $0.sequences(concerning: bob.text, in: 1...30) }
    #expect(candidates.count == 10)
    let (first, second) = (candidates.prefix(5), candidates.dropFirst(5))
    #expect(try timeline.records(of: bob.text, among: first) == Set(first))
    // This version would read its events as presence of another contact.
    let reader = RecordReader()
    let foreign = reader.decode(.element, .inbound, Array("<presence from='d@a.test/x'/>".utf8))
    try open(version: RecordReader.version + 1).rebuildDerived { _, _ in foreign }
    #expect(try timeline.records(of: bob.text, among: second) == Set(second))
  }
}
