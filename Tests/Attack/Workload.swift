import EventStore
import Foundation
import Rollcall
import TestSupport

/// The operations of the program that are attacked.
enum Operation: String, CaseIterable, Sendable {
  /// Imports a capture into a new log.
  case create
  /// Imports a capture that has grown into a log that contains its beginning.
  case append
  /// Appends one record.
  case bookmark
  /// Imports captures that overlap in time into a new log.
  case merge
  /// Rebuilds all derived data.
  case rebuild
  /// Recovers a damaged log into a new one.
  case recover
  /// Records a live session in which each record is durable before the next.
  case record

  /// The command line; a live session is recorded by this program itself.
  var arguments: [String] {
    switch self {
    case .create: ["import", "whole.jsonl", "-o", target]
    case .append: ["import", "whole.jsonl", "-o", target]
    case .bookmark: ["bookmark", target, "here", "3"]
    case .merge: ["import", "whole.jsonl", "other.jsonl", "-o", target]
    case .rebuild: ["verify", target, "--rebuild"]
    case .recover: ["recover", "damaged.rollcall", "-o", target]
    case .record: ["record", target]
    }
  }

  /// The log that the operation writes.
  var target: String { "a.rollcall" }

  /// The files that the operation needs.
  var files: [String] {
    switch self {
    case .create: ["whole.jsonl"]
    case .append: ["whole.jsonl", "a.rollcall", "a.rollcall-lock"]
    case .merge: ["whole.jsonl", "other.jsonl"]
    case .bookmark, .rebuild, .record: ["a.rollcall", "a.rollcall-lock"]
    case .recover: ["damaged.rollcall"]
    }
  }

  /// The exit code of a complete operation.
  var success: Int32 { self == .recover ? 1 : 0 }

  /// The next command that writes to the log: it removes leftovers, and changes nothing if the
  /// operation was completed.
  var next: [String] {
    switch self {
    case .create, .append, .merge, .recover: arguments
    case .bookmark, .record: ["import", "part.jsonl", "-o", target]
    case .rebuild: arguments
    }
  }

  /// Whether the operation creates the log.
  var isNew: Bool { self == .create || self == .merge || self == .recover }
}

/// The files with which operations begin, and their expected results.
struct Workload: Sendable {
  /// The attacked program, from the same build as this one.
  let program: String
  let itself: String
  let base: Scratch
  /// The content of the log before and after each operation.
  private(set) var before: [Operation: Finding] = [:]
  private(set) var after: [Operation: Finding] = [:]

  /// - Parameter records: The approximate number of records of the whole capture.
  init(records: Int) throws {
    let own = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    itself = own.path(percentEncoded: false)
    program = own.deletingLastPathComponent().appending(path: "rollcall")
      .path(percentEncoded: false)
    base = try Scratch()
    let whole = Session.lines(records, of: "phone")
    try write(whole, "whole.jsonl")
    try write(Array(whole.prefix(12)), "part.jsonl")
    try write(Session.lines(records / 2, of: "laptop"), "other.jsonl")
    try done(["import", "part.jsonl", "-o", "a.rollcall"])
    try done(["import", "whole.jsonl", "-o", "damaged.rollcall"])
    try damage("damaged.rollcall")
    for operation in Operation.allCases {
      let folder = try folder(for: operation)
      before[operation] = Judge.look(at: folder.file(operation.target))
      let run = try Run(
        operation == .record ? itself : program, operation.arguments, in: folder.path)
      guard run.ending == .exited(operation.success) else {
        throw Trouble("\(operation): \(run.ending) \(run.errors)")
      }
      after[operation] = Judge.look(at: folder.file(operation.target))
      guard case .sound = after[operation] else {
        throw Trouble("\(operation): \(String(describing: after[operation]))")
      }
    }
  }

  func program(for operation: Operation) -> String { operation == .record ? itself : program }

  /// A new folder with the files that an operation needs.
  func folder(for operation: Operation) throws -> Scratch {
    let folder = try Scratch()
    try folder.copy(operation.files + (operation.isNew ? [] : ["part.jsonl"]), from: base)
    return folder
  }

  private func write(_ lines: [String], _ name: String) throws {
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(
      to: URL(filePath: base.file(name)))
  }

  private func done(_ arguments: [String]) throws {
    let run = try Run(program, arguments, in: base.path)
    guard run.ending == .exited(0) else {
      throw Trouble("\(arguments): \(run.ending) \(run.errors)")
    }
  }

  /// Changes a letter of the first record that contains the word, so that the digest of its pack is
  /// wrong.
  private func damage(_ name: String) throws {
    let url = URL(filePath: base.file(name))
    var bytes = try Data(contentsOf: url)
    guard let range = bytes.range(of: Data("Friend 3".utf8)) else {
      throw Trouble("nothing to damage")
    }
    bytes[range.lowerBound] = UInt8(ascii: "f")
    try bytes.write(to: url)
  }
}

/// A session in the native format: a roster, then presence and messages.
enum Session {
  static func lines(_ count: Int, of resource: String) -> [String] {
    let start = 1_763_600_000_000
    var lines = [
      #"{"rollcall-capture":1,"account":"alice@example.test/\#(resource)"}"#,
      #"{"t":\#(start),"stream":"opened","jid":"alice@example.test/\#(resource)"}"#,
      line(start + 10, "out", "<iq type='get' id='1'><query xmlns='jabber:iq:roster'/></iq>"),
      line(start + 20, "in", "<iq type='result' id='1'>\(roster)</iq>"),
    ]
    for number in 0..<max(0, count - lines.count) {
      lines.append(line(start + 1000 * number + 30, "in", stanza(number)))
    }
    return lines
  }

  private static var roster: String {
    let items = (0..<12).map {
      "<item jid='friend\($0)@example.test' name='Friend \($0)' subscription='both'/>"
    }
    return "<query xmlns='jabber:iq:roster' ver='1'>\(items.joined())</query>"
  }

  /// The stanza of a session with a number.
  static func stanza(_ number: Int) -> String {
    let friend = "friend\(number % 12)@example.test"
    return switch number % 4 {
    case 0: "<presence from='\(friend)/x'><status>\(number)</status></presence>"
    case 1:
      "<message from='\(friend)/x'><body>\(String(repeating: "word \(number) ", count: 20))</body></message>"
    case 2: "<presence from='stranger\(number)@example.test' type='subscribe'/>"
    default:
      "<iq type='set' id='p\(number)'><query xmlns='jabber:iq:roster' ver='\(number)'>"
        + "<item jid='\(friend)' name='Name \(number)' subscription='both'/></query></iq>"
    }
  }

  private static func line(_ time: Int, _ direction: String, _ xml: String) -> String {
    #"{"t":\#(time),"dir":"\#(direction)","xml":"\#(xml)"}"#
  }
}
