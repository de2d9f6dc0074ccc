package import ConversationCore
import EventStore
import RawBytes
import RosterCore
package import XMPPStanza

/// Follows the conversations of a log while it grows, and passes on what is odd about new records.
///
/// Nothing is reduced before the log has a message, so that a log of the roster alone costs one
/// pass over the beginnings of its records, and has no finding about messages.
package struct ConversationFollower {
  private let timeline: Timeline
  /// The conversations after the last record that was followed; nil before the first message.
  private(set) var conversations: Conversations?
  /// The roster where the first messages of conversations are judged.
  private var state = Timeline.State()
  /// The last record that was followed.
  private var position: UInt64 = 0
  /// Whether the log has an element of ours.
  private var hasOutbound = false
  private var listed: Set<ConversationFinding> = []
  /// What is odd about the records up to one of them, once all these are known; nil if nothing
  /// looked ahead.
  private var settled: (findings: Set<ConversationFinding>, last: UInt64)?

  /// The number of characters of a text that a clause shows.
  private var textLimit = MessageClauses.textLimit
  /// The record after which it began.
  private var start: UInt64 = 0

  /// A follower before all records.
  package init(_ timeline: Timeline) { self.timeline = timeline }

  /// A follower that knows nothing of the records up to an existing one: their messages are not
  /// known to it, so what it finds odd may not be.
  ///
  /// - Parameter textLimit: The number of characters of a text that a clause shows.
  package init(_ timeline: Timeline, after record: UInt64, textLimit: Int) throws {
    self.timeline = timeline
    self.textLimit = textLimit
    (start, position) = (record, record)
    state = try timeline.state(at: .record(record))
    // What was said before it is not looked for.
    hasOutbound = true
  }

  /// Looks through the records up to an existing one first: of them, only those findings are
  /// returned that none of them explains, in however many steps they are followed.
  ///
  /// Complexity: linear in the bytes of the records.
  package mutating func settle(upTo last: UInt64) throws {
    settled = (Set(try timeline.conversationFindings(upTo: last)), last)
  }

  /// Reduces the records up to an existing one.
  ///
  /// - Returns: What is odd about messages in them, by record. A later record can explain a finding
  ///   that was returned.
  package mutating func follow(upTo last: UInt64) throws -> [ConversationFinding] {
    try follow(upTo: last) { _, _ in }
  }

  /// Reduces the records up to an existing one.
  ///
  /// - Returns: What each record did to messages, with what is odd about it, and what is odd about
  ///   earlier records.
  ///
  /// Memory: linear in the records.
  package mutating func moments(
    upTo last: UInt64
  ) throws -> (moments: [MessageMoment], late: [ConversationFinding]) {
    let (before, limit) = (position, textLimit)
    var moments: [MessageMoment] = []
    let findings = try follow(upTo: last) { header, conversations in
      guard header.sequence > before, !conversations.effects.isEmpty else { return }
      moments.append(MessageMoment(header, conversations, textLimit: limit))
    }
    var odd = Dictionary(grouping: findings, by: \.record)
    for index in moments.indices {
      moments[index].findings = odd.removeValue(forKey: moments[index].stamp.record) ?? []
    }
    let late = odd.filter { $0.key <= before }.values.flatMap { $0 }
    for (number, findings) in odd where number > before {
      guard let record = try timeline.log.read({ try $0.record(at: number) }) else { continue }
      moments.append(MessageMoment(record, findings, account: conversations?.account))
    }
    moments.sort { $0.stamp.record < $1.stamp.record }
    return (moments, late.sortedByRecord)
  }

  private mutating func follow(
    upTo last: UInt64, _ body: (RecordHeader, Conversations) throws -> Void
  ) throws -> [ConversationFinding] {
    guard last > position else { return [] }
    let before = position
    position = last
    guard var conversations = try begun(in: before + 1...last) else { return [] }
    self.conversations = nil
    try timeline.advance(&conversations, to: last, body)
    let strangers = try timeline.strangers(in: conversations, after: before, &state)
    try timeline.advance(&state, to: last)
    self.conversations = conversations
    return new(conversations.findings + strangers)
  }

  /// What is odd about messages if the log ends here, by record, without what `follow` returned.
  package mutating func findingsAtEnd() -> [ConversationFinding] {
    new(conversations?.findingsAtEnd ?? [])
  }

  /// The conversations to reduce further; nil while there is no message.
  private mutating func begun(in range: ClosedRange<UInt64>) throws -> Conversations? {
    let traffic = try timeline.traffic(in: range)
    let hadOutbound = hasOutbound
    hasOutbound = hasOutbound || traffic.hasOutbound
    guard let conversations else {
      return traffic.hasMessage ? try timeline.conversations(after: start) : nil
    }
    // What was read as one direction is not: archives have to be asked.
    return hasOutbound && !hadOutbound ? try timeline.conversations(after: start) : conversations
  }

  private mutating func new(_ findings: [ConversationFinding]) -> [ConversationFinding] {
    let isEmpty = conversations?.messages.isEmpty ?? true
    let new = findings.filter { finding in
      // Without messages, it says nothing that no archive was asked for them.
      !(isEmpty && finding.code.isOfSession) && !listed.contains(finding) && isSettled(finding)
    }
    listed.formUnion(new)
    return new.sortedByRecord
  }
}

