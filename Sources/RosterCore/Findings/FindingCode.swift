import XMPPStanza

extension Finding {
  /// The kinds of finding by name; stable from release to release.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // Elements that were not taken
    case unpreparedAddress = "unprepared-address"
    case unknownType = "unknown-type"
    case addresslessSubscription = "addressless-subscription"
    case malformedPayload = "malformed-payload"
    case oversizedElement = "oversized-element"
    case foreignAccount = "foreign-account"
    // The server
    case otherDomain = "other-domain"
    case unverifiedServer = "unverified-server"
    case lateStanza = "late-stanza"
    case streamError = "stream-error"
    case conflictLoop = "conflict-loop"
    // Answers
    case unsolicitedResult = "unsolicited-result"
    case foreignRoster = "foreign-roster"
    case rosterFromDomain = "roster-from-domain"
    case answerToNothing = "answer-to-nothing"
    case unseenQuery = "unseen-query"
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
    case missedPush = "missed-push"
    case idlePushes = "idle-pushes"
    case malformedItem = "malformed-item"
    case duplicateItem = "duplicate-item"
    case removalInResult = "removal-in-result"
    case unknownSubscription = "unknown-subscription"
    case unusedVersion = "unused-version"
    case removedElsewhere = "removed-elsewhere"
    case unfetchedRoster = "unfetched-roster"
    // Our edits
    case setItemCount = "set-item-count"
    case groupsLost = "groups-lost"
    case refusedEdit = "refused-edit"
    case unansweredEdit = "unanswered-edit"
    case unpushedEdit = "unpushed-edit"
    case undoneEdit = "undone-edit"
    case outdatedSet = "outdated-set"
    case prematureSet = "premature-set"
    case putBack = "put-back"
    case foreignSet = "foreign-set"
    // Subscriptions
    case ownSubscription = "own-subscription"
    case needlessRequest = "needless-request"
    case unsolicitedSubscribed = "unsolicited-subscribed"
    case unsolicitedUnsubscribe = "unsolicited-unsubscribe"
    case unsolicitedUnsubscribed = "unsolicited-unsubscribed"
    case preApproval = "pre-approval"
    case wrongRefusal = "wrong-refusal"
    case requestForRequest = "request-for-request"
    case unshownAcceptance = "unshown-acceptance"
    case returnedRequest = "returned-request"
    case undeliveredRequest = "undelivered-request"
    case deniedRequest = "denied-request"
    case friendLeft = "friend-left"
    case subscriptionLoop = "subscription-loop"
    case automaticAcceptance = "automatic-acceptance"
    case neglectedRequest = "neglected-request"
    // Presence and blocking
    case uninvitedPresence = "uninvited-presence"
    case malformedPresence = "malformed-presence"
    case unshownPresence = "unshown-presence"
    case crowdedAddress = "crowded-address"
    case foreignBlocking = "foreign-blocking"

    /// How much findings of this code matter at most.
    public var severity: Severity {
      switch self {
      case .spoofedAnswer, .foreignPush, .foreignBlocking, .foreignAccount, .otherDomain,
        .unsolicitedResult, .foreignRoster:
        .error
      case .undoneEdit, .outdatedSet, .prematureSet, .putBack, .automaticAcceptance, .groupsLost,
        .unpreparedAddress, .unknownType, .unverifiedServer, .lateStanza,
        .streamError, .conflictLoop,
        .addresslessSubscription, .malformedPayload, .oversizedElement, .misdirectedQuery,
        .refusedQuery,
        .emptyResult, .unansweredQuery, .missingID, .pushItemCount, .unacknowledgedPush,
        .missedPush,
        .malformedItem, .duplicateItem, .removalInResult, .unknownSubscription, .setItemCount,
        .refusedEdit, .unansweredEdit, .unpushedEdit, .foreignSet, .ownSubscription,
        .unsolicitedSubscribed, .unsolicitedUnsubscribe, .unsolicitedUnsubscribed,
        .neglectedRequest, .malformedPresence, .crowdedAddress, .unknownBase, .unfetchedRoster,
        .wrongRefusal, .requestForRequest, .unshownAcceptance, .unshownPresence, .answerToNothing,
        .returnedRequest, .undeliveredRequest, .subscriptionLoop:
        .warning
      case .unusedVersion, .needlessRequest, .preApproval, .uninvitedPresence, .removedElsewhere,
        .deniedRequest, .friendLeft, .unseenQuery, .rosterFromDomain, .idlePushes:
        .info
      }
    }
  }
}

