import Rollcall
import Testing

@Suite struct PointTests {
  @Test(
    "A point is a record, a distance from the head or a time",
    arguments: [
      ("0", Point.record(0)), ("123", .record(123)), ("head", .head(minus: 0)),
      ("head~0", .head(minus: 0)), ("head~10", .head(minus: 10)),
      ("1970-01-01T00:00:01Z", .time(1000)), ("1970-01-01T00:00:00.001Z", .time(1)),
      ("1970-01-01T02:00:00+02:00", .time(0)), ("1969-12-31T23:59:59.999Z", .time(-1)),
    ])
  func forms(_ text: String, _ point: Point) throws {
    #expect(try Point(parsing: text) == point)
  }

  @Test(
    "Anything else is refused",
    arguments: ["", "-1", "head~", "head~-1", "HEAD", "1.5", "2026-11-20", "18446744073709551616"])
  func refused(_ text: String) {
    #expect(throws: PointError.malformed(text)) { try Point(parsing: text) }
  }

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
}
