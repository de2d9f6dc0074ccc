import ArgumentParser
import Captures
import Rollcall
import RosterCore
import XMPPStanza

struct BetweenCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "between",
    abstract: "Compares the two ends of the subscriptions between two accounts.",
    discussion: """
      A subscription is stored twice, by the servers of both accounts. Give the logs or captures \
      of two accounts, or one source with both (--account, --other-account). Their records are \
      shown as one dialogue, with the clocks aligned by the stanzas that both have. Then the \
      answer says for each direction whether both ends agree, and if not, where they parted, \
      which end is right, and which stanzas would repair it. Nothing is ever sent.

      Nothing is said against a pair that may still be settling, that is blocked, or that the \
      logs do not show well enough. Presence is counted; --full lists it. --connection selects \
      one of the first account.

      Exit codes: 0 the ends do not disagree, 1 they disagree or have nothing to do with each \
      other, 2 bad usage or bad input.

      Examples:
        rollcall between alice.rollcall bob.jsonl
        rollcall between alice.rollcall bob.jsonl --at 2026-11-20T10:00:00Z --json
      """)

  @OptionGroup var capture: CaptureOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var times: ZoneOptions

  @Argument(help: .source, completion: .file())
  var source: String

  @Argument(
    help: "The log or capture of the other account; without it, the source has both.",
    completion: .file())
  var other: String?

  @Option(help: "The other account, if the source that has it has several.")
  var otherAccount: String?

  @Option(
    parsing: .unconditional, help: "The point up to which to look at both; the head by default.")
  var at: String?

  @Option(parsing: .unconditional, help: "The point of the second account, if it differs.")
  var otherAt: String?

  @Flag(help: "List every record of presence.")
  var full = false

  func run() throws {
    let (first, second) = try openBoth()
    let ends = try Self.compare(
      (first, LogPoint(option: "--at", at ?? "head")),
      (second, LogPoint(option: "--other-at", otherAt ?? at ?? "head")))
    if output.json {
      try Terminal.say(JSONValue(ends))
    } else {
      try say(ends)
    }
    if ends.comparison.hasDisagreement { throw NothingFound(sentence: nil) }
  }

  /// Reads two sources as the two ends.
  static func compare(
    _ first: (source: OpenedSource, point: LogPoint),
    _ second: (source: OpenedSource, point: LogPoint)
  ) throws -> TwoEnds {
    let ends: TwoEnds
    do {
      ends = try TwoEnds(
        first.source.timeline, upTo: first.point, second.source.timeline, upTo: second.point)
    } catch let error as TwoEndsError {
      throw Failure("\(error)")
    } catch {
      throw Failure(error, in: "\(first.source.path), \(second.source.path)")
    }
    guard !ends.dialogue.isEmpty else {
      let names = PairEnd.allCases.compactMap { ends.account($0)?.text }
      throw NothingFound(sentence: "no record is about both \(names.joined(separator: " and "))")
    }
    return ends
  }

  private func openBoth() throws -> (OpenedSource, OpenedSource) {
    let options = try capture.importOptions
    if source == "-", other ?? "-" == "-" {
      throw Failure("standard input, -, can be read only once")
    }
    var others = options
    if let otherAccount {
      var selection = capture.selection
      selection.account = otherAccount
      others = try selection.importOptions(format: capture.format, option: "--format")
    } else if other != nil {
      others.account = nil
    }
    others.connection = nil
    if let other {
      return (
        try SourceOptions.open([source], options, pair: capture.selection.pair),
        try SourceOptions.open([other], others)
      )
    }
    guard options.account != nil, otherAccount != nil else {
      throw Failure(
        "one source with both accounts needs their names: --account ONE --other-account OTHER")
    }
    let pair = capture.selection.pair
    return (
      try SourceOptions.open([source], options, pair: pair),
      try SourceOptions.open([source], others, pair: pair)
    )
  }

  private func say(_ ends: TwoEnds) throws {
    try Terminal.say(ends.heading)
    try Terminal.say(ends.lines(times.zone, isFull: full))
    for lines in ends.answers.map(\.lines) { try Terminal.say([""] + lines) }
  }
}

extension SourceReading {
  /// Compares what was opened with another log or capture, up to its head.
  ///
  /// - Parameters:
  ///   - opened: What was opened.
  ///   - sources: The words that named it.
  ///   - path: The other log or capture.
  ///   - contact: The account of the other one; nil if it has only one.
  func compare(
    _ opened: OpenedSource, from sources: [String], with path: String, of contact: BareJID?
  ) throws -> TwoEnds {
    if path == "-", sources.contains("-") {
      throw Failure("standard input, -, can be read only once")
    }
    var options = try importOptions
    (options.account, options.connection) = (contact, nil)
    return try BetweenCommand.compare(
      (opened, point), (SourceOptions.open([path], options), .head))
  }
}
