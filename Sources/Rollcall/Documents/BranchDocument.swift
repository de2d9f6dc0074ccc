package import Captures
import EventStore
package import RosterCore

extension Branch.Numbering {
  /// A text with the numbers of records as a person reads them.
  package func labelled(_ text: String, _ numbers: [UInt64]) -> String {
    guard step > 1 else { return text }
    var text = text
    // The longest first, because one number can begin with another.
    for number in Set(numbers).sorted(by: >) {
      let label = label(number)
      text = text.replacing("#\(number)", with: "#\(label)")
      text = text.replacing("record \(number)", with: "record \(label)")
    }
    return text
  }
}

extension Timeline.Moment {
  /// The records that its texts name.
  package var numbers: [UInt64] {
    var numbers = [stamp.record]
    for change in outcome.changes {
      guard case .request(let before?, _) = change.values else { continue }
      numbers.append(before.request.since.record)
    }
    return numbers
  }
}

extension Finding {
  /// The records that its sentence names.
  package var numbers: [UInt64] {
    [record, cause, extent?.first, extent?.last].compactMap { $0 }
  }
}

extension JSONValue {
  /// What a branch makes otherwise, as `rollcall what-if --json` prints it.
  package init(_ branch: Branch, _ comparison: Branch.Comparison) {
    let numbering = branch.numbering
    let divergence = comparison.divergence.map { divergence in
      JSONValue.object([
        "record": JSONValue(divergence.record),
        "happened": .array(divergence.happened.map { Self.moment($0, numbering) }),
        "instead": .array(divergence.instead.map { Self.moment($0, numbering) }),
      ])
    }
    self = .object([
      "account": JSONValue(comparison.actual.account?.text),
      "at": JSONValue(branch.head), "policy": .string(branch.policy.rawValue),
      "differs": .bool(comparison.differs), "parting": divergence ?? .null,
      "differences": .array(
        comparison.differences.map { item in
          JSONValue(item, number: { numbering.place($0).record })
            .adding(item.cause.map { Self.number($0.record, numbering) } ?? [:])
        }),
      "findings": .object([
        "added": .array(comparison.added.map { Self.finding($0, numbering) }),
        "removed": .array(comparison.removed.map { Self.finding($0, numbering) }),
      ]),
    ])
  }

  private static func moment(
    _ moment: Timeline.Moment, _ numbering: Branch.Numbering
  ) -> JSONValue {
    let changes = moment.outcome.changes.map { change in
      let clause = change.parts
      return JSONValue(change, number: { numbering.place($0).record }).adding(
        JSONValue.words(
          ChangeClause(
            clause.lead, of: clause.who, numbering.labelled(clause.what, moment.numbers))))
    }
    return JSONValue(moment).adding(number(moment.stamp.record, numbering)).adding([
      "changes": .array(changes),
      "findings": .array(moment.outcome.findings.map { finding($0, numbering) }),
    ])
  }

  private static func finding(_ finding: Finding, _ numbering: Branch.Numbering) -> JSONValue {
    JSONValue(finding).adding(number(finding.record, numbering)).adding([
      "cause": JSONValue(finding.cause.map { numbering.place($0).record }),
      "first": JSONValue(numbering.place(finding.extent?.first ?? finding.record).record),
      "last": JSONValue(numbering.place(finding.extent?.last ?? finding.record).record),
      "sentence": .string(numbering.labelled(finding.sentence, finding.numbers)),
    ])
  }

  /// The members that say which record it is: its number and, where it was put in after that one,
  /// which of them.
  private static func number(
    _ record: UInt64, _ numbering: Branch.Numbering
  ) -> [String: JSONValue] {
    let (record, inserted) = numbering.place(record)
    guard inserted > 0 else { return ["record": JSONValue(record)] }
    return ["record": JSONValue(record), "inserted": JSONValue(inserted)]
  }
}
