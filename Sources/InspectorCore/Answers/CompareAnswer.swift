import Captures
import EventStore
import Rollcall
import RosterCore
import XMPPStanza

extension Inspector {
  /// `/api/compare`: where two logs of one account agree for the last time, and what is different
  /// at their ends.
  ///
  /// Complexity: linear in the events of both.
  func compareAnswer() throws -> JSONValue {
    guard logs.count == 2 else {
      throw Refusal(404, "no-such-log", "a second log is compared if --other names it")
    }
    return try logs[0].borrow(LogEnd.init) { first in
      try logs[1].borrow(LogEnd.init) { try comparison(first, $0) }
    }
  }

  private func comparison(_ first: LogEnd, _ second: LogEnd) throws -> JSONValue {
    if let mine = first.state.account, let other = second.state.account, mine != other {
      throw Refusal(
        409, "other-account", "the first log is of \(mine), but the other is of \(other)")
    }
    let divergence = try TimelineDivergence(
      between: first.timeline, upTo: first.state.roster.position,
      and: second.timeline, upTo: second.state.roster.position)
    let differences = try SourceDifference.all(
      first.state.roster, second.state.roster, of: second.timeline.log)
    return JSONValue(divergence).adding([
      "logs": .array(logs.map { .string($0.title) }),
      "parted": .object([
        "first": Self.document(divergence.parted.first),
        "second": Self.document(divergence.parted.second),
      ]),
      "differences": .array(
        differences.map { source in
          let difference = source.difference
          let name = difference.contact.map { second.state.roster.displayName(of: $0) }
          return JSONValue(source).adding([
            "jid": JSONValue(difference.contact?.text), "name": JSONValue(name),
            "mark": .string(difference.mark), "text": .string(difference.clause),
            "t": OpenLog.number(source.cause?.time),
          ])
        }),
    ])
  }

  private static func document(_ moment: Timeline.Moment?) -> JSONValue {
    guard let moment else { return .null }
    let clause = moment.subjectClause
    return JSONValue(moment).adding([
      "n": JSONValue(moment.stamp.record), "t": OpenLog.number(moment.stamp.time),
      "clause": .object([
        "who": JSONValue(clause.who?.text), "text": .string(clause.text),
        "full": .string(clause.full),
      ]),
    ])
  }
}

/// A history, and the state at its end.
private struct LogEnd: Sendable {
  let timeline: Timeline
  let state: Timeline.State

  init(_ log: inout OpenLog) throws {
    try log.requireAll()
    timeline = log.timeline
    state = log.index.state
  }
}
