public import ArgumentParser
import Captures
import ContactSections
import ConversationCore
public import Rollcall
import RosterCore
import XMPPStanza

struct WhyCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract:
      "Explains why a contact is or is not a friend, a request, online, blocked, in its section.",
    discussion: """
      Each answer names the records that it is based on, and what would change it. The account \
      itself is explained if the roster has or had an item for it.

      With --message, the answers are about a message of the conversation: whether it is there \
      more than once and by which records, whether it is unread, and whether a message of ours \
      arrived. The conversation is named as in chat.

      With --other, the log or capture of the contact is compared, too: whether its end of the \
      subscriptions agrees, and if not, which end is right and what would repair it, as in between.

      Examples:
        rollcall why debug.log bob@example.test
        rollcall why alice.rollcall bob@example.test --at 120
        rollcall why alice.rollcall bob@example.test --about request
        rollcall why alice.rollcall bob@example.test --json
        rollcall why alice.rollcall bob@example.test --message '#9'
        rollcall why alice.rollcall bob@example.test --other bob.jsonl

      Exit codes: 0 answered, 1 the contact or the message is nowhere in the log, 2 bad usage or \
      bad input.
      """)

  @OptionGroup var source: FirstSourceOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The contact, \(contactHelp).")
  var contact: String

  @Option(
    help: "Only some of the questions: \(Explanation.Subject.words). Can be given several times.")
  var about: [Explanation.Subject] = []

  @Option(
    help: ArgumentHelp(
      "A message of the conversation: an id of it, or a record of it as in #31.",
      valueName: "id"))
  var message: String?

  @Option(
    help: "The log or capture of the contact, up to its head, to compare both ends.",
    completion: .file())
  var other: String?

  @OptionGroup var policy: FriendOptions

  func validate() throws {
    guard message == nil || other == nil else {
      throw ValidationError("--other is for contacts, and --message for messages")
    }
    guard message == nil || about.isEmpty else {
      throw ValidationError("--about is for contacts; with --message, everything is answered")
    }
  }

  func run() throws {
    let opened = try source.open()
    if let message { return try explain(message, in: opened) }
    let jid = try opened.contact(contact)
    let found = try opened.naming {
      try opened.timeline.explanation(of: jid, at: source.point, friends: policy.friends)
    }
    guard let (whole, state) = found else {
      throw NothingFound(sentence: "no record up to \(source.at) names \(jid)")
    }
    guard whole.isOfContact else {
      throw NothingFound(sentence: "\(jid) is the account itself, and not a contact of its own")
    }
    let explanation = whole.limited(to: about)
    let ends = try other.map { path in
      try source.compare(opened, from: [source.source] + source.also, with: path, of: jid)
    }
    if output.json {
      let document = JSONValue(explanation, state)
      try Terminal.say(ends.map { document.adding(["ends": JSONValue($0)]) } ?? document)
    } else {
      try Terminal.say(
        explanation.lines(after: state.roster.position)
          + (ends?.answers.flatMap { [""] + $0.lines } ?? []))
    }
  }
}

extension WhyCommand {
  private func explain(_ name: String, in opened: OpenedSource) throws {
    let view = try opened.naming {
      try opened.timeline.conversationView(upTo: opened.timeline.record(at: source.point))
    }
    let found = try opened.conversations(contact, in: view).flatMap {
      view.explanations(of: name, in: $0)
    }
    if found.isEmpty { throw NothingFound(sentence: "no message of \(contact) is named \(name)") }
    guard !output.json else { return try Terminal.say(JSONValue(found, view.state)) }
    for (index, explanation) in found.enumerated() {
      try Terminal.say((index == 0 ? [] : [""]) + explanation.lines)
    }
  }
}

extension MessageExplanation {
  /// The questions with their answers, one sentence per line.
  fileprivate var lines: [String] {
    let text = message.body.prefix { !$0.isNewline }.prefix(40)
    let head = "#\(message.record) in the conversation with \(key.jid) · “\(text)”"
    var lines = [Style.bold(head.visible)]
    for topic in topics {
      lines += ["", "\(topic.subject.question) \(Style.bold(topic.verdict.word))"]
      lines += topic.reasons.map { "  " + $0.visible }
      if let change = topic.change { lines.append("  " + Style.dim("→ " + change.visible)) }
    }
    if !findings.isEmpty { lines += [""] + findings.map { ListedFinding.message($0).line } }
    return lines
  }
}

extension Explanation.Verdict {
  fileprivate var word: String {
    switch self {
    case .yes: "Yes."
    case .no: "No."
    case .unknown: "Unknown."
    }
  }
}

extension Explanation.Subject: ExpressibleByArgument {
  fileprivate static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension Explanation {
  /// The questions with their answers, one sentence per line.
  fileprivate func lines(after record: UInt64) -> [String] {
    let head = "\(contact) after record \(record) · \(state.rawValue)"
    var lines = [Style.bold(head.visible)]
    for topic in topics {
      lines += ["", "\(topic.subject.question) \(Style.bold(topic.verdict.words(topic.subject)))"]
      lines += topic.reasons.map { "  " + $0.sentence.visible }
      if let change = topic.change { lines.append("  " + Style.dim("→ " + change.visible)) }
    }
    if !findings.isEmpty { lines += [""] + findings.map(\.line) }
    return lines
  }
}

extension Explanation.Verdict {
  /// The answer in a word or two.
  fileprivate func words(_ subject: Explanation.Subject) -> String {
    switch (self, subject) {
    case (.no, .section): "Nowhere."
    case (.yes, .section): "Among the friends."
    case (.yes, _), (.no, _), (.unknown, _): word
    }
  }
}
