import Captures
import EventStore
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

/// Stores lines in one shard. Used by one thread at a time; after an error, it must not be used
/// again.
final class ShardWriter {
  let shard: FleetShard
  private let hook: StepHook
  private var sources: [SourceNumber: SourceState]
  private var nextAccount: AccountNumber
  private var nextConnection: UInt32
  private let intake = SpoolIntake()
  private var credentials = Credentials()

  /// What a shard has of a source.
  struct SourceState {
    var position: SpoolPosition
    /// What the lines so far say; `storedRosters` is in the rows of the accounts.
    var spool: SpoolState
  }

  /// What came of some lines.
  struct Outcome: Sendable {
    var records = 0
    var newAccounts = 0
    var problems: [CaptureProblem] = []
  }

  /// - Parameter floors: For each source, a position and the run of the server there; before it,
  ///   there is nothing that this shard lacks.
  init(
    _ shard: FleetShard, floors: [SourceNumber: (position: SpoolPosition, boot: String)],
    _ hook: @escaping StepHook
  ) throws {
    (self.shard, self.hook) = (shard, hook)
    (sources, nextAccount, nextConnection) = try shard.log.read { transaction in
      var sources: [SourceNumber: SourceState] = [:]
      for (source, floor) in floors {
        sources[source] = try Self.state(of: source, floor, in: transaction)
      }
      let account = try transaction.lastKey(ShardTable.accounts)
      let connection = try transaction.lastKey(ShardTable.connections)
      func next(_ key: [UInt8]?) -> UInt32 {
        (key.flatMap { ShardKey.lastNumber($0.span.bytes) } ?? 0) + 1
      }
      return (sources, next(account), max(FleetShard.ownConnection + 1, next(connection)))
    }
  }

  private static func state(
    of source: SourceNumber, _ floor: (position: SpoolPosition, boot: String),
    in transaction: borrowing ReadTransaction
  ) throws -> SourceState {
    let row: PositionRow? = try transaction.row(ShardTable.positions, ShardKey.number(source))
    var open: [Int64: SpoolState.Connection] = [:]
    let first = ShardKey.number(source)
    try transaction.forEachEntry(ShardTable.open, from: first) { key, value in
      guard key.byteCount == 12, key.bigEndian(at: 0, as: UInt32.self) == source else {
        return false
      }
      let entry: OpenRow = try Row.read(value, of: ShardTable.open)
      let number = Int64(bitPattern: key.bigEndian(at: 4, as: UInt64.self))
      open[number] = SpoolState.Connection(account: entry.account, isBinding: entry.isBinding)
      return true
    }
    // The first line of another run would have closed what is open.
    let isAhead = row.map { $0.upto >= floor.position } ?? false
    return SourceState(
      position: max(row?.upto ?? .start, floor.position),
      spool: SpoolState(boot: isAhead ? row?.boot ?? "" : floor.boot, open: open))
  }

  /// Up to where the shard has a source.
  func position(of source: SourceNumber) -> SpoolPosition { sources[source]?.position ?? .start }

  /// Adds a source of which the shard has nothing.
  func add(_ source: SourceNumber, _ floor: (position: SpoolPosition, boot: String)) {
    guard sources[source] == nil else { return }
    sources[source] = SourceState(position: floor.position, spool: SpoolState(boot: floor.boot))
  }

  /// Notes that everything up to a position was given to this shard, and that nothing of the end of
  /// it was about an account of it.
  func advance(_ source: SourceNumber, to position: SpoolPosition) {
    guard let state = sources[source], state.position < position else { return }
    sources[source]?.position = position
  }

  // MARK: Storing

