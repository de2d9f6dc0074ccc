import Rollcall
import Testing

@Suite("Points") struct PointTests {
  @Test(
    "A point is a record, a distance from the head or a time",
    arguments: [
      ("0", LogPoint.record(0)), ("123", .record(123)), ("#17", .record(17)),
      ("head", .head(minus: 0)),
      ("head~0", .head(minus: 0)), ("head~10", .head(minus: 10)),
      ("1970-01-01T00:00:01Z", .time(1000)), ("1970-01-01T00:00:00.001Z", .time(1)),
      ("1970-01-01T02:00:00+02:00", .time(0)), ("1969-12-31T23:59:59.999Z", .time(-1)),
      ("1970-01-01T00:00:01", .time(1000)), ("1970-01-01 00:00:01.5", .time(1500)),
      ("1970-01-01T00:01", .time(60_000)), ("1970-01-02", .time(86_400_000)),
      ("1970-01-01 02:00:00+02:00", .time(0)),
      ("10:00", .clock(milliseconds: 36_000_000)), ("00:00:01.5", .clock(milliseconds: 1500)),
      ("-5m", .earlier(milliseconds: 300_000)), ("head-5m", .earlier(milliseconds: 300_000)),
      ("-1d2h3m4s", .earlier(milliseconds: 93_784_000)), ("-0s", .earlier(milliseconds: 0)),
      ("before-the-rename", .bookmark("before-the-rename")), ("改名", .bookmark("改名")),
      ("v1.2_x", .bookmark("v1.2_x")),
    ])
  func forms(_ text: String, _ point: LogPoint) throws {
    #expect(try LogPoint(parsing: text) == point)
  }

  @Test(
    "Everything else is refused",
    arguments: [
      "", "-1", "head~", "head~-1", "head~+1", "HEAD", "header", "1.5", "+1", "2026-11-32",
      "18446744073709551616", "-", "-m", "#", "#+1", "##1", "#head", "-5", "-5x", "-5m3", "5m",
      "--5m", "head-", "-+5m",
      "-9223372036854775807d", "-106751991167d99999999999999999s", "25:00", "10:60", "1:00",
      "a b", "-a", "_a", "a/b", "a@b", "2026-11-20T10:00:00 Z", "2026-11-20  10:00",
    ])
  func refused(_ text: String) {
    #expect(throws: PointError.malformed(text)) { try LogPoint(parsing: text) }
  }
}
