public import XMPPStanza

/// What a user wants done with the roster.
///
/// A roster set replaces the name and all groups of a contact (RFC 6121 §2.1.2). So `add`,
/// `remove`, `rename`, `setGroups`, `regroup`, `renameGroup` and `deleteGroup` are refused until
/// the session that they go out in knows the roster. The other commands need no roster, but that a
/// contact has no subscription is only known from one.
///
/// Later versions may add cases.
public enum RosterCommand: Hashable, Sendable {
  /// Ask the server for the roster.
  case fetch
  /// Add a contact to the roster and ask to see its presence, with a message for it (RFC 6121
  /// §3.1.1). An open request from it is accepted. Without `subscribes`, the contact is only
  /// listed, or its name and groups are changed, and it is not told.
  case add(
    BareJID, name: String? = nil, groups: [String] = [], message: String? = nil,
    subscribes: Bool = true)
  /// Let a contact that sent a request see our presence. Also asks to see its presence, unless
  /// `RosterDecider.wantsMutualFriends` is off.
  case accept(BareJID)
  /// Refuse a contact's request.
  case reject(BareJID)
  /// Withdraw our own request.
  case cancel(BareJID)
  /// No longer see a contact's presence (RFC 6121 §3.3). The contact stays in the roster.
  case unsubscribe(BareJID)
  /// No longer let a contact see our presence, or withdraw our approval of a later request
  /// (RFC 6121 §3.2). The contact stays in the roster.
  case revoke(BareJID)
  /// Remove a contact from the roster; the server ends both subscriptions.
  case remove(BareJID)
  /// Give a contact another name, or none.
  case rename(BareJID, to: String?)
  /// Put a contact into exactly these groups.
  case setGroups(BareJID, [String])
  /// Put each of several contacts into exactly these groups. Nothing is sent if one of them is not
  /// in the roster.
  case regroup([BareJID: [String]])
  /// Give a group another name, in each contact that has it.
  case renameGroup(String, to: String)
  /// Remove a group from each contact that has it; the contacts stay.
  case deleteGroup(String)
  /// Approve a future request (RFC 6121 §3.4).
  case preApprove(BareJID)
  /// Block an address (XEP-0191).
  case block(JID)
  /// Unblock an address.
  case unblock(JID)
}

/// Why a command is not carried out.
public enum CommandRefusal: Error, Hashable, Sendable {
  /// The server has not told this session the roster yet, so a set could undo what another device
  /// has changed. Fetch the roster, and decide again once the answer is there.
  case rosterNotKnown
  /// The server refuses to tell this session the roster, so a set could undo what another device
  /// has changed: the condition (RFC 6120 §8.3.3), such as `forbidden`, if the server gave one.
  case rosterRefused(condition: String?)
  /// More sets of this session are unanswered than are remembered, so a set could undo one of them.
  /// Decide again once the server has answered them.
  case tooManyUnansweredEdits
  /// The address is the account's own.
  case oneself(BareJID)
  /// We already see the contact's presence, and no request is open.
  case alreadyFriend(BareJID)
  /// The contact has no open request.
  case noRequest(BareJID)
  /// We have no open request to this contact.
  case nothingToCancel(BareJID)
  /// We do not see the contact's presence.
  case notSubscribed(BareJID)
  /// The contact does not see our presence, and no later request of it is approved.
  case notSeenBy(BareJID)
  /// The contact is not in the roster.
  case notInRoster(BareJID)
  /// No contact is in this group.
  case noSuchGroup(String)
  /// A group must have a name.
  case emptyGroupName
  /// A text has a character that XML does not allow, such as a control character (XML 1.0 §2.2).
  case characterNotAllowed
  /// The server does not offer pre-approval (RFC 6121 §3.4.1).
  case preApprovalNotOffered
  /// The contact already sees our presence or is approved.
  case alreadyApproved(BareJID)
  /// The address is already blocked.
  case alreadyBlocked(JID)
  /// The address is not blocked.
  case notBlocked(JID)
}

extension CommandRefusal: CustomStringConvertible {
  /// The refusal, as a sentence for people without a period.
  public var description: String {
    switch self {
    case .rosterNotKnown: "the server has not sent the roster of this session yet"
    case .rosterRefused(let condition):
      "the server refuses to send the roster (\(condition ?? "without a reason"))"
    case .tooManyUnansweredEdits:
      "the server has not answered the changes before this one, and they are too many to wait for"
    case .oneself(let jid): "\(jid) is your own address"
    case .alreadyFriend(let jid): "you see the presence of \(jid) already"
    case .noRequest(let jid): "\(jid) has not asked to see your presence"
    case .nothingToCancel(let jid): "no request of yours to \(jid) is open"
    case .notSubscribed(let jid): "you do not see the presence of \(jid)"
    case .notSeenBy(let jid): "\(jid) does not see your presence"
    case .notInRoster(let jid): "\(jid) is not in your roster"
    case .noSuchGroup(let group): "no contact is in the group “\(group)”"
    case .emptyGroupName: "a group has to have a name"
    case .characterNotAllowed: "a text has a character that cannot be sent"
    case .preApprovalNotOffered: "your server does not offer to approve requests in advance"
    case .alreadyApproved(let jid): "\(jid) is approved already"
    case .alreadyBlocked(let jid): "\(jid) is blocked already"
    case .notBlocked(let jid): "\(jid) is not blocked"
    }
  }
}
