import EventStore
import RosterCore

extension RecordStamp {
  /// The stamp of the record that an event was derived from.
  init(_ header: EventHeader) {
    self.init(record: header.sequence, time: header.time, isHeld: header.isHeld)
  }
}
