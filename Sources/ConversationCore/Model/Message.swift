package import XMPPStanza

/// A message of a conversation, however often and by whatever route it arrived.
package struct Message: Sendable {
  /// The number of its conversation.
  package let conversation: Int
  /// The record that showed it first.
  package let record: UInt64
  /// Whether our account sent it, from any device (rule 4).
  package let isOurs: Bool
  /// The address that the stanza came from; nil if an outbound stanza has none.
  package let from: JID?
  /// The sender in a room; nil outside of rooms and for our own messages.
  package let occupant: Occupant?
  /// The nick of the sender in a room or in a private conversation.
  package let nick: String?
  /// The type of the stanza; a correction must have the same (rule 20).
  package let type: MessageType
  /// Whether it is an invitation to a room (rule 33).
  package let isInvitation: Bool

  /// What it said, oldest first: the original and its corrections. Never empty.
  package var versions: [MessageVersion]
  /// The subject, unless it is a type word (rule 24).
  package var subject: String?
  package var thread: String?
  /// Milliseconds since 1970 UTC; nil if neither the log nor a stamp has a time.
  package var time: Int64?
  /// Whether the time is a stamp of a server.
  package var isStamped: Bool
  /// The archive ids that count (rule 8), those of its corrections not included.
  package var archiveIDs: [ArchiveID] = []
  /// The time at which an archive has it, by the stamp of its first result.
  var archiveTime: Int64?
  /// Archive ids that claim to be from our archive but were followed by another.
  package var forgedArchiveIDs: [String] = []
  /// The routes by which it arrived, each once, in the order of the arrivals.
  package var routes: [Route] = []
  /// The streams on which it arrived live, or on which we wrote it.
  package var streams: [StreamID] = []
  /// The streams on which we wrote it: several if we sent it again (rule 10d). The same id and the
  /// same content on another stream are a resend, whichever device of ours it is.
  var writtenStreams: [StreamID] = []
  /// The lists that it was an item of, the last one of each session.
  var lists: [MessageList] = []
  /// All records in which it, a copy, a correction or a retraction of it arrived.
  package var records: [UInt64]
  /// The records in which it or a copy of it arrived.
  package var arrivals: [UInt64]

  /// The state of a message of ours.
  package var state: DeliveryState = .sent
  /// The condition of the error that made it fail.
  package var error: String?
  /// Whether the room has reflected a message that we sent to it (rule 30).
  package var isReflected = false
  /// Whether it asks for a receipt (XEP-0184), and whether one arrived.
  package var requestsReceipt = false
  package var hasReceipt = false
  /// Whether a hint asks servers not to store it (XEP-0334).
  package var isUnstored = false

  /// Whether it is from before our first join of the room in this log (rule 19).
  package var isFromBeforeJoin = false
  /// How it was retracted; nil if it was not (rule 21).
  package var retraction: Retraction?
  /// The newest reactions of each sender (rule 22).
  package var reactions: [ReactionSet] = []
  /// The message that it answers (rule 23).
  package var reply: Reply?
  /// Whether it is an entry of its own although it names a message that it corrects (rule 20).
  package var isCorrectionEntry = false
  /// The message that it became a version of, once that was known; it is no entry any more.
  var foldedInto: Int?
  /// The names of such an entry in the index, for when it is folded into its message.
  var entryNames: Set<MessageName> = []

  /// The current version.
  package var current: MessageVersion { versions[versions.count - 1] }
  /// The id of the original stanza.
  package var id: String? { versions[0].id }
  /// The origin id of the original stanza (XEP-0359).
  package var originID: String? { versions[0].originID }
  /// Whether its first arrival was an inherent copy (rule 10c).
  package var isCopy: Bool { versions[0].isCopy }
  /// The text to show: empty if there is none, or if it was retracted or is encrypted.
  package var body: String { retraction == nil ? current.content.body : "" }
  /// The attachments to show.
  package var attachments: [Attachment] { retraction == nil ? current.content.attachments : [] }
}

