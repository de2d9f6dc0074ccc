import Captures
import EventStore
import Foundation
import Rollcall

/// What is said of a log that was verified.
struct VerificationReport {
  private let log: String
  private let run: VerificationRun
  /// What can be saved, where something is wrong.
  private let salvage: SalvageSummary?
  /// Why that is not known.
  private let salvageFailure: String?

  init(of log: String, rebuilding: Bool) throws {
    self.log = log
    run = try VerificationRun(of: log, rebuilding: rebuilding)
    guard run.faultCount > 0 || run.crash != nil else {
      (salvage, salvageFailure) = (nil, nil)
      return
    }
    do {
      salvage = try LogSalvage(log).forEachRecord { _ in }
      salvageFailure = nil
    } catch {
      salvage = nil
      salvageFailure = "what can be saved is not known: \(error)"
    }
  }

  var isRight: Bool { run.faultCount == 0 && run.crash == nil }

  // MARK: For people

  var lines: [String] {
    isRight ? sound : faults + saved + run.notes.map { "note: \($0)" }
  }

  private var sound: [String] {
    guard let figures = run.figures else { return [] }
    let whose = figures.account.map { " of \($0)" } ?? ""
    var lines = ["\(log): all is right, \(count(figures.records, "record"))\(whose)"]
    if let digest = figures.digest { lines.append("  the chain ends with \(digest)") }
    lines.append(
      "  \(count(figures.events, "stored event")), \(count(figures.contacts, "contact")) and "
        + "\(count(figures.snapshots, "snapshot")) agree with the records")
    return lines + run.notes.map { "  note: \($0)" }
  }

  private var faults: [String] {
    var lines = ["\(log): \(count(run.faultCount, "fault"))"]
    lines += run.faults.map { fault in
      let place = fault.record.map { "record \($0)" } ?? fault.part.rawValue
      return "  \(place): \(fault.what)"
    }
    let more = run.faultCount - run.faults.count
    if more > 0 { lines.append("  and \(count(more, "more"))") }
    if let crash { lines.append("  \(crash)") }
    return lines
  }

  private var crash: String? {
    guard let crash = run.crash else { return nil }
    let place =
      crash.record > 0
      ? "behind record \(crash.record)" : "at the \(crash.part?.rawValue ?? "start")"
    return "the process that read it was ended by signal \(crash.signal), \(place)"
  }

  private var saved: [String] {
    guard let salvage else { return [salvageFailure].compactMap(\.self) }
    guard salvage.kept > 0 else { return ["no record can be read from it"] }
    guard salvage.endIsKnown else {
      let end = RecoverCommand.endClause(salvage)
      return [
        "\(salvage.whole) records from the first on are whole; \(end)",
        "rollcall recover \(log) -o NEW saves \(salvage.kept)",
      ]
    }
    guard let bad = salvage.firstBad else {
      return [
        "all \(count(salvage.last, "record")) are whole; what is derived from them is not",
        isFileSound
          ? "rollcall verify --rebuild makes it anew"
          : "rollcall recover \(log) -o NEW writes them into a new log",
      ]
    }
    let whole =
      salvage.whole == 0
      ? "record \(bad) is the first that is not whole"
      : "records 1 to \(salvage.whole) are whole; record \(bad) is the first that is not"
    return [
      whole,
      "rollcall recover \(log) -o NEW saves \(salvage.kept) of \(count(salvage.last, "record"))",
    ]
  }

  private var isFileSound: Bool {
    run.crash == nil && !run.faults.contains { $0.part == .pages || $0.part == .meta }
  }

  private func count(_ number: some BinaryInteger, _ what: String) -> String {
    "\(number) \(what)" + (number == 1 || what == "more" ? "" : "s")
  }

  // MARK: For machines

  var document: JSONValue {
    let figures = run.figures
    return .object([
      "log": .string(log), "ok": .bool(isRight), "records": JSONValue(figures?.records),
      "account": JSONValue(figures?.account), "digest": JSONValue(figures?.digest),
      "events": number(figures?.events), "contacts": number(figures?.contacts),
      "snapshots": number(figures?.snapshots), "faults": .array(run.faults.map(document)),
      "faultCount": .integer(Int64(run.faultCount)),
      "crash": run.crash.map(document) ?? .null,
      "notes": JSONValue(run.notes), "firstBad": JSONValue(salvage?.firstBad),
      "saved": salvage.map(\.document) ?? .null,
    ])
  }

  private func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }

  private func document(_ fault: LogFault) -> JSONValue {
    .object([
      "part": .string(fault.part.rawValue), "record": JSONValue(fault.record),
      "what": .string(fault.what),
    ])
  }

  private func document(_ crash: VerificationRun.Crash) -> JSONValue {
    .object([
      "signal": .integer(Int64(crash.signal)), "part": JSONValue(crash.part?.rawValue),
      "behind": JSONValue(crash.record),
    ])
  }
}

extension SalvageSummary {
  /// The first record that is gone or that nothing vouches for.
  var firstBad: UInt64? {
    [lost.first?.lowerBound, unproven.first].compactMap(\.self).min()
  }

  /// The numbers of the lost, such as `13, 20-25`.
  var lostText: String {
    lost.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }

  var document: JSONValue {
    .object([
      "records": JSONValue(last), "kept": JSONValue(kept), "whole": JSONValue(whole),
      "lost": .array(lost.map { .array([JSONValue($0.lowerBound), JSONValue($0.upperBound)]) }),
      "unproven": .array(unproven.map { JSONValue($0) }), "endIsKnown": .bool(endIsKnown),
    ])
  }
}