extension Finding.Kind {
  /// How much this case matters, if it matters less than its code says; otherwise nil.
  var severity: Finding.Severity? {
    switch self {
    case .edit(.putBack(let putBack)): putBack.evidence.isEmpty ? .info : nil
    case .subscription(.automaticAcceptance(let milliseconds)):
      milliseconds < SubscriptionFinding.reflexLimit ? nil : .info
    case .subscription(.askedBack): .info
    case .session(.streamError(_, let report)): report.isOrdinary ? .info : nil
    case .presence(.unshown(let hasEarlier)): hasEarlier ? nil : .info
    case .rejected, .foreignAccount, .otherDomain, .unverifiedServer, .lateStanza, .session,
      .answer,
      .item, .edit, .subscription, .presence, .foreignBlocking:
      nil
    }
  }

  /// The name of the kind.
  var code: Finding.Code {
    switch self {
    case .rejected(let rejection): rejection.kind.code
    case .foreignAccount: .foreignAccount
    case .otherDomain: .otherDomain
    case .unverifiedServer: .unverifiedServer
    case .lateStanza: .lateStanza
    case .session(.streamError): .streamError
    case .session(.conflictLoop): .conflictLoop
    case .answer(let finding): finding.code
    case .item(let finding): finding.code
    case .edit(let finding): finding.code
    case .subscription(let finding): finding.code
    case .presence(.uninvited): .uninvitedPresence
    case .presence(.malformed): .malformedPresence
    case .presence(.idle): .idlePushes
    case .presence(.unshown): .unshownPresence
    case .presence(.crowded): .crowdedAddress
    case .foreignBlocking: .foreignBlocking
    }
  }
}

extension ErrorReport {
  /// Whether a stream error only says that another stream is needed, or that this one is no longer
  /// wanted (RFC 6120 §4.9.3).
  fileprivate var isOrdinary: Bool {
    switch condition {
    case "conflict", "system-shutdown", "reset", "see-other-host", "connection-timeout",
      "remote-connection-failed", "resource-constraint":
      true
    default: false
    }
  }
}

extension Rejection.Kind {
  fileprivate var code: Finding.Code {
    switch self {
    case .address: .unpreparedAddress
    case .type: .unknownType
    case .nobody: .addresslessSubscription
    case .payload: .malformedPayload
    case .limit: .oversizedElement
    }
  }
}

extension AnswerFinding {
  fileprivate var code: Finding.Code {
    switch self {
    case .unsolicited, .unsolicitedRoster: .unsolicitedResult
    case .foreignRoster: .foreignRoster
    case .rosterFromDomain: .rosterFromDomain
    case .toNothing: .answerToNothing
    case .unseenQuery: .unseenQuery
    case .spoofed: .spoofedAnswer
    case .misdirectedQuery: .misdirectedQuery
    case .refusedQuery: .refusedQuery
    case .missingRoster, .unchangedFromNothing: .emptyResult
    case .unknownBase: .unknownBase
    case .unansweredQuery: .unansweredQuery
    case .missingID: .missingID
    }
  }
}

extension ItemFinding {
  fileprivate var code: Finding.Code {
    switch self {
    case .foreignPush: .foreignPush
    case .pushItemCount: .pushItemCount
    case .unacknowledgedPush, .refusedPush: .unacknowledgedPush
    case .missedPush: .missedPush
    case .idlePushes: .idlePushes
    case .malformed: .malformedItem
    case .duplicate: .duplicateItem
    case .removalInResult: .removalInResult
    case .unknownSubscription: .unknownSubscription
    case .unusedVersion: .unusedVersion
    case .removedElsewhere: .removedElsewhere
    case .unfetched: .unfetchedRoster
    }
  }
}

extension EditFinding {
  fileprivate var code: Finding.Code {
    switch self {
    case .itemCount: .setItemCount
    case .groupsLost: .groupsLost
    case .refused: .refusedEdit
    case .unanswered: .unansweredEdit
    case .unpushed: .unpushedEdit
    case .altered, .undone: .undoneEdit
    case .outdated: .outdatedSet
    case .premature: .prematureSet
    case .putBack: .putBack
    case .foreignSet: .foreignSet
    }
  }
}

extension SubscriptionFinding {
  /// Milliseconds in which a person cannot read a request and answer it.
  static let reflexLimit: Int64 = 500

  fileprivate var code: Finding.Code {
    switch self {
    case .own: .ownSubscription
    case .needlessRequest: .needlessRequest
    case .unsolicitedSubscribed: .unsolicitedSubscribed
    case .unsolicitedUnsubscribe: .unsolicitedUnsubscribe
    case .unsolicitedUnsubscribed: .unsolicitedUnsubscribed
    case .preApproval: .preApproval
    case .wrongRefusal: .wrongRefusal
    case .requestForRequest, .askedBack: .requestForRequest
    case .unshownAcceptance: .unshownAcceptance
    case .returned: .returnedRequest
    case .undelivered: .undeliveredRequest
    case .denied: .deniedRequest
    case .friendLeft: .friendLeft
    case .loop: .subscriptionLoop
    case .automaticAcceptance: .automaticAcceptance
    case .neglectedRequest: .neglectedRequest
    }
  }
}
