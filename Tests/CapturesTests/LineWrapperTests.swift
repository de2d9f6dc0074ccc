import Captures
import Foundation
import TestSupport
import Testing

@Suite("Logs from collectors")
struct LineWrapperTests {
  /// The beginning of a log of each program that writes lines; other captures are not collected.
  static let logs: [Fixture] = {
    var formats = Set(["raw-stream", "raw-jsonl", "wireshark", "psi", "native", "tap"])
    // A cut inside a character is not valid text.
    let logs = (Fixture.logs + Fixture.all).filter { log in
      log.name != "prosody-heads"
        && !String(decoding: log.bytes, as: UTF8.self).contains("\u{FFFD}")
    }
    return logs.filter { formats.insert($0.format).inserted }.map(\.beginning)
  }()

  /// The lines that a collector writes for a line; the third collector splits lines at its maximum.
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
    (.logcat, { line, _ in "11-21 07:25:14.147  1234  5678 D SMACK   : \(line)\n" }),
    (.logcat, { line, _ in "2026-11-21 07:25:14.147123 +0100 u0_a7  1  5 I x: \(line)\n" }),
    (.logcat, { line, _ in "11-21 07:25:14.147 D/SMACK   ( 1234): \(line)\n" }),
    (
      .logcat,
      { line, number in
        (number % 19 == 4 ? "--------- beginning of main\n" : "") + "D/SMACK   ( 1234): \(line)\n"
      }
    ),
    (.logcat, { line, _ in "2026-11-21 07:25:14.147 12-34/org.app D/SMACK: \(line)\n" }),
    (.logcat, { line, _ in "2026-11-21 07:25:14.147  12-34  a.B  org.app  D  \(line)\n" }),
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

  /// Each log through three collectors, and each collector with a quarter of the logs.
  static let collected = logs.enumerated().flatMap { number, log in
    [number, number + 4, number + 8].map { ($0 % collectors.count, log) }
  }

  /// The collector's wrapper around the lines of a file.
  static func wrapper(of head: [UInt8]) -> LineWrapper? {
    for case .wrapper(let wrapper) in Carrier(head).layers { return wrapper }
    return nil
  }

  @Test(
    "The text that a collector put around lines is removed",
    arguments: collected)
  func wrappedLinesAreRead(_ index: Int, _ fixture: Fixture) throws {
    let (expected, wrap) = Self.collectors[index]
    let format = try #require(CaptureFormat.detect(Array(fixture.bytes.prefix(64 << 10))))
    let plain = String(decoding: fixture.bytes, as: UTF8.self)
    let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.enumerated().map { wrap(String($1), $0) }.joined()
    let head = Array(text.utf8.prefix(64 << 10))
    #expect(CaptureFormat.detect(head)?.id == format.id)
    let wrapper = try #require(Self.wrapper(of: head))
    #expect(Carrier(head).layers == [.wrapper(wrapper)])
    #expect(wrapper.kind == expected)
    let options = ReaderOptions(year: 2026, carrier: Carrier(head))
    let reading = try read(Array(text.utf8), format.id, options: options, pieces: [1000])
    let whole = try read(fixture.bytes, format.id, options: ReaderOptions(year: 2026))
    #expect(reading.elements == whole.elements)
    #expect(reading.problems.map(\.message) == whole.problems.map(\.message))
    // The collector gives the time if the program does not.
    let timed = expected != .compose && !(text.hasPrefix("D/"))
    #expect(!timed || reading.records.allSatisfy { $0.time != nil || whole.records.isEmpty })
  }

  @Test(
    "A log as its program wrote it is not taken for a collected one",
    arguments: Fixture.all + Fixture.logs)
  func aLogOfAProgramIsNotWrapped(_ fixture: Fixture) {
    #expect(Carrier(Array(fixture.bytes.prefix(64 << 10))) == .none)
  }

  @Test(
    "A line of the other stream between two parts of a line does not become part of it",
    arguments: [
      ("2026-11-21T07:25:14.123456789Z std@ P ", "2026-11-21T07:25:14.123456789Z std@ F ", ""),
      (#"{"log":""#, #"{"log":""#, #"","stream":"std@","time":"2026-11-21T07:25:14.123456789Z"}"#),
    ])
  func partsOfTwoStreams(_ part: String, _ last: String, _ end: String) throws {
    func line(_ head: String, _ text: String, isError: Bool = false) -> String {
      (head + text + end).replacing("std@", with: isError ? "stderr" : "stdout") + "\n"
    }
    let ending = end.isEmpty ? "" : "\\n"
    let element = "<presence from='bob@example.test/x' to='alice@example.test/y'/>"
    let text = (0..<4).map { _ in
      line(part, "RECV: " + element.prefix(20)) + line(part, "warning: ", isError: true)
        + line(part, String(element.dropFirst(20).prefix(9)))
        + line(last, "slow\(ending)", isError: true)
        + line(last, element.dropFirst(29) + ending)
    }.joined()
    let options = ReaderOptions(carrier: Carrier(Array(text.utf8)))
    let reading = try read(text, "slixmpp", options: options)
    #expect(reading.elements == Array(repeating: "< " + element, count: 4))
    #expect(reading.problems.isEmpty)
  }

  /// The output of a server's console is often kept with its colors.
  @Test(
    "Colors for a terminal are left out",
    arguments: logs)
  func colorsAreLeftOut(_ fixture: Fixture) throws {
    let lines = fixture.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let colored = lines.map { line -> [UInt8] in
      guard let space = line.firstIndex(where: { [0x09, 0x20].contains($0) }) else {
        return Array(line)
      }
      let word = Array("\u{1B}[01;34m".utf8) + line[..<space] + Array("\u{1B}[0m".utf8)
      return word + line[space...] + Array("\u{1B}[m".utf8)
    }
    let bytes = Array(colored.joined(separator: [0x0A]))
    let format = try #require(CaptureFormat.detect(Array(bytes.prefix(64 << 10))))
    #expect(format.id == CaptureFormat.detect(Array(fixture.bytes.prefix(64 << 10)))?.id)
    #expect(try read(bytes, format.id) == read(fixture.bytes, format.id))
  }

  @Test(
    "Prosody's log is read with any of its timestamps",
    arguments: ["2026-11-21 07:14:48 ", "2026-11-21T07:14:48Z ", "2026-11-21T08:14:48+01:00 "])
  func prosodyWithOtherTimestamps(_ clock: String) throws {
    let fixture = try Fixture.named("prosody-crossing")
    let text = String(decoding: fixture.bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("Nov 21 ") ? clock + $0.dropFirst(16) : String($0) }
      .joined(separator: "\n")
    let reading = try read(text, "prosody-debug")
    #expect(reading.elements == (try fixture.reading().elements))
    #expect(reading.records.allSatisfy { $0.time == 1_795_245_288_000 })
  }
}

extension Fixture {
  /// The complete lines in its first bytes.
  fileprivate var beginning: Fixture {
    let lines = bytes.prefix(24 << 10).split(separator: 0x0A, omittingEmptySubsequences: false)
    return Fixture(
      name: name, format: format, account: account,
      bytes: Array(lines.dropLast().joined(separator: [0x0A])), expected: expected,
      deniedElsewhere: deniedElsewhere)
  }
}
