import XMPPStanza

// Findings about stream errors (RFC 6120 §4.9). An error is reported when it is clear whether it
// is the first of several: after a quarter of an hour without another, or at the log's end.
extension Reduction {
  mutating func streamErrorHappened(_ direction: Direction, _ error: ErrorReport) {
    expectAnswer()
    let (resource, now) = (session.resource, stamp)
    let repeated = roster.streamErrors.firstIndex {
      $0.isRepeated(by: error, direction, of: resource, at: now)
    }
    if let repeated {
      roster.streamErrors[repeated].count += 1
      roster.streamErrors[repeated].last = stamp
      roster.streamErrors[repeated].connection = session.connection
      return
    }
    if roster.streamErrors.count >= StreamErrors.limit { report(roster.streamErrors.removeFirst()) }
    roster.streamErrors.append(
      StreamErrors(
        resource: resource, direction: direction, report: error, first: stamp.record,
        last: stamp, connection: session.connection))
  }

  /// Reports the errors that are not repeated any more.
  mutating func reportStreamErrors(where isOver: (StreamErrors) -> Bool) {
    let errors = roster.streamErrors
    guard !errors.isEmpty else { return }
    roster.streamErrors = errors.filter { !isOver($0) }
    for error in errors where isOver(error) { report(error) }
  }

  private mutating func report(_ errors: StreamErrors) {
    let finding: SessionFinding =
      errors.isLoop
      ? .conflictLoop(resource: errors.resource, errors.report)
      : .streamError(errors.direction, errors.report)
    let extent =
      errors.count > 1
      ? Finding.Extent(count: errors.count, first: errors.first, last: errors.last.record) : nil
    report(
      .session(finding), cause: errors.first, by: .connection(errors.connection, errors.resource),
      extent: extent)
  }
}
