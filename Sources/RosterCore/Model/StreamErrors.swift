import RawBytes
import XMPPStanza

/// Stream errors with one condition that ended streams of one resource, each soon after the one
/// before.
struct StreamErrors: Hashable, Sendable {
  /// The resource that was bound; nil if the streams ended before that.
  let resource: String?
  /// The direction in which they were sent.
  let direction: Direction
  /// What the first of them says.
  let report: ErrorReport
  /// The number of errors.
  var count = 1
  /// The record of the first one.
  let first: UInt64
  /// The record of the last one.
  var last: RecordStamp
  /// The connection of the last one.
  var connection: ConnectionID

  /// The number of different errors that are remembered at once; beyond it the oldest is reported.
  static let limit = 16

  /// The pause after which an equal error has another cause: programs that replace each other need
  /// not do so at once.
  static let pause: (time: Int64, records: UInt64) = (15 * 60_000, 100)

  /// Whether another error repeats these.
  func isRepeated(
    by report: ErrorReport, _ direction: Direction, of resource: String?, at stamp: RecordStamp
  ) -> Bool {
    self.direction == direction && self.report.condition.hasSameBytes(as: report.condition)
      && self.resource.hasSameBytes(as: resource) && !last.isLongBefore(stamp, Self.pause)
  }

  /// Whether sessions of the resource replace each other, which one or two conflicts do not show.
  var isLoop: Bool {
    direction == .inbound && report.condition == "conflict" && count >= Rounds.loop
  }
}
