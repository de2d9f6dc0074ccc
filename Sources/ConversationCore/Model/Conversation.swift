import XMPPStanza

/// One conversation.
package struct Conversation: Sendable {
  package let key: ConversationKey
  /// The numbers of its messages, in the order in which they are shown (rule 34).
  package internal(set) var order: [Int] = []
  /// The read position: the last message that we have read (rule 18), and the record that says so.
  package internal(set) var readTo: ReadPosition?
  /// The time up to which something of ours that is not a message reads, such as a reaction
  /// (rule 18): messages that arrive later with an earlier time are read too.
  package internal(set) var readThrough: ReadTime?
  /// The latest time of a message; nil if none has a time.
  var latest: Int64?
  /// The messages that we wrote to a room or to ourselves and that were not shown to us yet, oldest
  /// first (rule 30).
  var unreflected = AwaitedReflections()
  /// How far the other party has received and displayed what we wrote, by its markers.
  var markedReceived = Marks()
  var markedDisplayed = Marks()
  /// Receipts, markers and errors for messages that are not known yet, by the names that they use.
  var pendingSigns: [MessageName: [PendingSign]] = [:]
  /// The names of messages that were read but are not known yet, with the records that say so.
  var pendingReads: [MessageName: UInt64] = [:]
  /// The entries of corrections whose message is not known yet, oldest first, by the id that they
  /// correct.
  var strayCorrections: [ExactText: [Int]] = [:]
  /// Retractions and reactions whose message is not known yet, by the names that they use.
  var pendingRetractions: [MessageName: [PendingRetraction]] = [:]
  var pendingReactions: [MessageName: [ReactionSet]] = [:]
  /// The reactions that have arrived, and the retractions of ours, by what identifies them.
  ///
  /// A copy of one with a stamp, as from an archive, changes nothing even if it is not known: it is
  /// not newer than what counts (rule 22), and what it reads is read (rule 18). One without a stamp
  /// comes from a server that keeps for a session what is not acknowledged, or on the stream of
  /// another device; either is behind by less than the signs that are kept.
  var seenSigns = RecentEntries<SeenSign.Name, SeenSign>(limit: 4096)

  /// Whether the other party sent markers.
  var hasMarks: Bool { !markedReceived.marks.isEmpty || !markedDisplayed.marks.isEmpty }

  /// Whether something named a message that is not known yet.
  var awaitsMessages: Bool {
    !pendingReads.isEmpty || !pendingSigns.isEmpty || !strayCorrections.isEmpty
      || !pendingRetractions.isEmpty || !pendingReactions.isEmpty
  }

  init(key: ConversationKey) {
    self.key = key
  }

  /// Removes a message from the order. What was read or marked up to it, is so up to the message
  /// before it.
  mutating func remove(_ message: Int) {
    guard let index = index(of: message) else { return }
    order.remove(at: index)
    let before = index > 0 ? order[index - 1] : nil
    if readTo?.message == message {
      readTo = before.flatMap { before in
        readTo.map { ReadPosition(message: before, record: $0.record) }
      }
    }
    markedReceived.remove(message, before: before)
    markedDisplayed.remove(message, before: before)
  }

  /// The index of a message in the order; nil if it is not in it.
  package func index(of message: Int) -> Int? {
    // Recent messages are asked for most.
    order.lastIndex(of: message)
  }
}

/// Messages that we wrote to a room or to ourselves and that were not shown to us yet (rule 30).
struct AwaitedReflections: Sendable {
  /// Their numbers in ascending order, which is the order in which we wrote them.
  private(set) var numbers: [Int] = []
  /// The newest message that was shown to us live.
  private var newestReflected = -1
  private static let limit = 256

  /// Those that a reflection without a known id is compared with: a room reflects in order.
  var oldest: ArraySlice<Int> { numbers.prefix(Self.limit) }

  /// Waits for a new message. If many wait, the oldest is given up once a later one has overtaken
  /// it.
  mutating func append(_ message: Int) {
    numbers.append(message)
    guard numbers.count > Self.limit, let oldest = numbers.first,
      oldest < newestReflected
    else { return }
    numbers.removeFirst()
  }

  /// Whether a message waits. Complexity: logarithmic in those that wait.
  func contains(_ message: Int) -> Bool {
    let index = numbers[...].firstIndex(atLeast: message)
    return index < numbers.count && numbers[index] == message
  }

  /// A message was shown to us.
  ///
  /// - Parameters:
  ///   - message: Its number.
  ///   - isLive: Whether the room passed it on, which it does in order.
  mutating func reflected(_ message: Int, isLive: Bool) {
    if isLive { newestReflected = max(newestReflected, message) }
    let index = numbers[...].firstIndex(atLeast: message)
    if index < numbers.count, numbers[index] == message { numbers.remove(at: index) }
  }
}

/// A time up to which everything is read (rule 18).
package struct ReadTime: Hashable, Sendable {
  /// In milliseconds since 1970.
  package var time: Int64
  /// The record of the sign.
  package var record: UInt64
}

/// A read position (rule 18).
package struct ReadPosition: Hashable, Sendable {
  /// The number of the message.
  package var message: Int
  /// The record of the sign.
  package var record: UInt64
}

/// A sign of what became of a message of ours that is not known yet.
struct PendingSign: Sendable {
  enum Kind: Sendable {
    case receipt
    case marker(MessageStanza.Marker.Kind)
    /// An error, with its condition.
    case error(String)
  }
  var kind: Kind
  var position: RecordPosition
  /// When it was sent, as far as it is known.
  var time: Int64?
  var sender: JID?
}

/// A retraction of a message that is not known yet.
struct PendingRetraction: Sendable {
  var author: Author
  var retraction: Retraction
}

/// A name of a message in a conversation (rule 10).
package enum MessageName: Hashable, Sendable {
  /// The `id` of a stanza.
  case id(ExactText)
  case originID(ExactText)
  case archive(ArchiveID)
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
