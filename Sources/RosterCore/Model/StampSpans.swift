// How far two records of a log are apart, by which it is judged whether one has to do with the
// other: they crossed on the way, or there was a pause between them.
extension RecordStamp {
  /// The milliseconds from this record to a later one, as far as they can be written; nil if the
  /// log does not say.
  private func span(to later: RecordStamp) -> Int64? {
    guard let then = clock, let now = later.clock else { return nil }
    let (span, isOverflow) = now.subtractingReportingOverflow(then)
    return isOverflow ? (now > then ? .max : .min) : span
  }

  /// Whether this record came at least `margin` milliseconds before another; false if the log does
  /// not say.
  func isEarlier(than later: RecordStamp, by margin: Int64) -> Bool {
    span(to: later).map { $0 >= margin } ?? false
  }

  /// Whether another record came at most `margin` milliseconds after this one; false if the log
  /// does not say.
  func isFollowed(by later: RecordStamp, within margin: Int64) -> Bool {
    span(to: later).map { $0 <= margin } ?? false
  }

  /// Whether a later record has nothing to do with this one, because there was a pause:
  /// milliseconds of log time, or records in a log without times.
  func isLongBefore(
    _ later: RecordStamp, _ pause: (time: Int64, records: UInt64) = Rounds.pause
  ) -> Bool {
    if let span = span(to: later) { return span > pause.time }
    let (records, isOverflow) = later.record.subtractingReportingOverflow(record)
    return isOverflow || records > pause.records
  }
}
