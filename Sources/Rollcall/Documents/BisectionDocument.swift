package import Captures

/// What a search for a condition found, as `rollcall bisect` tells it.
package struct BisectionAnswer: Sendable {
  /// The condition, a clause.
  package let clause: String
  /// Where it begins to hold.
  package let transition: ConditionOnset
  /// How many states were looked at.
  package let probes: Int
  /// The records after which it is another than before them, and whether it holds then.
  package let transitions: [(record: UInt64, holds: Bool)]
  /// Whether these are all of them.
  package let isComplete: Bool

  package init(
    clause: String, transition: ConditionOnset, probes: Int,
    transitions: [(record: UInt64, holds: Bool)], isComplete: Bool
  ) {
    self.clause = clause
    self.transition = transition
    self.probes = probes
    self.transitions = transitions
    self.isComplete = isComplete
  }
}

extension JSONValue {
  /// An answer as `rollcall bisect --json` prints it.
  ///
  /// - Parameter moment: What the record did, where there is one.
  package init(_ answer: BisectionAnswer, _ moment: Timeline.Moment?) {
    var record: UInt64?
    var within: JSONValue = .null
    switch answer.transition {
    case .at(let found): record = found
    case .within(let range):
      within = .array([JSONValue(range.lowerBound), JSONValue(range.upperBound)])
    case .holdsFromStart, .never: break
    }
    let turns = answer.transitions.map { transition in
      JSONValue.object([
        "record": JSONValue(transition.record), "holds": .bool(transition.holds),
      ])
    }
    self = .object([
      "condition": .string(answer.clause), "record": JSONValue(record), "within": within,
      "holdsFromStart": .bool(answer.transition == .holdsFromStart),
      "probes": .integer(Int64(answer.probes)), "turns": .array(turns),
      "turnsAreComplete": .bool(answer.isComplete), "story": moment.map { JSONValue($0) } ?? .null,
    ])
  }
}
