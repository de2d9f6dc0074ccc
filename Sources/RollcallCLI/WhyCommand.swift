import ArgumentParser
import Rollcall
import RosterCore
import XMPPStanza

struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract:
      "Says why a contact is, or is not, a friend, a request, online, blocked, in its section.",
    discussion: """
      Each answer names the records that it rests on, and what would have to come for it to change.

      Examples:
        rollcall why debug.log bob@example.test
        rollcall why alice.rollcall bob@example.test --at 120
        rollcall why alice.rollcall bob@example.test --json

      Exit codes: 0 answered, 1 the contact is nowhere in the log, 2 bad usage or bad input.
      """)

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions

  @Argument(
    help: "A log (NAME.rollcall) or a capture; - for standard input.", completion: .file())
  var source: String

  @Argument(help: "The contact's address; a resource does not matter.")
  var contact: String

  @Option(
    help: """
      The point to look at: a record number, 0, head, head~10, or a time with a zone such as \
      2026-11-20T10:00:00Z.
      """)
  var at: String = "head"

  @Option(
    help: "Who is a friend: mutual (both), subscribed (both, to or from), or all contacts.")
  var friends = FriendPolicy.mutual

  func run() throws {
    let jid: BareJID
    do {
      jid = try JID(parsing: contact).bare
    } catch {
      throw Failure("“\(contact)” is no address: \(error)")
    }
    let point: Point
    do {
      point = try Point(parsing: at)
    } catch {
      throw Failure("--at: \(error)")
    }
    let opened = try SourceOptions.open(source, try capture.importOptions)
    let found: (explanation: Explanation, state: Timeline.State)?
    do {
      found = try Timeline(opened.log).explanation(of: jid, at: point, friends: friends.friends)
    } catch {
      throw Failure(error, in: source)
    }
    guard let (explanation, state) = found else {
      throw NothingFound(sentence: "\(source): no record up to \(at) names \(jid)")
    }
    guard jid != state.roster.account else {
      throw NothingFound(sentence: "\(jid) is the account itself, and no contact of its own")
    }
    if output.json {
      try Terminal.say(JSONValue(explanation, state))
    } else {
      try Terminal.say(explanation.lines(after: state.roster.position))
    }
  }
}

extension Explanation {
  /// The questions with their answers, each sentence on a line of its own.
  fileprivate func lines(after record: UInt64) -> [String] {
    let head = "\(contact) after record \(record) · \(state.rawValue)"
    var lines = [Style.bold(head.visible)]
    for topic in topics {
      lines += ["", "\(topic.subject.question) \(Style.bold(topic.verdict.words(topic.subject)))"]
      lines += topic.reasons.map { "  " + $0.visible }
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
    case (.yes, _): "Yes."
    case (.no, _): "No."
    case (.unknown, _): "Unknown."
    }
  }
}
