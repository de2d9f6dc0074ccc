import EventStore
import Foundation
import Rollcall

/// Checks many logs in separate processes, which a damaged log could crash.
enum Judging {
  /// The content of each log. A log without damage is also continued.
  static func findings(of images: [[String]], by workload: Workload) throws -> [[Finding]] {
    let paths = images.flatMap { $0 }
    var found: [Finding] = []
    while found.count < paths.count {
      let rest = Array(paths[found.count...])
      let run = try Run(workload.itself, ["judge", "logs"] + rest)
      found += try run.output.split(separator: "\n").map { line in
        try JSONDecoder().decode(Finding.self, from: Data(line.utf8))
      }
      if run.ending != .exited(0), found.count < paths.count {
        found.append(.damaged("looking at it ended by \(run.ending) \(run.errors)"))
      }
    }
    var left = found[...]
    return images.map { image in
      defer { left = left.dropFirst(image.count) }
      return Array(left.prefix(image.count))
    }
  }

  /// Runs the checking process, which prints a line for each log.
  ///
  /// - Returns: The exit code.
  static func run(_ what: String, _ arguments: [String]) -> Int32 {
    do {
      switch what {
      case "logs": for path in arguments { try say(look(at: path)) }
      case "answers":
        for path in arguments {
          for question in Question.allCases {
            try say(Flips.Reply(question: question, answer: try? question.answer(path)))
          }
        }
      case "hold": try hold(arguments.first ?? "")
      case "glance": try glance(at: arguments.first ?? "")
      default: return 2
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return 1
    }
  }

  /// Keeps a read transaction open until the process is killed.
  private static func hold(_ path: String) throws {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    try log.read { transaction in
      try say("reading")
      while true { sleep(60) }
    }
  }

  /// Begins read transactions repeatedly until the process is killed.
  private static func glance(at path: String) throws {
    let log = try EventLog.open(
      at: path, access: .readOnly, eventVersion: RecordReader.version)
    try say("reading")
    while true { try log.read { _ in } }
  }

  private static func look(at path: String) -> Finding {
    let found = Judge.look(at: path)
    guard case .sound = found else { return found }
    let after = Judge.continued(path)
    guard case .sound = after else { return after }
    return found
  }

  private static func say(_ value: some Encodable) throws {
    let line = try JSONEncoder().encode(value) + Data("\n".utf8)
    try FileHandle.standardOutput.write(contentsOf: line)
  }
}
