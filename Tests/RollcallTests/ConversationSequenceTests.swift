import Captures
import EventStore
import Foundation
import Rollcall
import TestSupport
import Testing

/// A few records, and what the rules of conversations make of them: a file of
/// `Fixtures/conversations/rules`, whose README says what its keys mean.
private struct ConversationSequence {
  let rule: Int
  let why: String
  let account: String
  let expected: JSONValue
  let also: JSONValue
  /// The records as a native capture.
  let capture: String

  private static let folder = ConversationCapture.folder.appending(path: "rules")

  /// The names of all sequences, in order.
  static let names: [String] = {
    let path = folder.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted()
  }()

  init(_ name: String) throws {
    let file = try JSONValue(contentsOf: Self.folder.appending(path: name))
    rule = file["rule"].number
    why = file["why"].words
    account = file["account"].words
    expected = file["expect"]
    also = file["also"]
    var header = #"{"rollcall-capture":1,"account":\#(JSONValue("\(account)/pc").text)"#
    if let directions = file.fields["directions"] {
      header += #","directions":\#(directions.text)"#
    }
    capture = ([header + "}"] + file["events"].elements.map(\.text)).map { $0 + "\n" }.joined()
  }
}

/// A file that a program or a proxy wrote during a real session, in `Fixtures/conversations`.
private struct ConversationCapture {
  private let file: URL

  static let folder = CaptureCase.fixtures.appending(path: "conversations")

  /// The names of all captures, and of the recording of the same session where there is one.
  static let names: [String] = {
    let path = folder.path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().flatMap { ["\($0)/capture.log", "\($0)/wire.jsonl"] }
      .filter { FileManager.default.fileExists(atPath: ConversationCapture(named: $0).path) }
  }()

  init(named name: String) { file = Self.folder.appending(path: name) }

  var path: String { file.path(percentEncoded: false) }

  /// A document beside the capture.
  func document(_ name: String) throws -> JSONValue {
    try JSONValue(contentsOf: file.deletingLastPathComponent().appending(path: name))
  }
}

extension JSONValue {
  /// Reads a file that holds one object.
  fileprivate init(contentsOf file: URL) throws {
    self = .object(try JSONScanner.object(Array(Data(contentsOf: file))[...]))
  }
}

@Suite("Conversations are what the rules and the servers say")
struct ConversationSequenceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What `rollcall conversations --json` prints about a capture.
  private func document(of path: String, _ account: String) throws -> JSONValue {
    let timeline = Timeline(try importedLog(of: path, account, in: folder))
    let last = try timeline.record(at: .head(minus: 0))
    return JSONValue(try timeline.conversationView(upTo: last))
  }

  @Test("A sequence of records means what its rule says", arguments: ConversationSequence.names)
  func sequence(name: String) throws {
    let sequence = try ConversationSequence(name)
    let path = folder.file("capture.jsonl")
    try Data(sequence.capture.utf8).write(to: URL(filePath: path))
    let comparison = ConversationComparison(
      try document(of: path, sequence.account), expected: sequence.expected, also: sequence.also)
    for difference in comparison.differences {
      Issue.record("rule \(sequence.rule), \(sequence.why): \(difference)")
    }
  }

  @Test("Each of the 37 rules has sequences, in files that begin with its number")
  func everyRule() throws {
    var rules: Set<Int> = []
    for name in ConversationSequence.names {
      let rule = try ConversationSequence(name).rule
      #expect(Int(name.prefix { $0 != "-" }) == rule, "\(name)")
      rules.insert(rule)
    }
    #expect(rules == Set(1...37))
  }

  @Test(
    "A real session has the messages that the server's archive has",
    arguments: ConversationCapture.names)
  func session(name: String) throws {
    let capture = ConversationCapture(named: name)
    let account = try capture.document("meta.json")["account"].words
    let comparison = ConversationComparison(
      try document(of: capture.path, account), expected: try capture.document("expected.json"))
    for difference in comparison.differences { Issue.record("\(name): \(difference)") }
  }

  @Test("No session is missing")
  func everySession() { #expect(ConversationCapture.names.count == 7) }
}
