import ArgumentParser
import Captures
import EventStore
import FleetStore
import Foundation
import Rollcall
import RosterCore
import XMPPStanza

struct FleetDisagreementsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "disagreements",
    abstract: "Finds subscriptions whose two ends disagree, among all accounts of a fleet.",
    discussion: """
      A subscription is stored twice, in the rosters of both accounts. Each pair of which the \
      fleet knows both rosters is compared, by the rules of rollcall between. For each \
      disagreement, the answer names the record of either account since which it is so, the end \
      that is right, and the repair as a command for the server. Nothing is ever changed.

      A pair that changed less than a minute before the newest record may be settling, and is \
      counted, as are the contacts whose roster is not recorded. --full prints the answer of \
      rollcall between for each.

      Exit codes: 0 the ends do not disagree, 1 they disagree or a part cannot be read, 2 bad \
      usage or bad input.

      Examples:
        rollcall fleet disagreements fleet
        rollcall fleet disagreements fleet --domain example.test --jsonl
      """)

  @OptionGroup var fleet: FleetArgument

  @Option(help: "Only pairs with an account of this domain.")
  var domain: String?

  @Option(help: "How long the news of a change may take: 60s, if it is not given.")
  var settling: FleetAge?

  @Flag(help: "Print what both logs say about each, as rollcall between does.")
  var full = false

  @OptionGroup var output: ListOutputOptions

  func run() throws {
    let domain = try FleetArgument.domain(domain)
    let opened = try fleet.open()
    var failures = ShardFailures()
    var status = StatusLine()
    var list = output.list("disagreements")
    let repairs = FleetRepairs(opened)
    let search = try FleetFailure.naming(opened.folder) {
      var search = DisagreementSearch(opened) { number, error in
        failures.note("\(Failure(error, in: opened.path(of: number)))")
      }
      let settling = settling?.milliseconds ?? EndsComparison.settling
      try search.run(domain: domain, settling: settling) {
        status.show($0)
      } _: { found in
        status.clear()
        let commands = try repairs.commands(for: found)
        if output.isForMachines {
          try list.add(JSONValue(found, commands))
        } else {
          try Terminal.say(found.lines(commands).map(\.visible))
          if full { try Terminal.say(try repairs.answer(found).map { "  \($0)".visible }) }
        }
      }
      return search
    }
    status.clear()
    let counts = search.counts
    if output.isForMachines {
      try list.finish(counts.members)
    } else {
      try Terminal.say(counts.sentences)
    }
    guard counts.disagreements == 0, failures.count == 0 else {
      throw NothingFound(sentence: failures.sentence)
    }
  }
}

extension DisagreementSearch.Counts {
  fileprivate var sentences: [String] {
    var lines = [
      "\(pairs) pairs of \(accounts) accounts compared: "
        + (disagreements == 0 ? "no disagreement" : "\(disagreements) disagreements")
    ]
    if settling > 0 { lines.append("\(settling) may still be settling") }
    if blocked > 0 {
      lines.append("\(blocked) differ and are blocked, so no server tells the other")
    }
    if unknownAccounts > 0 { lines.append("\(unknownAccounts) accounts whose roster is not known") }
    if oneSided > 0 {
      lines.append("\(oneSided) contacts on these servers whose roster is not known")
    }
    if elsewhere > 0 { lines.append("\(elsewhere) contacts on other servers") }
    return lines
  }

  fileprivate var members: [String: JSONValue] {
    [
      "accounts": JSONValue(count: accounts), "unknownAccounts": JSONValue(count: unknownAccounts),
      "pairs": JSONValue(count: pairs), "oneSided": JSONValue(count: oneSided),
      "elsewhere": JSONValue(count: elsewhere), "settling": JSONValue(count: settling),
      "blocked": JSONValue(count: blocked), "unreadableShards": JSONValue(count: unreadableShards),
    ]
  }
}

extension FoundDisagreement {
  fileprivate func lines(_ commands: [String]) -> [String] {
    let (a, b) = (subscriber.account.text, owner.account.text)
    let right = end(mismatch.authority).account.text
    return [
      "\(a) and \(b): \(mismatch.rawValue)",
      "  \(a): \(subscriber.words(as: .subscriber)), since #\(subscriber.row.record)",
      "  \(b): \(owner.words(as: .owner)), since #\(owner.row.record)",
      "  \(right) is right",
    ] + commands.map { "  repair: \($0)" }
  }
}

extension FoundEnd {
  /// What this end says, after its name.
  fileprivate func words(as side: SubscriptionSide) -> String {
    let facts = row.facts
    let subscription = facts.subscription.map { "“\($0.rawValue)”" } ?? "not in the roster"
    switch side {
    case .subscriber:
      return subscription
        + (facts.isPending || facts.outgoing != .none ? ", asks to subscribe" : "")
    case .owner: return subscription + (facts.incoming == .open ? ", has a request" : "")
    }
  }
}

extension JSONValue {
  fileprivate init(_ found: FoundDisagreement, _ commands: [String]) {
    self = .object([
      "mismatch": .string(found.mismatch.rawValue),
      "right": .string(found.end(found.mismatch.authority).account.text),
      "subscriber": JSONValue(found.subscriber), "owner": JSONValue(found.owner),
      "repairs": JSONValue(commands),
    ])
  }
}

/// The repairs of disagreements, and what the logs of both accounts say about them.
struct FleetRepairs {
  private let fleet: Fleet
  private let servers: [ServerProgram]

  init(_ fleet: Fleet) {
    self.fleet = fleet
    let named = Set(fleet.note.sources.compactMap { ServerProgram(named: $0.server) })
    servers = ServerProgram.allCases.filter { named.isEmpty || named.contains($0) }
  }

  func commands(for found: FoundDisagreement) throws -> [String] {
    let edit = try RosterEdit(found) { account, contact in
      try fleet.view(of: account)?.roster.item(contact)
    }
    guard let edit else {
      let steps = found.mismatch.repairs.first?.steps ?? []
      return steps.map { step in
        let (sender, other) = (found.end(step.sender), found.end(step.sender.opposite))
        return "\(sender.account.text) sends “\(step.kind.rawValue)” to \(other.account.text)"
      }
    }
    return servers.map { edit.command(for: $0) }
  }

  /// The answer of `rollcall between` about two accounts.
  func answer(_ found: FoundDisagreement) throws -> [String] {
    let logs = try [found.subscriber, found.owner].map { end in
      let log = try EventLog.temporary()
      try fleet.writeLog(of: end.account, into: log)
      return Timeline(log)
    }
    let ends = try TwoEnds(logs[0], upTo: .head, logs[1], upTo: .head)
    return ends.answers.flatMap(\.lines)
  }
}
