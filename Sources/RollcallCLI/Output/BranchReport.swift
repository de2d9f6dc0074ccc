import Captures
import EventStore
import Rollcall
import RosterCore

/// What a branch makes otherwise, for people and for machines.
struct BranchReport {
  let branch: Branch
  let comparison: Branch.Comparison

  /// Whether the two end otherwise.
  var differs: Bool {
    !comparison.differences.isEmpty || !comparison.added.isEmpty || !comparison.removed.isEmpty
  }

  // MARK: For people

  var lines: [String] {
    var lines: [String] = []
    if let parting = comparison.parting {
      lines.append(Style.bold("the two part at #\(parting.record)"))
      lines += ["", "what happened:"] + story(parting.happened)
      lines += ["", "in the branch:"] + story(parting.instead)
    } else {
      lines.append("every record of the branch does what it did")
    }
    guard differs else {
      if comparison.parting != nil { lines += ["", "they end alike"] }
      return lines
    }
    if !comparison.differences.isEmpty {
      let numbers = comparison.differences.compactMap(\.cause?.record)
      lines += ["", "at the end, what happened → the branch:"]
      lines += DiffCommand.lines(comparison.differences).map { labelled($0, numbers) }
    }
    if !comparison.added.isEmpty {
      lines += ["", "findings that only the branch has:"] + comparison.added.map(line)
    }
    if !comparison.removed.isEmpty {
      lines += ["", "findings that it has not:"] + comparison.removed.map(line)
    }
    return lines
  }

  /// Records with what they did; a record that a policy reads as several counts as one.
  private func story(_ moments: [Timeline.Moment]) -> [String] {
    guard !moments.isEmpty else { return ["    nothing"] }
    var lines: [String] = []
    var last: UInt64?
    for moment in moments {
      if moment.stamp.record != last { lines.append("  " + labelled(moment.heading, moment)) }
      last = moment.stamp.record
      lines += moment.outcome.changes.map { "      " + labelled($0.line, moment) }
      lines += moment.outcome.findings.map { "    " + line($0) }
    }
    return lines
  }

  private func line(_ finding: Finding) -> String {
    "  " + labelled(finding.line, [finding.record, finding.cause].compactMap { $0 })
  }

  private func labelled(_ text: String, _ moment: Timeline.Moment) -> String {
    var numbers = [moment.stamp.record]
    for change in moment.outcome.changes {
      if case .requestEnded(_, let end) = change.kind { numbers.append(end.since.record) }
    }
    return labelled(text, numbers)
  }

  /// The text with the numbers of records as a person reads them.
  private func labelled(_ text: String, _ numbers: [UInt64]) -> String {
    guard branch.numbering.step > 1 else { return text }
    var text = text
    // The longest first, for one number can begin with another.
    for number in Set(numbers).sorted(by: >) {
      let label = branch.numbering.label(number)
      text = text.replacing("#\(number)", with: "#\(label)")
      text = text.replacing("record \(number)", with: "record \(label)")
    }
    return text
  }

  // MARK: For machines

  var document: JSONValue {
    let parting = comparison.parting.map { parting in
      JSONValue.object([
        "record": JSONValue(parting.record),
        "happened": .array(parting.happened.map(document)),
        "instead": .array(parting.instead.map(document)),
      ])
    }
    return .object([
      "account": JSONValue(comparison.actual.roster.account?.text),
      "at": JSONValue(branch.head), "policy": .string(branch.policy.rawValue),
      "differs": .bool(differs), "parting": parting ?? .null,
      "differences": .array(
        comparison.differences.map { item in
          JSONValue(item).adding(item.cause.map { number($0.record) } ?? [:])
        }),
      "findings": .object([
        "added": .array(comparison.added.map(document)),
        "removed": .array(comparison.removed.map(document)),
      ]),
    ])
  }

  private func document(_ moment: Timeline.Moment) -> JSONValue {
    let changes = moment.outcome.changes.map { change in
      JSONValue.object([
        "contact": JSONValue(change.contact?.text), "mark": .string(change.mark),
        "text": .string(labelled(change.clause, moment)),
      ])
    }
    return JSONValue(moment).adding(number(moment.stamp.record)).adding([
      "changes": .array(changes),
      "findings": .array(moment.outcome.findings.map(document)),
    ])
  }

  private func document(_ finding: Finding) -> JSONValue {
    let numbers = [finding.record, finding.cause].compactMap { $0 }
    return JSONValue(finding).adding(number(finding.record)).adding([
      "cause": JSONValue(finding.cause.map { branch.numbering.place($0).record }),
      "sentence": .string(labelled(finding.sentence, numbers)),
    ])
  }

  /// The members that say which record it is: its number and, where it was put in behind that
  /// one, which of them.
  private func number(_ record: UInt64) -> [String: JSONValue] {
    let (record, inserted) = branch.numbering.place(record)
    guard inserted > 0 else { return ["record": JSONValue(record)] }
    return ["record": JSONValue(record), "inserted": JSONValue(inserted)]
  }
}
