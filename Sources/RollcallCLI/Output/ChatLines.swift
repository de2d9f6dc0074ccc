import ConversationCore
import RawBytes
import Rollcall
import XMPPStanza

/// One conversation as lines for people.
///
/// Each message begins with its time and its sender. Further lines of its text are indented and
/// marked, so that a text cannot look like another message.
struct ChatLines {
  private let conversations: Conversations
  private let conversation: Conversation
  /// The name of the other party or the room.
  private let name: String
  private let zone: Zone
  private let unread: Set<Int>
  /// The messages by the names that replies use.
  private let named: [ExactText: Int]

  init(_ conversation: Conversation, in view: ConversationView, zone: Zone) {
    conversations = view.conversations
    self.conversation = conversation
    self.zone = zone
    let key = conversation.key
    name = view.name(of: key) ?? key.jid.description
    unread = Set(conversations.unread(of: key))
    var named: [ExactText: Int] = [:]
    for number in conversation.order {
      let message = conversations.messages[number]
      for version in message.versions { version.id.map { named[ExactText($0)] = number } }
      for id in message.archiveIDs { named[id.id] = number }
    }
    self.named = named
  }

  /// The heading: the other party or the room, and how many messages there are.
  var heading: String {
    let count = conversation.order.count
    let address = conversation.key.jid.description
    var parts = [
      name == address ? Style.bold(name.visible) : Style.bold("\(name) (\(address))".visible)
    ]
    if conversation.key.kind == .group, let room = conversations.rooms[conversation.key.jid.bare] {
      if let nick = room.nick { parts.append("as \(nick)".visible) }
      if let subject = room.subject { parts.append("“\(subject)”".visible) }
    }
    parts.append(count.of("message"))
    if !unread.isEmpty { parts.append("\(unread.count) unread") }
    return parts.joined(separator: " · ")
  }

  /// Calls `body` with the lines of each message, in order.
  ///
  /// - Parameter shown: The numbers of the messages to show, in the order of the conversation.
  func forEach(_ shown: some Collection<Int>, _ body: ([String]) throws -> Void) rethrows {
    var day: String?
    var hasMarkedUnread = false
    let width = min(Self.maximumNameCells, shown.reduce(2) { max($0, sender(of: $1).cells) })
    for number in shown {
      var lines: [String] = []
      if let time = conversations.messages[number].time, zone.date(time) != day {
        day = zone.date(time)
        lines.append(Style.dim("── \(zone.date(time)) ──"))
      }
      if !hasMarkedUnread, unread.contains(number) {
        hasMarkedUnread = true
        lines.append(Style.yellow("── unread ──"))
      }
      try body(lines + self.lines(of: number, nameCells: width))
    }
  }

  // MARK: A message

  private static let maximumNameCells = 16
  /// The fewest cells of a line that a text has, however narrow the terminal is.
  private static let minimumTextCells = 20

  private func sender(of number: Int) -> String {
    let message = conversations.messages[number]
    let text = message.isOurs ? "me" : (message.nick ?? name).visible
    guard text.cells > Self.maximumNameCells else { return text }
    var cells = 1
    let head = text.prefix { character in
      cells += String(character).cells
      return cells <= Self.maximumNameCells
    }
    return head + "…"
  }

  private func lines(of number: Int, nameCells: Int) -> [String] {
    let message = conversations.messages[number]
    let clock = message.time.map { String(zone.clock($0).prefix(8)) } ?? "   –    "
    let sender = sender(of: number)
    let padding = String(repeating: " ", count: max(0, nameCells - sender.cells))
    let paint = message.isOurs ? Style.green : Style.cyan
    let margin = clock.count + 2 + nameCells + 2
    func painted(_ text: String, _ style: Style) -> [String] {
      wrapped(text, after: margin).map { style($0) }
    }
    var rows =
      notes(of: message).flatMap { painted($0, Style.dim) }
      + texts(of: message).flatMap { wrapped($0, after: margin) }
      + message.attachments.flatMap { painted($0.line, Style.cyan) }
    if rows.isEmpty { rows = [""] }
    rows[0] += Style.dim("  \(marks(of: message))")
    let indent = String(repeating: " ", count: margin - 2) + Style.dim("│ ")
    let first = "\(Style.dim(clock))  \(paint(sender))\(padding)  \(rows[0])"
    let later =
      Array(rows.dropFirst()) + details(of: message).flatMap { painted($0, Style.dim) }
    return [first] + later.map { indent + $0 }
  }

