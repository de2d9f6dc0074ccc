import ArgumentParser
import Captures
import ConversationCore
import Rollcall
import RosterCore
import XMPPStanza

struct ConversationsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "conversations",
    abstract: "Lists the conversations at a point, and what is unread.",
    discussion: """
      Each message counts once, however often and by whatever route it arrived: live, as a carbon, \
      from an archive, or from the history of a room. A stanza counts only if its sender may say \
      what it says. --json prints every message, with its state, corrections, reactions and files.

      Examples:
        rollcall conversations alice.rollcall
        rollcall conversations debug.log --at head~10 --json
        rollcall conversations alice.rollcall --search wanfan
        rollcall conversations alice.rollcall --attachments pictures
        rollcall conversations alice.rollcall --redact --json
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var search: SearchOptions
  @OptionGroup var attachments: AttachmentOptions
  @OptionGroup var redaction: RedactionOptions
  @OptionGroup var times: ZoneOptions

  func validate() throws { try redaction.check(attachments) }

  func run() throws {
    let opened = try source.open()
    let view = try opened.naming {
      try opened.timeline.conversationView(upTo: opened.timeline.record(at: source.point))
    }
    guard search.search == nil else { return try show(search.found(in: view), view, opened) }
    let shown = try redaction.shown(view, [], of: opened, upTo: source.point).view
    if output.json {
      try Terminal.say(JSONValue(shown))
    } else {
      try Terminal.say(lines(shown))
    }
    try attachments.write(
      view.shown.flatMap(\.order).map { view.conversations.messages[$0] }, of: opened)
    if view.shown.isEmpty { throw NothingFound(sentence: nil) }
  }

  /// Shows the messages that a search found, by conversation.
  private func show(
    _ found: [MessageList.Part], _ view: ConversationView, _ opened: OpenedSource
  ) throws {
    let shown = try redaction.shown(view, found, of: opened, upTo: source.point)
    try MessageList(view: shown.view, found: shown.found, zone: times.zone)
      .say(asJSON: output.json)
    try attachments.write(
      found.flatMap { $0.numbers.map { view.conversations.messages[$0] } }, of: opened)
    if found.isEmpty { throw NothingFound(sentence: "no message matches") }
  }

  private func lines(_ view: ConversationView) -> [String] {
    let conversations = view.conversations
    guard !view.shown.isEmpty else {
      return [
        conversations.isComplete
          ? "no conversations" : "no conversations in this part of the history"
      ]
    }
    var table = Table(
      ["address", "name", "messages", "unread", "last message"], isCutToFit: true)
    for conversation in view.shown {
      let key = conversation.key
      let unread = view.unreadCount(of: conversation)
      table.add([
        key.jid.description, view.title(of: key), String(conversation.order.count),
        unread == 0 ? "–" : String(unread),
        conversation.order.last.map { preview(conversations.messages[$0]) } ?? "–",
      ])
    }
    return table.takeLines()
  }

  /// The time and the text of a message, on one line.
  private func preview(_ message: Message) -> String {
    var parts: [String] = []
    if let time = message.time { parts.append(Timestamp.text(time)) }
    if message.isOurs {
      parts.append("we:")
    } else if let nick = message.nick {
      parts.append(nick + ":")
    }
    if message.retraction != nil {
      parts.append("(retracted)")
    } else if message.current.content.encryption != nil {
      parts.append("(encrypted)")
    } else if message.current.content.isLeftOut {
      parts.append("(not recorded)")
    } else if message.isInvitation {
      parts.append("(invitation)")
    }
    if !message.body.isEmpty { parts.append(message.body) }
    parts += message.attachments.map { "(\($0.kind.rawValue))" }
    return parts.joined(separator: " ")
  }
}
