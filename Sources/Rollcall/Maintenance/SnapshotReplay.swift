import EventStore
import RawBytes
import RosterCore

/// The state after the records examined so far, and the snapshots to compare it with.
struct SnapshotReplay {
  var roster = Roster()
  var compared = 0
  /// The numbers of the snapshots that are still to be compared, the next one last.
  var ahead: [UInt64] = []
  /// The snapshots that increments build on.
  var bases: Set<SnapshotBase> = []
  /// The damaged snapshots.
  var damaged: [(record: UInt64?, damage: SnapshotDamage)] = []

  /// Describes what is wrong with a snapshot of the state whose checksum is right, as a clause; nil
  /// if nothing is.
  ///
  /// Each whole snapshot, and the last increment of each chain, which builds on all before it, are
  /// read and compared contact by contact. The replay then takes their numbers, so that it writes
  /// the increments in between as the recorder wrote them; those need only have the same bytes.
  /// The bytes alone do not suffice, because the replay runs the recorder's code: if that misses a
  /// change, drops a field or writes what cannot be read, the replay does the same.
  mutating func problem(
    of snapshot: RawSpan, _ header: SnapshotHeader, in transaction: borrowing ReadTransaction
  ) throws -> String? {
    let base = (try? SnapshotKind(of: snapshot))?.base
    let this = SnapshotBase(header, depth: base.map { $0.depth + 1 } ?? 0)
    let isInner = base != nil && base == roster.base && bases.contains(this)
    let written = isInner ? roster.increment : nil
    if written?.span.bytes.isSame(as: snapshot) != true {
      var chain = SnapshotChain()
      switch try chain.read(atOrBefore: header.sequence, in: transaction) {
      case .state(let stored):
        guard stored == roster else { return Self.difference }
        roster = stored
      case .damaged(let sequence):
        return sequence == header.sequence ? Self.difference : Self.unusable(sequence)
      case .unusable, .none:
        return base.map { Self.unusable($0.sequence) } ?? Self.difference
      }
    }
    roster.beginIncrement(to: this)
    return nil
  }

  private static let difference = "its snapshot is not what a replay gives"

  private static func unusable(_ base: UInt64) -> String {
    "its snapshot rests on one that cannot be used, of record \(base)"
  }
}
