import Captures
import EventStore
import FleetStore
import Rollcall

/// The rows that a command about a fleet prints, as a table or for machines.
struct FleetRows {
  private let output: ListOutputOptions
  private var list: DocumentList
  private var table: Table
  private(set) var count = 0
  /// The number of rows that are aligned with each other, so that memory stays bounded.
  private static let rowsAtOnce = 500

  init(_ output: ListOutputOptions, _ key: String, _ heading: [String]) {
    self.output = output
    list = output.list(key)
    table = Table(heading)
  }

  mutating func add(_ cells: [String], _ document: @autoclosure () -> JSONValue) throws {
    count += 1
    guard !output.isForMachines else { return try list.add(document()) }
    table.add(cells)
    if count.isMultiple(of: Self.rowsAtOnce) { try Terminal.say(table.takeLines()) }
  }

  /// Prints the rest.
  ///
  /// - Parameters:
  ///   - others: Further members of the document.
  ///   - nothing: The sentence for no rows.
  /// - Throws: `NothingFound` if there were no rows, or if a shard could not be read.
  mutating func finish(
    _ failures: ShardFailures, _ others: [String: JSONValue] = [:], nothing: String
  ) throws {
    if output.isForMachines {
      try list.finish(
        others.merging(["unreadableShards": JSONValue(count: failures.count)]) { own, _ in own })
    } else if count == 0 {
      try Terminal.say(nothing)
    } else if !count.isMultiple(of: Self.rowsAtOnce) {
      try Terminal.say(table.takeLines())
    }
    if count == 0 || failures.count > 0 { throw NothingFound(sentence: failures.sentence) }
  }
}

/// The shards that could not be read: each is reported at once, and the others are read.
struct ShardFailures {
  private(set) var count = 0

  /// Runs `body`, which reads a shard.
  mutating func collect(_ path: String, _ body: () throws -> Void) throws {
    do {
      try FleetFailure.naming(path, body)
    } catch let failure as Failure {
      note("\(failure)")
    }
  }

  mutating func note(_ problem: String) {
    count += 1
    Terminal.complain(problem.visible)
  }

  var sentence: String? {
    count == 0 ? nil : "\(count) shards could not be read; rollcall fleet verify says more"
  }
}

extension FleetShard {
  /// The number of accounts that are read in one transaction.
  private static let accountsAtOnce = 1000

  /// Passes each account to `body`, while no transaction is open.
  func forEachAccount(_ body: (AccountRow) throws -> Void) throws {
    var next: AccountNumber = 0
    while true {
      var rows: [AccountRow] = []
      try log.read { transaction in
        try transaction.forEachAccount(from: next) { number, row in
          rows.append(row)
          next = number + 1
          return rows.count < Self.accountsAtOnce
        }
      }
      for row in rows { try body(row) }
      guard rows.count == Self.accountsAtOnce else { return }
    }
  }
}
