public import RosterCore
import XMPPStanza

/// What is different between two states of an account.
public struct StateDiff: Sendable {
  /// The state that is compared.
  public let before: Timeline.State
  /// The state that it is compared with.
  public let after: Timeline.State
  /// What is different, the account's first, and then contact by contact.
  public let differences: [Item]

  /// One difference, with the record that caused it.
  public struct Item: Hashable, Sendable {
    /// What is different, with both values.
    public let difference: FieldDifference
    /// The record that gave the later state its value; nil where no record is known to.
    public let cause: RecordStamp?
    /// Of an item that came and was changed since, the last record that did so.
    public let last: UInt64?

    package init(difference: FieldDifference, cause: RecordStamp?, last: UInt64? = nil) {
      self.difference = difference
      self.cause = cause
      self.last = last
    }
  }
}

extension Timeline {
  /// What is different at a point from what was at another, whichever of them is earlier.
  ///
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: linear in the events between the points.
  public func diff(from start: LogPoint, to end: LogPoint) throws(RollcallError) -> StateDiff {
    try RollcallError.converting {
      let (from, to) = (try record(at: start), try record(at: end))
      let isForward = from <= to
      let earlier = try state(at: .record(min(from, to)))
      var later = earlier
      let causes = ChangeCauses()
      try follow(&later, to: max(from, to)) { try $1.reduce(into: &$0, reporting: .causes(causes)) }
      let (before, after) = isForward ? (earlier, later) : (later, earlier)
      let differences = before.roster.differences(to: after.roster, among: causes, in: later.roster)
        // Whose log it is, it may say before the record that does.
        .lazy.filter { $0.field != .account || before.account != after.account }
      return StateDiff(
        before: before, after: after,
        differences: Array(
          differences.map { difference in
            StateDiff.Item(
              difference: difference,
              cause: later.roster.opening(of: difference, after: earlier.roster.position)
                ?? causes.cause(of: difference, in: later.roster),
              last: after.roster.lastEdit(of: difference))
          }))
    }
  }
}

extension Roster {
  /// The record that opened a contact's request which this state has and an earlier one had not,
  /// however often it came since; nil for another difference.
  fileprivate func opening(
    of difference: FieldDifference, after record: UInt64
  ) -> RecordStamp? {
    guard difference.field == .request, let contact = difference.contact,
      let request = incoming[contact] ?? unconfirmed[contact], request.since.record > record
    else { return nil }
    return request.since
  }
}

extension Roster {
  /// The record that last changed an item which is new in this state; nil where none did.
  fileprivate func lastEdit(of difference: FieldDifference) -> UInt64? {
    guard case .item(before: nil, _) = difference.values, let contact = difference.contact,
      let from = entries[contact]?.provenance
    else { return nil }
    let last = max(from.name, from.subscription, from.ask, from.approved, from.groups)
    return last > from.item ? last : nil
  }
}
