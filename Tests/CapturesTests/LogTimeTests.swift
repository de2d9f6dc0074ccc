import Foundation
import Testing

@testable import Captures

@Suite("Times in logs")
struct LogTimeTests {
  private func iso(_ text: String) -> Int64? {
    var clock = LogClock(ReaderOptions())
    return clock.milliseconds(LogTime.isoTime(in: Array(text.utf8)[...]))
  }

  /// The expected values are from `TZ=… date -d … +%s`.
  @Test(
    "A clock without a zone uses the given zone",
    arguments: [
      ("2026-11-21 08:14:28", "Asia/Shanghai", 1_795_220_068_000),
      ("2026-07-01 00:00:00", "Europe/Berlin", 1_782_856_800_000),
      ("2026-12-01 00:00:00", "Europe/Berlin", 1_796_079_600_000),
      // The clock skips this half hour, and repeats the next one.
      ("2026-03-29 02:30:00", "Europe/Berlin", 1_774_747_800_000),
      ("2026-10-25 02:30:00", "Europe/Berlin", 1_792_888_200_000),
      ("2026-10-25 03:30:00", "Europe/Berlin", 1_792_895_400_000),
      ("2026-03-29 03:30:00", "Europe/Berlin", 1_774_747_800_000),
      ("2026-11-21 08:14:28", "GMT-0330", 1_795_261_468_000),
      // These name their zone.
      ("2026-11-21T07:14:28Z", "Asia/Shanghai", 1_795_245_268_000),
      ("2026-11-21T08:14:28+01:00", "Asia/Shanghai", 1_795_245_268_000),
    ])
  func zones(_ text: String, _ zone: String, _ time: Int64) throws {
    let zone = try #require(TimeZone(identifier: zone))
    var clock = LogClock(ReaderOptions(zone: zone))
    #expect(clock.milliseconds(LogTime.isoTime(in: Array(text.utf8)[...])) == time)
  }

  @Test("The zone also applies to clocks without a year")
  func zoneOfYear() {
    var clock = LogClock(ReaderOptions(year: 2026, zone: TimeZone(secondsFromGMT: 3600)))
    #expect(
      clock.milliseconds(.withoutYear(month: 11, day: 21, milliseconds: 0)) == 1_795_215_600_000)
    #expect(!clock.lacksYear)
  }

  /// The expected values are from `date -u -d … +%s`.
  @Test(
    "A time in any ISO 8601 notation is found in a text",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-21T07:14:28.501044Z", 1_795_245_268_501),
      ("2026-11-21 07:14:28,501", 1_795_245_268_501), ("2026-11-21 07:14:28", 1_795_245_268_000),
      ("2026-11-21 07:14:28.5", 1_795_245_268_500), ("2024-02-29T00:00:00", 1_709_164_800_000),
      ("1969-12-31T23:59:59Z", -1000), ("2000-03-01T00:00:00", 951_868_800_000),
      ("2026-11-21T08:14:28+01:00", 1_795_245_268_000),
      ("2026-11-21T02:14:28.25-0500", 1_795_245_268_250),
      ("[x7 2026-11-21 07:14:28,501 y", 1_795_245_268_501),
    ])
  func isoTimes(_ text: String, _ time: Int64) {
    #expect(iso(text) == time)
  }

  @Test(
    "Other text is not a time",
    arguments: [
      "", "2026-11-21", "2026-13-21T07:14:28", "2026-11-32T07:14:28", "2026-11-21T24:14:28",
      "2026-11-21X07:14:28", "26-11-21 07:14:28", "2026-11-21 07:14",
    ])
  func noTimes(_ text: String) {
    #expect(iso(text) == nil)
  }

  @Test("A clock may have no year")
  func aClockWithoutYear() {
    let stamp = LogTime.monthTime(Array("Nov 21 07:14:48 c2s1".utf8)[...])
    #expect(stamp == .withoutYear(month: 11, day: 21, milliseconds: 26_088_000))
    for bad in ["", "Nov", "Nov 21", "Nov 40 07:14:48", "Nox 21 07:14:48", "Nov 21 07:14"] {
      #expect(LogTime.monthTime(Array(bad.utf8)[...]) == nil)
    }
  }

  @Test("A time without a year is known if the year is given")
  func withoutAYearATimeIsUnknown() {
    let stamp = LogTime.withoutYear(month: 11, day: 21, milliseconds: 0)
    var unknown = LogClock(ReaderOptions())
    #expect(unknown.milliseconds(stamp) == nil)
    #expect(unknown.lacksYear)
    var known = LogClock(ReaderOptions(year: 2026))
    #expect(known.milliseconds(stamp) == 1_795_219_200_000)
    // A late line does not set the year back.
    #expect(
      known.milliseconds(.withoutYear(month: 10, day: 31, milliseconds: 0)) == 1_793_404_800_000)
  }
}
