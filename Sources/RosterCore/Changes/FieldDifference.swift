import RawBytes
public import XMPPStanza

/// One field that two states show with different values.
///
/// Numbers and times of records are not compared, because two logs of one account can show the same
/// state. Values that differ contain them, though.
public struct FieldDifference: Hashable, Sendable {
  /// The contact that it is about; nil if it is about the account.
  public let contact: BareJID?
  /// What is different, with both values.
  public let values: FieldValues
  /// The record that gave the later state its value. Nil if the state does not keep that record,
  /// for example because the value is gone; then only the records in between have the answer.
  public let record: UInt64?

  package init(contact: BareJID?, values: FieldValues, record: UInt64?) {
    self.contact = contact
    self.values = values
    self.record = record
  }

  /// The name of what is different.
  public var field: StateField { values.field }
}

extension ContactRequest? {
  /// Whether two requests look the same to a person, regardless of when and how often they arrived.
  package func looksSame(as other: ContactRequest?, whetherSeen: Bool = true) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isConfirmed == other.isConfirmed
      && self.request.status.hasSameBytes(as: other.request.status)
      && self.request.nickname.hasSameBytes(as: other.request.nickname)
      && (!whetherSeen || (self.request.seen == nil) == (other.request.seen == nil))
  }
}

extension ContactRequest {
  /// Whether the server has sent it in this session.
  public var isConfirmed: Bool { if case .open = self { true } else { false } }
}
