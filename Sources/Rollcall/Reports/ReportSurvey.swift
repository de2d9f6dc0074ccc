package import RosterCore

/// What has to be known of a whole session before the first line of its report is written.
///
/// Memory: a number for each contact, and a bounded number of findings and marks.
package struct ReportSurvey {
  /// Findings of one kind.
  package struct Kind: Sendable {
    package let code: Finding.Code
    package fileprivate(set) var count = 0
    /// The first ones.
    package fileprivate(set) var first: [Place] = []
  }

  /// A finding and when it was.
  package struct Place: Sendable {
    package let finding: Finding
    package let time: Int64?
  }

  /// How many findings of a kind are listed.
  package static let listed = 25

  package private(set) var summary: StorySummary
  package private(set) var picture: ReportPicture
  /// How many entries the folded story has.
  package private(set) var entries = 0
  private var kinds: [Finding.Code: Kind] = [:]
  private var fold: StoryFold

  package init(_ picture: ReportPicture, _ zone: Zone) {
    self.picture = picture
    summary = StorySummary(day: zone.day)
    fold = StoryFold(day: zone.day)
  }

  /// Takes the next record.
  ///
  /// - Parameter roster: The state after it.
  package mutating func take(_ moment: Timeline.Moment, _ roster: Roster) {
    summary.take(moment)
    picture.take(moment, roster)
    guard moment.tells else { return }
    entries += fold.take(moment).count
    for finding in moment.outcome.findings {
      var kind = kinds[finding.code] ?? Kind(code: finding.code)
      kind.count += 1
      if kind.first.count < Self.listed {
        kind.first.append(Place(finding: finding, time: moment.stamp.time))
      }
      kinds[finding.code] = kind
    }
  }

  package mutating func finish() {
    entries += fold.finish().count
    picture.finish()
  }

  /// The findings by kind: what matters most first, and then what came first.
  package var findings: [Kind] {
    summary.findingCounts.compactMap { kinds[$0.first.code] }
  }
}
