package import Captures
package import ConversationCore
import RosterCore
import XMPPStanza

extension JSONValue {
  /// Conversations as `rollcall conversations --json` prints them.
  ///
  /// - Parameter numbers: The numbers of the messages to list, by conversation; other conversations
  ///   are left out. Nil for everything. Counts and positions are always those of everything.
  package init(_ view: ConversationView, showing numbers: [ConversationKey: Set<Int>]? = nil) {
    let conversations = view.conversations
    self = .object([
      "account": JSONValue((conversations.account ?? view.state.account)?.text),
      "at": JSONValue(view.state.roster.position),
      "time": JSONValue(time: view.state.time),
      "complete": .bool(conversations.isComplete),
      "unread": .integer(Int64(conversations.unread)),
      "conversations": .array(
        view.shown.filter { numbers?.keys.contains($0.key) ?? true }.map {
          JSONValue($0, in: view, showing: numbers?[$0.key])
        }),
      "cards": .array(conversations.cards.all.map { JSONValue($0) }),
      "avatars": .array(
        conversations.avatars.all.map { avatar in
          JSONValue(avatar, isKnown: conversations.avatars.isKnown(avatar))
        }),
      "findings": .array(view.findings.map { JSONValue($0) }),
    ])
  }

  /// One conversation with its messages.
  ///
  /// - Parameter numbers: The numbers of the messages to list; nil for all.
  package init(
    _ conversation: Conversation, in view: ConversationView, showing numbers: Set<Int>? = nil
  ) {
    let state = view.conversations
    let key = conversation.key
    let room = key.kind == .group ? state.rooms[key.jid.bare] : nil
    let unread = Set(state.unread(of: key))
    let readTo = conversation.readTo.flatMap { position -> JSONValue? in
      guard let index = conversation.order.lastIndex(of: position.message) else { return nil }
      return .object([
        "message": .integer(Int64(index + 1)), "record": JSONValue(position.record),
      ])
    }
    self = .object([
      "jid": .string(key.jid.description),
      "kind": .string(key.kind.rawValue),
      "contact": .bool(view.isContact(key)),
      "name": JSONValue(view.name(of: key)),
      "subject": JSONValue(room?.subject),
      "nick": JSONValue(room?.nick),
      "unread": .integer(Int64(unread.count)),
      "readTo": readTo ?? .null,
      "last": conversation.order.isEmpty ? .null : .integer(Int64(conversation.order.count)),
      "messages": .array(
        conversation.order.enumerated().filter { numbers?.contains($0.element) ?? true }
          .map { index, number in
            JSONValue(
              state.messages[number], number: index + 1, isUnread: unread.contains(number))
          }),
    ])
  }

  /// One message.
  ///
  /// - Parameter number: Its place in the conversation, from 1.
  package init(_ message: Message, number: Int, isUnread: Bool) {
    let versions = message.versions.dropLast()
    let reactions = message.reactions.filter { !$0.emojis.isEmpty }.map {
      ($0.sender, JSONValue($0.emojis))
    }
    self = .object([
      "n": .integer(Int64(number)),
      "record": JSONValue(message.record),
      "kind": .string(message.isInvitation ? "invitation" : "message"),
      "direction": .string(message.isOurs ? "out" : "in"),
      "from": JSONValue(message.from?.description),
      "sender": JSONValue(message.nick),
      "body": .string(message.body),
      "subject": JSONValue(message.retraction == nil ? message.subject : nil),
      "thread": JSONValue(message.thread),
      "time": JSONValue(time: message.time),
      "stamped": .bool(message.isStamped),
      "id": JSONValue(message.id),
      "origin_id": JSONValue(message.originID),
      "archive_id": JSONValue(message.archiveIDs.first?.id.text),
      "via": JSONValue(message.routes.map(\.rawValue)),
      "state": message.isOurs ? .string(message.state.rawValue) : .null,
      "error": JSONValue(message.error),
      "read": message.isOurs ? .null : .bool(!isUnread),
      "corrected": .bool(message.versions.count > 1),
      "edits": JSONValue(
        message.retraction == nil ? versions.map { $0.content.body } : []),
      "retracted": .bool(message.retraction != nil),
      "retraction": .object([
        "by": JSONValue(message.retraction?.by), "reason": JSONValue(message.retraction?.reason),
      ]),
      "reactions": .object(Dictionary(reactions) { _, newer in newer }),
      "reply_to": JSONValue(message.reply?.id),
      "encrypted": JSONValue(message.current.content.encryption),
      "type_word": JSONValue(message.current.content.typeWord),
      "attachments": .array(message.attachments.map { JSONValue($0) }),
      "records": .array(message.records.map { JSONValue($0) }),
    ])
  }

  private init(_ attachment: Attachment) {
    func count(_ value: Int?) -> JSONValue { value.map { JSONValue.integer(Int64($0)) } ?? .null }
    self = .object([
      "kind": .string(attachment.kind.rawValue),
      "source": .string(attachment.source.rawValue),
      "url": JSONValue(attachment.url),
      "name": JSONValue(attachment.name),
      "type": JSONValue(attachment.mediaType),
      "size": count(attachment.size),
      "sha256": JSONValue(attachment.sha256),
      "sha1": JSONValue(attachment.sha1),
      "width": count(attachment.width),
      "height": count(attachment.height),
      "length_ms": count(attachment.duration),
      "in_log": .bool(attachment.isInLog),
    ])
  }

  init(_ card: Card) {
    self = .object([
      "jid": .string(card.jid.description), "form": .string(card.form.rawValue),
      "fn": JSONValue(card.fullName), "nickname": JSONValue(card.nickname),
      "photo": card.photo.map { photo in
        JSONValue.object([
          "type": JSONValue(photo.mediaType), "size": .integer(Int64(photo.size)),
          "sha1": .string(photo.sha1),
        ])
      } ?? .null,
      "record": JSONValue(card.record),
    ])
  }

  /// - Parameter isKnown: Whether the log has the bytes.
  init(_ avatar: Avatar, isKnown: Bool) {
    self = .object([
      "jid": .string(avatar.jid.description), "sha1": JSONValue(avatar.sha1),
      "source": .string(avatar.source.rawValue), "type": JSONValue(avatar.mediaType),
      "size": avatar.size.map { JSONValue.integer(Int64(clamping: $0)) } ?? .null,
      "have": .bool(isKnown), "record": JSONValue(avatar.record),
    ])
  }

  private init(_ finding: ConversationFinding) {
    self = .object([
      "code": .string(finding.code.rawValue), "record": JSONValue(finding.record),
      "contact": JSONValue(finding.contact?.bare.text),
    ])
  }
}
