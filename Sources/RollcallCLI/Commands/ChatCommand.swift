import ArgumentParser
import Captures
import ConversationCore
import Rollcall
import RosterCore
import XMPPStanza

struct ChatCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Shows the messages of one conversation.",
    discussion: """
      Each message is shown once, however often and by whatever route it arrived: with its time, \
      its sender, what it says now, the state of a message of ours, and its record. Below it are \
      its earlier texts, its reactions, and the message that it answers. A picture, a recording or \
      a file is one line, with what its bytes say; nothing is ever fetched. conversations lists \
      all conversations.

      A conversation is named by an address (of a contact, a room, or an occupant of one), or a \
      contact as in history.

      Examples:
        rollcall chat debug.log bob@example.test
        rollcall chat alice.rollcall bob@example.test --last 50 --zone local
        rollcall chat alice.rollcall bob --search wanfan
        rollcall chat alice.rollcall bob@example.test --attachments pictures

      Exit codes: 0 done, 1 there is no such conversation or no message matches, 2 bad usage or \
      bad input.
      """)

  @OptionGroup var source: FirstSourceOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The address of the conversation, or the contact, \(contactHelp).")
  var address: String

  @Option(help: ArgumentHelp("Only the last messages, this many.", valueName: "count"))
  var last: Int?

  @OptionGroup var search: SearchOptions
  @OptionGroup var attachments: AttachmentOptions
  @OptionGroup var redaction: RedactionOptions
  @OptionGroup var times: ZoneOptions

  func validate() throws {
    if let last, last < 1 { throw ValidationError("--last takes a number from 1") }
    try redaction.check(attachments)
  }

  func run() throws {
    let opened = try source.open()
    let view = try opened.naming {
      try opened.timeline.conversationView(upTo: opened.timeline.record(at: source.point))
    }
    let found = try opened.conversations(address, in: view).map { conversation in
      let numbers = search.filter(conversation.order, of: view.conversations)
      return (conversation: conversation, numbers: Array(numbers.suffix(last ?? numbers.count)))
    }.filter { !$0.numbers.isEmpty }
    let shown = try redaction.shown(view, found, of: opened, upTo: source.point)
    try MessageList(view: shown.view, found: shown.found, zone: times.zone)
      .say(asJSON: output.json)
    if !output.json, !view.conversations.isComplete {
      Terminal.note("the log does not have everything, so there may be more messages")
    }
    try attachments.write(
      found.flatMap { $0.numbers.map { view.conversations.messages[$0] } }, of: opened)
    if found.isEmpty { throw NothingFound(sentence: "no message of \(address) matches") }
  }
}
