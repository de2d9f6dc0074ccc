import Foundation
import TestSupport

/// Overwrites, truncates and replaces a log at any moment while a command reads it.
///
/// Expected: the command answers for one of the two logs, or refuses; it never ends by a signal.
struct ChangedFiles {
  private enum Change: CaseIterable {
    /// Another log is copied over it, in place.
    case copiedOver
    case cut
    /// Another log is renamed to its name.
    case replaced
    case removed
  }

  private struct Case: Sendable {
    var command: Int
    var change: Change
    var microseconds: UInt32
    /// The length in pages to which it is cut.
    var pages: Int
  }

  private struct Expected: Sendable {
    var outputs: [String] = []
    var microseconds: UInt64 = 0
  }

  let workload: Workload
  let report: Report

  private static let log = "a.rollcall"
  private static let commands = [
    ["state", log, "--json"], ["replay", log], ["sections", log, "--friends", "all"],
    ["diff", log, "3", "head", "--json"], ["export", log], ["log", log, "--json"],
    ["verify", log], ["recover", log, "-o", "b.rollcall", "--json"],
  ]

  func run(seed: UInt64, count: Int) throws {
    // The log, and the one that replaces it.
    let logs = try ["whole.jsonl", "other.jsonl"].map(folder(with:))
    let expected = try Self.commands.map { command in
      try logs.reduce(into: Expected()) { expected, log in
        let folder = try copy(of: log)
        let run = try Run(workload.program, command, in: folder.path)
        expected.outputs.append(run.output)
        expected.microseconds = max(expected.microseconds, run.microseconds)
      }
    }
    var generator = SeededGenerator(seed: seed)
    let cases = (0..<count).map { number in
      let command = number % Self.commands.count
      return Case(
        command: command, change: Change.allCases.randomElement(using: &generator) ?? .cut,
        microseconds: UInt32(
          clamping: UInt64.random(in: 0...expected[command].microseconds, using: &generator)),
        pages: Int.random(in: 0...40, using: &generator))
    }
    report.forEach(cases) { try attack($0, expected[$0.command], logs) }
  }

  private func copy(of log: Scratch) throws -> Scratch {
    let folder = try Scratch()
    try folder.copy([Self.log], from: log)
    return folder
  }

  private func folder(with capture: String) throws -> Scratch {
    let folder = try Scratch()
    try folder.copy([capture], from: workload.base)
    let run = try Run(workload.program, ["import", capture, "-o", Self.log], in: folder.path)
    guard run.ending == .exited(0) else { throw Trouble(run.errors) }
    return folder
  }

  private func attack(_ attacked: Case, _ expected: Expected, _ logs: [Scratch]) throws {
    let (folder, other) = (try copy(of: logs[0]), try copy(of: logs[1]))
    let log = folder.file(Self.log)
    let bytes = try Data(contentsOf: URL(filePath: other.file(Self.log)))
    let command = Self.commands[attacked.command]
    let run = try Run(
      workload.program, command, in: folder.path,
      meanwhile: Run.Meanwhile(microseconds: attacked.microseconds) {
        switch attacked.change {
        case .copiedOver:
          let file = try FileHandle(forWritingTo: URL(filePath: log))
          try file.truncate(atOffset: 0)
          try file.write(contentsOf: bytes)
        case .cut: truncate(log, off_t(attacked.pages * Damage.page))
        case .replaced: rename(other.file(Self.log), log)
        case .removed: unlink(log)
        }
      })
    func complain(_ what: String) {
      report.complain(
        "\(command[0]), \(attacked.change) after \(attacked.microseconds) µs: \(what); "
          + "\(run.ending) \(run.errors)")
    }
    switch run.ending {
    case .hung: complain("hangs")
    case .signalled: complain("a signal")
    case .exited(2): report.count("refusals")
    case .exited(1) where command[0] == "verify" || command[0] == "recover":
      report.count("refusals")
    case .exited:
      report.count("answers")
      if !expected.outputs.contains(run.output) { complain("another answer") }
    }
  }
}
