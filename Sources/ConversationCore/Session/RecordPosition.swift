/// The position of an event in a log: its record, its time and its connection.
package struct RecordPosition: Hashable, Sendable {
  /// The number of the record, from 1.
  package var record: UInt64
  /// Milliseconds since 1970 UTC; nil if the source has no clock.
  package var time: Int64?
  /// The number of the connection, from 1.
  package var connection: UInt32

  package init(record: UInt64, time: Int64? = nil, connection: UInt32 = 1) {
    (self.record, self.time, self.connection) = (record, time, connection)
  }
}
