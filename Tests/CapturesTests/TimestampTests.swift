import Captures
import Testing

@Suite("Times of records")
struct TimestampTests {
  @Test(
    "Times are written to the millisecond, before 1970 too",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (1_763_600_000_820, "2025-11-20T00:53:20.820Z"),
      (1_582_934_400_000, "2020-02-29T00:00:00.000Z"),
    ])
  func written(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp.text(milliseconds) == text)
    #expect(Timestamp.parse(text) == milliseconds)
  }

  @Test(
    "An impossible day, hour or suffix is refused, not read as another time",
    arguments: [
      "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "2026-00-10T00:00:00Z",
      "2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z", "2026-11-20T10:00:00",
      "2026-11-20T10:00:00Zoo", "2026-11-20T10:00:00+25:00", "2026-11-20T10:00:00+0100",
      "20261120T100000Z", "999999999999-01-01T00:00:00Z", "２０２６-11-20T10:00:00Z",
    ])
  func noTime(_ text: String) {
    #expect(Timestamp.parse(text) == nil)
  }

  @Test(
    "Fractions, zones, small letters and leap seconds are read",
    arguments: [
      ("2024-02-29T12:00:00z", 1_709_208_000_000), ("1970-01-01t00:00:00.5Z", 500),
      ("1970-01-01T00:00:00.0019Z", 1), ("1969-12-31T19:00:00-05:00", 0),
      ("1970-01-01T05:45:00+05:45", 0), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ])
  func read(_ text: String, _ milliseconds: Int64) {
    #expect(Timestamp.parse(text) == milliseconds)
  }

  @Test(
    "Every time has a text, and the time of day does not depend on the year's length",
    arguments: [
      (253_402_300_800_000, "10000-01-01T00:00:00.000Z", "00:00:00.000"),
      (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z", "23:59:59.999"),
      (Int64.max, "292278994-08-17T07:12:55.807Z", "07:12:55.807"),
      (Int64.min, "-292275055-05-16T16:47:04.192Z", "16:47:04.192"),
    ])
  func extremes(_ milliseconds: Int64, _ text: String, _ clock: String) {
    #expect(Timestamp.text(milliseconds) == text)
    #expect(Timestamp.clock(milliseconds) == clock)
  }

  @Test("Every day of more than a century is read back as written")
  func roundTrip() {
    for day in Int64(-20_000)...20_000 {
      let time = day * 86_400_000 + (day & 0xFFFF) * 1009 % 86_400_000
      #expect(Timestamp.parse(Timestamp.text(time)) == time)
    }
  }
}
