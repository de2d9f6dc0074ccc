import ConversationCore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

/// The selection, folding and text of `replay` and `findings`, for a session of several hundred
/// records.
@Suite("The story from the command line") struct StoryCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    var lines = [
      #"{"rollcall-capture":1,"account":"alice@example.test/phone"}"#,
      #"{"t":1763596800000,"stream":"opened","jid":"alice@example.test/phone"}"#,
    ]
    for number in 0..<400 {
      let show = ["away", "dnd", "xa"][number % 3]
      let time = 1_763_596_800_000 + number * 10_000
      lines.append(
        #"{"t":\#(time),"dir":"in","xml":"<presence from='b\#(number % 7)@example.test/x'><show>\#(show)</show></presence>"}"#
      )
    }
    lines.append(
      #"{"t":1763600800000,"dir":"in","xml":"<presence from='eve@example.test' type='subscribe'/>"}"#
    )
    lines.append(
      #"{"t":1763600809000,"dir":"out","xml":"<presence to='eve@example.test' type='unsubscribe'/>"}"#
    )
    try lines.joined(separator: "\n")
      .write(toFile: folder.file("day.jsonl"), atomically: true, encoding: .utf8)
  }

  private func lines(_ arguments: String...) throws -> [String] {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    return run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test("A long story begins with a summary and folds presence")
  func story() throws {
    let lines = try lines("replay", "day.jsonl")
    #expect(
      lines.first == "alice@example.test: 404 records, 2025-11-20 00:00:00.000 to 01:06:49.000 UTC")
    #expect(lines.contains("  findings: 1 warning: rollcall findings day.jsonl"))
    #expect(lines.contains("      see: rollcall history day.jsonl eve@example.test"))
    #expect(lines.contains("2025-11-20"))
    #expect(
      lines.contains(
        "#3–#402 00:00:00.000–01:06:30.000 … 400 records: presence of 7 contacts: "
          + "7 came online, 393 changed"))
    #expect(lines.count < 30)
  }

  @Test("The commands that a story names can be copied, also from colored output")
  func commands() throws {
    let name = "a day's.jsonl"
    try FileManager.default.copyItem(
      atPath: folder.file("day.jsonl"), toPath: folder.file(name))
    let printed = try lines("replay", name)
    let hint = try #require(printed.first { $0.contains("see: rollcall ") })
    let start = try #require(hint.range(of: "see: rollcall ")?.upperBound)
    let line = "\"$ROLLCALL\" \(hint[start...])"
    let run = try Program(shell: line, in: folder.path)
    #expect(run.code == 0 && run.output.contains("wrong-refusal"), "\(line): \(run.errors)")

    let terminal = try Program(
      shell:
        #"export ROLLCALL; TERM=xterm NO_COLOR= script -qec '"$ROLLCALL" replay day.jsonl --no-pager' /dev/null </dev/null"#,
      in: folder.path)
    #expect(terminal.output.contains("\u{1B}[1malice@example.test: 404 records"))
    #expect(!terminal.output.contains(#"\u{1B}"#))
  }

  @Test("A listing is cut at the edge of the terminal", arguments: [75, 95])
  func width(columns: Int) throws {
    let command = "stty cols \(columns); \"$ROLLCALL\" log day.jsonl --range 400-403"
    let run = try Program(
      shell:
        "export ROLLCALL; TERM=dumb script -qec '\(command)' /dev/null </dev/null",
      in: folder.path)
    let lines = run.output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("#") }
    #expect(lines.count == 4, "\(run.output)")
    for line in lines { #expect(line.count == columns && line.hasSuffix("…"), "\(line)") }
    let piped = try self.lines("log", "day.jsonl", "--range", "400-403")
    #expect(piped[1].count > 95)
  }

  @Test("Options select everything, a contact, a part, or findings")
  func filters() throws {
    #expect(try lines("replay", "day.jsonl", "--full").count > 800)
    let odd = try lines("replay", "day.jsonl", "--only", "findings")
    #expect(odd.count { $0.hasPrefix("#") } == 1 && odd.contains { $0.hasPrefix("#404 ") })
    let eve = try lines("replay", "day.jsonl", "--contact", "eve@example.test")
    #expect(eve.count { $0.hasPrefix("#") } == 2)
    let late = try lines("replay", "day.jsonl", "--from", "403", "--no-presence")
    #expect(late.count { $0.hasPrefix("#") } == 2)
    #expect(
      try lines("replay", "day.jsonl", "--since", "01:06:40").contains { $0.hasPrefix("#403 ") })
    let machine = try lines("replay", "day.jsonl", "--only", "findings", "--json")
    #expect(machine[0].contains(#""wrong-refusal""#) && !machine[0].contains("b1@example.test"))
  }

  @Test(
    "Times are printed in the requested zone",
    arguments: [
      ("+08:00", "08:06"), ("Asia/Shanghai", "08:06"), ("-00:30", "23:36"), ("UTC", "00:06"),
    ])
  func zones(zone: String, expected: String) throws {
    let lines = try lines("replay", "day.jsonl", "--full", "--zone", zone, "--from", "39")
    let first = try #require(lines.first { $0.hasPrefix("#39 ") })
    #expect(first.hasPrefix("#39 \(expected)"), "\(first)")
    #expect(lines.contains(zone == "-00:30" ? "2025-11-19" : "2025-11-20"))
    let named = try self.lines("replay", "day.jsonl", "--zone", "Europe/London")
    #expect(named.first?.hasSuffix("01:06:49.000 Europe/London") == true, "\(named)")
    let wrong = try Program(["replay", "day.jsonl", "--zone", "nowhere"], in: folder.path)
    #expect(wrong.code == 2)
  }

  @Test("A clock without a zone uses the given one")
  func clockZone() throws {
    let path = try #require(
      CaptureCase.all.first { $0.path.contains("/slixmpp-fetch-60/") }
    ).path
    let times = try [[], ["--clock-zone", "Asia/Shanghai"], ["--clock-zone", "+08:00"]].map {
      try Program(["log", path, "--json"] + $0).document["records"] as? [[String: Any]] ?? []
    }.map {
      $0.compactMap { ($0["time"] as? String).flatMap { try? Date($0, strategy: Self.form) } }
    }
    #expect(times[0].count > 10 && times[1] == times[2])
    #expect(zip(times[0], times[1]).allSatisfy { $0.timeIntervalSince($1) == 8 * 3600 })
    let wrong = try Program(["log", path, "--clock-zone", "here"])
    #expect(wrong.code == 2 && wrong.errors.contains("--clock-zone"))
  }

  private static let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  @Test("For a clock without a year, a note names the option")
  func year() throws {
    var path = URL(filePath: #filePath)
    for _ in 1...2 { path.deleteLastPathComponent() }
    path.append(path: "Fixtures/logs/prosody-raw/capture.log")
    let arguments = ["connections", path.path, "--account", "laowang43@example.test"]
    let without = try Program(arguments)
    #expect(without.errors.contains("the year: --year does"), "\(without.errors)")
    let with = try Program(arguments + ["--year", "2026"])
    #expect(!with.errors.contains("--year"), "\(with.errors)")
  }

  @Test("Findings cause a failure only if requested, from the given severity on")
  func failing() throws {
    for (severity, code) in [(nil, 0), ("info", 1), ("warning", 1), ("error", 0)] {
      let option = severity.map { ["--fail-on", $0] } ?? []
      for json in [[], ["--json"]] {
        let run = try Program(["findings", "day.jsonl"] + option + json, in: folder.path)
        #expect(Int(run.code) == code, "\(severity ?? "none") \(run.errors)")
        #expect(run.output.contains("wrong-refusal"))
        #expect(run.errors.isEmpty)
      }
    }
  }

  @Test("Each kind of finding is explained", arguments: Finding.Code.allCases)
  func explanation(code: Finding.Code) throws {
    let lines = try lines("findings", "--explain", code.rawValue)
    #expect(lines.first == "\(code.rawValue) (\(code.severity.rawValue))")
    #expect(lines[2].hasPrefix("Rule:    ") && lines[2].hasSuffix("."))
    #expect(lines[3].hasPrefix("Causes:  ") && lines[4].hasPrefix("Remedy:  "))
  }

  @Test(
    "Each kind of finding about messages is explained",
    arguments: ConversationFinding.Code.allCases)
  func messageExplanation(code: ConversationFinding.Code) throws {
    let lines = try lines("findings", "--explain", code.rawValue)
    #expect(lines.first == "\(code.rawValue) (\(code.severity.rawValue))")
    #expect(lines[2] == "Rule:    \(code.guide.rule)")
  }

  @Test("findings needs a source or a code")
  func nothingAsked() throws {
    #expect(try Program(["findings"], in: folder.path).code == 2)
    #expect(
      try Program(
        ["findings", "day.jsonl", "--explain", "foreign-push"], in: folder.path
      ).code == 2)
  }
}
