import Captures
import EventStore
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

/// Makes a shard from records: everything in it follows from them.
///
/// Verification makes a second shard this way and compares it, recovery makes one from what can be
/// read of a damaged one, and to erase an account is to leave its records out.
struct ShardRebuilder {
  private let target: FleetShard
  /// The numbers of the sources, by their names.
  private let sources: [String: SourceNumber]
  private let reader = RecordReader()
  private var credentials = Credentials()
  private var arena = RecordArena()
  private var works: [AccountNumber: AccountWork] = [:]
  private var order: [AccountNumber] = []
  private var numbers: [BareJID: AccountNumber] = [:]
  private var connections: [UInt32: Connection] = [:]
  private var newConnections: [NewConnection] = []
  private var positions: [SourceNumber: PositionRow] = [:]
  /// Up to where the shard has each source, as its last records say.
  private(set) var found: [String: PositionRow] = [:]
  /// The records whose connection no record names, so that their account is not known.
  private(set) var unattributed = 0
  private(set) var records: UInt64 = 0

  /// A connection of the shard while records are read.
  private struct Connection {
    var row: ConnectionRow
    let account: BareJID
    /// Whether it has not ended, and whether its client has asked for a resource.
    var open: OpenRow?
  }

  /// What is written about connections that began or ended, by key: a later run of the server uses
  /// the same numbers.
  private var open: [[UInt8]: OpenRow?] = [:]

  /// The number of records that are stored in one transaction.
  private static let recordsAtOnce = 5000

  init(_ target: FleetShard, sources: [String: SourceNumber]) {
    (self.target, self.sources) = (target, sources)
  }

  /// Adds the next record. Records are given in their order.
  mutating func add(_ header: RecordHeader, _ bytes: [UInt8]) throws {
    switch header.kind {
    case ShardRecord.connectionKind, ShardRecord.positionKind:
      guard let record = try? ShardRecord.decode(bytes.span.bytes) else {
        throw EventLogError.corrupt(sequence: header.sequence, what: "it cannot be read")
      }
      try add(record, on: header.connection)
    default: try addOfAccount(header, bytes)
    }
    if arena.count >= Self.recordsAtOnce { try flush() }
  }

  private mutating func add(_ record: ShardRecord, on number: UInt32) throws {
    switch record {
    case .position(let source, let row):
      found[source] = row
      if let number = sources[source] { positions[number] = row }
      record.add(to: &arena)
    case .connection(let account, let source, let name):
      let accountNumber = try load(account)
      works[accountNumber]?.row.connections += 1
      let own = works[accountNumber]?.row.connections ?? 1
      if name.contains("-stored") { works[accountNumber]?.row.storedRosters += 1 }
      let row = ConnectionRow(account: accountNumber, own: own, source: source, name: name)
      connections[number] = Connection(row: row, account: account)
      newConnections.append(
        NewConnection(
          number: number, row: row, key: ShardKey.link(accountNumber, source, name)))
      record.add(to: &arena, on: number)
    }
  }

  private mutating func addOfAccount(_ header: RecordHeader, _ bytes: [UInt8]) throws {
    guard var connection = connections[header.connection] else {
      unattributed += 1
      return
    }
    let account = connection.row.account
    _ = try load(connection.account)
    guard var work = works[account] else { return }
    works[account] = nil
    arena.add(
      time: header.ownTime, direction: header.direction, kind: header.kind,
      connection: header.connection, bytes: bytes.span.bytes)
    connection.account.text.withUTF8Bytes { arena.addContact($0) }
    let parts = reader.decode(header.kind, header.direction, bytes)
    try work.reduce(
      parts.event?.span.bytes, time: header.ownTime, on: connection.row.own)
    // Every account's first record names it, or a header before it does.
    work.row.isAnnounced = true
    if header.kind == .element, let node = reader.element(bytes) {
      credentials.privateFields = work.row.privateFields
      _ = credentials.removed(from: .element(.inbound, node, bytes: []))
      work.row.privateFields = credentials.privateFields
    }
    work.row.last = UInt64(arena.count)
    works[account] = work
    follow(header, bytes, &connection)
    connections[header.connection] = connection
    records += 1
  }

  /// Follows whether a connection is open, as the reader of a spool does.
  private mutating func follow(
    _ header: RecordHeader, _ bytes: [UInt8], _ connection: inout Connection
  ) {
    guard let number = SpoolConnection.number(of: connection.row.name) else { return }
    let isBinding: Bool?
    switch header.kind {
    case .element:
      let node = reader.element(bytes)
      let asks = node?.child("bind", in: Namespace.bind) != nil
      // The answer has the resource, so nothing else is recorded of the opening.
      isBinding = asks ? header.direction == .outbound : connection.open?.isBinding ?? false
    case .lifecycle:
      switch Lifecycle(bytes) {
      case .closed: isBinding = nil
      case .opened, .resumed, .authenticated: isBinding = false
      case .header, .connected, .secured, .verified, .unverified, .recorded, nil: return
      }
    default: return
    }
    connection.open = isBinding.map { OpenRow(account: connection.account, isBinding: $0) }
    open[ShardKey.open(connection.row.source, number)] = .some(connection.open)
  }

  private mutating func load(_ account: BareJID) throws -> AccountNumber {
    if let number = numbers[account] {
      if works[number] == nil {
        let (row, roster) = try target.log.read { transaction in
          (try transaction.account(number), try transaction.head(number))
        }
        guard let row, let roster else {
          throw EventLogError.corruptEntry("the account with number \(number) is missing")
        }
        var work = AccountWork(number, row, isNew: false)
        work.row.last = 0
        work.begin(roster)
        works[number] = work
        order.append(number)
      }
      return number
    }
    let number = AccountNumber(numbers.count + 1)
    numbers[account] = number
    var work = AccountWork(number, AccountRow(account), isNew: true)
    work.begin(Roster())
    works[number] = work
    order.append(number)
    return number
  }

  /// Stores what was added.
  mutating func flush() throws {
    var finished: [FinishedAccount] = []
    for number in order {
      guard var work = works[number] else { continue }
      let former = work.row.last
      let (head, ends) = try work.finish { contact in
        try target.log.read {
          try $0.row(ShardTable.ends, ShardKey.end(contact.text, number), as: EndRow.self)
        }
      }
      work.row.last = former
      finished.append(
        FinishedAccount(
          number: number, row: work.row, head: HeadCoding.bytes(head), ends: ends,
          isNew: work.isNew))
    }
    let (open, new, positions) = (open, newConnections, positions)
    try target.log.append(arena) { (transaction, numbers) throws(EventLogError) in
      for account in finished { try account.write(to: transaction, first: numbers.lowerBound) }
      for connection in new { try connection.write(to: transaction) }
      for (number, row) in positions {
        try transaction.set(
          ShardTable.positions, ShardKey.number(number), to: row.canonicalBytes)
      }
      for (key, row) in open {
        try transaction.set(ShardTable.open, key, to: row?.canonicalBytes)
      }
    }
    self.open = [:]
    arena.removeAll()
    (works, order, newConnections) = ([:], [], [])
  }
}

/// The names that spools give to connections.
enum SpoolConnection {
  /// The number of a connection in its run of the server; nil for a stored roster.
  static func number(of name: String) -> Int64? {
    Int64(name.split(separator: "-").last ?? "")
  }
}
