import Captures
package import RosterCore

/// Where the moments of a session stand from left to right: by their time, or where a capture has
/// no clock by the number of the record.
package struct ReportAxis: Hashable, Sendable {
  /// What is measured.
  package enum Scale: Hashable, Sendable {
    case time(ClosedRange<Int64>)
    case records(UInt64)
  }

  package let scale: Scale
  /// Where the last moment stood: one without a time stands there as well.
  private var now = 0.0

  /// - Parameters:
  ///   - connections: All of the log.
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

  /// Where a record stands, from 0 to 1.
  package mutating func place(of stamp: RecordStamp) -> Double {
    switch scale {
    case .time(let span):
      guard let time = stamp.time else { return now }
      // As floating-point numbers: a hostile capture's span need not fit an integer.
      let passed = Double(time) - Double(span.lowerBound)
      now = passed / (Double(span.upperBound) - Double(span.lowerBound))
    case .records(let last):
      now = Double(stamp.record) / Double(last)
    }
    now = min(max(now, 0), 1)
    return now
  }

  /// A mark on the axis.
  package struct Tick: Hashable, Sendable {
    package let place: Double
    package let label: String
  }

  /// A few round moments.
  package func ticks(_ zone: Zone) -> [Tick] {
    switch scale {
    case .time(let span): Self.ticks(span, zone)
    case .records(let last):
      Self.rounds(last).map { Tick(place: Double($0) / Double(last), label: "#\($0)") }
    }
  }

  private static func rounds(_ last: UInt64) -> [UInt64] {
    var step: UInt64 = 1
    while last / step > 8 { step = step.multipliedReportingOverflow(by: 10).partialValue }
    if last / step < 3, step > 1 { step /= 5 }
    return (1...max(1, last / step)).map { $0 * step }.filter { $0 <= last }
  }

  private static let second: Int64 = 1000
  private static let steps: [Int64] =
    [1, 10, 100] + [1, 2, 5, 10, 30].map { $0 * second }
    + [1, 2, 5, 10, 30].map { $0 * 60 * second }
    + [1, 2, 3, 6, 12].map { $0 * 3600 * second }
    + [1, 2, 7, 30, 90, 365].map { $0 * 86_400 * second }

  private static func ticks(_ span: ClosedRange<Int64>, _ zone: Zone) -> [Tick] {
    let (length, isTooLong) = span.upperBound.subtractingReportingOverflow(span.lowerBound)
    guard !isTooLong, let step = steps.first(where: { length / $0 <= 7 }) else { return [] }
    // Round in the zone that the times are told in.
    let (start, _) = zone.local(span.lowerBound).quotientAndRemainder(step)
    // A hostile clock is anywhere; where a sum wraps, the place is out of the span.
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
