import RosterCore
import XMPPStanza

/// Makes a story of very many entries one that can be read at a glance: a line for each record that
/// told something lasting, an interruption as one line, and presence counted by day.
///
/// Memory: the last record, and for each day the addresses whose presence changed in it.
package struct CondensedStory: Sendable {
  /// A part of the story.
  package enum Entry: Sendable {
    /// One record that tells something lasting, or is odd.
    case moment(Timeline.Moment)
    /// A connection was lost, and its session was resumed before anything else was told.
    case interruption(lost: Timeline.Moment, resumed: Timeline.Moment)
  }

  /// The loss of a connection, until it is clear whether the next thing to tell is its resumption.
  private var lost: Timeline.Moment?

  package init() {}

  /// Takes the next record that tells something, and gives what is complete by it.
  package mutating func take(_ moment: Timeline.Moment) -> [Entry] {
    guard !moment.isFleeting else { return [] }
    if let lost, lost.connection == moment.connection, moment.isResumption {
      self.lost = nil
      return [.interruption(lost: lost, resumed: moment)]
    }
    let before = finish()
    guard moment.isLoss else { return before + [.moment(moment)] }
    lost = moment
    return before
  }

  /// What was held back, at the end.
  package mutating func finish() -> [Entry] {
    defer { lost = nil }
    return lost.map { [.moment($0)] } ?? []
  }
}

extension Timeline.Moment {
  fileprivate var isResumption: Bool {
    guard outcome.findings.isEmpty, case .session(.resumed) = event else { return false }
    return true
  }

  fileprivate var isLoss: Bool {
    guard outcome.findings.isEmpty, case .session(.closed(isLost: true)) = event else {
      return false
    }
    return true
  }

  /// What happened, in one clause: what a push changed, which says more than what it holds, and
  /// otherwise what the element means.
  package var condensedClause: String {
    guard case .stanza(.pushReceived) = event, let pushed = pushedClause else {
      return clause
    }
    return pushed
  }

  /// The item that a push changed, and how; nil where it changed none.
  private var pushedClause: String? {
    var fields: [String] = []
    for change in outcome.changes {
      guard change.field.isOfItem else { continue }
      if change.field == .item { return "\(change.mark) \(change.clause)" }
      fields.append(fields.isEmpty ? "~ \(change.clause)" : change.titledClause)
    }
    return fields.isEmpty ? nil : fields.joined(separator: "; ")
  }
}
