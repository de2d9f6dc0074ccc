public import XMPPStanza

/// The name that is shown for a contact, with its origin.
public struct DisplayedName: Hashable, Sendable {
  /// Where a name can come from; the first available source is used.
  public enum Source: String, Hashable, Sendable, CaseIterable {
    /// The name that the user gave the contact in the roster.
    case roster
    /// The nickname that the contact published (XEP-0172).
    case nickname
    /// The nickname in the contact's vCard.
    case vCardNickname
    /// The full name in the contact's vCard.
    case vCardFullName
    /// The local part of the contact's address, or its domain.
    case address
  }

  /// The name.
  public let text: String
  /// Where it comes from.
  public let source: Source
  /// The record that set it; nil if it is the address.
  public let record: UInt64?
}

extension Roster {
  /// The name to show for a contact: its name in the roster, else the nickname it published, else
  /// the nickname or full name in its vCard, else its local part, else its domain.
  public func displayName(of jid: BareJID) -> String { name(of: jid).text }

  /// The name to show for a contact, with its origin. Complexity: O(1).
  public func name(of jid: BareJID) -> DisplayedName {
    if let entry = entries[jid], let name = entry.item.name {
      return DisplayedName(text: name, source: .roster, record: entry.provenance.name)
    }
    let own = ownNames[jid]
    if let name = own?.nickname {
      return DisplayedName(text: name, source: .nickname, record: own?.nicknameRecord)
    }
    if let name = own?.vCard?.nickname {
      return DisplayedName(text: name, source: .vCardNickname, record: own?.vCardRecord)
    }
    if let name = own?.vCard?.fullName {
      return DisplayedName(text: name, source: .vCardFullName, record: own?.vCardRecord)
    }
    return DisplayedName(text: jid.local ?? jid.domain, source: .address, record: nil)
  }
}
