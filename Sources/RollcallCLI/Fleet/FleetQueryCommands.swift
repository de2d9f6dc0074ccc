import ArgumentParser
import Captures
import FleetStore
import Rollcall
import XMPPStanza

struct FleetWhoHasCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "who-has",
    abstract: "Lists the accounts of a fleet that have a contact.",
    discussion: """
      Each account whose roster has the contact, that asks it or is asked by it, with the \
      subscription, what awaits an answer, and since which record of the account it is so. A \
      domain after an @ finds all its contacts.

      Exit codes: 0 done, 1 none has it or a part cannot be read, 2 bad usage or bad input.

      Examples:
        rollcall fleet who-has fleet bob@example.test
        rollcall fleet who-has fleet @spam.example --jsonl
        rollcall fleet who-has fleet bob@example.test --subscription both
      """)

  @OptionGroup var fleet: FleetArgument

  @Argument(help: "The contact's address, or @ and a domain.")
  var contact: String

  @Option(help: "Only contacts with this subscription.")
  var subscription: Subscription?

  @OptionGroup var output: ListOutputOptions

  /// The subscriptions of items, as in a roster.
  enum Subscription: String, CaseIterable, ExpressibleByArgument {
    case none, to, from, both
  }

  func run() throws {
    let query: ContactQuery
    do {
      query = try ContactQuery(parsing: contact)
    } catch {
      throw Failure("“\(contact)” is not an address: \(error)".visible)
    }
    let opened = try fleet.open()
    var rows = FleetRows(
      output, "ends", ["account", "contact", "subscription", "open", "since", ""])
    var failures = ShardFailures()
    try opened.forEachShard {
      try $0.ends(query)
    } _: { number, result in
      try failures.collect(opened.path(of: number)) {
        for end in try result.get() {
          if let subscription,
            subscription.rawValue != end.row.facts.subscription?.rawValue
          {
            continue
          }
          try rows.add(end.cells, JSONValue(end))
        }
      }
    }
    try rows.finish(failures, nothing: "no account has it")
  }
}

extension FoundEnd {
  fileprivate var cells: [String] {
    let facts = row.facts
    var open: [String] = []
    if facts.isPending || facts.outgoing != .none { open.append("asks it") }
    switch facts.incoming {
    case .open: open.append("is asked")
    case .unconfirmed: open.append("was asked")
    case .none: break
    }
    return [
      account.text, contact.text, facts.subscription?.rawValue ?? "not in the roster",
      open.joined(separator: ", "), "#\(row.record)", row.time.map(Timestamp.text) ?? "",
    ]
  }
}

extension JSONValue {
  /// An end of a subscription.
  init(_ end: FoundEnd) {
    let facts = end.row.facts
    self = .object([
      "account": .string(end.account.text), "contact": .string(end.contact.text),
      "subscription": JSONValue(facts.subscription?.rawValue),
      "ask": facts.isPending ? .string("subscribe") : .null,
      "approved": .bool(facts.isApproved), "asks": .bool(facts.outgoing != .none),
      "asked": .bool(facts.incoming == .open),
      "askedUnconfirmed": .bool(facts.incoming == .unconfirmed),
      "blocked": .bool(facts.isBlocked), "complete": .bool(end.isComplete),
      "since": JSONValue(end.row.record), "time": JSONValue(time: end.row.time),
    ])
  }
}

struct FleetRequestsCommand: ParsableCommand, LogReading {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "Lists the requests of a fleet that await an answer.",
    discussion: """
      The requests of accounts to contacts, and those of contacts to accounts. --unanswered lists \
      those that are at least so old, by the newest time that any spool has.

      Exit codes: 0 done, 1 there are none or a part cannot be read, 2 bad usage or bad input.

      Examples:
        rollcall fleet requests fleet
        rollcall fleet requests fleet --unanswered 7d --to @example.test
      """)

  @OptionGroup var fleet: FleetArgument

  @Option(help: "Only requests that are at least so old: 90m, 12h, 7d.")
  var unanswered: FleetAge?

  @Option(help: "Only requests to this address, or to a domain after an @.")
  var to: String?

  @OptionGroup var output: ListOutputOptions

  func run() throws {
    let query: ContactQuery?
    do {
      query = try to.map { try ContactQuery(parsing: $0) }
    } catch {
      throw Failure("--to “\(to ?? "")” is not an address: \(error)".visible)
    }
    let opened = try fleet.open()
    var end: Int64?
    if let unanswered {
      guard let newest = opened.newest else {
        throw Failure("\(opened.folder): no record has a time, so no request has an age".visible)
      }
      end = newest.subtractingReportingOverflow(unanswered.milliseconds).partialValue
    }
    var rows = FleetRows(output, "requests", ["from", "to", "since", "", "in the roster of"])
    var failures = ShardFailures()
    try opened.forEachShard { [end] in
      try $0.openRequests(before: end)
    } _: { number, result in
      try failures.collect(opened.path(of: number)) {
        for request in try result.get() where query.map({ request.target.matches($0) }) ?? true {
          try rows.add(
            [
              request.sender.text, request.target.text, "#\(request.since.record)",
              request.since.time.map(Timestamp.text) ?? "", request.account.text,
            ],
            .object([
              "account": .string(request.account.text), "contact": .string(request.contact.text),
              "kind": .string(request.kind.rawValue), "since": JSONValue(request.since.record),
              "time": JSONValue(time: request.since.time),
            ]))
        }
      }
    }
    try rows.finish(failures, nothing: "no requests")
  }
}

extension OpenRequest {
  fileprivate var sender: BareJID { kind == .outgoing ? account : contact }
  fileprivate var target: BareJID { kind == .outgoing ? contact : account }
}

extension BareJID {
  fileprivate func matches(_ query: ContactQuery) -> Bool {
    switch query {
    case .contact(let contact): self == contact
    case .domain(let domain): self.domain == domain
    }
  }
}

/// A length of time, such as `90m` or `7d`.
struct FleetAge: ExpressibleByArgument {
  let milliseconds: Int64

  init?(argument: String) {
    let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
    guard let unit = argument.last.flatMap({ units[$0] }),
      let count = Int64(argument.dropLast()), count >= 0
    else { return nil }
    let (value, overflows) = count.multipliedReportingOverflow(by: unit)
    guard !overflows else { return nil }
    milliseconds = value
  }
}
