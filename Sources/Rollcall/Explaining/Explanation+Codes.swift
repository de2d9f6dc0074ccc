extension Explanation.Reason {
  /// What a reason says, for programs. Cases may be added.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    // Friends
    /// The roster has an item of it with a subscription.
    case item
    /// A sent answer contradicts what the roster shows.
    case contradiction
    /// The subscription before, and until when it was so.
    case earlierSubscription = "earlier-subscription"
    /// Which of the two sees the presence of the other.
    case directions
    /// A request of it is approved in advance (RFC 6121 §3.4).
    case approved
    /// It left the roster.
    case left
    /// The whole roster lacks it.
    case absent
    /// The log never had the whole roster, and nothing in it has the contact.
    case notSeen = "not-seen"
    /// An end of the subscription that we sent is not shown by the server.
    case endNotShown = "end-not-shown"
    /// What became of our last roster set.
    case set
    /// A roster set of ours named a subscription, which no set changes.
    case setOfSubscription = "set-of-subscription"
    /// A push was ignored, because its sender may not push.
    case ignoredPush = "ignored-push"
    /// The session never asked for the roster.
    case neverFetched = "never-fetched"

    // Requests
    /// It asks to see our presence.
    case asks
    /// It asked, and whether that is still open is not known.
    case mayAsk = "may-ask"
    /// A stanza of ours looks like an answer to its request and is none.
    case noAnswer = "no-answer"
    /// Its request has ended.
    case requestEnded = "request-ended"
    /// It sees our presence and need not ask.
    case seesUs = "sees-us"
    /// It has not asked to see our presence.
    case notAsked = "not-asked"
    /// A request of it may have come before the log began.
    case mayHaveAsked = "may-have-asked"
    /// We ask to see its presence.
    case weAsk = "we-ask"
    /// Our request has ended.
    case ourRequestEnded = "our-request-ended"
    /// Both have asked, and either side can settle both.
    case crossing

    // Presence
    /// A resource is available.
    case available
    /// It is our own account.
    case own
    /// What we sent to it was answered with an error.
    case returnedError = "returned-error"
    /// No session of ours is open.
    case noSession = "no-session"
    /// It went offline.
    case wentOffline = "went-offline"
    /// We are not told its presence.
    case notTold = "not-told"
    /// Our session has not shown its own presence yet.
    case silentSession = "silent-session"
    /// Its presence may have come before the log began.
    case mayHaveBeenOnline = "may-have-been-online"
    /// No presence of it has come.
    case noPresence = "no-presence"

    // Blocking
    /// The block list has an address of it.
    case blockListed = "block-listed"
    /// The block list has no address of it.
    case notBlockListed = "not-block-listed"
    /// The log has no block list.
    case blockListUnknown = "block-list-unknown"
    /// Only one of its resources is blocked.
    case resourceBlocked = "resource-blocked"

    // The contacts screen
    /// Where it is listed, or would be as a friend.
    case listed
    /// Its request is in the section above the letters.
    case requestListed = "request-listed"
    /// What it is called, and why.
    case name
    /// The name that the roster had before it was cleared.
    case clearedName = "cleared-name"
    /// The groups that it is in or has left.
    case groups
    /// The user has set how its name is read.
    case reading
  }
}
