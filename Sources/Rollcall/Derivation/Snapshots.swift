package import EventStore
import RawBytes
import RosterCore

extension SnapshotVersion {
  /// The version of the states that this program derives.
  package static let current = SnapshotVersion(
    events: RecordReader.version, reducer: RosterReducer.version, codec: Roster.codecVersion)
}

extension SnapshotBase {
  /// The base that a stored snapshot provides.
  ///
  /// - Parameter depth: The number of increments that the snapshot builds on.
  init(_ header: SnapshotHeader, depth: UInt64) {
    self.init(sequence: header.sequence, identity: header.checksum.prefix, depth: depth)
  }
}

extension Timeline {
  /// The state of the newest snapshot at or before a record and after a known state; nil if there
  /// is none that can be used.
  func snapshot(atOrBefore record: UInt64, after known: Roster = Roster()) throws -> Roster? {
    // Snapshots contain the whole log.
    guard connection == nil else { return nil }
    return try log.read { (transaction) -> Roster? in
      var newest = record
      while newest > known.position {
        var chain = SnapshotChain(from: known)
        switch try chain.read(atOrBefore: newest, in: transaction) {
        case .none: return nil
        case .state(let roster): return roster
        case .unusable(let sequence): newest = sequence - 1
        case .damaged(let sequence):
          // A snapshot with wrong contents is treated as missing.
          log.derivedDamage.note(.snapshots, sequence...sequence)
          newest = sequence - 1
        }
      }
      return nil
    }
  }
}

/// Reads a snapshot and, if it is an increment, all snapshots that it builds on.
struct SnapshotChain {
  /// A known state. An increment to its snapshot is applied to it.
  private let known: Roster
  /// The whole state that was read. It is taken out before a change, so that the change does not
  /// copy.
  private var whole: Roster?
  /// The increments, newest first.
  private var increments: [(snapshot: SnapshotBase, bytes: [UInt8])] = []

  enum Outcome {
    case none
    /// The known state, whose base is this snapshot.
    case state(Roster)
    /// The snapshot builds on one that is missing or was reported as damaged.
    case unusable(UInt64)
    case damaged(UInt64)
  }

  private enum Link {
    case whole
    case increment(SnapshotBase, [UInt8])
  }

  init(from known: Roster = Roster()) {
    self.known = known
  }

  mutating func read(
    atOrBefore newest: UInt64, in transaction: borrowing ReadTransaction
  ) throws -> Outcome {
    var (next, wanted) = (newest, SnapshotBase?.none)
    while true {
      let found = try transaction.snapshot(atOrBefore: next, version: .current) {
        header, bytes in
        let isOfUse = wanted != nil || header.sequence > known.position
        return (header, isOfUse ? link(header, bytes) : nil)
      }
      guard let (header, link) = found else { return unusable }
      if let wanted {
        guard wanted.sequence == header.sequence, wanted.identity == header.checksum.prefix else {
          return unusable
        }
      } else if header.sequence <= known.position {
        return .none
      }
      switch link {
      case nil: return .damaged(header.sequence)
      case .whole: return state()
      case .increment(let base, let bytes):
        guard base.sequence < header.sequence, increments.count < SnapshotBase.mostDepth else {
          return .damaged(header.sequence)
        }
        increments.append((SnapshotBase(header, depth: base.depth + 1), bytes))
        if base == known.base { return state() }
        (next, wanted) = (base.sequence, base)
      }
    }
  }

  /// The outcome if the base of the last increment is missing.
  private var unusable: Outcome {
    increments.first.map { .unusable($0.snapshot.sequence) } ?? .none
  }

  /// Reads a snapshot whose checksum was verified.
  private mutating func link(_ header: SnapshotHeader, _ bytes: RawSpan) -> Link? {
    guard let kind = try? SnapshotKind(of: bytes) else { return nil }
    if let base = kind.base { return .increment(base, [UInt8](bytes)) }
    guard var roster = try? Roster(snapshot: bytes),
      roster.position == header.sequence
    else { return nil }
    roster.base = SnapshotBase(header, depth: 0)
    whole = consume roster
    return .whole
  }

  /// The state after all increments.
  private mutating func state() -> Outcome {
    var roster = whole.take() ?? known
    for (snapshot, bytes) in increments.reversed() {
      do {
        try roster.add(bytes.span.bytes)
      } catch {
        return .damaged(snapshot.sequence)
      }
      guard roster.position == snapshot.sequence else { return .damaged(snapshot.sequence) }
      roster.base = snapshot
    }
    return .state(roster)
  }
}
