import EventStore
import Foundation
import TestSupport

let stanza = RecordKind(rawValue: 1)

func draft(
  _ text: String, time: Int64? = nil, direction: RecordDirection = .inbound,
  event: [UInt8]? = nil, contacts: [String] = []
) -> RecordDraft {
  RecordDraft(
    time: time, direction: direction, kind: stanza, bytes: Array(text.utf8), event: event,
    contacts: contacts)
}

/// Drafts of random sizes, times, events and contacts.
func randomDrafts(
  _ count: Int, using generator: inout SeededGenerator, bytes: ClosedRange<Int> = 0...900
) -> [RecordDraft] {
  (0..<count).map { _ in
    let size = Int.random(in: bytes, using: &generator)
    return RecordDraft(
      time: Bool.random(using: &generator)
        ? Int64.random(in: 0...1_000_000, using: &generator) : nil,
      direction: RecordDirection.allCases.randomElement(using: &generator) ?? .none,
      kind: RecordKind(rawValue: UInt8.random(in: 0...255, using: &generator)),
      bytes: (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) },
      event: Bool.random(using: &generator) ? Array(repeating: 7, count: size % 64) : nil,
      contacts: (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        "contact\(Int.random(in: 0..<40, using: &generator))@example.test"
      })
  }
}

/// The content of a record, without its times, for comparison with a draft.
struct Content: Hashable {
  var sequence: UInt64
  var direction: RecordDirection
  var kind: RecordKind
  var bytes: [UInt8]
}

extension EventLog {
  func contents() throws -> [Content] {
    try read { transaction in
      var all: [Content] = []
      try transaction.forEachRecord(in: 1...UInt64.max) { header, bytes in
        all.append(
          Content(
            sequence: header.sequence, direction: header.direction, kind: header.kind,
            bytes: bytes.copied))
      }
      return all
    }
  }

  /// Every stored event and the index entries of these contacts.
  func derived(contacts: [String]) throws -> Derived {
    try read { transaction in
      var derived = Derived()
      try transaction.forEachEvent(in: 1...UInt64.max, deriving: { _, _ in nil }) {
        header, bytes in
        derived.events.append(Derived.Event(header: header, bytes: bytes.copied))
      }
      for contact in contacts {
        derived.index[contact] = try transaction.sequences(
          concerning: contact, in: 1...UInt64.max)
      }
      return derived
    }
  }

  var last: UInt64 {
    get throws { try read { try $0.lastSequence } }
  }

  func damage() throws -> [UInt64: String] { try read { try $0.damage() } }
}

extension ReadTransaction {
  /// The damage to each damaged record, by number.
  func damage() throws -> [UInt64: String] {
    var damage: [UInt64: String] = [:]
    var check = RecordCheck()
    try check.look(in: self) { record, _ in damage[record.sequence] = record.damage }
    return damage
  }
}

struct Derived: Hashable {
  struct Event: Hashable {
    var header: EventHeader
    var bytes: [UInt8]
  }

  var events: [Event] = []
  var index: [String: [UInt64]] = [:]
}

extension RawSpan {
  var copied: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension [RecordDraft] {
  func contents(from first: UInt64 = 1) -> [Content] {
    enumerated().map { offset, draft in
      Content(
        sequence: first + UInt64(offset), direction: draft.direction, kind: draft.kind,
        bytes: draft.bytes)
    }
  }
}

/// The helper process, which is built next to the tests.
enum ProbeProcess {
  struct Outcome {
    var status: Int32
    var lines: [String]
  }

  static func start(_ arguments: [String], input: Pipe? = nil) throws -> (Process, ProbeOutput) {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let process = Process()
    process.executableURL = tests.deletingLastPathComponent().appending(path: "EventStoreProbe")
    process.arguments = arguments
    if let input { process.standardInput = input }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    return (process, ProbeOutput(pipe.fileHandleForReading))
  }

  static func run(_ arguments: [String]) throws -> Outcome {
    let (process, output) = try start(arguments)
    let lines = output.rest()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, lines: lines)
  }
}

/// The output lines of the helper process.
final class ProbeOutput {
  private let handle: FileHandle
  private var unread = Data()

  init(_ handle: FileHandle) {
    self.handle = handle
  }

  /// Waits for the next line; nil at the end.
  func next() -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = handle.availableData
      if more.isEmpty { return nil }
      unread += more
    }
  }

  /// Waits for the end and returns the remaining complete lines.
  func rest() -> [String] {
    var lines: [String] = []
    while let line = next() { lines.append(line) }
    return lines
  }
}

extension Process {
  /// Kills the process with SIGKILL and waits for its end.
  func killNow() {
    kill(processIdentifier, SIGKILL)
    waitUntilExit()
  }
}
