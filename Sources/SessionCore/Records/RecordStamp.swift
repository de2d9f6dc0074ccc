/// The number and time of a record.
public struct RecordStamp: Hashable, Sendable {
  /// The record's sequence number, from 1.
  public var record: UInt64
  /// Milliseconds since 1970 UTC; nil if the source had no clock.
  public var time: Int64?
  /// Whether the source's clock had run back by then, so that the log keeps the time of an earlier
  /// record: the time says the order, and not how long anything took.
  package var isHeld: Bool

  /// The time, if it says how long something took; nil otherwise.
  package var clock: Int64? { isHeld ? nil : time }

  /// A stamp from its parts.
  package init(record: UInt64, time: Int64? = nil, isHeld: Bool = false) {
    self.record = record
    self.time = time
    self.isHeld = isHeld && time != nil
  }
}

/// The position of an event in a log: its record, its time and its connection.
package struct RecordPosition: Hashable, Sendable {
  /// The number and time of the record.
  package var stamp: RecordStamp
  /// The connection that the record belongs to.
  package var connection: ConnectionID

  /// The position of a record on the connection with a number.
  package init(record: UInt64, time: Int64? = nil, connection: UInt32 = 1) {
    stamp = RecordStamp(record: record, time: time)
    self.connection = ConnectionID(number: connection)
  }

  /// The number of the record, from 1.
  package var record: UInt64 {
    get { stamp.record }
    set { stamp.record = newValue }
  }

  /// Milliseconds since 1970 UTC; nil if the source has no clock.
  package var time: Int64? {
    get { stamp.time }
    set { stamp.time = newValue }
  }
}
