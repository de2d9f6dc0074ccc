import XMPPStanza

extension SubscriptionStanza.Kind {
  /// What a contact ended by this stanza, and in the end.
  ///
  /// - Parameters:
  ///   - words: The words for the contact and the record of the stanza.
  ///   - other: The record of the stanza that ended the other direction; nil if none came.
  ///   - before: The subscription before.
  ///   - after: The subscription in the end; nil if the contact is not in the roster any more.
  func sentence(
    aboutLeaving words: Finding.Words, other: UInt64?, from before: RosterSubscription,
    to after: RosterSubscription?
  ) -> String {
    let first = "\(words.somebody) no longer \(ending) (“\(rawValue)” of \(words.cause))"
    let second = other.map {
      " and no longer \(mirror.ending) (“\(mirror.rawValue)” of record \($0))"
    }
    let end =
      after.map { "the server now shows the contact as “\($0.rawValue)”" }
      ?? "the contact has left the roster since"
    let section = other == nil ? endingSection : "§3.2, §3.3"
    return first + (second ?? "") + ", and \(end): before, it was “\(before.rawValue)” "
      + "(RFC 6121 \(section))."
  }

  /// What a contact that sends it no longer does; for the stanzas that end a subscription.
  private var ending: String {
    self == .unsubscribe ? "wants to see our presence" : "lets us see its presence"
  }

  /// The section of RFC 6121 on the end of that direction.
  private var endingSection: String { self == .unsubscribe ? "§3.3" : "§3.2" }

  /// The stanza that ends the other direction.
  private var mirror: Self { self == .unsubscribe ? .unsubscribed : .unsubscribe }
}
