import Foundation
import Rollcall
import RosterCore
import Testing

@Suite("Points of a log as dates and spans") struct PointDateTests {
  @Test("A date is a time in milliseconds, to the nearest one")
  func dates() {
    #expect(LogPoint.at(Date(timeIntervalSince1970: 1.2345)) == .time(1235))
    #expect(LogPoint.at(Date(timeIntervalSince1970: -1.5)) == .time(-1500))
    #expect(LogPoint.at(Date(timeIntervalSince1970: .infinity)) == .time(.max))
    #expect(LogPoint.at(Date(timeIntervalSince1970: -.infinity)) == .time(.min))
  }

  @Test("A span is counted in milliseconds")
  func spans() {
    #expect(LogPoint.earlier(by: .seconds(86_400)) == .earlier(milliseconds: 86_400_000))
    #expect(LogPoint.earlier(by: .milliseconds(1500)) == .earlier(milliseconds: 1500))
    #expect(LogPoint.earlier(by: .microseconds(1999)) == .earlier(milliseconds: 1))
    #expect(LogPoint.earlier(by: .seconds(Int64.max)) == .earlier(milliseconds: .max))
    let longest = Duration.seconds(Int64.max / 1000)
    #expect(LogPoint.earlier(by: longest + .milliseconds(807)) == .earlier(milliseconds: .max))
    #expect(LogPoint.earlier(by: longest + .milliseconds(806)) == .earlier(milliseconds: .max - 1))
    #expect(LogPoint.earlier(by: longest + .milliseconds(808)) == .earlier(milliseconds: .max))
    #expect(
      LogPoint.earlier(by: .zero - longest - .milliseconds(809)) == .earlier(milliseconds: .min))
    #expect(LogPoint.head == .head(minus: 0))
  }

  @Test("A record's time is a date")
  func stamps() {
    #expect(RecordStamp(record: 1, time: 1500).date == Date(timeIntervalSince1970: 1.5))
    #expect(RecordStamp(record: 1).date == nil)
  }
}
