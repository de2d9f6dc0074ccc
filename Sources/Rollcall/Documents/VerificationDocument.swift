package import Captures
package import EventStore

/// What is known of a log that was verified.
package struct VerificationOutcome: Sendable {
  /// How the process that read the log was ended, and how far it had come.
  package struct Crash: Sendable {
    package let signal: Int32
    package let part: LogPart?
    package let record: UInt64

    package init(signal: Int32, part: LogPart?, record: UInt64) {
      self.signal = signal
      self.part = part
      self.record = record
    }
  }

  /// The first of what is wrong.
  package private(set) var damage: [LogDamage] = []
  /// How much of it there is in all.
  package private(set) var damageCount = 0
  package var notes: [String] = []
  package var figures: LogFigures?
  package var crash: Crash?

  /// How much damage is kept to be shown.
  package static let shownDamage = 50

  package init() {}

  package mutating func add(_ found: LogDamage) {
    damageCount += 1
    if damage.count < Self.shownDamage { damage.append(found) }
  }

  package var isSound: Bool { damageCount == 0 && crash == nil }
}

extension SalvageSummary {
  /// The first record that is gone or that nothing vouches for.
  package var firstBad: UInt64? {
    [lost.first?.lowerBound, unproven.first].compactMap(\.self).min()
  }

  /// The numbers of the lost, such as `13, 20-25`.
  package var lostText: String { Self.text(lost) }

  /// The numbers of those that are kept although nothing vouches for them, in the same form.
  package var unprovenText: String {
    var ranges: [ClosedRange<UInt64>] = []
    for number in unproven {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return Self.text(ranges)
  }

  private static func text(_ ranges: [ClosedRange<UInt64>]) -> String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }
}

extension JSONValue {
  /// A verified log as `rollcall verify --json` prints it.
  ///
  /// - Parameter salvage: What can be saved, where that was looked at.
  package init(_ outcome: VerificationOutcome, of log: String, salvage: SalvageSummary?) {
    let figures = outcome.figures
    self = .object([
      "log": .string(log), "ok": .bool(outcome.isSound), "records": JSONValue(figures?.records),
      "account": JSONValue(figures?.account), "digest": JSONValue(figures?.digest),
      "events": Self.number(figures?.events), "contacts": Self.number(figures?.contacts),
      "snapshots": Self.number(figures?.snapshots),
      "faults": .array(outcome.damage.map { JSONValue($0) }),
      "faultCount": .integer(Int64(outcome.damageCount)),
      "crash": outcome.crash.map { JSONValue($0) } ?? .null,
      "notes": JSONValue(outcome.notes), "firstBad": JSONValue(salvage?.firstBad),
      "saved": salvage.map { JSONValue($0) } ?? .null,
    ])
  }

  /// What was saved of a damaged log, as `rollcall recover --json` prints it.
  package init(_ summary: LogRecovery.Summary, of log: String, in target: String) {
    self = .object([
      "log": .string(log), "output": .string(target), "account": JSONValue(summary.account),
      "saved": JSONValue(summary.salvage), "notesAreWhole": .bool(summary.notesAreWhole),
    ])
  }

  private init(_ salvage: SalvageSummary) {
    self = .object([
      "records": JSONValue(salvage.last), "kept": JSONValue(salvage.kept),
      "whole": JSONValue(salvage.whole),
      "lost": .array(
        salvage.lost.map { .array([JSONValue($0.lowerBound), JSONValue($0.upperBound)]) }),
      "unproven": .array(salvage.unproven.map { JSONValue($0) }),
      "endIsKnown": .bool(salvage.endIsKnown),
    ])
  }

  private init(_ damage: LogDamage) {
    self = .object([
      "part": .string(damage.part.rawValue), "record": JSONValue(damage.record),
      "what": .string(damage.what),
    ])
  }

  private init(_ crash: VerificationOutcome.Crash) {
    self = .object([
      "signal": .integer(Int64(crash.signal)), "part": JSONValue(crash.part?.rawValue),
      "behind": JSONValue(crash.record),
    ])
  }

  private static func number(_ value: Int?) -> JSONValue {
    value.map { .integer(Int64($0)) } ?? .null
  }
}
