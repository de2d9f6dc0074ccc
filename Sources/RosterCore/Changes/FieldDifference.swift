public import XMPPStanza

/// One thing in which two states show something different.
///
/// Numbers and times of records are no content: two logs of one account can show the same.
public struct FieldDifference: Hashable, Sendable {
  /// The contact that it is about, nil where it is about the account.
  public let contact: BareJID?
  /// What is different.
  public let change: Change
  /// The record that gave the later state its value. Nil where the state does not keep it, as
  /// for what is gone: then only the records in between tell.
  public let record: UInt64?

  package init(contact: BareJID?, change: Change, record: UInt64?) {
    self.contact = contact
    self.change = change
    self.record = record
  }

  /// What is different, with both values.
  public enum Change: Hashable, Sendable {
    /// Whose the log is.
    case account(before: BareJID?, after: BareJID?)
    /// Whether a session is there.
    case connected(before: Bool, after: Bool)
    /// Whether the whole roster is known.
    case completeness(before: Completeness, after: Completeness)
    /// The roster version (RFC 6121 §2.6).
    case version(before: String?, after: String?)
    /// Another resource of the own account.
    case ownPresence(resource: String, before: Availability?, after: Availability?)
    /// The contact is in one of the rosters only.
    case item(before: RosterItem?, after: RosterItem?)
    /// A field of an item that is in both.
    case itemField(RosterChange.ItemField)
    /// The contact's request to see our presence.
    case request(before: ShownRequest?, after: ShownRequest?)
    /// Whether our request to see the contact's presence waits for an answer.
    case outgoing(before: Bool, after: Bool)
    /// What a resource of the contact shows.
    case presence(resource: String, before: Availability?, after: Availability?)
    /// Whether this address, the contact's or with a resource of it, is blocked.
    case blocked(JID, before: Bool, after: Bool)
    /// What the contact calls itself.
    case nickname(before: String?, after: String?)
    /// What the contact is called in its vCard.
    case vCard(before: VCardNames?, after: VCardNames?)
    /// What the user has set of the contact.
    case annotation(RosterChange.AnnotationField)
  }

  /// A request as a person sees it.
  public struct ShownRequest: Hashable, Sendable {
    /// Whether the server has sent it in this session.
    public internal(set) var isConfirmed: Bool
    /// The newest words that came with it.
    public internal(set) var status: String?
    /// What its sender calls itself (XEP-0172).
    public internal(set) var nickname: String?
    /// Whether the user has seen it.
    public package(set) var isSeen: Bool

    init(_ shown: ContactRequest) {
      isConfirmed = if case .open = shown { true } else { false }
      status = shown.request.status
      nickname = shown.request.nickname
      isSeen = shown.request.seen != nil
    }
  }

  /// The names of what can be different, as in `rollcall state --json`, in the order in which
  /// differences of one contact are listed.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// About the account.
    case account, connected, complete, version, ownResources
    /// About the item of a contact.
    case item, name, subscription, ask, approved, groups
    /// About a contact beside its item.
    case request, outgoing, presence, blocked, nickname, vCard
    /// What the user has set of a contact.
    case starred, reading, note
  }

  /// The name of what is different.
  public var field: Field {
    switch change {
    case .account: .account
    case .connected: .connected
    case .completeness: .complete
    case .version: .version
    case .ownPresence: .ownResources
    case .item: .item
    case .itemField(.name): .name
    case .itemField(.subscription): .subscription
    case .itemField(.ask): .ask
    case .itemField(.approved): .approved
    case .itemField(.groups): .groups
    case .request: .request
    case .outgoing: .outgoing
    case .presence: .presence
    case .blocked: .blocked
    case .nickname: .nickname
    case .vCard: .vCard
    case .annotation(.starred): .starred
    case .annotation(.reading): .reading
    case .annotation(.note): .note
    }
  }
}
