import Captures
import EventStore
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

/// The new records of one account in a transaction, and what follows from them.
struct AccountWork {
  /// Of a new account, a number is taken when its first record is.
  var number: AccountNumber
  var row: AccountRow
  var records: [CapturedRecord] = []
  let isNew: Bool

  /// The roster; nil until it is needed.
  private var roster: Roster?
  /// What the ends were before the first record that may have changed one; nil if there was none.
  private var before: [BareJID: EndFacts]?
  /// The record that changed an end last.
  private var changes: [BareJID: Change] = [:]
  private var stamp = RecordStamp(record: 0)

  init(_ number: AccountNumber, _ row: AccountRow, isNew: Bool) {
    (self.number, self.row, self.isNew) = (number, row, isNew)
  }

  /// A record that changed an end, and the account's clock then.
  private struct Change {
    let record: UInt64
    let time: Int64?

    init(_ record: UInt64, _ time: Int64?) { (self.record, self.time) = (record, time) }
  }

  /// The fields of which an end consists.
  private static let ofEnds: Set<StateField> = [
    .item, .subscription, .ask, .approved, .request, .outgoing, .blocked,
  ]

  /// Loads the roster that the records are reduced into.
  mutating func begin(_ head: Roster) { roster = head }

  /// Reduces the next record.
  ///
  /// - Parameters:
  ///   - event: Its event; nil if it means nothing to the roster.
  ///   - connection: The connection's number in a log of the account alone.
  mutating func reduce(
    _ event: RawSpan?, time: Int64?, on connection: UInt32
  ) throws(EventLogError) {
    row.records += 1
    if row.records == 1 || row.begin == nil { row.begin = time }
    stamp = RecordStamp(record: row.records)
    if let time {
      // As a log of the account has it.
      row.clock = max(time, row.clock ?? time)
      stamp.time = row.clock
      stamp.isHeld = row.clock.map { RecordHeader.isHeld(at: $0, insteadOf: time) } ?? false
    }
    var roster = self.roster.take() ?? Roster()
    defer { self.roster = roster }
    guard let event else { return roster.move(to: stamp.record) }
    let connection = ConnectionID(number: connection)
    let isOfSender = roster.concernsSenderAlone(event, at: stamp, on: connection)
    if !isOfSender, before == nil { before = EndFacts.all(of: roster) }
    do throws(CodecError) {
      let outcome = try RosterReducer.reduce(
        &roster, event, at: stamp, on: connection, reporting: isOfSender ? .nothing : .everything)
      for change in outcome.changes where Self.ofEnds.contains(change.field) {
        guard let contact = change.contact else { continue }
        changes[contact] = Change(stamp.record, row.clock)
        row.changed = row.clock
      }
    } catch {
      throw .corruptEntry("an event cannot be reduced: \(error)")
    }
  }

  /// The roster after all records, and the ends that differ: nil for those that are gone.
  ///
  /// - Parameter stored: Returns the end that is stored for a contact.
  mutating func finish(
    stored: (BareJID) throws -> EndRow?
  ) rethrows -> (head: Roster, ends: [(contact: BareJID, row: EndRow?)]) {
    let roster = self.roster.take() ?? Roster()
    row.isComplete = roster.completeness == .complete
    row.receivesRequests = roster.receivesRequests
    guard let before else { return (roster, []) }
    let after = EndFacts.all(of: roster)
    var ends: [(contact: BareJID, row: EndRow?)] = []
    for (contact, facts) in after where before[contact] != facts || changes[contact] != nil {
      // What only we know of it has changed: that we accepted a request.
      let earlier = try changes[contact] == nil ? stored(contact) : nil
      let change =
        changes[contact] ?? earlier.map { Change($0.record, $0.time) }
        ?? Change(stamp.record, row.clock)
      ends.append((contact, EndRow(facts: facts, record: change.record, time: change.time)))
    }
    for contact in before.keys where after[contact] == nil { ends.append((contact, nil)) }
    return (roster, ends.sorted { $0.contact < $1.contact })
  }
}
