import Captures
import EventStore
import Rollcall
import RosterCore

/// The effects of a branch, for people.
struct BranchReport {
  let branch: Branch
  let comparison: Branch.Comparison

  var lines: [String] {
    var lines: [String] = []
    if let divergence = comparison.divergence {
      lines.append(Style.bold("the branch departs from what happened at #\(divergence.record)"))
      lines += ["", "what happened:"] + story(divergence.happened)
      lines += ["", "in the branch:"] + story(divergence.instead)
    } else {
      lines.append("every record of the branch has the effect that it had")
    }
    guard comparison.differs else {
      if comparison.divergence != nil { lines += ["", "both end in the same state"] }
      return lines
    }
    if !comparison.differences.isEmpty {
      let numbers = comparison.differences.compactMap(\.cause?.record)
      lines += ["", "at the end, what happened → the branch:"]
      lines += StateDiff.Item.lines(comparison.differences).map { labelled($0, numbers) }
    }
    if !comparison.added.isEmpty {
      lines += ["", "findings that only the branch has:"] + comparison.added.map(line)
    }
    if !comparison.removed.isEmpty {
      lines += ["", "findings that the branch does not have:"] + comparison.removed.map(line)
    }
    return lines
  }

  /// Records with their effects; a record that a policy reads as several counts as one.
  private func story(_ moments: [Timeline.Moment]) -> [String] {
    guard !moments.isEmpty else { return ["    nothing"] }
    var lines: [String] = []
    var last: UInt64?
    for moment in moments {
      if moment.stamp.record != last { lines.append("  " + labelled(moment.heading, moment)) }
      last = moment.stamp.record
      lines += moment.outcome.changes.forPeople.map { "      " + labelled($0.line, moment) }
      lines += moment.outcome.findings.map { "    " + line($0) }
    }
    return lines
  }

  private func line(_ finding: Finding) -> String {
    "  " + labelled(finding.line, finding.numbers)
  }

  private func labelled(_ text: String, _ moment: Timeline.Moment) -> String {
    branch.numbering.labelled(text, moment.numbers)
  }

  private func labelled(_ text: String, _ numbers: [UInt64]) -> String {
    branch.numbering.labelled(text, numbers)
  }
}
