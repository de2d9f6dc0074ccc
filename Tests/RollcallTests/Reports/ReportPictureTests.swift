import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing

@Suite("The picture of a session") struct ReportPictureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The picture of a native capture's lines; the header precedes them.
  private func picture(_ lines: [String]) throws -> ReportPicture {
    let path = folder.file("\(UUID()).jsonl")
    let header = #"{"rollcall-capture":1,"account":"alice@example.test"}"#
    try ([header] + lines).joined(separator: "\n")
      .write(toFile: path, atomically: true, encoding: .utf8)
    let timeline = Timeline(try importedLog(of: path, nil, in: folder))
    let last = try timeline.record(at: .head(minus: 0))
    let connections = try timeline.connections(upTo: .head(minus: 0))
    var picture = ReportPicture(connections, ReportAxis(connections, last: last))
    try timeline.replay(upTo: .head(minus: 0)) { picture.take($0, $1) }
    picture.finish()
    return picture
  }

  private func opened(_ time: Int64, _ connection: Int, _ resource: String) -> String {
    #"{"t":\#(time),"c":\#(connection),"stream":"opened","jid":"alice@example.test/\#(resource)"}"#
  }

  private func closed(_ time: Int64, _ connection: Int) -> String {
    #"{"t":\#(time),"c":\#(connection),"stream":"closed"}"#
  }

  private func received(_ time: Int64, _ connection: Int, _ xml: String) -> String {
    #"{"t":\#(time),"c":\#(connection),"dir":"in","xml":"\#(xml)"}"#
  }

  private let forged =
    "<iq type='set' id='1' from='e@example.org/x'><query xmlns='jabber:iq:roster'><item jid='e@example.org'/></query></iq>"

  @Test("A device is a lane, with a period for each of its sessions")
  func lanes() throws {
    let picture = try picture([
      opened(0, 1, "pc"), opened(100, 2, "phone"), closed(400, 1), opened(600, 3, "pc"),
      received(1000, 3, "<presence from='b@example.test/x'/>"),
    ])
    #expect(picture.lanes.map(\.name) == ["pc", "phone"])
    #expect(
      picture.lanes.map { $0.stretches.map { [$0.start, $0.end] } }
        == [[[0, 0.4], [0.6, 1]], [[0.1, 1]]])
    #expect(picture.lanes[0].connections.count == 2)
    #expect(picture.presence.last == 1 && picture.presence.reduce(0, +) == 1)
    #expect(picture.others.first == 2, "the header and the first session")
  }

  @Test("A mark is at its time, in its lane; marks close together are one, the most severe")
  func marks() throws {
    let asks = "<presence from='eve@example.test' type='subscribe'/>"
    let picture = try picture([
      opened(0, 1, "pc"), opened(0, 2, "phone"),
      // Subscribed without a request of ours: a warning.
      received(500, 2, "<presence from='bob@example.test' type='subscribed'/>"),
      received(501, 2, forged), received(900, 1, asks), received(1000, 1, forged),
    ])
    let lanes = Dictionary(uniqueKeysWithValues: picture.lanes.map { ($0.name, $0) })
    let phone = try #require(lanes["phone"]?.findingMarks)
    #expect(phone.map(\.sign) == [.error] && phone.map(\.count) == [2])
    #expect(phone.map(\.first) == [4] && phone.map(\.words) == ["foreign-push"])
    let pc = try #require(lanes["pc"])
    #expect(pc.requestMarks.map(\.first) == [6] && pc.findingMarks.map(\.first) == [7])
    #expect(pc.requestMarks.map(\.words) == ["request of eve@example.test"])
    let place = try #require(pc.requestMarks.first?.place)
    #expect(abs(place - 0.9) < 1 / Double(ReportPicture.marks))
  }

  @Test(
    "The picture has a bounded number of parts, whatever the session's size")
  func bounds() throws {
    var lines: [String] = []
    for number in 0..<600 {
      let connection = number % 40 + 1
      lines.append(opened(Int64(number) * 10, connection, "r\(connection)"))
      lines.append(received(Int64(number) * 10 + 2, connection, forged))
      lines.append(closed(Int64(number) * 10 + 8, connection))
    }
    let picture = try picture(lines)
    #expect(picture.lanes.count == ReportPicture.mostLanes)
    #expect(picture.lanes.last?.name == "others")
    #expect(picture.lanes.allSatisfy { $0.findingMarks.count <= ReportPicture.marks })
    #expect(picture.lanes.allSatisfy { $0.stretches.count <= 500 })
    #expect(picture.lanes.flatMap(\.findingMarks).reduce(0) { $0 + $1.count } >= 600)
    #expect(Set(picture.lanes.flatMap(\.connections)).count == 40)
  }

  // MARK: The axis

  private func axis(_ first: Int64?, _ last: Int64?, records: Int = 3) throws -> ReportAxis {
    func time(_ value: Int64?) -> String { value.map { #""t":\#($0),"# } ?? "" }
    return try picture(
      ["{\(time(first))\"stream\":\"opened\",\"jid\":\"alice@example.test/pc\"}"]
        + (3...max(records, 3)).map { _ in
          "{\(time(last))\"dir\":\"in\",\"xml\":\"<presence from='b@example.test/x'/>\"}"
        }
    ).axis
  }

  @Test("Marks are at round times in the zone in which times are shown")
  func ticks() throws {
    let noon: Int64 = 1_795_176_000_000
    let hours = try axis(noon, noon + 6 * 3_600_000)
    #expect(
      hours.ticks(.utc).map(\.label) == ["13:00", "14:00", "15:00", "16:00", "17:00", "18:00"])
    let kolkata = try #require(Zone("+05:30"))
    #expect(hours.ticks(kolkata).map(\.label).first == "18:00")
    #expect(hours.ticks(kolkata).map(\.place).first.map { abs($0 - 0.5 / 6) < 1e-9 } == true)
    let days = try axis(noon, noon + 5 * 86_400_000)
    #expect(days.ticks(.utc).map(\.label).first == "2026-11-21")
    #expect(days.ticks(.utc).count == 5)
  }

  @Test("Without a clock, the marks are record numbers")
  func clockless() throws {
    let axis = try axis(nil, nil, records: 40)
    #expect(axis.scale == .records(40))
    #expect(axis.ticks(.utc).map(\.label) == ["#10", "#20", "#30", "#40"])
  }

  private static let far: Int64 = 8_640_000_000_000_000
  private static let wildClocks: [(Int64, Int64)] = [
    (-far, far), (-1, far), (-far, 0), (0, 0), (5, 4), (0, 1), (far - 5000, far),
    (-far, -far + 10_000),
  ]

  @Test("Extreme clocks are handled", arguments: wildClocks)
  func wild(_ first: Int64, _ last: Int64) throws {
    var axis = try axis(first, last)
    for zone in [Zone.utc, try #require(Zone("Asia/Shanghai"))] {
      let ticks = axis.ticks(zone)
      #expect(ticks.count <= 8)
      #expect(ticks.allSatisfy { (0...1).contains($0.place) })
    }
    for time in [first, last, nil, 0, .max, .min] {
      #expect((0...1).contains(axis.place(of: RecordStamp(record: 2, time: time))))
    }
  }
}
