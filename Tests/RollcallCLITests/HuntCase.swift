import Foundation
import TestSupport
import Testing

/// A real session in which something was done on purpose, so that its cause is known, from
/// `Fixtures/hunts`.
struct HuntCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let folder: String

  /// Every hunt, by name.
  static let all: [HuntCase] = {
    let root = CaptureCase.fixtures.appending(path: "hunts").path(percentEncoded: false)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return names.sorted().map { HuntCase(testDescription: $0, folder: "\(root)/\($0)") }
      .filter { FileManager.default.fileExists(atPath: "\($0.folder)/hunt.json") }
  }()

  /// What a person must be told about the session, and what would be untrue: `hunt.json`.
  struct Expectation: Decodable {
    struct Question: Decodable {
      let contact: String?
    }

    struct Cause: Decodable {
      /// One of these records has to be named.
      let records: [Int]?
      /// The device that has to be named together with one of the records.
      let device: String?
      /// One alternative of each group has to be said.
      let words: [[String]]?
      /// The commands whose output counts; all of them if there are none.
      let `in`: [String]?
    }

    struct Finding: Decodable {
      /// Its codes; nil among them stands for any code.
      let anyOf: [String?]?
      let aboutRecord: [Int]?
      let severityMin: String?
      let says: [String]?
    }

    /// One finding or several.
    struct Findings: Decodable {
      let all: [Finding]

      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let several = try? value.decode([Finding].self) {
          all = several
        } else {
          all = [try value.decode(Finding.self)]
        }
      }
    }

    let capture: String?
    let args: [String]?
    let question: Question?
    let cause: Cause?
    let finding: Findings?
    /// Codes, texts and patterns that would be untrue.
    let never: [String]?
    /// The number of findings that a code may have at most.
    let atMost: [String: Int]?
    /// Whether a finding of severity warning or error would be a false alarm.
    let quiet: Bool?
  }

  func expectation() throws -> Expectation {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(
      Expectation.self, from: Data(contentsOf: URL(filePath: "\(folder)/hunt.json")))
  }
}

/// The output of the program about a hunt, and what of it is not as expected.
struct HuntRun {
  private let expected: HuntCase.Expectation
  private let output: [String: String]
  private let findings: [[String: Any]]
  /// Commands that failed.
  private let failed: [String]

  init(_ hunt: HuntCase) throws {
    expected = try hunt.expectation()
    let capture = expected.capture ?? "capture.jsonl"
    var runs = [
      "replay": ["replay", capture, "--no-pager"], "findings": ["findings", capture, "--no-pager"],
      "lines": ["findings", capture, "--jsonl"],
    ]
    if let contact = expected.question?.contact { runs["why"] = ["why", capture, contact] }
    let others = expected.args ?? []
    let programs = try runs.mapValues { try Program($0 + others, in: hunt.folder) }
    failed = programs.filter { $0.value.code > ($0.key == "why" ? 1 : 0) }
      .map { "\($0.key): \($0.value.errors)" }.sorted()
    findings = try (programs["lines"]?.output ?? "").split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    output = programs.mapValues(\.output)
  }

  /// Everything that is not as expected.
  var faults: [String] {
    get throws {
      try failed + causeFaults + findingFaults + untruths
    }
  }

  // MARK: The cause

  private var causeFaults: [String] {
    get throws {
      guard let cause = expected.cause else { return [] }
      let place = cause.in.map { $0.compactMap { output[$0] }.joined(separator: "\n") } ?? said
      let records = cause.records ?? []
      var faults: [String] = []
      if try !records.isEmpty && !records.contains(where: { try place.names($0) }) {
        faults.append("none of the records \(records) is named")
      }
      if let device = cause.device {
        let isNamed = try blocks.contains { block in
          try block.hasWord(device)
            && (records.isEmpty || records.contains { try block.names($0) })
        }
        if !isNamed { faults.append("\(device) is not named with one of the records \(records)") }
      }
      for group in cause.words ?? [] where try !group.contains(where: { try place.says($0) }) {
        faults.append("none of \(group) is said")
      }
      return faults
    }
  }

  /// Everything that people read.
  private var said: String {
    let sentences = findings.compactMap { $0["sentence"] as? String }.joined(separator: "\n")
    return ["replay", "findings", "why"].compactMap { output[$0] }.joined(separator: "\n")
      + "\n" + sentences
  }

