import Captures
package import SessionCore

/// The horizontal positions of the moments of a session: by time, or by record number if the
/// capture has no times.
package struct ReportAxis: Hashable, Sendable {
  /// The quantity on the axis.
  package enum Scale: Hashable, Sendable {
    case time(ClosedRange<Int64>)
    case records(UInt64)
  }

  package let scale: Scale
  /// The position of the last moment, which is also that of a moment without a time.
  private var lastPosition = 0.0

  /// - Parameters:
  ///   - connections: All connections of the log.
  ///   - last: The number of the last record.
  package init(_ connections: [ConnectionStory], last: UInt64) {
    let first = connections.compactMap(\.first.time).min()
    let end = connections.compactMap { $0.last.time ?? $0.first.time }.max()
    if let first, let end, first < end {
      scale = .time(first...end)
    } else {
      scale = .records(max(last, 1))
    }
  }

  /// The position of a record, from 0 to 1.
  package mutating func place(of stamp: RecordStamp) -> Double {
    switch scale {
    case .time(let span):
      guard let time = stamp.time else { return lastPosition }
      // Floating-point numbers, because the span of a hostile capture need not fit an integer.
      let passed = Double(time) - Double(span.lowerBound)
      lastPosition = passed / (Double(span.upperBound) - Double(span.lowerBound))
    case .records(let last):
      lastPosition = Double(stamp.record) / Double(last)
    }
    lastPosition = min(max(lastPosition, 0), 1)
    return lastPosition
  }

  /// A mark on the axis.
  package struct Tick: Hashable, Sendable {
    package let place: Double
    package let label: String
  }

  /// The marks at a few round times or numbers.
  package func ticks(_ zone: Zone) -> [Tick] {
    switch scale {
    case .time(let span): Self.ticks(span, zone)
    case .records(let last):
      Self.roundNumbers(upTo: last).map { Tick(place: Double($0) / Double(last), label: "#\($0)") }
    }
  }

  private static func roundNumbers(upTo last: UInt64) -> [UInt64] {
    var step: UInt64 = 1
    while last / step > 8 { step = step.multipliedReportingOverflow(by: 10).partialValue }
    if last / step < 3, step > 1 { step /= 5 }
    return (1...max(1, last / step)).map { $0 * step }.filter { $0 <= last }
  }

  private static let second: Int64 = 1000
  private static let tickIntervals: [Int64] =
    [1, 10, 100] + [1, 2, 5, 10, 30].map { $0 * second }
    + [1, 2, 5, 10, 30].map { $0 * 60 * second }
    + [1, 2, 3, 6, 12].map { $0 * 3600 * second }
    + [1, 2, 7, 30, 90, 365].map { $0 * 86_400 * second }

  private static func ticks(_ span: ClosedRange<Int64>, _ zone: Zone) -> [Tick] {
    let (length, isTooLong) = span.upperBound.subtractingReportingOverflow(span.lowerBound)
    guard !isTooLong, let step = tickIntervals.first(where: { length / $0 <= 7 }) else { return [] }
    // Round in the zone in which the times are shown.
    let (start, _) = zone.local(span.lowerBound).quotientAndRemainder(step)
    // A hostile clock can have any time; if a sum wraps around, it is outside of the span.
    let shift = zone.local(span.lowerBound) &- span.lowerBound
    return (Int64(1)...8).compactMap { number in
      let time = (start &+ number) &* step &- shift
      guard span.contains(time) else { return nil }
      let label =
        switch step {
        case 86_400_000...: zone.date(time)
        case 60_000...: String(zone.clock(time).prefix(5))
        case 1000...: String(zone.clock(time).prefix(8))
        default: zone.clock(time)
        }
      return Tick(place: Double(time - span.lowerBound) / Double(length), label: label)
    }
  }
}
