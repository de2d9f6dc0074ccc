import Captures
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A session of several devices, and the state of their server.
struct DeviceCase: Sendable, CustomTestStringConvertible {
  struct Expected: Decodable {
    struct Item: Decodable, Equatable {
      let jid: String
      let name: String?
      let subscription: String
      let ask: String?
      let groups: [String]
    }

    struct Moment: Decodable {
      let name: String
      let time: Int64
      let open: [String]
    }

    let items: [Item]
    let moments: [Moment]
  }

  let name: String
  let file: String

  var testDescription: String { "\(name)/\(file)" }

  static let folder = CaptureCase.fixtures.appending(path: "devices")
  static let names = ["prosody-three", "prosody-crossed", "ejabberd-three", "ejabberd-crossed"]
  static let all = names.flatMap { name in
    ["server.log", "merged.jsonl"].map { DeviceCase(name: name, file: $0) }
  }

  func expected() throws -> Expected {
    try JSONDecoder().decode(
      Expected.self,
      from: Data(contentsOf: Self.folder.appending(path: "\(name)/expected.json")))
  }

  /// A log of the capture's part that belongs to Alice.
  func log(in folder: TemporaryFolder) throws -> EventLog {
    let log = try EventLog.create(
      at: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(
      ImportOptions(account: try BareJID(parsing: "alice@example.test"), year: 2026))
    let file = Self.folder.appending(path: "\(name)/\(file)")
    let summary = try reading.run(try FileHandle(forReadingFrom: file), into: log)
    #expect(summary.problems.isEmpty)
    return log
  }
}

extension DeviceCase.Expected.Item {
  init(_ item: RosterItem) {
    self.init(
      jid: item.jid.text, name: item.name, subscription: item.subscription.rawValue,
      ask: item.isPending ? "subscribe" : nil, groups: item.groups)
  }
}

@Suite("Several devices of one account, on real servers") struct DeviceTests {
  @Test("Every transition of a condition that a replay shows is found", arguments: DeviceCase.all)
  func turns(_ test: DeviceCase) throws {
    let folder = try TemporaryFolder()
    let timeline = Timeline(try test.log(in: folder))
    // The search has then skipped what the first connection received, and is repeated.
    #expect(try timeline.state(at: .head(minus: 0)).roster.isShared)
    try expectEveryTurn(in: timeline)
  }

  @Test("The connected devices, at every moment", arguments: DeviceCase.all)
  func connected(_ test: DeviceCase) throws {
    let timeline = Timeline(try test.log(in: try TemporaryFolder()))
    for moment in try test.expected().moments {
      let roster = try timeline.state(at: .time(moment.time)).roster
      let open = roster.connections.filter(\.isOpen).compactMap(\.resource).sorted()
      #expect(open == moment.open, "\(moment.name)")
      #expect(roster.isConnected == !moment.open.isEmpty, "\(moment.name)")
    }
  }

  @Test("The roster equals the server's, and no rule was broken", arguments: DeviceCase.all)
  func roster(_ test: DeviceCase) throws {
    var codes: Set<Finding.Code> = []
    let state = try Timeline(try test.log(in: try TemporaryFolder())).replay(
      upTo: .head(minus: 0)
    ) { moment, _ in codes.formUnion(moment.outcome.findings.map(\.code)) }
    #expect(
      state.roster.sortedItems.map(DeviceCase.Expected.Item.init) == (try test.expected().items))
    #expect(state.roster.incoming.isEmpty)
    #expect(state.roster.outgoing.isEmpty)
    // The script names no versions, and its devices accept faster than a person, which only a clock
    // with milliseconds shows. When requests cross, Carol sends another one after a denial, and
    // denies one.
    var right: Set<Finding.Code> = [.unusedVersion, .automaticAcceptance]
    // Where there are three devices, a contact leaves.
    if test.name.hasSuffix("three") { right.insert(.friendLeft) }
    if test.name.hasSuffix("crossed") { right.formUnion([.returnedRequest, .deniedRequest]) }
    #expect(codes.isSubset(of: right), "\(codes)")
  }

  @Test("Each device has the same roster, if all received it", arguments: DeviceCase.all)
  func devices(_ test: DeviceCase) throws {
    let log = try test.log(in: try TemporaryFolder())
    let whole = Timeline(log)
    var compared = 0
    for moment in try test.expected().moments {
      let all = try whole.state(at: .time(moment.time)).roster
      for connection in all.connections where connection.isOpen {
        let own = try Timeline(log, narrowedTo: connection.id)
          .state(at: .time(moment.time)).roster
        // A device that resumed elsewhere received its roster on the connection before.
        guard own.completeness == .complete else { continue }
        compared += 1
        #expect(own.sortedItems == all.sortedItems, "\(moment.name), \(connection)")
        // Prosody counts requests too, without pushing them, so only a fetch shows that version.
        if test.name.hasSuffix("three"), own.version != nil {
          #expect(own.version == all.version, "\(moment.name), \(connection)")
        }
        #expect(own.connections.map(\.id) == [connection.id])
      }
    }
    #expect(compared > 8)
  }

  @Test(
    "A connection of a recording equals the device's own capture",
    arguments: DeviceCase.names, 1...4)
  func apart(_ name: String, _ number: Int) throws {
    let folder = try TemporaryFolder()
    let merged = try DeviceCase(name: name, file: "merged.jsonl").log(in: folder)
    let own = try DeviceCase(name: name, file: "device-\(number).jsonl").log(in: folder)
    let id = ConnectionID(number: UInt32(number))
    let narrowed = try Timeline(merged, narrowedTo: id).state(at: .head(minus: 0)).roster
    let alone = try Timeline(own).state(at: .head(minus: 0)).roster
    #expect(narrowed.sortedItems == alone.sortedItems)
    #expect(narrowed.version == alone.version)
    #expect(narrowed.incoming.keys == alone.incoming.keys)
    #expect(narrowed.unconfirmed.keys == alone.unconfirmed.keys)
    #expect(narrowed.completeness == alone.completeness)
    #expect(narrowed.isConnected == alone.isConnected)
  }

