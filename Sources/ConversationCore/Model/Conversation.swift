import XMPPStanza

/// One conversation.
package struct Conversation: Sendable {
  package let key: ConversationKey
  /// The numbers of its messages, in the order in which they are shown (rule 34).
  package internal(set) var order: [Int] = []
  /// The read position: the last message that we have read (rule 18), and the record that says so.
  package internal(set) var readTo: ReadPosition?
  /// The latest time of a message; nil if none has a time.
  var latest: Int64?
  /// The messages that we wrote to a room or to ourselves and that were not shown to us yet, oldest
  /// first (rule 30).
  var unreflected: [Int] = []
  /// The last messages that the other party has received and displayed, by its markers.
  var markedReceived: Int?
  var markedDisplayed: Int?
  /// Receipts and markers of the other party for messages that are not known yet.
  var pendingSigns: [PendingSign] = []
  /// Names of messages that were read, but are not known yet.
  var pendingReads: [PendingRead] = []
  /// The entries of corrections whose message is not known yet, oldest first, by the id that they
  /// correct.
  var strayCorrections: [ExactText: [Int]] = [:]
  /// Retractions and reactions whose message is not known yet.
  var pendingRetractions: [PendingRetraction] = []
  var pendingReactions: [PendingReaction] = []

  /// Whether something named a message that is not known yet.
  var awaitsMessages: Bool {
    !pendingReads.isEmpty || !pendingSigns.isEmpty || !strayCorrections.isEmpty
      || !pendingRetractions.isEmpty || !pendingReactions.isEmpty
  }

  init(key: ConversationKey) {
    self.key = key
  }

  /// The index of a message in the order; nil if it is not in it.
  func index(of message: Int) -> Int? {
    // Recent messages are asked for most.
    order.lastIndex(of: message)
  }
}

/// A read position (rule 18).
package struct ReadPosition: Hashable, Sendable {
  /// The number of the message.
  package var message: Int
  /// The record of the sign.
  package var record: UInt64
}

/// A sign of reading that names a message which is not known yet.
struct PendingRead: Sendable {
  var name: MessageName
  var record: UInt64
}

/// A receipt or a marker for a message that is not known yet.
struct PendingSign: Sendable {
  var name: MessageName
  /// The marker; nil for a receipt.
  var marker: MessageStanza.Marker.Kind?
  var record: UInt64
}

/// A retraction of a message that is not known yet.
struct PendingRetraction: Sendable {
  var name: MessageName
  var author: Author
  var retraction: Retraction
}

/// Reactions to a message that is not known yet.
struct PendingReaction: Sendable {
  var name: MessageName
  var set: ReactionSet
}

/// A name of a message in a conversation (rule 10).
package enum MessageName: Hashable, Sendable {
  /// The `id` of a stanza.
  case id(ExactText)
  case originID(ExactText)
  case archive(ArchiveID)
  /// The text of a message without ids (rule 10e).
  case text(ExactText)
}

/// The sender of a stanza, as far as rules compare it (rule 10).
enum Author: Sendable {
  /// Our account.
  case us
  /// The other party of a chat or a private conversation.
  case them
  /// An occupant of a room.
  case occupant(Occupant)
  /// The room itself.
  case room

  var isUs: Bool { if case .us = self { true } else { false } }
}
