public import XMPPStanza

/// Something that a debugger wants to be told: what was odd, where, and by which rule.
public struct Finding: Hashable, Sendable {
  /// What kind of oddity it is; stable from release to release.
  public let code: Code
  /// The record at which it showed.
  public let record: UInt64
  /// The earlier record that it goes back to, where there is one.
  public let cause: UInt64?
  /// The contact it is about, where it is about one.
  public let contact: BareJID?
  /// A sentence for a person, with the rule it rests on.
  public let sentence: String

  /// How much a finding matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Legitimate, but worth to know.
    case info
    /// Somebody deviates from the specification, or lost something.
    case warning
    /// An attempt to change the roster that must not have an effect, or a wrong roster.
    case error
  }

  /// The kinds of finding.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // Elements that were not taken
    case unpreparedAddress = "unprepared-address"
    case unknownType = "unknown-type"
    case addresslessSubscription = "addressless-subscription"
    case malformedPayload = "malformed-payload"
    case foreignAccount = "foreign-account"
    // Answers
    case unsolicitedResult = "unsolicited-result"
    case spoofedAnswer = "spoofed-answer"
    case misdirectedQuery = "misdirected-query"
    case refusedQuery = "refused-query"
    case emptyResult = "empty-result"
    case unknownBase = "unknown-base"
    case unansweredQuery = "unanswered-query"
    case missingID = "missing-id"
    // Pushes and items
    case foreignPush = "foreign-push"
    case pushItemCount = "push-item-count"
    case unacknowledgedPush = "unacknowledged-push"
    case malformedItem = "malformed-item"
    case duplicateItem = "duplicate-item"
    case removalInResult = "removal-in-result"
    case unknownSubscription = "unknown-subscription"
    case unusedVersion = "unused-version"
    // Our edits
    case setItemCount = "set-item-count"
    case groupsLost = "groups-lost"
    case refusedEdit = "refused-edit"
    case unansweredEdit = "unanswered-edit"
    case unpushedEdit = "unpushed-edit"
    case undoneEdit = "undone-edit"
    case foreignSet = "foreign-set"
    // Subscriptions
    case ownSubscription = "own-subscription"
    case needlessRequest = "needless-request"
    case unsolicitedSubscribed = "unsolicited-subscribed"
    case unsolicitedUnsubscribe = "unsolicited-unsubscribe"
    case unsolicitedUnsubscribed = "unsolicited-unsubscribed"
    case preApproval = "pre-approval"
    case automaticAcceptance = "automatic-acceptance"
    case neglectedRequest = "neglected-request"
    // Presence and blocking
    case uninvitedPresence = "uninvited-presence"
    case malformedPresence = "malformed-presence"
    case foreignBlocking = "foreign-blocking"
  }

  /// How much the finding matters; the code decides.
  public var severity: Severity { code.severity }
}

extension Finding.Code {
  /// How much findings of this code matter.
  public var severity: Finding.Severity {
    switch self {
    case .spoofedAnswer, .foreignPush, .foreignBlocking, .foreignAccount, .unsolicitedResult:
      .error
    case .undoneEdit, .automaticAcceptance, .groupsLost, .unpreparedAddress, .unknownType,
      .addresslessSubscription, .malformedPayload,
      .misdirectedQuery, .refusedQuery, .emptyResult, .unansweredQuery, .missingID, .pushItemCount,
      .unacknowledgedPush, .malformedItem, .duplicateItem, .removalInResult,
      .unknownSubscription, .setItemCount, .refusedEdit, .unansweredEdit, .unpushedEdit,
      .foreignSet, .ownSubscription, .unsolicitedSubscribed, .unsolicitedUnsubscribe,
      .unsolicitedUnsubscribed, .neglectedRequest, .malformedPresence, .unknownBase:
      .warning
    case .unusedVersion, .needlessRequest, .preApproval, .uninvitedPresence: .info
    }
  }
}