extension ConversationFollower {
  private func isSettled(_ finding: ConversationFinding) -> Bool {
    guard let settled, position <= settled.last else { return true }
    return settled.findings.contains(finding)
  }
}

extension ConversationFinding.Code {
  /// Whether it is about sessions, which a log without messages has too.
  fileprivate var isOfSession: Bool { self == .gap || self == .resumeNotTried }
}

extension Timeline {
  /// Everything odd about messages up to a record, as if the log ended there, by record; nothing if
  /// the log has no message.
  ///
  /// - Throws: An error of the log if it cannot be read.
  ///
  /// Complexity: linear in the bytes of the records.
  package func conversationFindings(upTo last: UInt64) throws -> [ConversationFinding] {
    var follower = ConversationFollower(self)
    let findings = try follower.follow(upTo: last)
    return (findings + follower.findingsAtEnd()).sortedByRecord
  }

  /// What each record up to a point did to the messages of a contact or a room, and what is odd
  /// about messages of it apart from that.
  ///
  /// - Throws: An error of the log if it cannot be read.
  ///
  /// Complexity: linear in the bytes of the records. Memory: linear in the messages of the contact.
  package func messages(
    of contact: BareJID, upTo last: UInt64
  ) throws -> (moments: [MessageMoment], late: [ConversationFinding]) {
    var follower = ConversationFollower(self)
    if last > Self.slice { try follower.settle(upTo: last) }
    var (moments, late): ([MessageMoment], [ConversationFinding]) = ([], [])
    var position: UInt64 = 0
    while position < last {
      position = min(last, position + UInt64(Self.slice))
      let told = try follower.moments(upTo: position)
      moments += told.moments.filter { $0.concerns(contact) }
      late += told.late
    }
    late += follower.findingsAtEnd()
    return (moments, late.filter { $0.contact?.bare == contact })
  }

  /// Whether some records have a message.
  ///
  /// Complexity: linear in the records up to the first message.
  func hasMessage(in range: ClosedRange<UInt64>) throws -> Bool {
    try traffic(in: range, wantsOutbound: false).hasMessage
  }

  /// Whether some records have a message, and, if that is wanted, whether they have an element of
  /// ours.
  fileprivate func traffic(
    in range: ClosedRange<UInt64>, wantsOutbound: Bool = true
  ) throws -> (hasMessage: Bool, hasOutbound: Bool) {
    struct Found: Error {}
    var (hasMessage, hasOutbound) = (false, false)
    do {
      try log.forEachRecord(in: range) { header, bytes in
        guard header.kind == .element, includes(header.connection) else { return }
        hasOutbound = hasOutbound || header.direction == .outbound
        hasMessage = hasMessage || bytes.isMessage
        if hasMessage, hasOutbound || !wantsOutbound { throw Found() }
      }
    } catch is Found {}
    return (hasMessage, hasOutbound)
  }
}

private let messageName = Array("message".utf8)

extension RawSpan {
  /// Whether the bytes of an element are those of a message, whatever prefix its name has.
  fileprivate var isMessage: Bool {
    let name = messageName
    var matched = 0
    var index = 0
    while index < byteCount, self[index] != UInt8(ascii: "<") { index += 1 }
    index += 1
    while index < byteCount {
      let byte = self[index]
      index += 1
      switch byte {
      case UInt8(ascii: ":"): matched = 0
      case UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: " "), 0x09, 0x0A, 0x0D:
        return matched == name.count
      case _ where matched < name.count && byte == name[matched]: matched += 1
      default: matched = name.count + 1
      }
    }
    return false
  }
}
