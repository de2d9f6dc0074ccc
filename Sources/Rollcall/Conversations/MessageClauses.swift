import Captures
import ConversationCore
import EventStore
import RosterCore
import XMPPStanza

/// Finds the words for what a record did to messages. A message is named by its first record.
struct MessageClauses {
  let conversations: Conversations
  /// The record that did it, and the side that sent it.
  let record: UInt64
  let direction: RecordDirection
  /// The maximum number of characters of a text in these clauses.
  var limit = Self.textLimit

  /// The maximum number of messages that one clause names.
  private static let namedCount = 3
  /// The maximum number of characters of a text in a story.
  static let textLimit = 60

  /// The effects in a clause: what was said first, then what became of earlier messages.
  func clause(of effects: [MessageEffect]) -> String {
    var parts = effects.compactMap { clause(of: $0) }
    var states: [(state: DeliveryState, messages: [Int])] = []
    for case (let message, .state(let state)) in effects.map({ ($0.message, $0.kind) }) {
      if let last = states.indices.last, states[last].state == state {
        states[last].messages.append(message)
      } else {
        states.append((state, [message]))
      }
    }
    parts += states.map { clause($0.state, of: $0.messages) }
    // What is said of our own words is that they were said, not that we have read up to them.
    if parts.isEmpty, let last = effects.last(where: { $0.kind == .read }) {
      let key = conversation(of: last.message)
      parts.append("the conversation with \(key) is read up to \(name(of: last.message))")
    }
    return parts.joined(separator: "; ")
  }

  private func clause(of effect: MessageEffect) -> String? {
    let number = effect.message
    let message = conversations.messages[number]
    switch effect.kind {
    case .began:
      let words = Self.words(
        message.versions[0].content, isInvitation: message.isInvitation, limit: limit)
      let route = message.routes.first.map { Self.words($0) } ?? ""
      return message.isOurs
        ? "\(writer(of: message)) to \(conversation(of: number)): \(words)\(route)"
        : "\(sender(of: number)) writes \(words)\(route)"
    case .copied(let route):
      return "\(name(of: number)) again\(Self.words(route))"
    case .corrected:
      let version = message.versions.first { $0.record == record } ?? message.current
      let words = Self.words(version.content, isInvitation: false, limit: limit)
      return "\(actor(of: number)) \(name(of: number)) to \(words)"
    case .retracted:
      guard message.retraction?.by == nil else {
        return "\(conversation(of: number)) retracts \(name(of: number)) for a moderator"
      }
      return message.isOurs
        ? "we retract \(name(of: number))" : "\(sender(of: number)) retracts \(name(of: number))"
    case .reacted(let sender, let emojis):
      return emojis.isEmpty
        ? "\(sender) takes back the reactions to \(name(of: number))"
        : "\(sender) reacts to \(name(of: number)): "
          + emojis.joined(separator: " ").shortened(Self.textLimit)
    case .state, .read: return nil
    }
  }

  private func clause(_ state: DeliveryState, of messages: [Int]) -> String {
    let names = messages.prefix(Self.namedCount).map { name(of: $0) }.joined(separator: ", ")
    let rest = messages.count - Self.namedCount
    let all = rest > 0 ? "\(names) and \(rest.of("more message"))" : names
    let reason = messages.count == 1 ? conversations.messages[messages[0]].error : nil
    let verb = messages.count == 1 ? "is" : "are"
    return switch state {
    case .sent: "\(all) \(verb) on the way again"
    case .acknowledged: "the server acknowledges \(all)"
    case .received: "\(all) \(messages.count == 1 ? "was" : "were") received"
    case .displayed: "\(all) \(messages.count == 1 ? "was" : "were") displayed"
    case .failed: "\(all) failed" + (reason.map { " (\($0))" } ?? "")
    case .unconfirmed: "\(all) \(verb) unconfirmed: nothing shows that the server has it"
    }
  }

  // MARK: Words

  private func name(of message: Int) -> String { "#\(conversations.messages[message].record)" }

  private func conversation(of message: Int) -> String {
    conversations.all[conversations.messages[message].conversation].key.jid.description
  }

  private func writer(of message: Message) -> String {
    if direction == .outbound { return "we write" }
    // An archive may return what this device wrote before the log began.
    return message.routes.first == .carbon ? "another device of ours writes" : "we wrote"
  }

  private func actor(of message: Int) -> String {
    guard conversations.messages[message].isOurs else { return "\(sender(of: message)) corrects" }
    return direction == .outbound ? "we correct" : "we corrected"
  }

  private func sender(of number: Int) -> String {
    let message = conversations.messages[number]
    let key = conversations.all[message.conversation].key
    switch key.kind {
    case .chat, .private: return key.jid.description
    case .group: return message.nick.map { "\($0) in \(key.jid)" } ?? key.jid.description
    }
  }

  private static func words(_ route: Route) -> String {
    switch route {
    case .live: ""
    case .carbon: ", as a carbon"
    case .archive: ", from the archive"
    case .history: ", from the room's history"
    }
  }

  /// What a message says: its text in quotes, and its files.
  static func words(
    _ content: MessageContent, isInvitation: Bool, limit: Int = textLimit
  ) -> String {
    if content.encryption != nil { return "an encrypted message" }
    var parts: [String] = []
    if !content.body.isEmpty { parts.append("“\(content.body.shortened(limit))”") }
    parts += content.attachments.map { $0.kind.words }
    if isInvitation { parts.append("an invitation to a room") }
    if content.isLeftOut { parts.append("a message whose text was not recorded") }
    return parts.isEmpty ? "a message that is gone" : parts.joined(separator: ", ")
  }
}

extension MediaKind {
  fileprivate var words: String {
    switch self {
    case .picture: "a picture"
    case .voice: "a recording"
    case .video: "a video"
    case .file: "a file"
    }
  }
}

extension String {
  /// The first line, or the beginning of it; all lines in one if there is no limit.
  fileprivate func shortened(_ limit: Int) -> String {
    guard limit < .max else { return split(whereSeparator: \.isNewline).joined(separator: " ⏎ ") }
    let head = prefix { !$0.isNewline }.prefix(limit)
    return head.utf8.count < utf8.count ? head + "…" : String(head)
  }
}
