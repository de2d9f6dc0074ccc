package import Captures
import RosterCore
import XMPPStanza

extension JSONValue {
  /// Two ends as `rollcall between --json` prints them.
  package init(_ ends: TwoEnds) {
    let comparison = ends.comparison
    var members: [String: JSONValue] = [
      "clocks": JSONValue(comparison.clocks),
      "directions": .array(
        zip(comparison.directions, ends.answers).map { direction, answer in
          direction.document(of: ends, answer)
        }),
      "dialogue": .array(ends.dialogue.map { $0.document(of: ends) }),
    ]
    for end in PairEnd.allCases {
      let state = ends.states[end] ?? Timeline.State()
      let contact = ends.account(end.opposite)
      members[end.rawValue] = .object([
        "account": JSONValue(ends.account(end)?.text),
        "at": JSONValue(state.roster.position), "time": JSONValue(time: state.time),
        "state": JSONValue(contact.map { SubscriptionState(of: $0, in: state.roster).rawValue }),
        "complete": .bool(state.roster.completeness == .complete),
      ])
    }
    self = .object(members)
  }

  private init(_ clocks: ClockAlignment) {
    self = .object([
      "offset": .integer(clocks.offset),
      "uncertainty": clocks.uncertainty.map { .integer($0) } ?? .null,
      "stanzas": .integer(Int64(clocks.shared)),
    ])
  }
}

extension TwoEnds.Line {
  fileprivate func document(of ends: TwoEnds) -> JSONValue {
    JSONValue(
      entry.moment, changes: entry.changes, findings: entry.findings, origins: entry.origins
    )
    .adding([
      "account": JSONValue(ends.account(end)?.text), "counterpart": JSONValue(counterpart),
      "transit": transit.map { .integer($0) } ?? .null,
    ])
  }
}

extension EndsComparison.Direction {
  fileprivate func document(of ends: TwoEnds, _ answer: TwoEnds.Answer) -> JSONValue {
    var members: [String: JSONValue] = [
      "subscriber": JSONValue(ends.account(end(.subscriber))?.text),
      "owner": JSONValue(ends.account(end(.owner))?.text),
      "time": JSONValue(time: time), "verdict": .string(verdict.name),
      "because": JSONValue(answer.reasons),
      "mismatch": .null, "right": .null, "cause": .null, "lastShared": .null, "repairs": .array([]),
    ]
    for side in SubscriptionSide.allCases {
      members["\(side.rawValue)End"] = .object([
        "stages": JSONValue((stages[side] ?? .unknown).names),
        "record": JSONValue(records[side]), "later": JSONValue(later[side]?.record),
      ])
    }
    if case .disagree(let disagreement) = verdict {
      members.merge(document(of: disagreement, ends)) { $1 }
    }
    return .object(members)
  }

  private func document(
    of disagreement: EndsComparison.Disagreement, _ ends: TwoEnds
  ) -> [String: JSONValue] {
    func account(_ side: SubscriptionSide) -> JSONValue {
      JSONValue(ends.account(end(side))?.text)
    }
    let cause = disagreement.cause
    return [
      "mismatch": .string(disagreement.mismatch.rawValue), "right": account(disagreement.right),
      "cause": .object([
        "kind": .string(cause.name), "account": cause.side.map(account) ?? .null,
        "record": JSONValue(cause.record), "stanza": JSONValue(cause.stanza),
        "arrived": JSONValue(cause.arrival),
      ]),
      "lastShared": disagreement.lastShared.map { shared in
        .object([
          "account": JSONValue(ends.account(shared.sender)?.text),
          "sent": JSONValue(shared.sent.stamp.record),
          "received": JSONValue(shared.received.stamp.record),
        ])
      } ?? .null,
      "repairs": .array(
        disagreement.repairs.map { repair in
          .object([
            "purpose": .string(repair.purpose.rawValue),
            "steps": .array(
              repair.steps.map { step in
                let address = ends.account(end(step.sender.opposite))?.text ?? ""
                return .object([
                  "account": account(step.sender),
                  "xml": .string(repair.stanza(step, to: address)),
                ])
              }),
          ])
        }),
    ]
  }
}

extension PossibleStages {
  /// The possible stages, the lowest first.
  fileprivate var names: [String] {
    SubscriptionStage.allCases.filter { contains(PossibleStages($0)) }.map(\.rawValue)
  }
}

extension EndsComparison.Verdict {
  fileprivate var name: String {
    switch self {
    case .agree: "agree"
    case .settling: "settling"
    case .blocked: "blocked"
    case .unknown(let doubt): doubt.rawValue
    case .disagree: "disagree"
    }
  }
}

extension EndsComparison.Cause {
  fileprivate var name: String {
    switch self {
    case .lost: "lost"
    case .notApplied: "not-applied"
    case .unexplained(_, _, isFetched: true): "fetched"
    case .unexplained(_, _, isFetched: false): "pushed"
    case .earlier: "earlier"
    case .unknown: "unknown"
    }
  }

  /// The side that did it, or whose server showed it.
  fileprivate var side: SubscriptionSide? {
    switch self {
    case .lost(let side, _), .notApplied(let side, _, _), .unexplained(let side, _, _): side
    case .earlier, .unknown: nil
    }
  }

  fileprivate var record: UInt64? {
    switch self {
    case .lost(_, let act), .notApplied(_, let act, _): act.stamp.record
    case .unexplained(_, let record, _): record
    case .earlier, .unknown: nil
    }
  }

  /// The type of the stanza, or that the contact was removed.
  fileprivate var stanza: String? {
    switch self {
    case .lost(_, let act), .notApplied(_, let act, _):
      if case .stanza(let kind) = act.kind { kind.rawValue } else { "remove" }
    case .unexplained, .earlier, .unknown: nil
    }
  }

  fileprivate var arrival: UInt64? {
    if case .notApplied(_, _, let arrived) = self { arrived } else { nil }
  }
}
