import Foundation
import TestSupport
import Testing

/// One of the cases of `Fixtures/pasted`: what a user has, and what certainly follows from it.
///
/// The README there lists the expectations.
struct PastedCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let folder: String

  /// Every case, by group and name.
  static let all: [PastedCase] = {
    let root = CaptureCase.fixtures.appending(path: "pasted").path(percentEncoded: false)
    func names(_ path: String) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
    return names(root).flatMap { group in
      names("\(root)/\(group)").map {
        PastedCase(testDescription: "\(group)/\($0)", folder: "\(root)/\(group)/\($0)")
      }
    }
  }()

  /// The content of `case.json`.
  func description() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: "\(folder)/case.json"))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}

/// Runs the program on a case, each command once.
final class PastedRun {
  let expected: [String: Any]
  private let folder: String
  private let inputs: [String]
  private let options: [String]
  private let selection: [String]
  private let contacts: [String]
  private var done: [String: Program] = [:]

  init(_ pasted: PastedCase) throws {
    let description = try pasted.description()
    folder = pasted.folder
    expected = try #require(description["expect"] as? [String: Any])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    inputs = description["inputs"] as? [String] ?? files.filter { $0.hasPrefix("input") }
    options = (description["args"] as? [Any] ?? []).map { "\($0)" }
    selection = (description["select"] as? String).map { ["--account", $0] } ?? []
    let contact = description["contact"]
    contacts = contact as? [String] ?? (contact as? String).map { [$0] } ?? []
  }

  /// Runs a command on all inputs; the selected account does not count for `connections`.
  func run(_ command: String, _ flags: String...) throws -> Program {
    try run([command] + inputs + options + (command == "connections" ? [] : selection) + flags)
  }

  private func run(_ arguments: [String]) throws -> Program {
    let key = arguments.joined(separator: " ")
    if let known = done[key] { return known }
    let program = try Program(arguments, in: folder)
    done[key] = program
    return program
  }

  func document(_ command: String) throws -> [String: Any] {
    let program = try run(command, "--json")
    return program.code == 0 ? try program.document as? [String: Any] ?? [:] : [:]
  }

  var findings: [[String: Any]] {
    get throws {
      try run("findings", "--jsonl").output.split(separator: "\n").compactMap {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
    }
  }

  /// The stanzas that the program read, in order.
  var stanzas: [[String: Any]] {
    get throws {
      (try document("log")["records"] as? [[String: Any]] ?? []).filter { record in
        ["iq", "presence", "message"].contains(record["kind"] as? String)
          && ["in", "out"].contains(record["direction"] as? String)
      }
    }
  }

  var accounts: [[String: Any]] {
    get throws { try document("connections")["accounts"] as? [[String: Any]] ?? [] }
  }

  /// Everything that is printed about the case, in lower case.
  var story: String {
    get throws {
      var text = [try run("replay", "--full").output, try run("findings").output]
      let others = inputs.dropFirst().flatMap { ["--also", $0] }
      for contact in contacts {
        text.append(
          try run(["why", inputs[0], contact] + options + selection + others).output)
      }
      return text.joined(separator: "\n").lowercased()
    }
  }

  var notes: String {
    get throws { try run("state", "--json").errors + "\n" + run("replay", "--full").errors }
  }
}
