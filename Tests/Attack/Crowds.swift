import EventStore
import Foundation
import Rollcall
import Synchronization
import TestSupport

/// Many processes that use one log.
///
/// Expected: two writers lose nothing; of two recorders one is refused, or records after the other;
/// readers see whole commits; a stopped reader makes the file grow, is named by `verify`, and
/// releases its pages when it ends; a command that reads a long log does not hold on to one state.
struct Crowds {
  let workload: Workload
  let report: Report

  func run(isShort: Bool) throws {
    try manyReaders(isShort ? 8 : 40, writers: 2)
    try beginningReaders(commits: isShort ? 2000 : 100_000)
    let held = try stoppedReader(commits: isShort ? 150 : 3000)
    try longReaders(records: isShort ? 30_000 : 100_000, besideStoppedReader: held)
  }

  /// Records, appends bookmarks and reads, all at once in different processes.
  private func manyReaders(_ readers: Int, writers: Int) throws {
    let folder = try workload.folder(for: .record)
    let log = folder.file("a.rollcall")
    guard case .sound(let before) = Judge.look(at: log) else { throw Trouble("no log") }
    let recorded = Mutex(0)
    report.allAtOnce(readers + 2 * writers) { number in
      if number < writers {
        let own = try Scratch()
        let run = try Run(workload.itself, ["record", log], in: own.path)
        switch run.ending {
        case .exited(0): recorded.withLock { $0 += 1 }
        case .exited(2) where run.errors.contains("is being recorded to by process "):
          report.count("recorders that were refused")
        default: report.complain("a recorder: \(run.ending) \(run.errors)")
        }
        report.count("recorders")
      } else if number < 2 * writers {
        let run = try Run(workload.program, ["bookmark", log, "b\(number)", "3"])
        if run.ending != .exited(0) { report.complain("a writer: \(run.ending) \(run.errors)") }
        report.count("writers")
      } else {
        let run = try Run(workload.program, ["verify", log], in: folder.path)
        if run.ending != .exited(0) {
          report.complain("a reader: \(run.ending) \(run.output)\(run.errors)")
        }
        report.count("readers")
      }
    }
    let after = Judge.look(at: log)
    let recorders = recorded.withLock { $0 }
    if recorders == 0 { report.complain("nobody could record") }
    // A bookmark is appended again if another record was appended first.
    let bookmarks = try bookmarkCount(in: log)
    if bookmarks < writers { report.complain("\(bookmarks) bookmarks of \(writers)") }
    // Each recorder may first close the session with which the log ends.
    let minimum = recorders * LiveRecording.records.lowerBound
    guard case .sound(let contents) = after,
      (minimum...minimum + recorders).contains(contents.records - before.records - bookmarks)
    else { return report.complain("after \(recorders) recorders: \(after)") }
  }

  private func bookmarkCount(in path: String) throws -> Int {
    let log = try EventLog.open(at: path, access: .readWrite, eventVersion: RecordReader.version)
    return try log.read { transaction in
      var count = 0
      for number in 1...(try transaction.lastSequence) {
        guard let record = try transaction.record(at: number) else { continue }
        if Bookmark(record.bytes) != nil { count += 1 }
      }
      return count
    }
  }

  /// Processes begin to read as often as they can while another one appends. The state that a
  /// process is about to read can be replaced before it has begun.
  private func beginningReaders(commits: Int) throws {
    let folder = try workload.folder(for: .record)
    let path = folder.file("a.rollcall")
    let readers = try (0..<6).map { _ in
      try Reader(workload.itself, ["judge", "glance", path])
    }
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    for _ in 0..<commits { try log.append([Bookmark(name: "b", back: 1).draft]) }
    report.count("commits beside readers that begin", commits)
    for reader in readers where !reader.process.isRunning {
      report.complain("a reader that begins again and again: \(reader.errors)")
    }
  }

  /// A process that prints a line once it is reading, and is killed with this object.
  private final class Reader {
    let process = Process()
    private let output = Pipe()
    private let error = Pipe()

    init(_ program: String, _ arguments: [String]) throws {
      process.executableURL = URL(filePath: program)
      process.arguments = arguments
      process.standardOutput = output
      process.standardError = error
      try process.run()
      guard !output.fileHandleForReading.availableData.isEmpty else {
        throw Trouble("the reader does not read: \(errors)")
      }
    }

    deinit { end() }

    /// The errors that it printed; complete once it has ended.
    var errors: String {
      String(decoding: error.fileHandleForReading.availableData, as: UTF8.self)
    }

    func end() {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// Commands read a long log completely while it is appended to.
  ///
  /// - Parameter held: The growth of the file per commit beside a stopped reader, in bytes.
  private func longReaders(records: Int, besideStoppedReader held: Int) throws {
    let folder = try Scratch()
    let path = folder.file("long.rollcall")
    let log = try EventLog.create(at: path, eventVersion: RecordReader.version)
    let bookmark = Bookmark(name: "long", back: 1).draft
    try log.append((0..<records).map { _ in bookmark })
    for command in [["verify"], ["log", "--contact", "a@b"], ["what-if", "--drop", "1"]] {
      let reader = Process()
      reader.executableURL = URL(filePath: workload.program)
      reader.arguments = command + [path]
      (reader.standardOutput, reader.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
      // Use up the pages that earlier commits freed.
      try log.append([bookmark])
      let before = try Data(contentsOf: URL(filePath: path)).count
      try reader.run()
      var commits = 0
      while reader.isRunning {
        try log.append([bookmark])
        commits += 1
      }
      let grown = try Data(contentsOf: URL(filePath: path)).count - before
      report.count("commits beside commands that read", commits)
      report.count("KB grown beside them", grown / 1024)
      if grown * 4 > held * commits {
        report.complain("beside \(command) the file grew by \(grown) bytes in \(commits) commits")
      }
    }
  }

  /// Stops a process that reads while another one appends.
  ///
  /// - Returns: The growth of the file per commit, in bytes.
  private func stoppedReader(commits: Int) throws -> Int {
    let folder = try workload.folder(for: .record)
    let path = folder.file("a.rollcall")
    let reader = try Reader(workload.itself, ["judge", "hold", path])
    let number = reader.process.processIdentifier
    kill(number, SIGSTOP)
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: RecordReader.version)
    func growth() throws -> Int {
      let before = try Data(contentsOf: URL(filePath: path)).count
      for number in 0..<commits {
        try log.append([Bookmark(name: "b\(number)", back: 1).draft])
      }
      return try Data(contentsOf: URL(filePath: path)).count - before
    }
    let held = try growth()
    let verification = try Run(workload.program, ["verify", path])
    if !verification.output.contains("process \(number) ") {
      report.complain(
        "the stopped process is not named: \(verification.output)\(verification.errors)")
    }
    reader.end()
    let verified = try Run(workload.program, ["verify", path])
    if verified.output.contains("process ") { report.complain("a dead process is named") }
    let free = try growth()
    report.count("KB grown with a stopped reader", held / 1024)
    report.count("KB grown without", free / 1024)
    if free * 2 > held { report.complain("the file grew by \(held) bytes, then by \(free)") }
    return held / commits
  }
}
