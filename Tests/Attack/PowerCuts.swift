import Foundation
import TestSupport

/// Cuts the power at any moment of a log's life, and opens what may then be on the disk.
///
/// Expected: all records of completed commands are in the log, and all or none of the records of
/// the interrupted command; nothing is wrong with the log, and it can be continued.
struct PowerCuts {
  let workload: Workload
  let shim: Shim
  let report: Report

  /// The number of images that one process checks.
  private static let batch = 25

  /// A moment at which the content of the logs is known to be durable.
  private struct Milestone {
    /// The number of changes of the disk so far.
    var events: Int
    /// The content of each log.
    var found: [String: Finding]
  }

  private struct Life {
    var start: Scratch
    var disk: DiskModel
    var events: [DiskEvent] = []
    var milestones: [Milestone] = []
  }

  /// A power cut: its position, and which later changes are on the disk.
  private struct Cut: Sendable {
    var events: Int
    var style: DiskModel.Style
    var seed: UInt64
  }

  private static let logs = ["a.rollcall", "b.rollcall"]

  func run(seed: UInt64, count: Int) throws {
    let life = try record()
    let cuts = cuts(of: life, seed, count)
    report.count("images", cuts.count)
    report.count("changes of the disk", life.events.count)
    report.forEach(stride(from: 0, to: cuts.count, by: Self.batch).map { $0 }) { start in
      try look(at: Array(cuts[start..<min(start + Self.batch, cuts.count)]), life)
    }
  }

  // MARK: The life of a log

  /// Runs everything that is done to a log, one command after another.
  private func record() throws -> Life {
    let folder = try Scratch()
    try folder.copy(["part.jsonl", "whole.jsonl"], from: workload.base)
    let scratch = try Scratch()
    let trace = scratch.file("trace")
    try Data().write(to: URL(filePath: trace))
    var life = Life(start: scratch, disk: try DiskModel(of: folder))
    let log = "a.rollcall"
    life.milestones.append(Milestone(events: 0, found: Self.look(in: folder)))
    for arguments in [
      ["import", "part.jsonl", "-o", log], ["import", "whole.jsonl", "-o", log],
      ["bookmark", log, "here", "3"], ["verify", log, "--rebuild"], ["record", log],
      ["recover", log, "-o", "b.rollcall"],
    ] {
      let program = arguments[0] == "record" ? workload.itself : workload.program
      let (run, _) = try shim.run(
        program, arguments, in: folder.path, Shim.Fault(), trace: trace)
      guard run.ending == .exited(0) else {
        throw Trouble("\(arguments): \(run.ending) \(run.errors)")
      }
      life.events = try DiskTrace.read(trace)
      life.milestones.append(
        Milestone(events: life.events.count, found: Self.look(in: folder)))
    }
    return life
  }

  private static func look(in folder: Scratch) -> [String: Finding] {
    Dictionary(uniqueKeysWithValues: logs.map { ($0, Judge.look(at: folder.file($0))) })
  }

  /// Cuts before and after each sync, with none and with all of the changes that were not synced,
  /// then random cuts.
  private func cuts(of life: Life, _ seed: UInt64, _ count: Int) -> [Cut] {
    var cuts: [Cut] = []
    for (index, event) in life.events.enumerated() {
      guard case .sync = event else { continue }
      for style in [DiskModel.Style.onlyDurable, .all] {
        cuts.append(Cut(events: index, style: style, seed: 0))
        cuts.append(Cut(events: index + 1, style: style, seed: 0))
      }
    }
    var generator = SeededGenerator(seed: seed)
    while cuts.count < count {
      // Choose the command first, because some commands change the disk far more often than others.
      let command = Int.random(in: 1..<life.milestones.count, using: &generator)
      let events = life.milestones[command - 1].events...life.milestones[command].events
      cuts.append(
        Cut(
          events: Int.random(in: events, using: &generator),
          style: Bool.random(using: &generator) ? .prefix : .torn, seed: generator.next()))
    }
    return cuts
  }

  // MARK: The images

  private func look(at cuts: [Cut], _ life: Life) throws {
    var images: [Scratch] = []
    for cut in cuts {
      var disk = life.disk
      try disk.apply(life.events.prefix(cut.events))
      let image = try Scratch()
      var generator = SeededGenerator(seed: cut.seed)
      try disk.write(to: image, cut.style, using: &generator)
      images.append(image)
    }
    let found = try Judging.findings(
      of: images.map { image in Self.logs.map { image.file($0) } }, by: workload)
    for (cut, found) in zip(cuts, found) {
      for (name, found) in zip(Self.logs, found) { judge(name, found, cut, life) }
    }
  }

  private func judge(_ name: String, _ found: Finding, _ cut: Cut, _ life: Life) {
    let done = life.milestones.lastIndex { $0.events <= cut.events } ?? 0
    let before = life.milestones[done].found[name]
    let after = life.milestones[min(done + 1, life.milestones.count - 1)].found[name]
    if found == before {
      return report.count("\(name) as before the command")
    }
    if found == after { return report.count("\(name) as after the command") }
    // A live session acknowledges each burst.
    if case .sound(let contents) = found, case .sound(let before) = before,
      case .sound(let after) = after, contents.records < after.records
    {
      let acknowledged =
        life.events[life.milestones[done].events..<cut.events]
        .reduce(0) { $0 + LiveRecording.acknowledged(by: $1) }
      let live = contents.records - before.records
      if LiveRecording.records.contains(after.records - before.records),
        (0...LiveRecording.mostInBurst).contains(live - acknowledged)
      {
        return report.count("\(name) in the middle of a session")
      }
    }
    report.complain(
      "\(name) cut after \(cut.events) changes, \(cut.style), seed \(cut.seed): \(found), "
        + "before \(before?.description ?? "?"), after \(after?.description ?? "?")")
  }
}
