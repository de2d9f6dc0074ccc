import ConversationCore
import RawBytes

/// Finds the sentences of an explanation of a message, which is called “it” in all of them.
struct MessageExplainer {
  let conversations: Conversations
  let conversation: Conversation
  let number: Int
  let isUnread: Bool

  private var message: Message { conversations.messages[number] }

  /// The maximum number of messages that say the same and are named.
  private static let twinCount = 5

  var topics: [MessageExplanation.Topic] {
    message.isOurs ? [copies, arrival] : [copies, unread]
  }

  // MARK: Copies

  private var copies: MessageExplanation.Topic {
    let twins = self.twins
    var reasons = [arrivalSentence] + twins.prefix(Self.twinCount).map(sentence(ofTwin:))
    if twins.count > Self.twinCount {
      reasons.append("\((twins.count - Self.twinCount).of("more message")) say the same.")
    }
    return MessageExplanation.Topic(
      subject: .copies, verdict: twins.isEmpty ? .no : .yes, reasons: reasons,
      change: twins.isEmpty && message.arrivals.count > 1
        ? "A client that shows it more than once takes a copy for a message of its own: it should "
          + "compare \(identity)." : nil)
  }

  private var arrivalSentence: String {
    let routes = message.routes.map(Self.words).joined(separator: ", ")
    guard message.arrivals.count > 1 else {
      return "It is in one record, \(message.arrivals.list): \(routes)."
    }
    return
      "It is one message in \(message.arrivals.count) records, \(message.arrivals.list): \(routes)."
  }

  private static func words(_ route: Route) -> String {
    switch route {
    case .live: "live"
    case .carbon: "as a carbon of another device"
    case .archive: "from an archive"
    case .history: "from the history of the room"
    }
  }

  /// The ids by which copies of it are recognized.
  private var identity: String {
    var parts = message.archiveIDs.map { "the archive's id \($0.id.text)" }
    if let id = message.originID { parts.append("the origin id \(id)") }
    if let id = message.id, parts.isEmpty { parts.append("the id \(id), its sender and its text") }
    return parts.isEmpty
      ? "its sender and its text, because it has no id" : parts.joined(separator: " or ")
  }

  /// Other messages of the same sender that say the same.
  private var twins: [Int] {
    let (message, content) = (message, message.current.content)
    guard message.retraction == nil, !message.isInvitation else { return [] }
    return conversation.order.filter { other in
      let twin = conversations.messages[other]
      return other != number && twin.retraction == nil && twin.isOurs == message.isOurs
        && twin.nick.hasSameBytes(as: message.nick) && twin.current.content.mayEqual(content)
    }
  }

  private func sentence(ofTwin other: Int) -> String {
    let twin = conversations.messages[other]
    return "#\(twin.record) says the same and is another message: \(difference(from: twin))."
  }

  /// What keeps two messages apart that say the same (rules 10 and 11).
  private func difference(from twin: Message) -> String {
    if !twin.archiveIDs.isEmpty, !message.archiveIDs.isEmpty,
      Set(twin.archiveIDs).isDisjoint(with: message.archiveIDs)
    {
      return "the archive gave them different ids"
    }
    if let id = message.originID, let other = twin.originID, !other.hasSameBytes(as: id) {
      return "its origin id is \(other), not \(id), so its sender sent it as a new one"
    }
    switch (message.id, twin.id) {
    case (nil, nil):
      return "neither has an id, and neither is a copy of the other by the way it arrived"
    case (nil, _), (_, nil): return "only one of them has an id"
    case (let id?, let other?) where !other.hasSameBytes(as: id):
      return "its id is \(other), not \(id), so its sender sent it as a new one"
    case (let id?, _?):
      return Set(twin.streams).isDisjoint(with: message.streams)
        ? "both have the id \(id), and nothing else shows that they are one"
        : "both arrived live on one connection, and an id that is used twice does not make them one"
    }
  }

  // MARK: Unread

  private var unread: MessageExplanation.Topic {
    MessageExplanation.Topic(
      subject: .unread, verdict: isUnread ? .yes : .no, reasons: [unreadSentence],
      change: isUnread
        ? "It is read when we send a marker for it or a later message (XEP-0333), write in the "
          + "conversation, or another device publishes that it has read so far (XEP-0490)." : nil)
  }

  private var unreadSentence: String {
    if let retraction = message.retraction {
      return "It was retracted at #\(retraction.record), and a retracted message is not unread."
    }
    if message.isFromBeforeJoin {
      return "It is from before we first joined the room in this log, so it was never unread."
    }
    if !isUnread, let read = conversation.readThrough, isReadByTime {
      return "#\(read.record) says that we have read everything up to then, and by its time it is "
        + "from before that."
    }
    guard let read = conversation.readTo else {
      return "Nothing in the log says that we have read the conversation: no message or marker of "
        + "ours, and no read position of another device."
    }
    let sign =
      "#\(read.record) says that we have read up to "
      + "#\(conversations.messages[read.message].record), and "
    return sign
      + (isUnread ? "this message comes after it." : "that covers everything before it.")
  }

  /// Whether it comes after the message up to which we have read, and is read nevertheless.
  private var isReadByTime: Bool {
    guard let read = conversation.readTo, let end = conversation.index(of: read.message),
      let own = conversation.index(of: number)
    else { return true }
    return own > end
  }

  // MARK: Arrival

  private var arrival: MessageExplanation.Topic {
    let verdict: Explanation.Verdict =
      switch message.state {
      case .received, .displayed: .yes
      case .failed: .no
      case .sent, .acknowledged, .unconfirmed: .unknown
      }
    var reasons = [stateSentence]
    if message.requestsReceipt, !message.hasReceipt {
      reasons.append("It asks for a receipt, and none arrived (XEP-0184).")
    } else if !message.requestsReceipt, verdict == .unknown {
      reasons.append("It asks for no receipt, so its recipient need not say that it arrived.")
    }
    return MessageExplanation.Topic(
      subject: .arrival, verdict: verdict, reasons: reasons,
      change: verdict == .unknown
        ? "A receipt, a marker or an error of its recipient would tell." : nil)
  }

  private var stateSentence: String {
    switch message.state {
    case .sent: "We wrote it at #\(message.record), and nothing shows that the server has it."
    case .acknowledged: "The server has it: it acknowledged it, or showed it to us."
    case .received: "A receipt or a marker says that a device of its recipient has it."
    case .displayed: "A marker says that its recipient has displayed it, or a later message."
    case .failed: "It failed" + (message.error.map { ": the error says “\($0)”." } ?? ".")
    case .unconfirmed:
      "The connection was lost before anything showed that the server has it."
    }
  }
}