  /// Stores what the shard does not have of some lines, in one transaction.
  ///
  /// - Parameters:
  ///   - after: The position that the lines follow.
  ///   - upto: The position at which they end.
  func store(
    _ lines: [SourceLine], of source: SourceNumber, named id: String, after: SpoolPosition,
    upto: SpoolPosition
  ) throws -> Outcome {
    guard var state = sources[source] else {
      throw FleetError.missingLines(shard.number.fileName)
    }
    let first: SpoolPosition
    switch Admission(have: state.position, after: after, upto: upto) {
    case .skip: return Outcome()
    case .refuse: throw FleetError.missingLines(shard.number.fileName)
    case .take(let from): first = from
    }
    var batch = try ShardBatch(self, source)
    let boot = state.spool.boot
    try read(lines.filter { $0.position >= first }, from: &state, into: &batch)
    state.position = upto
    guard !batch.isEmpty || !state.spool.changed.isEmpty else {
      // Nothing is lost if this is forgotten: the lines have nothing for this shard.
      if state.spool.boot != boot { state.spool.changed = [] }
      sources[source] = state
      return batch.outcome
    }
    try derive(&batch)
    try hook(.willCommit(shard.number))
    try commit(batch, state, source, id)
    try hook(.committed(shard.number))
    state.spool.changed = []
    sources[source] = state
    (nextAccount, nextConnection) = (batch.nextAccount, batch.nextConnection)
    return batch.outcome
  }

  /// Reads lines into the records of their accounts.
  private func read(
    _ lines: [SourceLine], from state: inout SourceState, into batch: inout ShardBatch
  ) throws {
    for case let account? in lines.lazy.map(\.account) { try batch.load(account) }
    state.spool.storedRosters = batch.storedRosters
    intake.state = state.spool
    for line in lines {
      try intake.take(line.bytes, number: Int(clamping: line.position.offset)) { output in
        switch output {
        case .problem(let problem): batch.outcome.problems.append(problem)
        case .record(let record): try batch.add(record)
        }
      }
    }
    state.spool = intake.state
    batch.note(storedRosters: state.spool.storedRosters)
    state.spool.storedRosters = [:]
  }

  /// Turns the records into stored ones, account by account, and reduces them.
  private func derive(_ batch: inout ShardBatch) throws {
    var encoder = EventEncoder()
    for account in batch.order {
      guard var work = batch.works[account], !work.records.isEmpty else { continue }
      if work.isNew { work.number = batch.takeNumber() }
      work.begin(try work.isNew ? Roster() : batch.head(of: work.number))
      credentials.privateFields = work.row.privateFields
      var filter = AccountFilter(continuing: account, isAnnounced: work.row.isAnnounced)
      for var record in work.records {
        if let clean = credentials.removed(from: record.content) { record.content = clean }
        try filter.take(record) { try append($0, of: account, &work, &batch, &encoder) }
      }
      try filter.finish { try append($0, of: account, &work, &batch, &encoder) }
      work.row.isAnnounced = filter.isAnnounced
      work.row.privateFields = credentials.privateFields
      work.records = []
      try batch.finish(&work)
    }
  }

  private func append(
    _ record: CapturedRecord, of account: BareJID, _ work: inout AccountWork,
    _ batch: inout ShardBatch, _ encoder: inout EventEncoder
  ) throws {
    let connection = try batch.connection(named: record.connection, &work)
    encoder.encode(record.content)
    record.content.withStored { direction, kind, bytes in
      batch.arena.add(
        time: record.storedTime, direction: direction, kind: kind, connection: connection.number,
        bytes: bytes)
    }
    account.text.withUTF8Bytes { batch.arena.addContact($0) }
    batch.outcome.records += 1
    try work.reduce(encoder.storedEvent, time: record.storedTime, on: connection.own)
  }

  private func commit(
    _ batch: ShardBatch, _ state: SourceState, _ source: SourceNumber, _ id: String
  ) throws {
    var arena = batch.arena
    let position = PositionRow(upto: state.position, boot: state.spool.boot)
    ShardRecord.position(source: id, position).add(to: &arena)
    let accounts = batch.order
    try shard.log.append(arena) { (transaction, numbers) throws(EventLogError) in
      try transaction.set(
        ShardTable.positions, ShardKey.number(source), to: position.canonicalBytes)
      for connection in state.spool.changed {
        let row = state.spool.open[connection].map {
          OpenRow(account: $0.account, isBinding: $0.isBinding).canonicalBytes
        }
        try transaction.set(ShardTable.open, ShardKey.open(source, connection), to: row)
      }
      for account in accounts {
        guard let finished = batch.finished[account] else { continue }
        try finished.write(to: transaction, first: numbers.lowerBound)
      }
      for connection in batch.newConnections { try connection.write(to: transaction) }
    }
  }

  /// What the next transaction begins with.
  var next: (account: AccountNumber, connection: UInt32) { (nextAccount, nextConnection) }
}
