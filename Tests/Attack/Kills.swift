import Foundation
import TestSupport

/// Kills operations in the middle, in place of one of their calls or at any moment.
///
/// Expected: the log is as before or as after the operation, each acknowledged record of a live
/// session is in it, and the next command removes what was left.
struct Kills {
  struct Case: Sendable, CustomStringConvertible {
    var operation: Operation
    /// The call in whose place the process is killed; nil to kill it at a moment.
    var call: UInt32?
    var microseconds: UInt32

    var description: String {
      call.map { "\(operation) killed in place of call \($0)" }
        ?? "\(operation) killed after \(microseconds) µs"
    }
  }

  let workload: Workload
  let shim: Shim
  let report: Report

  func run(seed: UInt64, count: Int) throws {
    var generator = SeededGenerator(seed: seed)
    var undisturbed: [Operation: (calls: UInt32, microseconds: UInt32)] = [:]
    for operation in Operation.allCases {
      let folder = try workload.folder(for: operation)
      let (run, count) = try shim.run(
        workload.program(for: operation), operation.arguments, in: folder.path, Shim.Fault())
      undisturbed[operation] = (count.calls, UInt32(clamping: run.microseconds))
    }
    let cases = (0..<count).map { number in
      let operation = Operation.allCases[number % Operation.allCases.count]
      let (calls, microseconds) = undisturbed[operation] ?? (1, 1)
      return Case(
        operation: operation,
        call: Bool.random(using: &generator)
          ? UInt32.random(in: 1...calls, using: &generator) : nil,
        microseconds: UInt32.random(in: 0...microseconds, using: &generator))
    }
    report.forEach(cases, attack)
  }

  private func attack(_ attacked: Case) throws {
    let operation = attacked.operation
    let folder = try workload.folder(for: operation)
    // The next recorder takes over the lease of a killed one.
    let expected = try folder.names.union(
      ["a.rollcall", "a.rollcall-lock", "a.rollcall-lease", "acks"])
    var fault = Shim.Fault()
    var deadline = Run.Deadline.minute
    if let call = attacked.call {
      (fault.at, fault.manner) = (call, .killed)
    } else {
      deadline = .microseconds(attacked.microseconds)
    }
    let (run, _) = try shim.run(
      workload.program(for: operation), operation.arguments, in: folder.path, fault,
      until: deadline)
    report.count(run.ending == .signalled(SIGKILL) ? "killed" : "ended before")
    let found = Judge.look(at: folder.file(operation.target))
    func complain(_ what: String) { report.complain("\(attacked): \(what)") }
    if try !folder.names.isSubset(of: expected) { report.count("left a draft") }
    if operation == .record {
      let acknowledged = LiveRecording.acknowledged(in: folder)
      guard case .sound(let contents) = found, case .sound(let before) = workload.before[operation],
        (0...LiveRecording.mostInBurst).contains(contents.records - before.records - acknowledged)
      else { return complain("\(acknowledged) acknowledged, \(found)") }
    } else if found != workload.before[operation], found != workload.after[operation] {
      return complain("\(found)")
    }
    // An existing log would prevent a recovery.
    if operation == .recover, found != .absent { return }
    let next = try Run(workload.program, operation.next, in: folder.path)
    guard next.ending == .exited(operation.success) else {
      return complain("then \(operation.next): \(next.ending) \(next.errors)")
    }
    let left = try folder.names.subtracting(expected)
    if !left.isEmpty { complain("the next command left \(left)") }
    let after = Judge.look(at: folder.file(operation.target))
    if operation == .bookmark || operation == .record {
      if after != found { complain("the next command made \(after) of \(found)") }
    } else if after != workload.after[operation] {
      complain("after the next command \(after)")
    }
  }
}
