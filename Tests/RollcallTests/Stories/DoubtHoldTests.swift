import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Doubts that the server settles at once") struct DoubtHoldTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Two open requests, and a second session that shows its presence at 100 s.
  private static let session = """
    {"rollcall-capture":1,"account":"alice@example.test/phone"}
    {"t":1000,"stream":"opened","jid":"alice@example.test/phone"}
    {"t":2000,"dir":"in","xml":"<presence from='bob@example.test' type='subscribe'/>"}
    {"t":3000,"dir":"in","xml":"<presence from='carol@example.test' type='subscribe'/>"}
    {"t":4000,"stream":"closed"}
    {"t":99000,"stream":"opened","jid":"alice@example.test/phone"}
    {"t":100000,"dir":"out","xml":"<presence/>"}

    """

  private static func subscribe(_ name: String, at time: Int) -> String {
    #"{"t":\#(time),"dir":"in","xml":"<presence from='\#(name)@example.test' type='subscribe'/>"}"#
      + "\n"
  }

  /// What the hold says, and at which record.
  private func lines(_ rest: String) throws -> [String] {
    let path = folder.file("\(UUID()).jsonl")
    try (Self.session + rest).write(toFile: path, atomically: true, encoding: .utf8)
    var hold = DoubtHold()
    var lines: [String] = []
    let timeline = Timeline(try importedLog(of: path, nil, in: folder))
    let state = try timeline.replay(upTo: .head(minus: 0)) { moment, roster in
      if hold.isOver(at: moment), let line = hold.finish(roster) {
        lines.append("#\(moment.stamp.record) \(line)")
      }
      hold.take(moment) { _ in true }
      let told = moment.outcome.changes.forStory
      #expect(!told.contains { $0.reason == .unconfirmed(.notSentAgain) })
    }
    if let line = hold.finish(state.roster) { lines.append("end \(line)") }
    return lines
  }

  @Test("Requests that the server sends again are not in doubt")
  func settled() throws {
    let again = Self.subscribe("bob", at: 100_100) + Self.subscribe("carol", at: 100_200)
    #expect(try lines(again).isEmpty)
    #expect(try lines(again + Self.subscribe("dave", at: 200_000)).isEmpty)
  }

  @Test("A request that is not sent again within two seconds is reported once")
  func left() throws {
    let bob = Self.subscribe("bob", at: 100_100)
    let line = "1 request was not sent again in this session: carol@example.test"
    #expect(try lines(bob) == ["end \(line)"])
    #expect(try lines(bob + Self.subscribe("dave", at: 101_900)) == ["end \(line)"])
    #expect(
      try lines(bob + Self.subscribe("dave", at: 102_000) + Self.subscribe("erin", at: 103_000))
        == ["#9 \(line)"])
  }

  @Test("The end of the session ends the wait")
  func ended() throws {
    let line =
      "2 requests were not sent again in this session: bob@example.test, carol@example.test"
    #expect(try lines("{\"t\":100100,\"stream\":\"closed\"}\n") == ["#8 \(line)"])
  }
}
