import ArgumentParser
import Captures
import FleetStore
import Rollcall

struct FleetAccountsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "Lists the accounts of a fleet.",
    discussion: """
      Each account with the number of its records, the time of the last one, and whether its whole \
      roster is known. The list is in the order of the shards, not of the names.

      A shard that cannot be read is reported, and the others are listed.

      Exit codes: 0 done, 1 there are none or a part cannot be read, 2 bad usage or bad input.

      Examples:
        rollcall fleet accounts fleet
        rollcall fleet accounts fleet --domain example.test --jsonl
      """)

  @OptionGroup var fleet: FleetArgument
  @OptionGroup var output: ListOutputOptions

  @Option(help: "Only the accounts of this domain.")
  var domain: String?

  func run() throws {
    let domain = try FleetArgument.domain(domain)
    let opened = try fleet.open()
    var rows = FleetRows(output, "accounts", ["account", "records", "last record", "roster"])
    var failures = ShardFailures()
    for number in opened.shards {
      try failures.collect(opened.path(of: number)) {
        let shard = try opened.open(number)
        try shard.forEachAccount { account in
          guard domain.map({ account.account.domain == $0 }) ?? true else { return }
          try rows.add(
            [
              account.account.text, "\(account.records)",
              account.clock.map(Timestamp.text) ?? "", account.isComplete ? "known" : "unknown",
            ],
            .object([
              "account": .string(account.account.text), "records": JSONValue(account.records),
              "connections": JSONValue(UInt64(account.connections)),
              "from": JSONValue(time: account.begin), "to": JSONValue(time: account.clock),
              "complete": .bool(account.isComplete),
            ]))
        }
      }
    }
    try rows.finish(failures, nothing: "no accounts")
  }
}

struct FleetStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Says what a fleet has of its sources.",
    discussion: """
      For each spool, the position up to which every shard has it, how many bytes of it are not \
      stored yet, the newest time, and the lines that are missing or could not be read.

      Exit codes: 0 done, 1 the fleet has no sources, 2 bad usage or bad input.

      Examples:
        rollcall fleet status fleet
        rollcall fleet status fleet --json
      """)

  @OptionGroup var fleet: FleetArgument
  @OptionGroup var output: FleetOutput

  func run() throws {
    let opened = try fleet.open()
    let sources = opened.note.sources
    if output.json {
      try Terminal.say(
        .object([
          "fleet": .string(opened.folder), "shards": JSONValue(count: opened.shards.count),
          "sources": .array(sources.map { JSONValue($0) }),
        ]))
    } else {
      try Terminal.say("\(opened.folder): \(opened.shards.count) shards with accounts".visible)
      for source in sources { try Terminal.say(source.lines.map(\.visible)) }
    }
    if sources.isEmpty { throw NothingFound(sentence: "no spool was stored in it") }
  }
}

extension FleetNote.Source {
  /// The number of bytes in the spool that not every shard has; nil if the spool is not there.
  fileprivate var bytesLeft: UInt64? { SpoolFolder(folder).bytes(after: floorPosition) }

  fileprivate var lines: [String] {
    let left = bytesLeft.map { $0 == 0 ? "all of it" : "\($0) bytes are not stored yet" }
    var lines = ["\(folder): \(left ?? "the folder is not there")"]
    lines.append("  stored up to \(floorPosition)")
    if let newest { lines.append("  newest record \(Timestamp.text(newest))") }
    if gapLines > 0 { lines.append("  \(gapLines) lines that the tap could not write") }
    if problems > 0 { lines.append("  \(problems) lines that could not be read") }
    return lines
  }
}

extension JSONValue {
  fileprivate init(_ source: FleetNote.Source) {
    self = .object([
      "source": .string(source.id), "folder": .string(source.folder),
      "segment": JSONValue(source.floorPosition.segment),
      "offset": JSONValue(source.floorPosition.offset),
      "bytesLeft": JSONValue(source.bytesLeft), "newest": JSONValue(time: source.newest),
      "missingLines": JSONValue(count: source.gapLines),
      "unreadableLines": JSONValue(count: source.problems),
    ])
  }
}
