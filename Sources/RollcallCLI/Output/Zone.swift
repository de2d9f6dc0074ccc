import ArgumentParser
import Captures
import Foundation
import Rollcall
import RosterCore

/// The zone in which times are told.
struct Zone: ExpressibleByArgument {
  private let zone: TimeZone

  static let utc = Zone(zone: .gmt)

  private init(zone: TimeZone) {
    self.zone = zone
  }

  /// Reads `UTC`, `local`, a name such as `Asia/Shanghai`, or a distance such as `+08:00`.
  init?(argument: String) {
    switch argument {
    case "UTC", "utc", "Z": zone = .gmt
    case "local": zone = .current
    default:
      let distance = Self.seconds(argument).flatMap { TimeZone(secondsFromGMT: $0) }
      guard let zone = distance ?? TimeZone(identifier: argument) else { return nil }
      self.zone = zone
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
  private func local(_ time: Int64) -> Int64 {
    let date = Date(timeIntervalSince1970: Double(time) / 1000)
    return time.addingReportingOverflow(Int64(zone.secondsFromGMT(for: date)) * 1000).partialValue
  }

  /// The time of day, as in `10:00:00.000`.
  func clock(_ time: Int64) -> String { Timestamp.clock(local(time)) }

  /// The day, as in `2026-11-20`.
  func date(_ time: Int64) -> String {
    String(Timestamp.text(local(time)).prefix { $0 != "T" })
  }

  /// The day and the time of day.
  func text(_ time: Int64) -> String { "\(date(time)) \(clock(time))" }

  /// The number of the day that a record is of; nil where its time is not known.
  func day(_ stamp: RecordStamp) -> Int64? {
    stamp.time.map { local($0).quotientAndRemainder(Timestamp.day).quotient }
  }
}

/// How times are told.
struct ZoneOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The zone of the times that are told: UTC, local, a name such as Asia/Shanghai, or +08:00.",
      valueName: "zone"))
  var zone = Zone.utc
}

extension Zone: CustomStringConvertible {
  var description: String { zone == .gmt ? "UTC" : zone.identifier }
}
