import ConversationCore
import RosterCore
import XMPPStanza

extension Timeline {
  /// The conversations at a moment, with the cards and avatars.
  ///
  /// - Throws: `RollcallError` if there is no such moment, or the log cannot be read.
  ///
  /// Complexity: linear in the bytes of the records up to the moment.
  public func chats(at point: LogPoint = .head) throws(RollcallError) -> ChatHistory {
    let record = try record(at: point)
    return try RollcallError.converting { ChatHistory(try conversationView(upTo: record)) }
  }

  /// The bytes of a file that is in the log; nil if it is not.
  ///
  /// - Throws: `RollcallError` if the log cannot be read.
  ///
  /// Complexity: linear in the record that has it.
  public func bytes(of attachment: ChatAttachment) throws(RollcallError) -> [UInt8]? {
    guard let record = attachment.record, let size = attachment.size,
      let sha256 = attachment.sha256, let bytes = try bytes(ofRecord: record),
      let node = RecordReader().element(bytes)
    else { return nil }
    return MediaBytes.find(size: size, sha256: sha256, in: node)?.bytes
  }
}

extension ChatHistory {
  fileprivate init(_ view: ConversationView) {
    let state = view.conversations
    chats = view.shown.map { Chat($0, in: view) }
    cards = state.cards.all.map {
      ContactCard(jid: $0.jid, fullName: $0.fullName, nickname: $0.nickname, record: $0.record)
    }
    avatars = state.avatars.all.map {
      ContactAvatar(
        jid: $0.jid, sha1: $0.sha1, isInLog: state.avatars.isKnown($0), record: $0.record)
    }
    isComplete = state.isComplete
  }
}

extension Chat {
  fileprivate init(_ conversation: Conversation, in view: ConversationView) {
    let key = conversation.key
    let unread = Set(view.conversations.unread(of: key))
    jid = key.jid
    switch key.kind {
    case .chat: (kind, name) = (.chat, view.name(of: key))
    case .group: (kind, name) = (.group, view.conversations.rooms[key.jid.bare]?.subject)
    case .private: (kind, name) = (.private, key.jid.resource)
    }
    unreadCount = unread.count
    messages = conversation.order.map {
      ChatEntry(view.conversations.messages[$0], isRead: !unread.contains($0))
    }
  }
}

extension ChatEntry {
  fileprivate init(_ message: Message, isRead: Bool) {
    id = message.record
    (isOurs, sender, text) = (message.isOurs, message.nick, message.body)
    isTextLeftOut = message.current.content.isLeftOut
    (time, stanzaID, self.isRead) = (message.time, message.id, isRead)
    state = message.isOurs ? State(message.state) : nil
    isRetracted = message.retraction != nil
    earlierTexts =
      message.retraction == nil ? message.versions.dropLast().map { $0.content.body } : []
    attachments = message.attachments.map { ChatAttachment($0) }
  }
}

extension ChatEntry.State {
  fileprivate init(_ state: DeliveryState) {
    switch state {
    case .sent: self = .sent
    case .acknowledged: self = .acknowledged
    case .received: self = .received
    case .displayed: self = .displayed
    case .failed: self = .failed
    case .unconfirmed: self = .unconfirmed
    }
  }
}

extension ChatAttachment {
  fileprivate init(_ file: Attachment) {
    switch file.kind {
    case .picture: kind = .picture
    case .voice: kind = .voice
    case .video: kind = .video
    case .file: kind = .file
    }
    (url, name, mediaType, size) = (file.url, file.name, file.mediaType, file.size)
    (width, height, duration, sha256) = (file.width, file.height, file.duration, file.sha256)
    record = file.isInLog ? file.record : nil
  }
}
