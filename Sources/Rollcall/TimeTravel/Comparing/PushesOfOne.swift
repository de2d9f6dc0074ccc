import RawBytes
import RosterCore
package import SessionCore
package import XMPPStanza

/// A roster push that one of two connections received and the other one did not.
package struct PushOfOne: Hashable, Sendable {
  /// The connection that received it.
  package let connection: ConnectionID
  /// The record of the push.
  package let stamp: RecordStamp
  package let contact: BareJID
  /// What it shows of the contact; nil for a removal.
  package let item: RosterItem?
  fileprivate let version: String?
}

extension PushOfOne {
  /// The pushes up to a record that one connection of a log received and another one did not, in
  /// the order of their records.
  ///
  /// A push counts only if the other connection should have received it (RFC 6121 §2.1.6): it had
  /// fetched the roster, its stream went on after the push, and it did not know the item anyway.
  ///
  /// - Parameters:
  ///   - first: The history of one connection.
  ///   - second: The history of another connection of the same log.
  ///
  /// Complexity: linear in the events of both, and in the pushes of each contact times those that
  /// are not shared.
  package static func all(
    of first: Timeline, and second: Timeline, upTo record: UInt64
  ) throws -> [PushOfOne] {
    let pairs = [(first, second), (second, first)]
    let heard = try [HeardPushes(first, upTo: record), HeardPushes(second, upTo: record)]
    var found: [PushOfOne] = []
    for (index, timelines) in pairs.enumerated() {
      let (mine, other) = (heard[index], heard[1 - index])
      let missed = mine.without(other).filter { other.isToldPushes(at: $0.stamp.record) }
      found += try unknown(missed, in: timelines.1)
    }
    return found.sorted { $0.stamp.record < $1.stamp.record }
  }

  /// Those pushes that show something else than what a connection knew at that time, for example
  /// from a roster that it had fetched just before.
  private static func unknown(
    _ pushes: [PushOfOne], in timeline: Timeline
  ) throws -> [PushOfOne] {
    guard let last = pushes.last else { return [] }
    var rest = pushes[...]
    var unknown: [PushOfOne] = []
    func compare(_ roster: Roster, before record: UInt64) {
      while let push = rest.first, push.stamp.record < record {
        if roster.item(push.contact) != push.item { unknown.append(push) }
        rest.removeFirst()
      }
    }
    var before = Roster()
    try timeline.replay(upTo: .record(last.stamp.record)) { moment, roster in
      compare(before, before: moment.stamp.record)
      before = roster
    }
    compare(before, before: .max)
    return unknown
  }

  /// Whether two connections received one push. A server leaves the version out for a client that
  /// did not ask for one.
  fileprivate func isSame(as other: PushOfOne) -> Bool {
    item == other.item
      && (version == nil || other.version == nil || version.hasSameBytes(as: other.version))
  }
}

/// The pushes that a connection received, and when it should have received any.
private struct HeardPushes {
  private var pushes: [PushOfOne] = []
  /// From the record with the roster to the last one that came from the server before the end.
  private var told: [ClosedRange<UInt64>] = []

  init(_ timeline: Timeline, upTo record: UInt64) throws {
    var isTold = false
    try timeline.replay(upTo: .record(record)) { moment, roster in
      let wasTold = isTold
      isTold = roster.isInterested(moment.connection)
      let number = moment.stamp.record
      if isTold, !wasTold { told.append(number...number) }
      if isTold, moment.way == .inbound, let range = told.last {
        told[told.count - 1] = range.lowerBound...number
      }
      if let push = Self.push(moment, roster) { pushes.append(push) }
    }
  }

  /// The push of a moment; nil if it is another event, or a push that does not count.
  private static func push(_ moment: Timeline.Moment, _ roster: Roster) -> PushOfOne? {
    guard case .stanza(.pushReceived(let push)) = moment.event, push.query.items.count == 1,
      let change = push.query.items.first?.change,
      roster.isOpen(moment.connection), !roster.hasEnded(.inbound, on: moment.connection),
      !moment.outcome.findings.contains(where: { $0.code == .foreignPush })
    else { return nil }
    let (contact, item): (BareJID, RosterItem?) =
      switch change {
      case .set(let item): (item.jid, item)
      case .remove(let jid): (jid, nil)
      }
    return PushOfOne(
      connection: moment.connection, stamp: moment.stamp, contact: contact, item: item,
      version: push.query.version)
  }

  func isToldPushes(at record: UInt64) -> Bool {
    told.contains { $0.lowerBound < record && record < $0.upperBound }
  }

  /// Those that another connection did not receive. Both receive the pushes of a contact in one
  /// order, except for those of sets that the server carried out at once.
  func without(_ other: HeardPushes) -> [PushOfOne] {
    let (mine, others) = (byContact, other.byContact)
    return mine.flatMap { contact, pushes -> [PushOfOne] in
      let difference = pushes.difference(from: others[contact] ?? []) { $0.isSame(as: $1) }
      var moved = difference.removals.map(\.push)
      return difference.insertions.map(\.push).filter { push in
        guard let index = moved.firstIndex(where: push.isSame) else { return true }
        moved.remove(at: index)
        return false
      }
    }.sorted { $0.stamp.record < $1.stamp.record }
  }

  private var byContact: [BareJID: [PushOfOne]] { Dictionary(grouping: pushes, by: \.contact) }
}

extension CollectionDifference<PushOfOne>.Change {
  /// The push that it inserts or removes.
  fileprivate var push: PushOfOne {
    switch self {
    case .insert(_, let push, _), .remove(_, let push, _): push
    }
  }
}