  /// What is there instead of a text, or says what the text is.
  private func notes(of message: Message) -> [String] {
    if let retraction = message.retraction {
      let by = retraction.by.map { " by \($0)" } ?? ""
      let reason = retraction.reason.map { ": \($0)" } ?? ""
      return ["retracted\(by)\(reason) (#\(retraction.record))".visible]
    }
    if let encryption = message.current.content.encryption {
      return ["encrypted (\(encryption))".visible]
    }
    if message.current.content.isLeftOut { return ["the text was not recorded"] }
    return message.isInvitation ? ["an invitation to a room"] : []
  }

  /// The lines of the text.
  private func texts(of message: Message) -> [String] {
    guard message.retraction == nil, message.current.content.encryption == nil,
      !message.body.isEmpty
    else { return [] }
    return message.body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { String($0).visible }
  }

  /// The state and the record.
  private func marks(of message: Message) -> String {
    var marks: [String] = []
    if message.isOurs {
      marks.append(message.state.rawValue + (message.error.map { " (\($0))" } ?? ""))
    }
    if message.versions.count > 1, message.retraction == nil { marks.append("edited") }
    marks.append("#\(message.record)")
    return marks.joined(separator: " · ").visible
  }

  /// What belongs to a message: its subject, the message that it answers, its earlier texts, its
  /// reactions.
  private func details(of message: Message) -> [String] {
    var details: [String] = []
    if message.retraction == nil, let subject = message.subject, !subject.isEmpty {
      details.append("subject “\(Self.beginning(of: subject))”")
    }
    if let reply = message.reply {
      let original = named[ExactText(reply.id)].map { conversations.messages[$0] }
      details.append(
        original.map { "answers #\($0.record) “\(Self.beginning(of: $0.body))”" }
          ?? "answers a message that the log does not have")
    }
    if message.retraction == nil {
      details += message.versions.dropLast().map { version in
        "was “\(Self.beginning(of: version.content.body))” (#\(version.record))"
      }
    }
    details += message.reactions.filter { !$0.emojis.isEmpty }.map { set in
      "\(Self.beginning(of: set.emojis.joined(separator: " ")))  \(set.sender)"
    }
    return details.map(\.visible)
  }

  private static func beginning(of text: String) -> String {
    let line = text.prefix { !$0.isNewline }
    let head = line.prefix(60)
    return head.utf8.count < text.utf8.count ? head + "…" : String(head)
  }

  /// The lines that a text needs on the terminal; one if there is none. It has no style yet: what
  /// others write must not reach the edge, where the terminal would go on in the first column.
  private func wrapped(_ text: String, after margin: Int) -> [String] {
    guard let columns = Terminal.columns else { return [text] }
    let available = max(columns - margin, Self.minimumTextCells)
    guard text.cells > available else { return [text] }
    var lines = [""]
    var used = 0
    for character in text {
      let cells = String(character).cells
      if used + cells > available {
        lines.append("")
        used = 0
      }
      lines[lines.count - 1].append(character)
      used += cells
    }
    return lines
  }
}

extension Attachment {
  /// What is known about the file, in one line.
  var line: String {
    var parts = [kind.rawValue]
    if let mediaType { parts.append(mediaType) }
    if let width, let height { parts.append("\(width) × \(height)") }
    if let duration { parts.append(Self.length(duration)) }
    if let size { parts.append(Self.size(size)) }
    if let name { parts.append("“\(name)”") }
    if let url { parts.append(url) }
    if isInLog { parts.append("in the log") }
    return "[\(parts.joined(separator: ", "))]".visible
  }

  /// A length such as `1.9 s` or `2:05`.
  private static func length(_ milliseconds: Int) -> String {
    guard milliseconds >= 60_000 else {
      let tenths = (milliseconds + 50) / 100
      return "\(tenths / 10).\(tenths % 10) s"
    }
    let seconds = (milliseconds + 500) / 1000
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A size such as `852 bytes`, `9.1 KB` or `1.4 MB`.
  private static func size(_ bytes: Int) -> String {
    for (unit, name) in [(1_000_000, "MB"), (1000, "KB")] where bytes >= unit {
      let tenths = bytes / (unit / 10)
      return "\(tenths / 10).\(tenths % 10) \(name)"
    }
    return bytes.of("byte")
  }
}
