@_exported public import SessionCore
package import XMPPStanza

/// The conversations of an account, derived from its records.
///
/// The reducer is total: every record can be reduced, in any order of events, and nothing traps.
package struct Conversations: Sendable {
  /// The account; nil before the log says whose it is.
  package internal(set) var account: BareJID?
  /// All conversations, in the order in which they began.
  package internal(set) var all: [Conversation] = []
  /// All messages, in the order of their first records.
  package internal(set) var messages: [Message] = []
  /// The rooms that we joined, or that groupchat messages came from.
  package internal(set) var rooms: [BareJID: Room] = [:]
  /// What is odd, in the order in which it was found.
  package internal(set) var findings: [ConversationFinding] = []
  /// What the last record did to messages, in order.
  package internal(set) var effects: [MessageEffect] = []
  /// The last record that was reduced.
  package internal(set) var last = RecordPosition(record: 0)
  /// Receipts that we sent, by contact: the record of the first one.
  package internal(set) var firstReceipts: [BareJID: UInt64] = [:]

  /// The cards of accounts (rule 36).
  package internal(set) var cards = CardTable()
  /// The avatars of addresses (rule 37).
  package internal(set) var avatars = AvatarTable()

  var byKey: [ConversationKey: Int] = [:]
  /// The index of names: the messages of a conversation that have a name.
  var names: [NameInConversation: NamedMessages] = [:]
  /// Our messages by the id of any of their stanzas, in all conversations.
  var ownIDs: [ExactText: NamedMessages] = [:]
  /// The messages without ids that copies may be of.
  var textsWithoutIDs = TextsWithoutIDs()
  /// The ids of stanzas of ours that are not messages, such as receipts.
  var otherSentIDs: Set<ExactText> = []
  var sessions: [ConnectionID: StreamSession] = [:]
  var answeredPages: [AnsweredPage] = []
  /// The times of what has an archive id and is no message, which queries may name: the first and
  /// the last results of pages, and receipts and other signs.
  ///
  /// A client asks for what is after or before the last or the first thing that it has. If it names
  /// an older one, the time that its query covers is judged as for an id that the log does not have
  /// (rule 35): by the results.
  var archiveTimes = RecentEntries<ArchiveID, Int64>(limit: 16384)
  var slots: [ExactText: UploadSlot] = [:]
  /// The bytes of XEP-0231 that were answered, by content id.
  var bits: [ExactText: Attachment] = [:]
  /// The messages with a file whose bytes are not in the log so far, by content id.
  var lackingBits: [ExactText: NamedMessages] = [:]
  var nextStay = 1
  /// Whether the log has only what was received, so that queries cannot be seen (rule 6).
  var isOneWay: Bool
  /// Whether a query of an archive was never answered.
  var lacksAnswers = false
  /// Whether the recorder of some part of the log has left out what messages say.
  package internal(set) var lacksTexts = false
  /// Whether stanzas arrived before a session was seen to begin.
  var beganInTheMiddle = false
  /// Earlier streams of connections that have a new one, oldest first: a resumption can continue
  /// them.
  var pastSessions: [StreamSession] = []
  static let pastSessionLimit = 64
  /// The times between two sessions, for which an archive may be asked (rule 35).
  var gaps: [SessionGap] = []
  /// Sessions that ended, until the next one of the account begins (rule 35).
  var ended: [EndedSession] = []

  /// The conversations before all records.
  ///
  /// - Parameters:
  ///   - account: The account, if the log notes it.
  ///   - isOneWay: Whether the log has no element of ours at all.
  ///   - record: The last record that is left out; 0 if none is.
  package init(account: BareJID? = nil, isOneWay: Bool = false, after record: UInt64 = 0) {
    self.account = account
    self.isOneWay = isOneWay
    last = RecordPosition(record: record)
  }

  /// Whether the answer is complete: the log has both directions from the beginning of a session
  /// and what messages say, and each query of an archive was answered.
  package var isComplete: Bool {
    !lacksTexts && !isOneWay && !beganInTheMiddle && !lacksAnswers
      && !sessions.values.contains(where: \.awaitsArchive)
      && !pastSessions.contains(where: \.awaitsArchive)
  }

  /// The number of unread messages in all conversations.
  package var unread: Int { all.indices.reduce(0) { $0 + unread(in: $1).count } }

  /// The conversation with an address; nil if there is none.
  package func conversation(_ key: ConversationKey) -> Conversation? {
    byKey[key].map { all[$0] }
  }

  /// The index of the conversation with an address in `all`; nil if there is none.
  package func index(of key: ConversationKey) -> Int? { byKey[key] }

  /// The numbers of the unread messages of a conversation, in its order (rule 19).
  ///
  /// Complexity: linear in the messages of the conversation.
  package func unread(in number: Int) -> [Int] {
    let conversation = all[number]
    let read = conversation.readTo.flatMap { conversation.index(of: $0.message) } ?? -1
    return conversation.order.dropFirst(read + 1).filter { number in
      let message = messages[number]
      return !message.isOurs && message.retraction == nil && !message.isFromBeforeJoin
        && !isRead(message, through: conversation.readThrough?.time)
    }
  }

  private func isRead(_ message: Message, through time: Int64?) -> Bool {
    // What arrives live is later than the sign, whatever the clocks say.
    guard message.isCopy, let time, let own = message.time else { return false }
    return !Self.isBefore(time, own)
  }

  /// The numbers of the unread messages of the conversation with an address.
  package func unread(of key: ConversationKey) -> [Int] {
    byKey[key].map { unread(in: $0) } ?? []
  }

  /// Reports something odd.
  mutating func report(
    _ code: ConversationFinding.Code, at position: RecordPosition, about contact: JID?
  ) {
    findings.append(ConversationFinding(code, record: position.record, contact: contact))
  }
}

/// A name in a conversation: the key of the index of names.
struct NameInConversation: Hashable, Sendable {
  var conversation: Int
  var name: MessageName
}

/// Messages that have something in common, in the order in which that was found.
struct NamedMessages: Sendable {
  private(set) var numbers: [Int] = []
  /// The numbers as a set, once there are too many to search.
  private var members: Set<Int> = []
  private static let searchLimit = 16

  /// Adds a message, unless it is there. Complexity: constant on average.
  mutating func insert(_ number: Int) {
    guard !contains(number) else { return }
    numbers.append(number)
    if numbers.count == Self.searchLimit { members = Set(numbers) }
    if numbers.count > Self.searchLimit { members.insert(number) }
  }

  /// Removes a message. Complexity: linear in the messages.
  mutating func remove(_ number: Int) {
    numbers.removeAll { $0 == number }
    members.remove(number)
  }

  private func contains(_ number: Int) -> Bool {
    numbers.count < Self.searchLimit ? numbers.contains(number) : members.contains(number)
  }
}

/// What we asked an upload slot for (XEP-0363), without the headers of the slot.
struct UploadSlot: Sendable {
  var name: String?
  var size: Int?
  var mediaType: String?
}

/// The time between two sessions of the account.
struct SessionGap: Sendable {
  var start: RecordPosition
  var end: RecordPosition
}

/// A session that ended.
struct EndedSession: Sendable {
  var stream: StreamID
  var position: RecordPosition
  var wasLost: Bool
  var resumptionID: String?
}
