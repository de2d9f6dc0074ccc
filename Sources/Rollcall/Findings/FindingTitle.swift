package import RosterCore

extension Finding.Code {
  /// The kind of finding in a few words, for a person who has never read a specification.
  package var title: String {
    switch self {
    // Elements that were not taken
    case .unpreparedAddress: "An address is not valid"
    case .unknownType: "A stanza has a type that does not exist"
    case .addresslessSubscription: "A subscription stanza names nobody"
    case .malformedPayload: "A stanza's content is malformed"
    case .oversizedElement: "An element is too large to read"
    case .foreignAccount: "Another account's stream is in this log"
    // The server
    case .otherDomain: "A server speaks for another domain"
    case .unverifiedServer: "The server was not verified"
    case .lateStanza: "A stanza arrived after the stream had ended"
    case .streamError: "A stream ended with an error"
    case .conflictLoop: "Two installations keep replacing each other"
    // Answers
    case .unsolicitedResult: "An answer that nobody asked for"
    case .foreignRoster: "A stranger sent a roster"
    case .rosterFromDomain: "The roster came from the server's domain"
    case .answerToNothing: "We answered what nobody asked"
    case .unseenQuery: "The request for this roster is not in the log"
    case .spoofedAnswer: "Somebody answered who was not asked"
    case .misdirectedQuery: "The roster was requested from somebody else"
    case .refusedQuery: "The server refused to send the roster"
    case .emptyResult: "The answer has no roster"
    case .unknownBase: "The roster is only known to be unchanged"
    case .unansweredQuery: "A roster request was not answered"
    case .missingID: "A request has no id"
    // Pushes and items
    case .foreignPush: "A stranger pushed into the roster"
    case .pushItemCount: "A push has more than one contact"
    case .unacknowledgedPush: "A push was not acknowledged"
    case .missedPush: "A device was not told a change"
    case .idlePushes: "Pushes or presences repeat what is known"
    case .malformedItem: "A roster item is malformed"
    case .duplicateItem: "A contact is in the roster twice"
    case .removalInResult: "A roster lists a contact as removed"
    case .unknownSubscription: "A subscription state does not exist"
    case .unusedVersion: "Roster versions are offered but not used"
    case .removedElsewhere: "A contact was removed by another device"
    case .unfetchedRoster: "A session never asked for the roster"
    // Our edits
    case .setItemCount: "An edit has more than one contact"
    case .groupsLost: "An edit lost groups"
    case .refusedEdit: "The server refused an edit"
    case .unansweredEdit: "An edit was never answered"
    case .unpushedEdit: "An edit was accepted but never shown"
    case .undoneEdit: "An edit was undone"
    case .outdatedSet: "An edit took back a newer one"
    case .prematureSet: "An edit was sent before the roster was known"
    case .putBack: "A device put back what had been changed"
    case .foreignSet: "An edit was sent to the wrong address"
    // Subscriptions
    case .ownSubscription: "A subscription to the own account"
    case .needlessRequest: "A request for what we already had"
    case .unsolicitedSubscribed: "An acceptance without a request"
    case .unsolicitedUnsubscribe: "A cancellation of nothing"
    case .unsolicitedUnsubscribed: "A refusal without a request"
    case .preApproval: "A request was approved in advance"
    case .wrongRefusal: "Declined with the wrong word"
    case .requestForRequest: "A request was answered by a request"
    case .unshownAcceptance: "An acceptance never reached the roster"
    case .returnedRequest: "An answered request came back"
    case .undeliveredRequest: "A request could not be delivered"
    case .deniedRequest: "Our request was denied"
    case .friendLeft: "A friend ended the friendship"
    case .subscriptionLoop: "Requests go round in a loop"
    case .automaticAcceptance: "Accepted faster than a person can"
    case .neglectedRequest: "A request has waited for a long time"
    // Presence and blocking
    case .uninvitedPresence: "Presence from somebody we do not follow"
    case .malformedPresence: "A presence is malformed"
    case .unshownPresence: "The presence of contacts was never shown"
    case .crowdedAddress: "An address has too many resources"
    case .foreignBlocking: "A stranger pushed into the block list"
    }
  }
}