  /// The parts that belong together: a line with the indented lines under it, or a finding.
  private var blocks: [String] {
    var blocks: [String] = []
    for text in ["replay", "findings", "why"].compactMap({ output[$0] }) {
      var isFirst = true
      for line in text.split(separator: "\n") where line.contains(where: { !$0.isWhitespace }) {
        if line.first?.isWhitespace == true, !isFirst, let last = blocks.indices.last {
          blocks[last] += "\n" + line
        } else {
          blocks.append(String(line))
        }
        isFirst = false
      }
    }
    return blocks
      + findings.map { finding in
        let numbers = ["record", "cause"].compactMap { finding[$0] as? Int }.map { "#\($0)" }
        return numbers.joined(separator: " ") + " \(finding)"
      }
  }

  // MARK: Findings

  private static let severities = ["info", "warning", "error"]

  private func rank(_ severity: Any?) -> Int {
    (severity as? String).flatMap { Self.severities.firstIndex(of: $0) } ?? 0
  }

  private var findingFaults: [String] {
    get throws {
      var faults: [String] = []
      for wanted in expected.finding?.all ?? []
      where try !findings.contains(where: { try fits($0, wanted) }) {
        faults.append("no finding \(wanted)")
      }
      for (code, most) in (expected.atMost ?? [:]).sorted(by: { $0.key < $1.key }) {
        let count = findings.count { $0["code"] as? String == code }
        if count > most { faults.append("\(code) comes \(count) times") }
      }
      if expected.quiet == true {
        faults += findings.filter { rank($0["severity"]) > 0 }.map { "a false alarm: \($0)" }
      }
      return faults
    }
  }

  private func fits(
    _ finding: [String: Any], _ wanted: HuntCase.Expectation.Finding
  ) throws -> Bool {
    let code = finding["code"] as? String
    let sentence = finding["sentence"] as? String ?? ""
    if let codes = wanted.anyOf, !codes.contains(nil), !codes.contains(code) { return false }
    guard rank(finding["severity"]) >= rank(wanted.severityMin) else { return false }
    if let records = wanted.aboutRecord {
      let own = ["record", "cause"].compactMap { finding[$0] as? Int }
      let isAbout =
        try !Set(own).isDisjoint(with: records)
        || records.contains { try sentence.names($0) }
      guard isAbout else { return false }
    }
    guard let words = wanted.says, !words.isEmpty else { return true }
    return try words.contains { try "\(code ?? "") \(sentence)".says($0) }
  }

  private var untruths: [String] {
    get throws {
      let codes = findings.compactMap { $0["code"] as? String }
      let said = said
      return try (expected.never ?? []).filter { try said.says($0) || codes.contains($0) }
        .map { "it is not so that \($0)" }
    }
  }
}

extension String {
  private func matches(_ pattern: String, ignoresCase: Bool = true) throws -> Bool {
    try groups(pattern, ignoresCase: ignoresCase).first != nil
  }

  /// The first group of each match, or the match if there is no group.
  private func groups(_ pattern: String, ignoresCase: Bool = true) throws -> [String] {
    let expression = try NSRegularExpression(
      pattern: pattern, options: ignoresCase ? .caseInsensitive : [])
    return expression.matches(in: self, range: NSRange(startIndex..., in: self)).map { match in
      let range = match.range(at: match.numberOfRanges > 1 ? 1 : 0)
      return Range(range, in: self).map { String(self[$0]) } ?? ""
    }
  }

  /// Whether a record is named: #12, record 12, records 3 and 12.
  fileprivate func names(_ record: Int) throws -> Bool {
    if try matches("#\(record)(?!\\d)") { return true }
    let list = #"\brecords?\s+((?:#?\d+(?:\s*(?:,|and|to|or|–|-|…)\s*)?)+)"#
    return try groups(list).contains { try $0.groups(#"\d+"#).contains("\(record)") }
  }

  fileprivate func hasWord(_ word: String) throws -> Bool {
    let escaped = NSRegularExpression.escapedPattern(for: word)
    return try matches(#"(?<![\w-])"# + escaped + #"(?![\w-])"#, ignoresCase: false)
  }

  /// Whether a text, a code or a pattern after `re:` occurs.
  fileprivate func says(_ alternative: String) throws -> Bool {
    if alternative.hasPrefix("re:") { return try matches(String(alternative.dropFirst(3))) }
    let escaped = NSRegularExpression.escapedPattern(for: alternative)
    let isCode = try alternative.matches("^[a-z]+(-[a-z]+)+$", ignoresCase: false)
    return try matches(isCode ? #"(?<![\w-])"# + escaped + #"(?![\w-])"# : escaped)
  }
}
