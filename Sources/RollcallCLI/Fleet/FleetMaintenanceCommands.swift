import ArgumentParser
import Captures
import EventStore
import FleetStore
import Rollcall
import RosterCore
import XMPPStanza

struct FleetVerifyCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks that every shard of a fleet is intact.",
    discussion: """
      Checks the pages of each file, the chain of digests, the times and the index. Then makes \
      everything that is derived (accounts, rosters, subscriptions, positions) anew from the \
      records, in a temporary file, and compares it with what is stored.

      Exit codes: 0 the fleet is intact, 1 something is wrong, 2 it is not a fleet.

      Examples:
        rollcall fleet verify fleet
        rollcall fleet verify fleet --jsonl
      """)

  @OptionGroup var fleet: FleetArgument
  @OptionGroup var output: ListOutputOptions

  func run() throws {
    let opened = try fleet.open()
    var list = output.list("shards")
    var (records, bad) = (UInt64(0), 0)
    var status = StatusLine()
    for number in opened.shards {
      status.show("checking \(number.fileName)")
      let path = opened.path(of: number)
      var report = Fleet.ShardReport()
      do {
        report = try FleetFailure.naming(path) { try opened.verify(number) }
      } catch let failure as Failure {
        report.damage = ["\(failure)"]
      }
      records += report.records
      if !report.damage.isEmpty { bad += 1 }
      status.clear()
      if output.isForMachines {
        try list.add(JSONValue(report, number))
      } else {
        try Terminal.say(report.damage.map { "\(path): \($0)".visible })
      }
    }
    if output.isForMachines {
      try list.finish(["records": JSONValue(records), "damaged": JSONValue(count: bad)])
    } else {
      try Terminal.say(
        bad == 0
          ? "\(opened.folder): \(opened.shards.count) shards with \(records) records are intact"
            .visible
          : "\(bad) of \(opened.shards.count) shards are damaged; rollcall fleet recover saves the "
            + "rest"
      )
    }
    guard bad == 0 else { throw NothingFound(sentence: nil) }
  }
}

extension JSONValue {
  fileprivate init(_ report: Fleet.ShardReport, _ number: ShardNumber) {
    self = .object([
      "shard": .integer(Int64(number.value)), "records": JSONValue(report.records),
      "accounts": JSONValue(count: report.accounts), "digest": JSONValue(report.digest),
      "damage": JSONValue(report.damage),
    ])
  }
}

struct FleetRecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Makes a new fleet from what can be read of a damaged one.",
    discussion: """
      Every shard is read without trusting what leads to its records; those whose digest is right \
      are kept, and everything else is derived from them again. The damaged files are not changed. \
      Storing into the new fleet continues where the old one was.

      Exit codes: 0 everything was saved, 1 something is lost, 2 bad usage or bad input.

      Examples:
        rollcall fleet recover fleet -o recovered
      """)

  @OptionGroup var fleet: FleetArgument

  @Option(
    name: [.customShort("o"), .customLong("output")], help: "The folder of the new fleet.",
    completion: .directory)
  var target: String

  func run() throws {
    var (kept, isWhole) = (0, true)
    try FleetFailure.naming(fleet.folder) {
      try Fleet.recover(fleet.folder, into: target) { number, result in
        do {
          let recovery = try FleetFailure.naming(number.fileName) { try result.get() }
          let salvage = recovery.salvage
          kept += Int(clamping: salvage.kept)
          guard salvage.firstBad != nil || !salvage.endIsKnown || recovery.unattributed > 0 else {
            return
          }
          isWhole = false
          var words = "\(number.fileName): \(salvage.kept) of \(salvage.last) records"
          if !salvage.lost.isEmpty { words += "; lost: \(salvage.lostText)" }
          if recovery.unattributed > 0 {
            words += "; \(recovery.unattributed) records of unknown accounts"
          }
          try Terminal.say(words.visible)
        } catch let failure as Failure {
          isWhole = false
          Terminal.complain("\(failure)")
        }
      }
    }
    try Terminal.say("\(target): \(kept) records saved".visible)
    guard isWhole else { throw NothingFound(sentence: nil) }
  }
}

struct FleetEraseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Removes an account and all its records from a fleet.",
    discussion: """
      The account's shard is written anew without it, and takes the place of the old file. What \
      the records of other accounts say about it stays, and so do the lines in spools that were \
      not deleted: a fleet that is made from them has the account again.

      Exit codes: 0 done, 1 the fleet has no such account, 2 bad usage or bad input.

      Examples:
        rollcall fleet erase fleet alice@example.test
      """)

  @OptionGroup var fleet: FleetArgument

  @Argument(help: "The account.")
  var account: String

  func run() throws {
    let account = try FleetArgument.account(account)
    let opened = try fleet.open()
    let erased = try FleetFailure.naming(opened.folder) {
      do {
        return try opened.erase(account)
      } catch FleetError.noAccount(let account) {
        throw NothingFound(sentence: "\(FleetError.noAccount(account))")
      }
    }
    try Terminal.say("\(erased) records of \(account.text) erased".visible)
  }
}

struct FleetFindingsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "Lists what the records of a fleet's accounts show to be wrong.",
    discussion: """
      The findings about rosters and sessions that rollcall findings prints, of all accounts: \
      forged pushes, requests accepted by nobody, emptied rosters. Each account is replayed, so \
      this takes a while. Findings about messages are not among them.

      Exit codes: 0 done, 1 there are none, a part cannot be read, or --fail-on found some, 2 bad \
      usage or bad input.

      Examples:
        rollcall fleet findings fleet
        rollcall fleet findings fleet --code foreign-push --jsonl
      """)

  @OptionGroup var fleet: FleetArgument

  @Option(help: "Only findings of this kind.")
  var code: String?

  @Option(help: "Exit with 1 if there is a finding of this severity or a worse one.")
  var failOn: SeverityOption?

  @OptionGroup var output: ListOutputOptions

  func validate() throws {
    guard let code, Finding.Code(rawValue: code) == nil else { return }
    throw ValidationError("“\(code)” is no finding about a roster; rollcall findings --help")
  }

  func run() throws {
    let opened = try fleet.open()
    var rows = FleetRows(output, "findings", ["account", "record", "kind", ""])
    var failures = ShardFailures()
    var hasFailed = false
    try opened.forEachShard {
      try $0.findings()
    } _: { number, result in
      try failures.collect(opened.path(of: number)) {
        for (account, findings) in try result.get() {
          for finding in findings where code.map({ finding.code.rawValue == $0 }) ?? true {
            if let failOn, finding.severity.weight >= failOn.severity.weight { hasFailed = true }
            try rows.add(
              [account.text, "#\(finding.record)", finding.code.rawValue, finding.sentence],
              JSONValue(.roster(finding)).adding(["account": .string(account.text)]))
          }
        }
      }
    }
    try rows.finish(failures, nothing: "no findings")
    if hasFailed { throw NothingFound(sentence: nil) }
  }
}

extension FleetShard {
  /// The findings of each account that has any.
  fileprivate func findings() throws -> [(BareJID, [Finding])] {
    var accounts: [BareJID] = []
    try forEachAccount { accounts.append($0.account) }
    var found: [(BareJID, [Finding])] = []
    for account in accounts {
      let log = try EventLog.temporary()
      try writeLog(of: account, into: log)
      let findings = try Timeline(log).findings()
      if !findings.isEmpty { found.append((account, findings)) }
    }
    return found
  }
}
