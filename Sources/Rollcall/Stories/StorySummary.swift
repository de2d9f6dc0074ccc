import EventStore
package import RosterCore
package import XMPPStanza

/// A summary of a long session: its length, its findings, and the busiest contacts.
///
/// Memory: a number for each contact, one finding of each kind, and for each day the contacts whose
/// presence changed on it.
package struct StorySummary: Sendable {
  /// Findings of one code and severity.
  package struct FindingCount: Hashable, Sendable {
    /// The first of them.
    package let first: Finding
    package fileprivate(set) var count = 0
  }

  /// The times of the first record and of the last one; nil if none has a time.
  package private(set) var span: ClosedRange<Int64>?
  /// The number of records that changed something or have findings.
  package private(set) var told = 0
  /// The number of them that changed only presence.
  package private(set) var fleeting = 0
  private var findings: [Finding.Class: FindingCount] = [:]
  private var records: [BareJID: Int] = [:]
  /// The presence of each day, by the number of the day; without times there is one day.
  package private(set) var presence: [Int64?: PresenceBurst] = [:]
  private let day: @Sendable (RecordStamp) -> Int64?

  /// - Parameter day: Returns the number of the day of a record, or nil if its time is unknown.
  package init(day: @escaping @Sendable (RecordStamp) -> Int64?) {
    self.day = day
  }

  /// The number of lasting records from which a story is condensed: more than two screens.
  private static let condensingThreshold = 40

  /// Whether a line for each record is as much as can be read at once.
  package var isLong: Bool { told - fleeting >= Self.condensingThreshold }

  package mutating func take(_ moment: Timeline.Moment) {
    if let time = moment.stamp.time {
      span = (span?.lowerBound ?? time)...max(time, span?.upperBound ?? time)
    }
    guard moment.tells else { return }
    told += 1
    if moment.isFleeting {
      fleeting += 1
      let day = day(moment.stamp)
      if presence[day]?.add(moment) == nil { presence[day] = PresenceBurst(moment) }
    }
    // If our session ends, the contact's presence is hidden, but nothing happened to the contact.
    let contacts = moment.outcome.changes.lazy.filter { $0.reason != .session }
      .compactMap(\.contact)
    if moment.outcome.changes.count == 1 {
      for contact in contacts { records[contact, default: 0] += 1 }
    } else {
      for contact in Set(contacts) { records[contact, default: 0] += 1 }
    }
    take(ending: moment.outcome.findings)
  }

  /// Adds the findings about the end of the session.
  package mutating func take(ending findings: [Finding]) {
    for finding in findings {
      self.findings[finding.class, default: FindingCount(first: finding)].count += 1
    }
  }

  /// The findings by kind, the most severe first, and among equals the earliest first.
  package var findingCounts: [FindingCount] {
    findings.values.sorted { left, right in
      left.first.severity == right.first.severity
        ? left.first.record < right.first.record
        : left.first.severity.weight > right.first.severity.weight
    }
  }

  /// The number of findings of a severity.
  package func count(of severity: Finding.Severity) -> Int {
    findings.values.filter { $0.first.severity == severity }.reduce(0) { $0 + $1.count }
  }

  /// The contacts that were changed by the most records, and the number of those records.
  ///
  /// Complexity: O(n log n) for n contacts.
  package func busiest(_ most: Int) -> [(contact: BareJID, records: Int)] {
    records.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .prefix(most).map { ($0.key, $0.value) }
  }
}

extension Roster {
  /// Whether the number of its contacts is meaningful: a roster without items that was never
  /// fetched is unknown, not empty.
  package var isKnownInPart: Bool { completeness == .complete || itemCount > 0 }
}

extension Finding {
  /// A code with one of the severities that its findings have.
  package struct Class: Hashable, Sendable {
    package let code: Code
    package let severity: Severity
  }

  package var `class`: Class { Class(code: code, severity: severity) }
}

extension Finding.Severity {
  /// A number that grows with the severity.
  package var weight: Int {
    switch self {
    case .info: 0
    case .warning: 1
    case .error: 2
    }
  }
}
