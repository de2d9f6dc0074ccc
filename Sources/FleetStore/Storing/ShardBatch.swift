import Captures
import EventStore
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

/// What one transaction of a shard writes, while it is being made.
struct ShardBatch {
  private let log: EventLog
  private let source: SourceNumber
  var arena = RecordArena()
  var outcome = ShardWriter.Outcome()
  private(set) var works: [BareJID: AccountWork] = [:]
  /// The accounts, in the order in which they appeared.
  private(set) var order: [BareJID] = []
  private(set) var finished: [BareJID: FinishedAccount] = [:]
  private(set) var newConnections: [NewConnection] = []
  private(set) var nextAccount: AccountNumber
  private(set) var nextConnection: UInt32
  /// The connections that were looked up, by account and name.
  private var known: [AccountNumber: [String: (number: UInt32, own: UInt32)]] = [:]
  private var hasRecords = false

  init(_ writer: ShardWriter, _ source: SourceNumber) throws {
    log = writer.shard.log
    self.source = source
    (nextAccount, nextConnection) = writer.next
  }

  var isEmpty: Bool { !hasRecords }

  /// For each account that has some, how many stored rosters there were.
  var storedRosters: [BareJID: Int] {
    works.compactMapValues {
      $0.row.storedRosters == 0 ? nil : Int(clamping: $0.row.storedRosters)
    }
  }

  // MARK: Accounts

  /// Loads what is known about an account.
  mutating func load(_ account: BareJID) throws {
    guard works[account] == nil else { return }
    let found = try log.read { transaction -> (AccountNumber, AccountRow)? in
      guard let number = try transaction.number(of: account) else { return nil }
      guard let row = try transaction.account(number) else {
        throw EventLogError.corruptEntry("the account with number \(number) is missing")
      }
      return (number, row)
    }
    if let (number, row) = found {
      works[account] = AccountWork(number, row, isNew: false)
    } else {
      works[account] = AccountWork(0, AccountRow(account), isNew: true)
    }
    order.append(account)
  }

  mutating func add(_ record: CapturedRecord) throws {
    guard let account = record.account else { return }
    try load(account)
    works[account]?.records.append(record)
    hasRecords = true
  }

  /// A number for a new account, which has records.
  mutating func takeNumber() -> AccountNumber {
    defer { nextAccount += 1 }
    outcome.newAccounts += 1
    return nextAccount
  }

  mutating func note(storedRosters counts: [BareJID: Int]) {
    for (account, count) in counts { works[account]?.row.storedRosters = UInt64(count) }
  }

  func head(of account: AccountNumber) throws -> Roster {
    guard let roster = try log.read({ try $0.head(account) }) else {
      throw EventLogError.corruptEntry(
        "the roster of the account with number \(account) is missing")
    }
    return roster
  }

  /// Takes what an account's records led to.
  mutating func finish(_ work: inout AccountWork) throws {
    let number = work.number
    let (head, ends) = try work.finish { contact in
      try log.read {
        try $0.row(ShardTable.ends, ShardKey.end(contact.text, number), as: EndRow.self)
      }
    }
    work.row.last = UInt64(arena.count)
    finished[work.row.account] = FinishedAccount(
      number: work.number, row: work.row, head: HeadCoding.bytes(head), ends: ends,
      isNew: work.isNew)
    // Its memory is not needed again.
    works[work.row.account] = nil
  }

  // MARK: Connections

  /// The connection of an account that the source calls so, in the shard and in a log of the
  /// account alone. A new one is recorded before its first record.
  mutating func connection(
    named name: String, _ work: inout AccountWork
  ) throws -> (number: UInt32, own: UInt32) {
    let account = work.number
    if let found = known[account]?[name] { return found }
    let key = ShardKey.link(account, source, name)
    let stored =
      try work.isNew
      ? nil
      : log.read { transaction -> (UInt32, UInt32)? in
        guard let bytes = try transaction.value(ShardTable.links, key),
          let number = ShardKey.lastNumber(bytes.span.bytes)
        else { return nil }
        guard let row = try transaction.connection(number) else {
          throw EventLogError.corruptEntry("the connection with number \(number) is missing")
        }
        return (number, row.own)
      }
    let found: (number: UInt32, own: UInt32)
    if let stored {
      found = stored
    } else {
      work.row.connections += 1
      found = (nextConnection, work.row.connections)
      nextConnection += 1
      let row = ConnectionRow(account: account, own: found.own, source: source, name: name)
      newConnections.append(NewConnection(number: found.number, row: row, key: key))
      ShardRecord.connection(of: work.row.account, source: source, name: name)
        .add(to: &arena, on: found.number)
    }
    known[account, default: [:]][name] = found
    return found
  }
}

/// What the transaction writes about an account.
struct FinishedAccount: Sendable {
  let number: AccountNumber
  /// Its `last` is counted from the transaction's first record, from 1.
  let row: AccountRow
  let head: [UInt8]
  let ends: [(contact: BareJID, row: EndRow?)]
  let isNew: Bool

  /// - Parameter first: The number of the transaction's first record.
  func write(
    to transaction: borrowing WriteTransaction, first: UInt64
  ) throws(EventLogError) {
    var row = row
    row.last += first - 1
    try transaction.set(ShardTable.accounts, ShardKey.number(number), to: row.canonicalBytes)
    if isNew {
      try transaction.set(
        ShardTable.numbers, ShardKey.text(row.account.text), to: ShardKey.number(number))
    }
    try transaction.set(ShardTable.heads, ShardKey.number(number), to: head)
    for (contact, end) in ends {
      try transaction.set(
        ShardTable.ends, ShardKey.end(contact.text, number), to: end?.canonicalBytes)
    }
  }
}

/// A connection that the transaction names.
struct NewConnection: Sendable {
  let number: UInt32
  let row: ConnectionRow
  let key: [UInt8]

  func write(to transaction: borrowing WriteTransaction) throws(EventLogError) {
    try transaction.set(ShardTable.connections, ShardKey.number(number), to: row.canonicalBytes)
    try transaction.set(ShardTable.links, key, to: ShardKey.number(number))
  }
}
