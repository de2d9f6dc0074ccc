package import XMPPStanza

/// What one record did to the roster.
public struct RosterOutcome: Hashable, Sendable {
  /// The changes, in order.
  public internal(set) var changes: [RosterChange] = []
  /// The findings.
  public internal(set) var findings: [Finding] = []
  /// The earlier records that explain its changes.
  package var origins: [ChangeOrigin] = []
  /// Why the record belongs in the story besides changes and findings; nil for most records.
  package internal(set) var news: News?

  /// A record that belongs in the story of a session even if it changed nothing, such as an error.
  package struct News: Hashable, Sendable {
    /// The contact that it is about; nil for the account.
    package let contact: BareJID?
    /// Whether a subscription stanza ended what there was, and did not only refuse it.
    package internal(set) var endsSubscription = false
  }

  /// The outcome of a record that means nothing to the roster.
  package init() {}

  /// Whether there is nothing to report.
  package var isEmpty: Bool { changes.isEmpty && findings.isEmpty && news == nil }

  /// The outcome without the earlier records that explain its changes.
  package var withoutOrigins: RosterOutcome {
    var outcome = self
    outcome.origins = []
    return outcome
  }

  /// Adds the outcome of a later record.
  package mutating func add(_ later: RosterOutcome) {
    changes += later.changes
    findings += later.findings
    origins += later.origins
    news = later.news ?? news
  }
}