  @Test("The devices' own captures, merged by time", arguments: DeviceCase.names)
  func merged(_ name: String) throws {
    let folder = try TemporaryFolder()
    let devices = try collection(of: name, [1, 2, 3, 4], in: folder)
    #expect(devices.overlaps)
    let log = try devices.staged {
      try EventLog.create(
        at: folder.file("merged.rollcall"), eventVersion: RecordReader.version)
    }.log
    let recorded = try DeviceCase(name: name, file: "merged.jsonl").log(in: folder)
    let expected = try DeviceCase(name: name, file: "merged.jsonl").expected()
    for moment in expected.moments {
      let (mine, whole) = (
        try Timeline(log).state(at: .time(moment.time)).roster,
        try Timeline(recorded).state(at: .time(moment.time)).roster
      )
      #expect(mine.connections.filter(\.isOpen).compactMap(\.resource).sorted() == moment.open)
      #expect(mine.sortedItems == whole.sortedItems, "\(moment.name)")
      #expect(mine.version == whole.version, "\(moment.name)")
      #expect(mine.incoming.keys == whole.incoming.keys, "\(moment.name)")
    }
    let (mine, theirs) = (try CaptureReplay(of: log), try CaptureReplay(of: recorded))
    #expect(mine.findings.map(\.code) == theirs.findings.map(\.code))
    // Each of the four has a header, and the recording has one.
    #expect(
      try log.read { try $0.lastSequence } == recorded.read { try $0.lastSequence } + 3)
    #expect(try log.meta.connections.count == 4)
  }

  @Test("Captures that follow each other are not merged")
  func notMerged() throws {
    let folder = try TemporaryFolder()
    #expect(try !collection(of: "ejabberd-three", [1, 4], in: folder).overlaps)
  }

  private func collection(
    of name: String, _ numbers: [Int], in folder: TemporaryFolder
  ) throws -> CaptureCollection {
    var collection = CaptureCollection()
    for number in numbers {
      let file = "device-\(number).jsonl"
      let log = try DeviceCase(name: name, file: file).log(in: folder)
      let capture = StagedCapture(
        prints: [], records: 1...(try log.read { try $0.lastSequence }), connections: ["": 1])
      try collection.add(capture, in: log, called: file, of: file, keepingAll: false)
    }
    return collection
  }

  @Test("An export has the same connections", arguments: DeviceCase.all)
  func export(_ test: DeviceCase) throws {
    let folder = try TemporaryFolder()
    let log = try test.log(in: folder)
    let lines = try exported(log)
    let file = folder.file("out.jsonl")
    try Data(lines).write(to: URL(filePath: file))
    let again = try EventLog.create(
      at: folder.file("again.rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions())
    _ = try reading.run(try FileHandle(forReadingFrom: URL(filePath: file)), into: again)
    #expect(try exported(again) == lines)
    #expect(try again.meta.connections == log.meta.connections)
    let stories = try Timeline(log).connections(upTo: .head(minus: 0))
    #expect(stories.count >= 4)
    let same = try Timeline(again).connections(upTo: .head(minus: 0))
    #expect(same.map(\.resources) == stories.map(\.resources))
    #expect(same.map(\.end) == stories.map(\.end))
  }

  @Test("An export of one connection equals the device's own capture", arguments: DeviceCase.names)
  func exportOfOne(_ name: String) throws {
    let folder = try TemporaryFolder()
    let log = try DeviceCase(name: name, file: "merged.jsonl").log(in: folder)
    for number in 1...4 {
      let own = try DeviceCase(name: name, file: "device-\(number).jsonl").log(in: folder)
      let id = ConnectionID(number: UInt32(number))
      var lines: [UInt8] = []
      let difference = try LogExport(log, narrowedTo: id).writeNative { lines += $0 }
      #expect(difference == .none)
      let text = String(decoding: lines, as: UTF8.self)
        .replacingOccurrences(of: "\"c\":\(number),", with: "")
      #expect(text == String(decoding: try exported(own), as: UTF8.self), "\(number)")
    }
  }

  private func exported(_ log: EventLog) throws -> [UInt8] {
    var lines: [UInt8] = []
    _ = try LogExport(log).writeNative { lines += $0 }
    return lines
  }

  @Test("A connection can be given by its name, its number or its resource")
  func names() throws {
    let log = try DeviceCase(name: "ejabberd-crossed", file: "server.log").log(
      in: try TemporaryFolder())
    let timeline = Timeline(log)
    let stories = try timeline.connections(upTo: .head(minus: 0))
    #expect(stories.map(\.resources) == [["one"], ["two"], ["three"], ["two"], ["check"]])
    #expect(stories.map(\.end) == [.closed, .lost, .closed, .closed, .closed])
    for story in stories {
      #expect(try timeline.connection(named: try #require(story.name)) == story.id)
      #expect(try timeline.connection(named: "\(story.id.number)") == story.id)
    }
    #expect(try timeline.connection(named: "three").number == 3)
    #expect(throws: ConnectionError.self) { try timeline.connection(named: "four") }
    let ambiguous = #expect(throws: ConnectionError.self) {
      try timeline.connection(named: "two")
    }
    #expect(ambiguous?.description.contains("choose one by its number: 2 (") == true)
  }
}
