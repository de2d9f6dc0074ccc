import Foundation
import TestSupport

/// Runs commands with few system resources.
///
/// Expected: the right answer, or a refusal with a message if the limit allows one; no hang and no
/// signal.
struct Limits {
  private struct Limit: Sendable {
    var name: String
    /// A line of shell to run before the command.
    var shell = ":"
    var fault = Shim.Fault()
    /// Whether commands must still work: those that only read, and those that write.
    var reads = true
    var writes = true
  }

  let workload: Workload
  let shim: Shim
  let report: Report

  private static let reading = [
    ["state", "a.rollcall", "--json"], ["state", "whole.jsonl", "--json"],
    ["replay", "a.rollcall"], ["export", "a.rollcall"], ["verify", "a.rollcall"],
    ["sections", "a.rollcall", "--friends", "all"],
  ]
  private static let writing = [
    ["import", "whole.jsonl", "-o", "b.rollcall"], ["import", "whole.jsonl", "-o", "a.rollcall"],
    ["bookmark", "a.rollcall", "here", "3"], ["verify", "a.rollcall", "--rebuild"],
    ["recover", "a.rollcall", "-o", "b.rollcall"],
  ]

  private static func nothing(of calls: Shim.Calls, _ error: Int32) -> Shim.Fault {
    Shim.Fault(calls: calls, at: 1, isPermanent: true, error: error)
  }

  private static let limits: [Limit] =
    [
      Limit(name: "no threads", fault: nothing(of: .threads, EAGAIN)),
      Limit(name: "150 MB of address space", shell: "ulimit -v 150000"),
      Limit(name: "six descriptors", shell: "ulimit -n 6", reads: false, writes: false),
      Limit(name: "eight descriptors", shell: "ulimit -n 8", reads: false, writes: false),
      Limit(name: "a read-only disk", fault: nothing(of: .opens, EROFS), writes: false),
      Limit(name: "a folder of others", fault: nothing(of: .opens, EACCES), writes: false),
      Limit(name: "no maps", fault: nothing(of: .maps, ENOMEM), reads: false, writes: false),
    ]
    + [1, 2, 3, 5, 9].map { look in
      Limit(
        name: "a clock that goes back a day at look \(look)",
        fault: Shim.Fault(shift: (-86_400_000, look)))
    }

  private struct Case: Sendable {
    var limit: Limit
    var command: [String]
    var writes: Bool
  }

  /// The result of a command without limits.
  private struct Undisturbed: Sendable {
    var ending: Run.Ending
    var output: String
    var logs: [String: Finding]
  }

  private static let logs = ["a.rollcall", "b.rollcall"]

  /// - Parameter isShort: Whether to run only two commands for each limit.
  func run(isShort: Bool) throws {
    let commands = Self.reading + Self.writing
    let cases = Self.limits.enumerated().flatMap { number, limit in
      commands.indices.filter { index in
        !isShort || index == number % Self.reading.count
          || index == Self.reading.count + number % Self.writing.count
      }.map { index in
        Case(limit: limit, command: commands[index], writes: index >= Self.reading.count)
      }
    }
    var undisturbed: [[String]: Undisturbed] = [:]
    for command in Set(cases.map(\.command)) {
      let folder = try folder()
      let run = try Run(workload.program, command, in: folder.path)
      undisturbed[command] = Undisturbed(
        ending: run.ending, output: run.output, logs: look(in: folder))
    }
    report.forEach(cases) { [undisturbed] attacked in
      guard let right = undisturbed[attacked.command] else { return }
      try attack(attacked, right)
    }
  }

  private func look(in folder: Scratch) -> [String: Finding] {
    Dictionary(
      uniqueKeysWithValues: Self.logs.map { ($0, Judge.look(at: folder.file($0))) })
  }

  private func folder() throws -> Scratch {
    let folder = try Scratch()
    try folder.copy(["whole.jsonl", "a.rollcall", "a.rollcall-lock"], from: workload.base)
    return folder
  }

  private func attack(_ attacked: Case, _ right: Undisturbed) throws {
    let limit = attacked.limit
    let folder = try folder()
    let (run, _) = try shim.run(
      "/bin/sh", ["-c", "\(limit.shell); exec \"$0\" \"$@\"", workload.program] + attacked.command,
      in: folder.path, limit.fault)
    func complain(_ what: String) {
      report.complain(
        "\(limit.name): \(attacked.command.joined(separator: " ")): \(what); "
          + "\(run.ending) \(run.errors)")
    }
    switch run.ending {
    case .hung: complain("hangs")
    case .signalled: complain("a signal")
    case right.ending:
      report.count("right answers")
      if run.output != right.output { complain("another answer") }
      let found = look(in: folder)
      if found != right.logs { complain("\(found)") }
    case .exited(2):
      report.count("refusals")
      if !run.errors.hasPrefix("rollcall: ") { complain("not in words") }
      if attacked.writes ? limit.writes : limit.reads { complain("refused") }
      if Judge.look(at: folder.file("a.rollcall")) != workload.before[.append] {
        complain("the log has changed")
      }
    case .exited: complain("another exit code")
    }
  }
}
