import EventStore
import Foundation
import RawBytes
import RosterCore
import XMPPStanza

extension Fleet {
  /// What a check of a shard has found.
  package struct ShardReport: Hashable, Sendable {
    package var records: UInt64 = 0
    package var accounts = 0
    /// The digest of the last pack, which covers all records; nil in an empty shard.
    package var digest: String?
    /// Each as a clause or a sentence.
    package var damage: [String] = []

    package init() {}
  }

  /// The number of damages of a shard that are reported.
  private static let maxDamages = 50

  /// Verifies a shard: the pages of its file, the chain of digests, the times, the index, and all
  /// that is derived, against a second shard that is made from the records.
  ///
  /// - Throws: `EventLogError` if the file is not a shard. Damage is not thrown.
  package func verify(_ number: ShardNumber) throws -> ShardReport {
    var report = ShardReport()
    let path = path(of: number)
    let pages = try EventLog.pageDamage(at: path, further: ShardTable.all)
    guard pages.isEmpty else {
      // LMDB must not read damaged pages.
      report.damage = pages.prefix(Self.maxDamages).map { "\($0)" }
      return report
    }
    do {
      let shard = try open(number)
      let copy = try FleetShard.unnamed(number)
      try shard.check(&report, rebuildingInto: copy, sources: sourceNumbers)
      if report.damage.isEmpty { report.damage = try shard.differences(from: copy) }
      report.damage = Array(report.damage.prefix(Self.maxDamages))
    } catch let error as EventLogError where error.code == .damaged {
      report.damage.append("\(error)")
    }
    return report
  }

  var sourceNumbers: [String: SourceNumber] {
    Dictionary(
      note.sources.enumerated().map { ($0.element.id, SourceNumber($0.offset + 1)) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension FleetShard {
  /// An empty shard of which nothing is left after it is closed.
  static func unnamed(_ number: ShardNumber) throws -> FleetShard {
    let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
    return FleetShard(
      number,
      try EventLog.unnamed(
        in: folder, eventVersion: ShardTable.version, mapSize: mapSize, further: ShardTable.all))
  }

  /// Checks the records and the index, and makes everything else anew in another shard.
  fileprivate func check(
    _ report: inout Fleet.ShardReport, rebuildingInto copy: FleetShard,
    sources: [String: SourceNumber]
  ) throws {
    let meta = try log.read { try $0.metaDamage }
    report.damage += meta
    var rebuilder = ShardRebuilder(copy, sources: sources)
    var (records, index) = (RecordCheck(), DerivedCheck())
    var accounts: [UInt32: String] = [:]
    var damage: [String] = []
    let last = try log.read { try $0.lastSequence }
    try log.read { transaction in
      _ = try records.look(upTo: last, in: transaction) { record, bytes in
        if let found = record.damage { damage.append("record \(record.sequence): \(found)") }
        guard damage.isEmpty, let header = record.header else { return }
        let bytes = [UInt8](bytes)
        if header.kind == ShardRecord.connectionKind,
          case .connection(let account, _, _) = try ShardRecord.decode(bytes.span.bytes)
        {
          accounts[header.connection] = account.text
        }
        var contacts: [String] = []
        if !ShardRecord.isOwn(header.kind), let account = accounts[header.connection] {
          contacts = [account]
        }
        damage += try index.damage(
          of: header, deriving: DerivedParts(event: nil, contacts: contacts), last: last,
          in: transaction
        ).map { "record \(header.sequence): \($0)" }
        try rebuilder.add(header, bytes)
      }
    }
    try rebuilder.flush()
    if damage.isEmpty, let stray = index.strayEntries { damage.append(stray) }
    if rebuilder.unattributed > 0 {
      damage.append("\(rebuilder.unattributed) records are on connections that no record names")
    }
    report.damage += damage
    report.records = last
    report.digest = records.lastDigest?.description
    report.accounts = try log.read { try $0.entryCount(ShardTable.accounts) }
  }

  /// The entries that are not those of a shard with the same records, each as a clause.
  fileprivate func differences(from other: FleetShard) throws -> [String] {
    var damage: [String] = []
    for table in ShardTable.all {
      let (own, expected) = (try entries(of: table), try other.entries(of: table))
      for (key, value) in own where value != expected[key] {
        damage.append(
          expected[key] == nil
            ? "\(table): an entry follows from no record"
            : "\(table): an entry is not what follows from the records")
      }
      let missing = expected.keys.count { own[$0] == nil }
      if missing > 0 { damage.append("\(table): \(missing) entries are missing") }
    }
    return damage
  }

  /// The entries of a table, with digests in place of long values.
  private func entries(of table: String) throws -> [[UInt8]: [UInt8]] {
    try log.read { transaction in
      var entries: [[UInt8]: [UInt8]] = [:]
      try transaction.forEachEntry(table) { key, value in
        entries[[UInt8](key)] = try ShardTable.comparable(value, of: table)
        return true
      }
      return entries
    }
  }
}

extension ShardTable {
  /// A value in a form in which it is equal to one that was made in other steps.
  fileprivate static func comparable(
    _ value: RawSpan, of table: String
  ) throws -> [UInt8] {
    if table == open {
      // Whether a client has asked for a resource shows in lines that are not recorded, too.
      let row: OpenRow = try Row.read(value, of: table)
      return row.account.canonicalBytes
    }
    guard table == heads else { return [UInt8](value) }
    let bytes = try HeadCoding.roster(value).canonicalBytes
    return LogDigest(of: bytes.span.bytes).bytes
  }
}
