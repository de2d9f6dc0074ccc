import EventStore
public import RosterCore

// What an application asks a log for beside states.
extension Timeline {
  /// Everything that is odd up to a point, in order, as if the log ended there.
  ///
  /// - Throws: `RollcallError` if there is no such point, or the log cannot be read.
  ///
  /// Complexity: linear in the events up to the point.
  public func findings(upTo point: LogPoint = .head) throws(RollcallError) -> [Finding] {
    try RollcallError.converting {
      var findings: [Finding] = []
      var state = State()
      try follow(&state, to: record(at: point)) { roster, step in
        findings += try step.reduce(into: &roster, reporting: .everything).findings
      }
      return try findings + self.findings(ending: state)
    }
  }

  /// Returns what is odd about the end of a log that ends at a state: what no event later than it
  /// decides, such as a set that was not answered in time. The findings are about the last record.
  ///
  /// - Parameter state: A state of this timeline.
  ///
  /// Complexity: linear in what waits in the state; a log without any event from the server is gone
  /// over once more.
  package func findings(ending state: State) throws -> [Finding] {
    try outcome(ending: state).findings
  }

  /// As `findings(ending:)`, with the origins of earlier changes that only the end decides.
  func outcome(ending state: State) throws -> RosterOutcome {
    let last = state.roster.position
    guard last > 0 else { return RosterOutcome() }
    let time = try log.read { try $0.header(at: last)?.clock }
    return try outcome(ending: state.roster, at: RecordStamp(record: last, time: time), of: last)
  }

  /// As `outcome(ending:)`, of a roster that was reduced from the records up to `last`, or from a
  /// change of them.
  func outcome(
    ending roster: Roster, at stamp: RecordStamp, of last: UInt64
  ) throws -> RosterOutcome {
    let hasReceived = try roster.hasReceivedEvents || hasInboundElement(upTo: last)
    return RosterReducer.outcome(ending: roster, at: stamp, hasReceived: hasReceived)
  }

  /// Whether any element up to a record came from the server.
  private func hasInboundElement(upTo last: UInt64) throws -> Bool {
    struct Found: Error {}
    do {
      guard last > 0 else { return false }
      try log.forEachRecord(in: 1...last) { header, _ in
        if header.kind == .element, header.direction == .inbound, includes(header.connection) {
          throw Found()
        }
      }
      return false
    } catch is Found {
      return true
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
