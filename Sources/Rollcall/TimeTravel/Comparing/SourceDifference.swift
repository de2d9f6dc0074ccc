package import EventStore
package import RosterCore
import XMPPStanza

/// One thing in which the contacts and requests of two sources are different.
package struct SourceDifference: Sendable {
  package let difference: FieldDifference
  /// The record of the second source that gave the value there; nil if the source does not say.
  package let cause: RecordStamp?
  /// The record of the first source that gave the value there; nil if the source does not say.
  package let recordBefore: UInt64?

  /// What two sources hold differently of contacts and requests. What only says how each is
  /// connected, such as presence, is left out, and so is what a user said to one of them.
  ///
  /// - Parameter log: of the second source.
  package static func all(
    _ before: Roster, _ after: Roster, of log: EventLog
  ) throws -> [SourceDifference] {
    struct Key: Hashable {
      var contact: BareJID?
      var field: StateField
    }
    var records: [Key: UInt64] = [:]
    for difference in after.differences(to: before) {
      records[Key(contact: difference.contact, field: difference.field)] = difference.record
    }
    return try before.differences(to: after).filter(\.isOfRoster).map { difference in
      let key = Key(contact: difference.contact, field: difference.field)
      let cause = try difference.record.map { record in
        RecordStamp(record: record, time: try log.read { try $0.header(at: record)?.time })
      }
      return SourceDifference(
        difference: difference, cause: cause, recordBefore: records[key])
    }
  }
}

extension FieldDifference {
  fileprivate var isOfRoster: Bool {
    if case .request(let before?, let after?) = values {
      return !(before as ContactRequest?).looksSame(as: after, whetherSeen: false)
    }
    return field.isOfItem || field == .request || field == .outgoing
  }
}
