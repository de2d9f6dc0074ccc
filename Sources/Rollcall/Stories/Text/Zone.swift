import Captures
package import Foundation
package import SessionCore

/// The zone in which times are told.
package struct Zone: Hashable, Sendable {
  package let timeZone: TimeZone

  package static let utc = Zone(timeZone: .gmt)

  private init(timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  /// Reads `UTC`, `local`, a name such as `Asia/Shanghai`, or a distance such as `+08:00`.
  package init?(_ text: String) {
    switch text {
    case "UTC", "utc", "Z": timeZone = .gmt
    case "local": timeZone = .current
    default:
      let distance = Self.seconds(text).flatMap { TimeZone(secondsFromGMT: $0) }
      guard let zone = distance ?? TimeZone(identifier: text) else { return nil }
      timeZone = zone
    }
  }

  /// What `+08:00` and the like are in seconds.
  private static func seconds(_ text: String) -> Int? {
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), hours <= 18, minutes < 60
    else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// The time as if the zone were UTC, milliseconds since 1970.
  func local(_ time: Int64) -> Int64 {
    let date = Date(timeIntervalSince1970: Double(time) / 1000)
    return time.addingReportingOverflow(Int64(timeZone.secondsFromGMT(for: date)) * 1000)
      .partialValue
  }

  /// The time of day, as in `10:00:00.000`.
  package func clock(_ time: Int64) -> String { Timestamp.clock(local(time)) }

  /// The day, as in `2026-11-20`.
  package func date(_ time: Int64) -> String {
    String(Timestamp.text(local(time)).prefix { $0 != "T" })
  }

  /// The day and the time of day.
  package func text(_ time: Int64) -> String { "\(date(time)) \(clock(time))" }

  /// The number of the day that a record is of; nil where its time is not known.
  package func day(_ stamp: RecordStamp) -> Int64? {
    stamp.time.map { local($0).quotientAndRemainder(Timestamp.day).quotient }
  }
}

extension Zone: CustomStringConvertible {
  package var description: String { timeZone == .gmt ? "UTC" : timeZone.identifier }
}
