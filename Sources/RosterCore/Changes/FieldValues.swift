public import XMPPStanza

/// The names of the fields that a state shows, in the order in which the differences of two states
/// are listed: those of the account, then those of a contact. JSON has the same names.
/// Connections, and whether the block list is known, are in states and changes, not in differences.
public enum StateField: String, Hashable, Sendable, CaseIterable {
  /// About the account.
  case account, connected, connections, completeness, version, blockedKnown, ownResources
  /// About the item of a contact.
  case item, name, subscription, ask, approved, groups
  /// About a contact beside its item.
  case request, outgoing, presence, blocked, nickname, vCard
  /// What the user has set of a contact.
  case starred, reading, note

  /// Whether the field belongs to a contact's item: the item itself, or a part of it.
  package var isOfItem: Bool {
    [.item, .name, .subscription, .ask, .approved, .groups].contains(self)
  }

  /// Whether the field says something only for a moment: presence, and the roster's version.
  package var isFleeting: Bool { [.presence, .ownResources, .version].contains(self) }
}

/// A field that a state shows, with its values before and after a change.
///
/// The one list of such fields. Nil is no value: an item before it came, a resource after it went.
/// Rare large cases are indirect, so that a list of changes stays small.
public enum FieldValues: Hashable, Sendable {
  /// Whose the log is; the resource is the one by which the account was named.
  case account(before: JID?, after: JID?)
  /// Whether any session of the account is open; while none is, no presence is shown.
  case connected(before: Bool, after: Bool)
  /// One connection of the account.
  case connection(before: Connection?, after: Connection?)
  /// How much of the roster is known.
  case completeness(before: Completeness, after: Completeness)
  /// The roster version (RFC 6121 §2.6).
  case version(before: String?, after: String?)
  /// Whether the block list was ever fetched.
  case blockedKnown(before: Bool, after: Bool)
  /// Another resource of the own account.
  case ownPresence(resource: String, before: ResourcePresence?, after: ResourcePresence?)
  /// The item of a contact that came into the roster or left it.
  case item(before: RosterItem?, after: RosterItem?)
  /// The name that the user gave a contact.
  case name(before: String?, after: String?)
  /// The state of a contact's subscription.
  case subscription(before: RosterSubscription, after: RosterSubscription)
  /// Whether the item shows that our request waits for an answer.
  case ask(before: Bool, after: Bool)
  /// Whether a later request is approved already.
  case approved(before: Bool, after: Bool)
  /// The groups that a contact is in.
  case groups(before: [String], after: [String])
  /// The contact's request to see our presence.
  indirect case request(before: ContactRequest?, after: ContactRequest?)
  /// Our request to see the contact's presence.
  case outgoing(before: OutgoingRequest?, after: OutgoingRequest?)
  /// What a resource of the contact shows.
  case presence(resource: String, before: ResourcePresence?, after: ResourcePresence?)
  /// Whether this address, the contact's or with a resource of it, is blocked.
  case blocked(JID, before: Bool, after: Bool)
  /// What the contact calls itself.
  case nickname(before: String?, after: String?)
  /// What the contact is called in its vCard.
  indirect case vCard(before: VCardNames?, after: VCardNames?)
  /// Whether the user starred the contact.
  case starred(before: Bool, after: Bool)
  /// How the contact's name is read.
  case reading(before: String?, after: String?)
  /// What the user noted about the contact.
  case note(before: String?, after: String?)

  /// The name of the field.
  public var field: StateField {
    switch self {
    case .account: .account
    case .connected: .connected
    case .connection: .connections
    case .completeness: .completeness
    case .version: .version
    case .blockedKnown: .blockedKnown
    case .ownPresence: .ownResources
    case .item: .item
    case .name: .name
    case .subscription: .subscription
    case .ask: .ask
    case .approved: .approved
    case .groups: .groups
    case .request: .request
    case .outgoing: .outgoing
    case .presence: .presence
    case .blocked: .blocked
    case .nickname: .nickname
    case .vCard: .vCard
    case .starred: .starred
    case .reading: .reading
    case .note: .note
    }
  }

  /// The resource that presence is of; nil for another field.
  package var resource: String? {
    if case .presence(let resource, _, _) = self { return resource }
    if case .ownPresence(let resource, _, _) = self { return resource }
    return nil
  }
}
