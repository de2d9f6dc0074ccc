import RawBytes
public import XMPPStanza

/// What the user says of contacts and no server keeps.
///
/// It concerns the account and no connection of it, and it stays with an address whatever becomes
/// of the contact: one that is removed may come back.
public enum RosterAnnotation: Sendable {
  /// The user stars a contact (true), or takes the star away (false).
  case starred(BareJID, Bool)
  /// How the user wants a contact's name to be read, such as `zeng xian`; nil, or a blank text,
  /// for as the name itself says.
  case reading(BareJID, String?)
  /// What the user notes about a contact; nil, or a blank text, for nothing.
  case note(BareJID, String?)
  /// The user has seen the unanswered requests of these contacts.
  ///
  /// It names the contacts and not a record, so that it means the same in a log to which records
  /// of other devices were merged.
  case requestsSeen([BareJID])

  /// The contacts that it names.
  package var contacts: [BareJID] {
    switch self {
    case .starred(let jid, _), .reading(let jid, _), .note(let jid, _): [jid]
    case .requestsSeen(let jids): jids
    }
  }
}

extension RosterAnnotation: Hashable {
  /// Whether both say the same, the texts by their bytes.
  public static func == (a: RosterAnnotation, b: RosterAnnotation) -> Bool {
    switch (a, b) {
    case (.starred(let a, let isStarred), .starred(let b, let isToo)):
      a == b && isStarred == isToo
    case (.reading(let a, let text), .reading(let b, let other)),
      (.note(let a, let text), .note(let b, let other)):
      a == b && text.hasSameBytes(as: other)
    case (.requestsSeen(let a), .requestsSeen(let b)): a == b
    default: false
    }
  }

  /// Feeds what mostly tells annotations apart into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(contacts)
  }
}
