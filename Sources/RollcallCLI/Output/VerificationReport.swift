import Captures
import EventStore
import Foundation
import Rollcall

/// The report of a log's verification.
struct VerificationReport {
  private let log: String
  private let outcome: VerificationOutcome
  /// The salvageable records, if something is wrong.
  private let salvage: SalvageSummary?
  /// Why the salvageable records are not known.
  private let salvageFailure: String?

  init(of log: String, rebuilding: Bool) throws {
    self.log = log
    outcome = try VerificationRun(of: log, rebuilding: rebuilding).outcome
    guard !outcome.isSound else {
      (salvage, salvageFailure) = (nil, nil)
      return
    }
    do {
      let reader = RecordReader()
      salvage = try LogSalvage(log) { header, bytes in reader.reads(header, bytes) }
        .forEachRecord { _ in }
      salvageFailure = nil
    } catch {
      salvage = nil
      salvageFailure = "what can be saved is not known: \(sentence(of: error))"
    }
  }

  var isRight: Bool { outcome.isSound }

  /// The account that the log notes; nil if it notes none, or could not be read.
  var account: String? { outcome.figures?.account }

  /// The report for machines.
  var document: JSONValue { JSONValue(outcome, of: log, salvage: salvage) }

  // MARK: For people

  var lines: [String] {
    isRight ? sound : damage + saved + outcome.notes.map { "note: \($0)" }
  }

  private var sound: [String] {
    guard let figures = outcome.figures else { return [] }
    let whose = figures.account.map { " of \($0)" } ?? ""
    var lines = ["\(log): intact, \(count(figures.records, "record"))\(whose)"]
    if let digest = figures.digest { lines.append("  the chain ends with \(digest)") }
    lines.append(
      "  \(count(figures.events, "stored event")), \(count(figures.contacts, "contact")) and "
        + "\(count(figures.snapshots, "snapshot")) agree with the records")
    return lines + outcome.notes.map { "  note: \($0)" }
  }

  private var damage: [String] {
    var lines = ["\(log): \(count(outcome.damageCount, "fault"))"]
    lines += outcome.damage.map { damage in
      let location = damage.record.map { "record \($0)" } ?? damage.part.rawValue
      return "  \(location): \(damage.what)"
    }
    let more = outcome.damageCount - outcome.damage.count
    if more > 0 { lines.append("  and \(count(more, "more"))") }
    if let crash { lines.append("  \(crash)") }
    return lines
  }

  private var crash: String? {
    guard let crash = outcome.crash else { return nil }
    let location =
      crash.record > 0
      ? "after record \(crash.record)" : "at the \(crash.part?.rawValue ?? "start")"
    return "the process that read it was ended by signal \(crash.signal), \(location)"
  }

  private var saved: [String] {
    guard let salvage else { return [salvageFailure].compactMap(\.self) }
    guard salvage.kept > 0 else { return ["no record can be read from it"] }
    guard salvage.endIsKnown else {
      let end = RecoverCommand.endClause(salvage)
      return [
        "the first \(count(salvage.whole, "record")) are intact; \(end)",
        "rollcall recover \(log) -o NEW saves \(salvage.kept)",
      ]
    }
    guard let bad = salvage.firstBad else {
      return [
        "all \(count(salvage.last, "record")) are intact; what is derived from them is not",
        isFileSound
          ? "rollcall verify --rebuild rebuilds it"
          : "rollcall recover \(log) -o NEW writes them into a new log",
      ]
    }
    let whole =
      salvage.whole == 0
      ? "record \(bad) is the first that is not intact"
      : "records 1 to \(salvage.whole) are intact; record \(bad) is the first that is not"
    return [
      whole,
      "rollcall recover \(log) -o NEW saves \(salvage.kept) of \(count(salvage.last, "record"))",
    ]
  }

  private var isFileSound: Bool {
    outcome.crash == nil && !outcome.damage.contains { $0.part == .pages || $0.part == .meta }
  }

  private func count(_ number: some BinaryInteger, _ what: String) -> String {
    "\(number) \(what)" + (number == 1 || what == "more" ? "" : "s")
  }
}
