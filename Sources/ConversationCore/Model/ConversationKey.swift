package import XMPPStanza

/// The address of a conversation (rule 3).
package struct ConversationKey: Hashable, Comparable, Sendable {
  /// The kinds of conversation; their names are those of the JSON document.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// With a contact or any other address, by its bare JID.
    case chat
    /// In a room, by the bare JID of the room.
    case group
    /// With an occupant of a room, by the full occupant JID.
    case `private`
  }

  package let kind: Kind
  /// The other party: bare for `chat` and `group`, full for `private`.
  package let jid: JID

  /// The chat with an account.
  package static func chat(_ jid: BareJID) -> ConversationKey {
    ConversationKey(kind: .chat, jid: JID(prepared: jid, resource: nil))
  }

  /// The conversation of a room.
  package static func group(_ room: BareJID) -> ConversationKey {
    ConversationKey(kind: .group, jid: JID(prepared: room, resource: nil))
  }

  /// The private conversation with an occupant of a room.
  package static func `private`(_ occupant: JID) -> ConversationKey {
    ConversationKey(kind: .private, jid: occupant)
  }

  /// Orders by address, then by kind, as the JSON document does.
  package static func < (a: ConversationKey, b: ConversationKey) -> Bool {
    a.jid == b.jid ? a.kind.rawValue < b.kind.rawValue : a.jid < b.jid
  }
}
