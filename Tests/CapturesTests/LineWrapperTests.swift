import Captures
import Foundation
import TestSupport
import Testing

/// Logs that went through a collector, which puts something around each line.
struct LineWrapperTests {
  /// Those of programs that write lines; the others are no logs that are collected.
  static let logs = (Fixture.all + Fixture.logs).filter {
    !["raw-stream", "raw-jsonl", "wireshark", "psi", "native"].contains($0.format)
      && $0.name != "prosody-heads"
  }

  /// What a collector makes of a line; the third cuts lines as its maximum asks for.
  static let collectors: [(LineWrapper.Kind, @Sendable (String, Int) -> String)] = [
    (.journal, { line, _ in "Nov 21 07:25:14 chat-1 prosody[123]: \(line)\n" }),
    (.journal, { line, _ in "2026-11-21T07:25:14+0100 chat-1 x.service[9]: \(line)\n" }),
    (.docker, { line, _ in "2026-11-21T07:25:14.123456789Z \(line)\n" }),
    (
      .compose,
      { line, number in "\(number % 9 == 4 ? "db-1       | x\n" : "")prosody-1  | \(line)\n" }
    ),
    (
      .kubernetes,
      { line, number in
        let prefix = "2026-11-21T07:25:14.123456789+01:00 stdout"
        guard number % 3 == 0, line.count > 40 else { return "\(prefix) F \(line)\n" }
        return "\(prefix) P \(line.prefix(20))\n\(prefix) F \(line.dropFirst(20))\n"
      }
    ),
    (
      .dockerFile,
      { line, number in
        let escaped = line.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
          .replacing("\t", with: "\\t").replacing("\r", with: "\\r").replacing(
            "\u{1B}", with: "\\u001b")
        let rest = #"","stream":"stderr","time":"2026-11-21T07:25:14.123456789Z"}"#
        return "{\"log\":\"\(escaped)\\n\(rest)\n"
      }
    ),
  ]

  @Test(arguments: collectors.indices, logs)
  func whatIsWithinIsRead(_ index: Int, _ fixture: Fixture) throws {
    let (expected, wrap) = Self.collectors[index]
    let format = try #require(CaptureFormat.detect(Array(fixture.bytes.prefix(64 << 10))))
    let plain = String(decoding: fixture.bytes, as: UTF8.self)
    // A cut that is no character cannot come through as text.
    guard !plain.contains("\u{FFFD}") else { return }
    let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.enumerated().map { wrap(String($1), $0) }.joined()
    let head = Array(text.utf8.prefix(64 << 10))
    #expect(CaptureFormat.detect(head)?.id == format.id)
    #expect(LineWrapper(head)?.kind == expected)
    let options = ReaderOptions(year: 2026, wrapper: LineWrapper(head))
    let reading = try read(Array(text.utf8), format.id, options: options, pieces: [1000])
    let whole = try read(fixture.bytes, format.id, options: ReaderOptions(year: 2026))
    #expect(reading.elements == whole.elements)
    #expect(reading.problems.map(\.message) == whole.problems.map(\.message))
    // Where the program says no time the collector does.
    let timed = expected != .compose
    #expect(!timed || reading.records.allSatisfy { $0.time != nil || whole.records.isEmpty })
  }

  @Test(arguments: Fixture.all + Fixture.logs)
  func aLogOfAProgramIsNotWrapped(_ fixture: Fixture) {
    #expect(LineWrapper(Array(fixture.bytes.prefix(64 << 10))) == nil)
  }
}
