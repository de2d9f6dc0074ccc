import Captures
import TestSupport
import Testing

@Suite("Numeric dates with the day or the month first")
struct DateOrderTests {
  /// A log with these clocks, and their times from `date -u -d …`; nil is an unknown time.
  struct Case: Sendable, CustomTestStringConvertible {
    let clocks: [String]
    let times: [String?]

    init(_ clocks: [String], _ times: [String?]) {
      (self.clocks, self.times) = (clocks, times)
    }

    var testDescription: String { clocks.joined(separator: ", ") }
    /// Whether the order is unknown.
    var isUnclear: Bool { times.contains(nil) }
  }

  static let cases = [
    Case(["22/07/2015 21:07:17"], ["2015-07-22T21:07:17.000Z"]),
    Case(["07/22/2015 21:07:17"], ["2015-07-22T21:07:17.000Z"]),
    Case(["21.11.2026, 07:25:14,147"], ["2026-11-21T07:25:14.147Z"]),
    // In every country that writes dates with periods, the day comes first.
    Case(["05.03.2026 08:05:06"], ["2026-03-05T08:05:06.000Z"]),
    Case(["3/5/2026, 8:05:06 PM"], ["2026-03-05T20:05:06.000Z"]),
    // In Australia the day comes first, with small letters or with zeros.
    Case(["5/3/2026, 8:05:06 pm"], [nil]),
    Case(["5/03/2026 8:05:06 PM"], [nil]),
    Case(["05/03/2026 08:05:06"], [nil]),
    // Either order gives this time.
    Case(["05/05/2026 08:05:06"], ["2026-05-05T08:05:06.000Z"]),
    // One date determines the order of all.
    Case(
      ["01/12/2026 23:59:58", "01/13/2026 00:00:01"],
      ["2026-01-12T23:59:58.000Z", "2026-01-13T00:00:01.000Z"]),
    Case(
      ["12/01/2026 23:59:58", "13/01/2026 00:00:01", "01/02/2026 00:00:01"],
      ["2026-01-12T23:59:58.000Z", "2026-01-13T00:00:01.000Z", "2026-02-01T00:00:01.000Z"]),
    // Midnight determines it too, and the end of a month.
    Case(
      ["01/11/2026 23:59:58", "01/12/2026 00:00:01"],
      ["2026-01-11T23:59:58.000Z", "2026-01-12T00:00:01.000Z"]),
    Case(
      ["01/11/2026 23:59:58", "02/11/2026 00:00:01"],
      ["2026-11-01T23:59:58.000Z", "2026-11-02T00:00:01.000Z"]),
    // If no order fits all dates, each date is read only by itself.
    Case(
      ["22/07/2015 21:07:17", "07/23/2015 21:07:17", "07/08/2015 21:07:17"],
      ["2015-07-22T21:07:17.000Z", "2015-07-23T21:07:17.000Z", nil]),
  ]

  @Test("The order is that of the whole log", arguments: cases)
  func order(_ log: Case) throws {
    let text = log.clocks.map { "\($0) DEBUG RECV: <presence from='a@b'/>\n" }.joined()
    let carrier = Carrier(Array(text.utf8))
    #expect(carrier.notes.contains { $0.contains("day or the month") } == log.isUnclear)
    #expect(carrier.layers.isEmpty)
    let reading = try read(text, "slixmpp", options: ReaderOptions(carrier: carrier))
    let times = reading.records.map { $0.time.map(Timestamp.text) }
    #expect(times == log.times)
  }

  @Test(
    "A twelve-hour clock is read, wherever the year is",
    arguments: [
      ("[2026-11-21 10:00:00 PM]", "2026-11-21T22:00:00.000Z"),
      ("[2026-11-21 10:00:00 AM]", "2026-11-21T10:00:00.000Z"),
      ("2026-11-21 12:00:00.5am", "2026-11-21T00:00:00.500Z"),
      ("2026/11/21 12:30:00 pm", "2026-11-21T12:30:00.000Z"),
      ("2026-11-21 22:00:00 PM", "2026-11-21T22:00:00.000Z"),
      ("2026-11-21 10:00:00 PMS", "2026-11-21T10:00:00.000Z"),
      ("2026-11-21 10:00:00 amq", "2026-11-21T10:00:00.000Z"),
      ("22/07/2015 9:07:17 PM", "2015-07-22T21:07:17.000Z"),
    ])
  func twelveHours(_ prefix: String, _ time: String) throws {
    let reading = try read("\(prefix) RECV: <presence from='a@b'/>\n", "slixmpp")
    #expect(reading.records.first?.time.map(Timestamp.text) == time)
  }
}
