package import RosterCore

/// What must be known about a whole session before the first line of its report can be written.
///
/// Memory is bounded, except for a number for each contact.
package struct ReportSurvey {
  /// The findings of one code and severity.
  package struct Kind: Sendable {
    package let code: Finding.Code
    package let severity: Finding.Severity
    package fileprivate(set) var count = 0
    /// The first findings of the kind.
    package fileprivate(set) var first: [Place] = []
  }

  /// A finding, with its record and the time of that.
  package struct Place: Sendable {
    package let finding: Finding
    /// The record in the story that shows it; nil if it is about the end of the session.
    package let record: UInt64?
    package let time: Int64?
  }

  /// The maximum number of listed findings of a kind.
  package static let listLimit = 25

  package private(set) var summary: StorySummary
  package private(set) var picture: ReportPicture
  /// The number of entries of the folded story.
  package private(set) var entries = 0
  private var kinds: [Finding.Class: Kind] = [:]
  private var fold: StoryFold

  package init(_ picture: ReportPicture, _ zone: Zone) {
    self.picture = picture
    summary = StorySummary(day: zone.day)
    fold = StoryFold(day: zone.day)
  }

  /// Adds the next record.
  ///
  /// - Parameter roster: The state after it.
  package mutating func take(_ moment: Timeline.Moment, _ roster: Roster) {
    summary.take(moment)
    picture.take(moment, roster)
    guard moment.tells else { return }
    entries += fold.take(moment).count
    for finding in moment.outcome.findings {
      add(Place(finding: finding, record: finding.record, time: moment.stamp.time))
    }
  }

  private mutating func add(_ place: Place) {
    let finding = place.finding
    var kind = kinds[finding.class] ?? Kind(code: finding.code, severity: finding.severity)
    kind.count += 1
    if kind.first.count < Self.listLimit { kind.first.append(place) }
    kinds[finding.class] = kind
  }

  /// - Parameter findings: What is odd about the end of the session.
  package mutating func finish(with findings: [Finding] = []) {
    summary.take(ending: findings)
    for finding in findings { add(Place(finding: finding, record: nil, time: nil)) }
    entries += fold.finish().count
    picture.finish()
  }

  /// The findings by kind, the most severe first, then by their first record.
  package var findings: [Kind] {
    summary.findingCounts.compactMap { kinds[$0.first.class] }
  }
}
