import EventStore
public import RosterCore

// What an application asks a log for beside states.
extension Timeline {
  /// Everything that is odd up to a point, in order.
  ///
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: linear in the events up to the point.
  public func findings(upTo point: LogPoint = .head(minus: 0)) throws(RollcallError) -> [Finding] {
    try RollcallError.converting {
      var findings: [Finding] = []
      var state = State()
      try follow(&state, to: record(at: point)) { roster, step in
        findings += try step.reduce(into: &roster, reporting: .everything).findings
      }
      return findings
    }
  }

  /// The bytes of a record as they went over the stream, credentials taken out; nil where there is
  /// no such record.
  ///
  /// - Throws: `RollcallError` if the log cannot be read.
  public func bytes(ofRecord number: UInt64) throws(RollcallError) -> [UInt8]? {
    try RollcallError.converting { try log.read { try $0.record(at: number) }?.bytes }
  }
}
