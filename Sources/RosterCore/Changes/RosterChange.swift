public import XMPPStanza

/// One thing that a record changed.
public struct RosterChange: Hashable, Sendable {
  /// The record that caused it.
  public let record: UInt64
  /// What changed.
  public let kind: Kind

  /// The kinds of change, each with what was before and what is now. The largest of the rare ones
  /// are kept apart, since every list of changes has room for any kind.
  public enum Kind: Hashable, Sendable {
    /// The account, or the resource it uses, became known.
    case account(JID)
    /// The first session started (true) or the last one ended (false); while there is none, no
    /// presence is shown.
    case connected(Bool)
    /// A session started or ended while another one of the account is open.
    case connection(ConnectionID, resource: String?, isOpen: Bool)
    /// How much of the roster is known.
    case completeness(before: Completeness, after: Completeness)
    /// The roster version.
    case version(before: String?, after: String?)
    /// A contact came into the roster.
    case itemAdded(RosterItem)
    /// A field of a contact changed.
    case itemChanged(BareJID, ItemField)
    /// A contact left the roster.
    case itemRemoved(RosterItem)
    /// A contact asks to see our presence.
    indirect case requestOpened(BareJID, IncomingRequest)
    /// It asks again.
    indirect case requestRepeated(BareJID, IncomingRequest)
    /// Nobody can say any more whether a request is open, and why.
    case requestUnconfirmed(BareJID, Doubt)
    /// A request of a contact ended.
    indirect case requestEnded(BareJID, EndedRequest)
    /// We wait for a contact's leave to see its presence.
    case outgoingOpened(BareJID, OutgoingRequest)
    /// The server shows our request in the roster for the first time.
    case outgoingReflected(BareJID)
    /// We wait no longer, and why.
    case outgoingEnded(BareJID, OutgoingEnd)
    /// A resource of a contact; nil is offline.
    case presence(
      BareJID, resource: String, before: ResourcePresence?, after: ResourcePresence?)
    /// Another resource of our own account.
    case ownPresence(resource: String, before: ResourcePresence?, after: ResourcePresence?)
    /// An address was blocked (true) or unblocked (false).
    case blocking(JID, Bool)
    /// What a contact calls itself.
    case nickname(BareJID, before: String?, after: String?)
    /// The names of a contact's vCard.
    indirect case vCard(BareJID, before: VCardNames?, after: VCardNames?)
    /// The user has seen a contact's request.
    indirect case requestSeen(BareJID, IncomingRequest)
    /// The user set something of a contact that no server keeps.
    case annotated(BareJID, AnnotationField)
  }

  /// What the user sets of a contact, before and after.
  public enum AnnotationField: Hashable, Sendable {
    /// Whether the contact is starred; it was the opposite before.
    case starred(Bool)
    /// How the contact's name is read.
    case reading(before: String?, after: String?)
    /// What is noted about the contact.
    case note(before: String?, after: String?)
  }

  /// A field of an item, before and after.
  public enum ItemField: Hashable, Sendable {
    /// The name the user gave.
    case name(before: String?, after: String?)
    /// The state of the subscription.
    case subscription(before: RosterSubscription, after: RosterSubscription)
    /// Whether our request waits for an answer.
    case ask(before: Bool, after: Bool)
    /// Whether a later request is approved already.
    case approved(before: Bool, after: Bool)
    /// The groups.
    case groups(before: [String], after: [String])
  }

  /// Why nobody can say whether a request is still open.
  public enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// It is of an earlier session, and the server has not sent it again in this one.
    case notSentAgain
    /// The server removed the contact's item: some drop the request with it, some keep it.
    case itemRemoved
    /// The server may have sent it before it had our refusal, which then has ended it: we refused
    /// before it came, in a stream that was resumed (XEP-0198 §5), or before the server sent it to
    /// this session, too.
    case crossed
  }

  /// Why we no longer wait for a contact's leave.
  public enum OutgoingEnd: String, Hashable, Sendable, CaseIterable {
    /// The contact sent `subscribed`.
    case accepted
    /// The contact sent `unsubscribed`.
    case refused
    /// We sent `unsubscribe`.
    case cancelled
    /// The roster shows that we see the contact's presence.
    case subscribed
    /// The roster shows that the request is gone.
    case dropped
    /// The contact left the roster.
    case removed
  }

  /// The contact that the change is about, nil where it is about the account.
  public var contact: BareJID? {
    switch kind {
    case .account, .connected, .connection, .completeness, .version, .ownPresence: nil
    case .itemAdded(let item), .itemRemoved(let item): item.jid
    case .blocking(let jid, _): jid.bare
    case .itemChanged(let jid, _), .requestOpened(let jid, _), .requestRepeated(let jid, _),
      .requestUnconfirmed(let jid, _), .requestEnded(let jid, _), .outgoingOpened(let jid, _),
      .outgoingReflected(let jid), .outgoingEnded(let jid, _), .presence(let jid, _, _, _),
      .nickname(let jid, _, _), .vCard(let jid, _, _), .requestSeen(let jid, _),
      .annotated(let jid, _):
      jid
    }
  }
}
