import ConversationCore
import RosterCore
public import XMPPStanza

/// The conversations of an account at a moment, as an application shows them.
public struct ChatHistory: Sendable {
  /// The conversations, by address.
  public let chats: [Chat]
  /// The cards of accounts, by address and form.
  public let cards: [ContactCard]
  /// The avatars of addresses.
  public let avatars: [ContactAvatar]
  /// Whether the log has everything: both directions from the beginning of a session, what messages
  /// say (see `RecordingPolicy`), and the answers to all queries of archives.
  public let isComplete: Bool

  /// The number of unread messages.
  public var unreadCount: Int { chats.reduce(0) { $0 + $1.unreadCount } }

  /// The chat with an account; nil if there is none. Complexity: O(n) for n conversations.
  public func chat(with jid: BareJID) -> Chat? {
    chats.first { $0.kind == .chat && $0.jid.bare == jid }
  }

  /// The newest card of an account that says something; nil if there is none.
  public func card(of jid: BareJID) -> ContactCard? {
    cards.filter { $0.jid.bare == jid }.max { $0.record < $1.record }
  }

  /// The avatar of an account; nil if it has announced none.
  public func avatar(of jid: BareJID) -> ContactAvatar? {
    // Occupants of a room have the room's address, with their nicks as resources.
    avatars.first { $0.jid.resource == nil && $0.jid.bare == jid && $0.sha1 != nil }
  }
}

/// A conversation.
public struct Chat: Hashable, Sendable, Identifiable {
  /// Who the other side is.
  public enum Kind: Hashable, Sendable {
    /// An account.
    case chat
    /// A room.
    case group
    /// An occupant of a room.
    case `private`
  }

  /// Tells conversations apart.
  public struct ID: Hashable, Sendable {
    let kind: Kind
    let jid: JID
  }

  /// Who the other side is.
  public let kind: Kind
  /// The address: bare for an account or a room, full for an occupant.
  public let jid: JID
  /// The name to list it under, of a contact or an occupant, or a room's subject; nil if there is
  /// none.
  public let name: String?
  /// The number of unread messages.
  public let unreadCount: Int
  /// The messages, oldest first, each once, however often it arrived.
  public let messages: [ChatEntry]

  /// Tells conversations apart.
  public var id: ID { ID(kind: kind, jid: jid) }
}

/// A message of a conversation.
public struct ChatEntry: Hashable, Sendable, Identifiable {
  /// What is known of a message of ours; each state but the last two implies those before it.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// It was written to the connection.
    case sent
    /// The server has it.
    case acknowledged
    /// It arrived at a device of the recipient.
    case received
    /// The recipient has seen it.
    case displayed
    /// It came back with an error.
    case failed
    /// The connection was lost before the server confirmed that it has it.
    case unconfirmed
  }

  /// The record in which it was first seen, which tells messages apart.
  public let id: UInt64
  /// Whether our account sent it, from any device.
  public let isOurs: Bool
  /// The nick of the sender in a room; nil elsewhere.
  public let sender: String?
  /// The text to show; empty if there is none, or if the message was retracted, is encrypted, or
  /// has lost its text in the log (`isTextLeftOut`).
  public let text: String
  /// Whether the log has only the head of the message (see `RecordingPolicy`).
  public let isTextLeftOut: Bool
  /// Milliseconds since 1970 UTC; nil if it is not known.
  public let time: Int64?
  /// The id of the stanza, which corrections and markers name; nil if it has none.
  public let stanzaID: String?
  /// The state of a message of ours; nil for others.
  public let state: State?
  /// Whether it is read; true for our own.
  public let isRead: Bool
  /// Whether it was retracted.
  public let isRetracted: Bool
  /// Its earlier texts, oldest first, if it was corrected.
  public let earlierTexts: [String]
  /// Its pictures, recordings and other files.
  public let attachments: [ChatAttachment]
}

/// A file that a message carries or names.
public struct ChatAttachment: Hashable, Sendable {
  /// What it is for a person.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// An image, moving or not.
    case picture
    /// Sound without a picture.
    case voice
    /// Moving pictures.
    case video
    /// Anything else.
    case file
  }

  /// What it is: by its bytes if they are in the log, and otherwise as the sender says.
  public let kind: Kind
  /// Where it can be fetched; nil for one that is only in the log. Nothing here fetches it.
  public let url: String?
  /// The name that the sender gave. Never use it as the name of a file.
  public let name: String?
  /// The media type.
  public let mediaType: String?
  /// The size in bytes.
  public let size: Int?
  /// The width and height in pixels.
  public let width, height: Int?
  /// The length in milliseconds.
  public let duration: Int?
  /// The SHA-256 digest in hexadecimal digits.
  public let sha256: String?
  /// The record that has the bytes; nil if none has, so that `Timeline.bytes(of:)` finds none.
  let record: UInt64?

  /// Whether the bytes are in the log.
  public var isInLog: Bool { record != nil }
}

/// The card of an account (XEP-0054, XEP-0292).
public struct ContactCard: Hashable, Sendable {
  /// The account.
  public let jid: JID
  /// The full name.
  public let fullName: String?
  /// The nickname.
  public let nickname: String?
  /// The record of the answer that had it.
  public let record: UInt64
}

/// The avatar that an address announced (XEP-0084, XEP-0153).
public struct ContactAvatar: Hashable, Sendable {
  /// The account, or an occupant of a room.
  public let jid: JID
  /// The SHA-1 digest of the picture in hexadecimal digits; nil if it announced that it has none.
  public let sha1: String?
  /// Whether the log has the bytes.
  public let isInLog: Bool
  /// The record of the announcement.
  public let record: UInt64
}
