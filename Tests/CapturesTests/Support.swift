import Captures
import Foundation
import RosterCore
import Testing
import TestSupport
import XMPPStanza

/// The outputs and the error of reading a capture.
struct Reading: Equatable {
  var outputs: [CaptureOutput] = []
  var error: CaptureError?

  var records: [CapturedRecord] {
    outputs.compactMap { output in
      switch output {
      case .record(let record): record
      case .problem: nil
      }
    }
  }

  var problems: [CaptureProblem] {
    outputs.compactMap { output in
      switch output {
      case .record: nil
      case .problem(let problem): problem
      }
    }
  }

  /// The bytes of every element as text, with an arrow for its direction.
  var elements: [String] {
    records.compactMap { record in
      guard case .element(let direction, _, let bytes) = record.content else { return nil }
      return (direction == .inbound ? "< " : "> ") + String(decoding: bytes, as: UTF8.self)
    }
  }

  func count(where isCounted: (CapturedRecord.Content) -> Bool) -> Int {
    records.count { isCounted($0.content) }
  }
}

func read(
  _ bytes: [UInt8], _ format: String, options: ReaderOptions = ReaderOptions(),
  pieces: [Int] = []
) throws -> Reading {
  var reading = Reading()
  var reader = CaptureReader(format: try #require(CaptureFormat.named(format)), options: options)
  do {
    var start = 0
    var turn = 0
    while start < bytes.count {
      let count = pieces.isEmpty ? bytes.count : pieces[turn % pieces.count]
      let end = min(start + max(1, count), bytes.count)
      try reader.read(Array(bytes[start..<end])) { reading.outputs.append($0) }
      start = end
      turn += 1
    }
    try reader.finish { reading.outputs.append($0) }
  } catch let error as CaptureError {
    reading.error = error
  }
  return reading
}

func read(
  _ text: String, _ format: String, options: ReaderOptions = ReaderOptions(), pieces: [Int] = []
) throws -> Reading {
  try read(Array(text.utf8), format, options: options, pieces: pieces)
}

/// A captured session that is kept with the tests.
struct Fixture: CustomTestStringConvertible, Sendable {
  let name: String
  let format: String
  let account: String
  let bytes: [UInt8]
  /// The server's roster for each account.
  let expected: [CaptureCase.Expected]
  /// The contacts whose requests another resource of the account denied. The server does not tell
  /// the other resources, so this one still sees the requests.
  let deniedElsewhere: [String]

  var testDescription: String { name }

  /// The captures whose records are counted by hand.
  static let all = load("captures")
  /// The logs of every program that could be run.
  static let logs = load("logs")

  private static func load(_ kind: String) -> [Fixture] {
    struct Meta: Decodable {
      let account: String
      let format: String
      let denied_by_another_resource: [String]?
    }
    let folder = CaptureCase.fixtures.appending(path: kind)
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)))
      ?? []
    return names.sorted().flatMap { name -> [Fixture] in
      let path = folder.appending(path: name)
      let files =
        (try? FileManager.default.contentsOfDirectory(atPath: path.path(percentEncoded: false)))
        ?? []
      guard let json = try? Data(contentsOf: path.appending(path: "meta.json")),
        let meta = try? JSONDecoder().decode(Meta.self, from: json)
      else { return [] }
      let expected = files.sorted().filter { $0.hasPrefix("expected") }.compactMap { file in
        try? JSONDecoder().decode(
          CaptureCase.Expected.self, from: Data(contentsOf: path.appending(path: file)))
      }
      return files.sorted().filter { !$0.hasSuffix(".json") }.compactMap { file in
        guard let log = try? Data(contentsOf: path.appending(path: file)) else { return nil }
        return Fixture(
          name: file == "capture.log" ? name : "\(name)/\(file)", format: meta.format,
          account: meta.account, bytes: [UInt8](log), expected: expected,
          deniedElsewhere: meta.denied_by_another_resource ?? [])
      }
    }
  }

  static func named(_ name: String) throws -> Fixture {
    try #require(all.first { $0.name == name })
  }

  func reading(pieces: [Int] = []) throws -> Reading {
    try read(bytes, format, pieces: pieces)
  }
}

/// The roster event of a record's content.
func event(of content: CapturedRecord.Content) -> RosterEvent? {
  switch content {
  case .element(let direction, let node, _): RosterEvent(node, direction)
  case .streamHeader: .session(.negotiated)
  case .streamEnd(let direction): .session(.ended(direction))
  case .lifecycle(.header(let account, let inboundOnly)):
    .session(.captureBegan(account: account, inboundOnly: inboundOnly))
  case .lifecycle(.opened(let jid)): .session(.opened(jid))
  case .lifecycle(.resumed(let jid)): .session(.resumed(jid))
  case .lifecycle(.closed): .session(.closed(isLost: true))
  case .lifecycle(.connected), .lifecycle(.secured), .lifecycle(.verified),
    .lifecycle(.unverified), .lifecycle(.authenticated), .lifecycle(.recorded), .annotation,
    .unreadable:
    nil
  }
}

/// The roster of an account according to the records.
func roster(of account: String, in records: [CapturedRecord]) throws -> Roster {
  var filter = AccountFilter(account: try BareJID(parsing: account))
  var roster = Roster()
  var number: UInt64 = 0
  func reduce(_ record: CapturedRecord) {
    number += 1
    guard let event = event(of: record.content) else { return roster.move(to: number) }
    let stamp = RecordStamp(record: number, time: record.time)
    _ = RosterReducer.reduce(&roster, event, at: stamp)
  }
  for record in records { filter.take(record, reduce) }
  filter.finish(reduce)
  return roster
}

/// Compares a roster with the server's.
func expect(
  _ roster: Roster, toBe expected: CaptureCase.Expected, deniedElsewhere: [String] = [],
  _ sourceLocation: SourceLocation = #_sourceLocation
) {
  let items = roster.sortedItems
  #expect(items.map(\.jid.text) == expected.items.map(\.jid), sourceLocation: sourceLocation)
  for (item, truth) in zip(items, expected.items) {
    #expect(item.name == truth.name, sourceLocation: sourceLocation)
    #expect(item.groups == truth.groups, sourceLocation: sourceLocation)
    #expect(item.subscription.rawValue == truth.subscription, sourceLocation: sourceLocation)
    #expect(item.isPending == (truth.ask != nil), sourceLocation: sourceLocation)
  }
  let open = Set(expected.incoming_requests).union(deniedElsewhere)
  #expect(Set(roster.incoming.keys.map(\.text)) == open, sourceLocation: sourceLocation)
  let outgoing = roster.outgoing.keys.map(\.text).sorted()
  #expect(outgoing == expected.outgoing_requests, sourceLocation: sourceLocation)
}
