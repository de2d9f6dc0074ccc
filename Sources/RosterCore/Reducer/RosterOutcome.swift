/// What one record did to the roster.
public struct RosterOutcome: Hashable, Sendable {
  /// What changed, in the order it did.
  public internal(set) var changes: [RosterChange] = []
  /// What was odd.
  public internal(set) var findings: [Finding] = []
  /// Which earlier records its changes go back to.
  package internal(set) var origins: [ChangeOrigin] = []

  /// Of a record that means nothing to the roster.
  package init() {}

  /// Whether nothing changed and nothing was odd.
  package var isEmpty: Bool { changes.isEmpty && findings.isEmpty }

  /// What changed and what was odd, without the records that the changes go back to.
  package var withoutOrigins: RosterOutcome {
    var outcome = self
    outcome.origins = []
    return outcome
  }

  /// Adds what a later record did.
  package mutating func add(_ later: RosterOutcome) {
    changes += later.changes
    findings += later.findings
    origins += later.origins
  }
}
