public import XMPPStanza

/// A name that is shown for a contact, and why it is this one.
public struct DisplayedName: Hashable, Sendable {
  /// Where a name can come from, the first that there is.
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
  /// The record that set it; nil where it is the address.
  public let record: UInt64?
}

extension Roster {
  /// What to call a contact: the name in the roster, else what it calls itself, else its
  /// vCard's nickname or full name, else the local part, else the domain.
  public func displayName(of jid: BareJID) -> String { name(of: jid).text }

  /// What to call a contact, and where that comes from. Complexity: O(1).
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
