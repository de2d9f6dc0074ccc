package import XMPPStanza

/// One thing in which two states show something different.
///
/// Numbers and times of records are no content: two logs of one account can show the same.
package struct FieldDifference: Hashable, Sendable {
  /// The contact that it is about, nil where it is about the account.
  package let contact: BareJID?
  /// What is different.
  package let change: Change
  /// The record that gave the later state its value. Nil where the state does not keep it, as
  /// for what is gone: then only the records in between tell.
  package let record: UInt64?

  package init(contact: BareJID?, change: Change, record: UInt64?) {
    self.contact = contact
    self.change = change
    self.record = record
  }

  /// What is different, with both values.
  package enum Change: Hashable, Sendable {
    case account(before: BareJID?, after: BareJID?)
    case connected(before: Bool, after: Bool)
    case completeness(before: Completeness, after: Completeness)
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
    case presence(resource: String, before: Availability?, after: Availability?)
    /// Whether this address, the contact's or with a resource of it, is blocked.
    case blocked(JID, before: Bool, after: Bool)
    /// What the contact calls itself.
    case nickname(before: String?, after: String?)
    case vCard(before: VCardNames?, after: VCardNames?)
    /// What the user has set of the contact.
    case annotation(RosterChange.AnnotationField)
  }

  /// A request as a person sees it.
  package struct ShownRequest: Hashable, Sendable {
    /// Whether the server has sent it in this session.
    package var isConfirmed: Bool
    package var status: String?
    package var nickname: String?
    /// Whether the user has seen it.
    package var isSeen: Bool

    init(_ shown: ContactRequest) {
      isConfirmed = if case .open = shown { true } else { false }
      status = shown.request.status
      nickname = shown.request.nickname
      isSeen = shown.request.seen != nil
    }
  }

  /// The names of what can be different, as in `rollcall state --json`, in the order in which
  /// differences of one contact are listed.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    case account, connected, complete, version, ownResources
    case item, name, subscription, ask, approved, groups
    case request, outgoing, presence, blocked, nickname, vCard
    case starred, reading, note
  }

  /// The name of what is different.
  package var field: Field {
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
