import Foundation
import TestSupport
import Testing

/// The segments of a spool whose server was killed in its first run.
@Suite("Segments of a spool") struct SegmentTests {
  private let folder: TemporaryFolder
  private static let names = [
    "bbbbbbbb-000001.jsonl", "bbbbbbbb-000002.jsonl", "aaaaaaaa-000003.jsonl",
  ]
  private static let segments = [
    [
      #"{"rollcall-tap":1,"boot":"bbbbbbbb","segment":1}"#,
      line(1, 1, #""stream":"opened","jid":"ann@example.test/pc""#),
      line(2, 1, #""dir":"in","xml":"<presence from='ben@example.test/x'/>""#),
      line(3, 2, #""stream":"opened","jid":"ann@example.test/pad""#),
    ],
    [
      #"{"rollcall-tap":1,"boot":"bbbbbbbb","segment":2}"#,
      line(4, 2, #""stream":"closed","by":"client""#),
      line(5, 1, #""dir":"in","xml":"<presence from='cat@example.test/x'/>""#),
    ],
    [
      #"{"rollcall-tap":1,"boot":"aaaaaaaa","segment":3}"#,
      line(9, 1, #""stream":"opened","jid":"ann@example.test/phone""#),
    ],
  ]
  /// The end of each connection in the last state: its name, and why it was lost.
  private static let ends = [
    "bbbbbbbb-1 lost: the server ended", "bbbbbbbb-2 closed", "aaaaaaaa-1 open",
  ]

  private static func line(_ time: Int, _ connection: Int, _ rest: String) -> String {
    #"{"t":\#(time),"c":\#(connection),"a":"ann@example.test",\#(rest)}"#
  }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("spool"), withIntermediateDirectories: false)
  }

  private func write(_ number: Int) throws {
    let text = Self.segments[number].map { $0 + "\n" }.joined()
    try text.write(
      toFile: folder.file("spool/\(Self.names[number])"), atomically: true, encoding: .utf8)
  }

  private func ends(in source: String) throws -> [String] {
    let run = try Program(
      "connections", source, "--account", "ann@example.test", "--json", in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    let accounts = (try run.document)["accounts"] as? [NSDictionary] ?? []
    let connections = accounts.first?["connections"] as? [NSDictionary] ?? []
    return connections.map { connection in
      let words = [connection["name"], connection["end"]].compactMap { $0 as? String }
      let reason = (connection["reason"] as? String).map { ": \($0)" } ?? ""
      return words.joined(separator: " ") + reason
    }
  }

  @Test("The next run of a server that was killed ends the connections of the run before")
  func killed() throws {
    for number in Self.names.indices { try write(number) }
    #expect(try ends(in: "spool") == Self.ends)
    let whole = Self.segments.joined().map { $0 + "\n" }.joined()
    try whole.write(toFile: folder.file("whole.jsonl"), atomically: true, encoding: .utf8)
    let logs = try ["whole.jsonl", "spool"].map { source in
      try Program("log", source, "--jsonl", in: folder.path).output
    }
    #expect(logs[0] == logs[1])
    #expect(try Program("import", "spool", "-o", "a.rollcall", in: folder.path).code == 0)
    #expect(try ends(in: "a.rollcall") == Self.ends)
  }

  @Test("A spool is imported again and again as it grows")
  func grown() throws {
    let ends = [
      ["bbbbbbbb-1 open", "bbbbbbbb-2 open"], ["bbbbbbbb-1 open", "bbbbbbbb-2 closed"], Self.ends,
    ]
    for number in Self.names.indices {
      try write(number)
      let run = try Program("import", "spool", "-o", "a.rollcall", in: folder.path)
      #expect(run.code == 0, "\(run.errors)")
      #expect(try self.ends(in: "a.rollcall") == ends[number])
    }
    let run = try Program("import", "spool", "-o", "a.rollcall", "--json", in: folder.path)
    let captures = (try run.document)["imported"] as? [NSDictionary] ?? []
    #expect(captures.map { $0["new"] as? Int } == [0, 0, 0])
    #expect(try self.ends(in: "a.rollcall") == Self.ends)
  }

  @Test("A spool is followed from segment to segment")
  func followed() throws {
    try write(0)
    let replay = try LiveProgram("replay", "spool", "-f", "--full", in: folder.path)
    let importing = try LiveProgram(
      "import", "spool", "--follow", "-o", "a.rollcall", in: folder.path)
    try replay.wait { replay.output.contains("ben@example.test") }
    try importing.wait { FileManager.default.fileExists(atPath: folder.file("a.rollcall")) }
    try write(1)
    try replay.wait { replay.output.contains("cat@example.test") }
    try write(2)
    try replay.wait { replay.output.contains("/phone") }
    try importing.wait { try self.ends(in: "a.rollcall").count == 3 }
    #expect(try replay.end(by: SIGINT) == 0)
    #expect(try importing.end(by: SIGINT) == 0)
    #expect(importing.errors.isEmpty, "\(importing.errors)")
    let whole = try Program("replay", "spool", "--full", in: folder.path)
    #expect(replay.output == whole.output)
    #expect(replay.errors == whole.errors)
    #expect(try ends(in: "a.rollcall") == Self.ends)
    let run = try Program("import", "spool", "-o", "a.rollcall", "--json", in: folder.path)
    let captures = (try run.document)["imported"] as? [NSDictionary] ?? []
    #expect(captures.map { $0["new"] as? Int } == [0, 0, 0])
  }
}
