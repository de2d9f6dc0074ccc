import EventStore
import Foundation
import Rollcall
import TestSupport

/// Many processes at one log.
///
/// What must hold: two writers lose nothing; readers see whole commits; a reader that stands still
/// makes the file grow, is named by `verify`, and lets go of the pages when it ends.
struct Crowds {
  let workload: Workload
  let report: Report

  func run(isShort: Bool) throws {
    try manyReaders(isShort ? 8 : 40, writers: 2)
    try standingReader(commits: isShort ? 150 : 3000)
  }

  /// Two processes record while others read again and again.
  private func manyReaders(_ readers: Int, writers: Int) throws {
    let folder = try workload.folder(for: .record)
    let log = folder.file("a.rollcall")
    guard case .sound(let before) = Judge.look(at: log) else { throw Trouble("no log") }
    report.allAtOnce(readers + writers) { number in
      guard number >= writers else {
        let own = try Scratch()
        let run = try Run(workload.itself, ["record", log], in: own.path)
        if run.ending != .exited(0) { report.complain("a writer: \(run.ending) \(run.errors)") }
        report.count("writers")
        return
      }
      let run = try Run(workload.program, ["verify", log], in: folder.path)
      if run.ending != .exited(0) {
        report.complain("a reader: \(run.ending) \(run.output)\(run.errors)")
      }
      report.count("readers")
    }
    let after = Judge.look(at: log)
    guard case .sound(let contents) = after,
      contents.records == before.records + writers * LiveRecording.records
    else { return report.complain("after \(writers) writers: \(after)") }
  }

  /// A process that reads is stopped while another one appends.
  private func standingReader(commits: Int) throws {
    let folder = try workload.folder(for: .record)
    let path = folder.file("a.rollcall")
    let reader = Process()
    reader.executableURL = URL(filePath: workload.itself)
    reader.arguments = ["judge", "stand", path]
    let output = Pipe()
    reader.standardOutput = output
    try reader.run()
    defer { reader.terminate() }
    guard !output.fileHandleForReading.availableData.isEmpty else {
      throw Trouble("the reader does not read")
    }
    kill(reader.processIdentifier, SIGSTOP)
    let log = try EventLog.open(
      at: path, access: .readWrite, eventVersion: DecodedRecord.version)
    func growth() throws -> Int {
      let before = try Data(contentsOf: URL(filePath: path)).count
      for number in 0..<commits {
        try log.append([Bookmark(name: "b\(number)", back: 1).draft])
      }
      return try Data(contentsOf: URL(filePath: path)).count - before
    }
    let held = try growth()
    let verification = try Run(workload.program, ["verify", path])
    if !verification.output.contains("process \(reader.processIdentifier) ") {
      report.complain(
        "the process that stands is not named: \(verification.output)\(verification.errors)")
    }
    kill(reader.processIdentifier, SIGKILL)
    reader.waitUntilExit()
    let verified = try Run(workload.program, ["verify", path])
    if verified.output.contains("process ") { report.complain("a dead process is named") }
    let free = try growth()
    report.count("KB grown with a reader that stands", held / 1024)
    report.count("KB grown without", free / 1024)
    if free * 2 > held { report.complain("the file grew by \(held) bytes, then by \(free)") }
  }
}
