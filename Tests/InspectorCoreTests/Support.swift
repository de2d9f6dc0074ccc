import Captures
import EventStore
import Foundation
import InspectorCore
import Rollcall
import TestSupport
import Testing
import XMPPStanza

/// A log that the inspector shows, with questions asked of it directly.
struct Inspected {
  let log: EventLog
  let timeline: Timeline
  let inspector: Inspector

  var head: UInt64 {
    get throws { try log.read { try $0.lastSequence } }
  }

  init(_ log: EventLog) {
    self.log = log
    timeline = Timeline(log)
    inspector = Inspector([InspectedLog(timeline, title: "test.rollcall", isLive: true)])
  }

  /// The log of a fixture.
  init(_ fixture: CaptureCase, in folder: TemporaryFolder) throws {
    try self.init(capture: fixture.path, of: fixture.account, in: folder)
  }

  /// The log of a capture.
  init(capture path: String, of account: String, in folder: TemporaryFolder) throws {
    let log = try EventLog.draft(
      for: folder.file("\(UUID()).rollcall"), eventVersion: RecordReader.version)
    var reading = CaptureImport(ImportOptions(account: try BareJID(parsing: account)))
    _ = try reading.run(FileHandle(forReadingFrom: URL(filePath: path)), into: log)
    self.init(log)
  }

  /// The log of a session in which a contact's presence changes six times in a row, so that the
  /// story folds it.
  init(withBurstIn folder: TemporaryFolder) throws {
    let fixture = try #require(CaptureCase.all.first { $0.name == "raw-presence-first" })
    var lines = try String(contentsOfFile: fixture.path, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let end = try #require(lines.lastIndex { $0.contains("type=\\\"unavailable\\\"") })
    let burst = (1...6).map { change in
      let show = change.isMultiple(of: 2) ? "away" : "dnd"
      return #"{"t": 1795247694.\#(change), "conn": 1, "dir": "S>C", "data": ""#
        + "<presence from='daliu101@example.test/peer'><show>\(show)</show></presence>\"}"
    }
    lines.insert(contentsOf: burst, at: end)
    let path = folder.file("burst.log")
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    try self.init(capture: path, of: fixture.account, in: folder)
  }

  /// The answer to a request, which must be one.
  func get(_ target: String) throws -> JSONValue {
    try answer(.get, target, [])
  }

  func post(_ target: String, _ body: String) throws -> JSONValue {
    try answer(.post, target, Array(body.utf8))
  }

  private func answer(
    _ method: InspectorRequest.Method, _ target: String, _ body: [UInt8]
  ) throws -> JSONValue {
    let answer = inspector.answer(try InspectorRequest(method, target: target, body: body))
    let text = String(decoding: answer.body, as: UTF8.self)
    try #require(answer.status == 200, "\(target): \(answer.status) \(text)")
    return .object(try JSONScanner.object(answer.body[...]))
  }

  /// The status and the code with which a request is refused.
  func refusal(
    _ target: String, _ body: String? = nil
  ) -> (status: Int, code: String) {
    let request: InspectorRequest
    do {
      request = try InspectorRequest(
        body == nil ? .get : .post, target: target, body: Array((body ?? "").utf8))
    } catch {
      return (error.status, error.code)
    }
    let answer = inspector.answer(request)
    guard let members = try? JSONScanner.object(answer.body[...]),
      case .string(let code)? = members["code"]
    else { return (answer.status, "") }
    return (answer.status, code)
  }
}

extension JSONValue {
  /// A member of an object; null if there is none.
  subscript(name: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members[name] ?? .null
  }

  /// An element of a list.
  subscript(index: Int) -> JSONValue { list.indices.contains(index) ? list[index] : .null }

  /// The elements of a list; none of anything else.
  var list: [JSONValue] {
    guard case .array(let values) = self else { return [] }
    return values
  }

  /// A number; -1 for anything else.
  var number: Int {
    guard case .integer(let number) = self else { return -1 }
    return Int(number)
  }

  /// A text; nil for anything else.
  var words: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}
