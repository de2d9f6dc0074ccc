public import XMPPStanza

/// One thing that a record changed of what a state shows.
///
/// The changes of all records up to one, applied in order, give everything that the state after it
/// shows, except the names that a log gives to connections.
public struct RosterChange: Hashable, Sendable {
  /// The record that caused it.
  public let record: UInt64
  /// The contact that the change is about; nil if it is about the account.
  public let contact: BareJID?
  /// What changed, with its values before and after.
  public let values: FieldValues
  /// The reason, if the values do not say it.
  public let reason: Reason?

  /// Why a field changed, if its values do not say it.
  public enum Reason: Hashable, Sendable {
    /// Whether a contact's request is open can no longer be known.
    case unconfirmed(Doubt)
    /// A contact's request ended.
    case ended(EndedRequest.Way)
    /// We no longer wait for a contact to let us see its presence.
    case outgoingEnded(OutgoingEnd)
    /// A session of ours ended, which hides the presence that only it received, or was resumed,
    /// which shows that presence again. The contact has sent nothing.
    case session
    /// No other connection has an open session, so the change of ``StateField/connected`` in the
    /// same record already implies this one.
    case onlyConnection
  }

  /// Why it is unknown whether a request is still open.
  public enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// It arrived in an earlier session, and the server has not sent it again in this one.
    case notSentAgain
    /// The server removed the contact's item: some servers drop the request with it, others keep
    /// it.
    case itemRemoved
    /// The server may have sent it before it received our refusal, which then ended it: we refused
    /// before it arrived, in a stream that was resumed (XEP-0198 §5), or before the server sent it
    /// to this session too.
    case crossed
  }

  /// Why we no longer wait for a contact to let us see its presence.
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
    /// The roster has never shown the request, and an answer that takes it into account does not
    /// show it either.
    case neverShown
  }

  /// The name of what changed.
  public var field: StateField { values.field }
}