/// What a message said in one stanza.
package struct MessageVersion: Sendable {
  package var record: UInt64
  package var time: Int64?
  package var id: String?
  package var originID: String?
  package var content: MessageContent
  /// Whether its first arrival was a copy by its nature (rule 10c).
  var isCopy: Bool
  /// Whether a room has shown it to us.
  var isReflected = false
  /// The last record in which we wrote it; nil if no record has it from us.
  var lastWritten: RecordStamp?
  package var archiveIDs: [ArchiveID] = []
}

/// The types of a message (RFC 6121 §5.2.2); an unknown type is `normal`.
package enum MessageType: String, Hashable, Sendable, CaseIterable {
  case chat, normal, headline, groupchat, error
}

/// The routes by which a message arrives; their names are those of the JSON document.
package enum Route: String, Hashable, Sendable, CaseIterable {
  case live, carbon, archive, history
}

/// The id that an archive gave a message (XEP-0359, XEP-0313).
package struct ArchiveID: Hashable, Sendable {
  /// The account or the room whose archive it is.
  package let archive: BareJID
  package let id: ExactText

  package init(_ id: String, in archive: BareJID) {
    self.archive = archive
    self.id = ExactText(id)
  }
}

/// The state of a message of ours (rule 14).
package enum DeliveryState: String, Hashable, Sendable, CaseIterable {
  case sent, acknowledged, received, displayed, failed, unconfirmed

  /// The rank of the states that only rise; both exceptional states are below `acknowledged`.
  var rank: Int {
    switch self {
    case .sent, .failed, .unconfirmed: 0
    case .acknowledged: 1
    case .received: 2
    case .displayed: 3
    }
  }
}

/// How a message was retracted.
package struct Retraction: Hashable, Sendable {
  package var record: UInt64
  /// The moderator, as the room names it; nil if the sender retracted it.
  package var by: String?
  package var reason: String?
}

/// The reactions of one sender to a message.
package struct ReactionSet: Sendable {
  /// The sender: a bare JID, or a nick in a room.
  package var sender: String
  var isOurs: Bool
  var occupant: Occupant?
  package var emojis: [String]
  package var record: UInt64
  var time: Int64?
}

/// The message that a reply names (XEP-0461).
package struct Reply: Sendable {
  package var id: String
}

/// The stream of one connection; a connection whose source shows several streams has several.
package struct StreamID: Hashable, Sendable {
  package var connection: ConnectionID
  package var number: UInt32
}

/// What shows each message at most once: the stanzas of a session itself, its carbons, or a history
/// of a room. Two items of one list are two messages, however equal they are; what a resumed
/// session delivers again is known by its order.
struct MessageList: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case live, carbons
    /// A history, by the number of the entering that it answers.
    case history(Int)
  }

  /// The first stream of the session.
  var session: StreamID
  var kind: Kind

  /// Whether a session has shown the other list before this one, and never goes back to it.
  func follows(_ other: MessageList) -> Bool {
    guard session == other.session, case .history = kind, case .history = other.kind else {
      return false
    }
    return true
  }
}

/// The sender of a message in a room (rule 31).
package struct Occupant: Hashable, Sendable {
  /// The occupant id (XEP-0421); nil if the room provides none.
  package var id: ExactText?
  package var nick: ExactText
  /// The number of the stay of that nick; nil if it is not known, as for the room's history.
  package var stay: Int?
  /// The number of the first stay that may be the same, because only our leaving hid its end.
  var line: Int?

  /// Whether both can be the same occupant, judged by the best that is known of both.
  func canBe(_ other: Occupant) -> Bool {
    if let id, let theirs = other.id { return id == theirs }
    if let stay, let theirs = other.stay { return stay == theirs }
    return nick == other.nick
  }

  /// Whether nothing shows that they are two occupants: we may have left the room between two stays
  /// of one nick, which says nothing about when the first one ended (rule 31).
  func mayBe(_ other: Occupant) -> Bool {
    if let id, let theirs = other.id { return id == theirs }
    if let line, let theirs = other.line { return line == theirs }
    return nick == other.nick
  }

  /// Whether both are certainly the same occupant.
  func isCertainly(_ other: Occupant) -> Bool {
    if let id, let theirs = other.id { return id == theirs }
    guard let stay, let theirs = other.stay else { return false }
    return stay == theirs
  }
}
