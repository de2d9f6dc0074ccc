import Foundation
import TestSupport

/// Fails the calls of each operation, one after another.
///
/// Expected: no signal and no hang; exit code 0 only if the records are in the log and would be
/// after a power cut; otherwise the log is unchanged, or the error says that the outcome is not
/// known; and the next command leaves no files beside the log.
struct FailingCalls {
  struct Case: Sendable, CustomStringConvertible {
    var operation: Operation
    var fault: Shim.Fault

    var description: String { "\(operation), \(fault)" }
  }

  let workload: Workload
  let shim: Shim
  let report: Report

  /// The words of an error if it is not known whether the records are in the log.
  static let unknown = "it is not known"

  /// - Parameters:
  ///   - count: The number of random cases; nil for all.
  ///   - isShort: Whether to choose only from the cases of the test suite.
  func run(seed: UInt64, count: Int?, isShort: Bool) throws {
    var cases = try self.cases(isShort: isShort)
    var generator = SeededGenerator(seed: seed)
    if let count { cases = Array(cases.shuffled(using: &generator).prefix(count)) }
    report.forEach(cases) { try attack($0, isThorough: !isShort) }
  }

  /// Each call of each operation with each error, once and from then on, including short writes and
  /// calls that fail after doing their work.
  private func cases(isShort: Bool) throws -> [Case] {
    let operations: [Operation] =
      isShort ? [.create, .append, .bookmark, .rebuild, .recover] : Operation.allCases
    let manners: [(Int32, Shim.Manner)] =
      isShort
      ? [(EIO, .refused)]
      : [(EIO, .refused), (ENOSPC, .refused), (EIO, .short), (EIO, .late)]
    return try operations.flatMap { operation in
      let folder = try workload.folder(for: operation)
      let (_, count) = try shim.run(
        workload.program(for: operation), operation.arguments, in: folder.path, Shim.Fault())
      guard count.calls > 0 else { throw Trouble("\(operation): no call was counted") }
      report.count("calls of \(operation)", Int(count.calls))
      return manners.flatMap { error, manner in
        (1...count.calls).flatMap { at in
          // A single failure is harder to notice; a permanent one breaks the removal of a new log's
          // name.
          (isShort && (operation != .create || at < count.calls / 2) ? [false] : [false, true]).map
          { isPermanent in
            Case(
              operation: operation,
              fault: Shim.Fault(at: at, isPermanent: isPermanent, error: error, manner: manner))
          }
        }
      }
    }
  }

  private func attack(_ attacked: Case, isThorough: Bool) throws {
    let operation = attacked.operation
    let folder = try workload.folder(for: operation)
    let names = try folder.names
    let scratch = try Scratch()
    let trace = scratch.file("trace")
    try Data().write(to: URL(filePath: trace))
    var disk = try DiskModel(of: folder)
    let (run, count) = try shim.run(
      workload.program(for: operation), operation.arguments, in: folder.path, attacked.fault,
      trace: trace)
    let found = Judge.look(at: folder.file(operation.target))
    func complain(_ what: String) {
      let errors = run.errors.replacing(folder.path + "/", with: "")
      report.complain("\(attacked) (\(count.kind.words)): \(what); \(run.ending) \(errors)")
    }
    if operation == .record { return judgeLive(run, folder, found, complain) }
    switch run.ending {
    case .hung: return complain("hangs")
    case .signalled: return complain("a signal")
    case .exited(operation.success):
      report.count("done in spite of it")
      guard found == workload.after[operation] else { return complain("success, but \(found)") }
      try disk.apply(DiskTrace.read(trace))
      try disk.write(to: scratch, .onlyDurable)
      let durable = Judge.look(at: scratch.file(operation.target))
      if durable != found { complain("success, but after a power cut \(durable)") }
    case .exited(2):
      let saysUnknown = run.errors.contains(Self.unknown)
      report.count(saysUnknown ? "said to be unknown" : "refused")
      guard
        found == workload.before[operation] || (found == workload.after[operation] && saysUnknown)
      else { return complain("refused, but \(found)") }
    case .exited(let code): return complain("exit code \(code)")
    }
    try cleanUp(after: attacked, in: folder, names, found, isThorough, complain)
  }

  /// Checks that the next command succeeds and removes what was left beside the log.
  private func cleanUp(
    after attacked: Case, in folder: Scratch, _ names: Set<String>, _ found: Finding,
    _ isThorough: Bool, _ complain: (String) -> Void
  ) throws {
    let operation = attacked.operation
    let expected = names.union(["a.rollcall", "a.rollcall-lock", "a.rollcall-lease"])
    let left = try folder.names.subtracting(expected)
    if !left.isEmpty { report.count("left a draft") }
    guard isThorough || !left.isEmpty else { return }
    // An existing log would prevent a recovery.
    let isInTheWay = operation == .recover && found != .absent
    let next = try Run(
      workload.program, isInTheWay ? Operation.bookmark.arguments : operation.next, in: folder.path)
    guard next.ending == .exited(isInTheWay ? 0 : operation.success) else {
      return complain("then \(operation.next): \(next.ending) \(next.errors)")
    }
    let after = try folder.names.subtracting(expected)
    if !after.isEmpty { complain("the next command left \(after)") }
  }

  /// Checks that each acknowledged record is in the log, with at most the refused burst after it:
  /// the end of the session retries what could not be written.
  private func judgeLive(
    _ run: Run, _ folder: Scratch, _ found: Finding, _ complain: (String) -> Void
  ) {
    let acknowledged = LiveRecording.acknowledged(in: folder)
    guard case .sound(let contents) = found, case .sound(let before) = workload.before[.record]
    else { return complain("\(found)") }
    let more = contents.records - before.records - acknowledged
    switch run.ending {
    case .hung: complain("hangs")
    case .exited(0) where more == 0: report.count("done in spite of it")
    case .exited(2)
    where run.errors.contains(Self.unknown) && (0...LiveRecording.mostInBurst).contains(more):
      report.count("said to be unknown")
    case .exited(2) where (0...LiveRecording.mostInBurst).contains(more): report.count("refused")
    default: complain("\(acknowledged) acknowledged, \(more) more in the log")
    }
  }
}
