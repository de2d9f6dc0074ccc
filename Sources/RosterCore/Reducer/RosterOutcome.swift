package import XMPPStanza

/// What one record did to the roster.
public struct RosterOutcome: Hashable, Sendable {
  /// What changed, in the order it did.
  public internal(set) var changes: [RosterChange] = []
  /// What was odd.
  public internal(set) var findings: [Finding] = []
  /// Which earlier records its changes go back to.
  package internal(set) var origins: [ChangeOrigin] = []
  /// What belongs in the story besides changes and findings; nil for most records.
  package internal(set) var news: News?

  /// A record that belongs in the story of a session whatever it did, such as an error.
  package struct News: Hashable, Sendable {
    /// The contact that it is about; nil for the account.
    package let contact: BareJID?
    /// Whether a subscription stanza ended what there was, and did not only refuse it.
    package internal(set) var endsSubscription = false
  }

  /// Of a record that means nothing to the roster.
  package init() {}

  /// Whether nothing changed, nothing was odd, and there is nothing else to tell.
  package var isEmpty: Bool { changes.isEmpty && findings.isEmpty && news == nil }

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
    news = later.news ?? news
  }
}
