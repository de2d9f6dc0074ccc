package import XMPPStanza

/// A `<message/>` as the rules read it; only its direct children count (rule 2).
package struct MessageStanza: Sendable {
  package var type: MessageType
  package var from: JID?
  package var to: JID?
  package var id: String?
  package var originID: String?
  /// Its `<stanza-id/>` elements in order (rule 8).
  package var stanzaIDs: [ArchiveID] = []
  package var delays: [DelayStamp] = []
  /// What it says; nil if it has no content (rule 1).
  package var content: MessageContent?
  /// The subject, even if it is empty; nil if there is none, or if it is a type word.
  package var subject: String?
  package var hasBody = false
  package var thread: String?
  package var notes: Set<ContentNote> = []

  package var occupantID: ExactText?
  /// Whether it has `<x/>` of the namespace `muc#user` (rule 3).
  package var isFromOccupant = false
  /// The real address of the occupant, if the room says it.
  package var realJID: JID?
  package var invitation: Invitation?

  package var requestsReceipt = false
  package var isUnstored = false
  /// The id that a receipt names (XEP-0184).
  package var receipt: String?
  package var marker: Marker?
  package var correctedID: String?
  package var retraction: RetractionRequest?
  /// The retraction that a tombstone in an archive states (rule 21).
  package var tombstone: RetractionRequest?
  /// The reactions to a message; nil emojis if the recorder has left them out.
  package var reactions: (id: String, emojis: [String]?)?
  package var reply: Reply?
  package var furtherSources: FurtherSources?
  /// The condition of an error.
  package var error: String?

  package var carbon: Carbon?
  package var archived: ArchivedMessage?
  /// The items of an event of XEP-0060, for XEP-0490, XEP-0084 and XEP-0292.
  package var pubsubItems: XMPPElement?

  /// A delay stamp (XEP-0203, XEP-0091).
  package struct DelayStamp: Sendable {
    package var from: JID?
    /// Milliseconds since 1970 UTC; nil if the stamp is unreadable.
    package var time: Int64?
  }

  /// A chat marker (XEP-0333).
  package struct Marker: Sendable {
    package enum Kind: Hashable, Sendable {
      case received, displayed
    }
    package var kind: Kind
    package var id: String
  }

  /// An invitation to a room (rule 33).
  package struct Invitation: Sendable {
    /// Who invites, if the room says so.
    package var inviter: JID?
    package var isDirect: Bool
  }

  /// A retraction of a message (XEP-0424, XEP-0425).
  package struct RetractionRequest: Sendable {
    /// The id of the message; empty for a tombstone.
    package var id: String
    package var isModeration: Bool
    package var by: String?
    package var reason: String?
  }

  /// Sources of a file of an earlier message (XEP-0447 §3.2).
  package struct FurtherSources: Sendable {
    /// The id of the message.
    package var message: String
    /// The id of the file in it; nil if the sources name none.
    package var file: String?
    package var urls: [String]
  }

  /// A wrapper of XEP-0280.
  package struct Carbon: Sendable {
    package var isSent: Bool
    /// The wrapped message; nil if it cannot be read.
    package var message: Forwarded?
  }

  /// A result of XEP-0313.
  package struct ArchivedMessage: Sendable {
    package var queryID: String?
    package var id: String
    package var message: Forwarded?
  }

  /// The message inside a wrapper, with the stamp of the wrapper. Its own wrappers are quotations.
  package final class Forwarded: Sendable {
    package let stanza: MessageStanza
    package let delay: DelayStamp?

    init(_ stanza: MessageStanza, delay: DelayStamp?) {
      (self.stanza, self.delay) = (stanza, delay)
    }
  }
}

/// Something odd about the content of a stanza by itself.
package enum ContentNote: Hashable, Sendable {
  /// Rule 24: the tutorials' media cannot be decoded.
  case mediaUnreadable
  /// Rule 27: the digest of bytes differs from their content id.
  case digestWrong
}
