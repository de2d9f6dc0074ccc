import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

@Suite("Texts that were read before")
struct RecentTextsTests {
  /// Texts that Swift takes for equal, one that is too long to be kept, and none.
  private static let marks = ["", "\u{E9}", "e\u{301}", "手机", String(repeating: "長", count: 60)]

  private static func presence(_ number: Int, _ mark: String) -> RosterEvent {
    let bare = BareJID(prepared: "\(number)\(mark)@example.test")
    let jid = JID(prepared: bare, resource: mark.isEmpty ? nil : "\(mark)\(number % 7)")
    return .stanza(.availableReceived(from: jid, Availability(status: mark)))
  }

  private static func push(_ number: Int, _ mark: String) -> RosterEvent {
    let item = RosterItem(
      jid: BareJID(prepared: "\(number)\(mark)@example.test"), name: "\(mark) \(number)",
      groups: ["\(mark)\(number % 3)", "friends"])
    let query = RosterQuery(version: nil, items: [.init(change: .set(item))])
    return .stanza(.pushReceived(RosterPush(id: "\(number)", from: nil, query: query)))
  }

  @Test("They change no event that is read after them, not by a byte", arguments: 1...5)
  func sameEvents(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var recent = RecentTexts()
    for step in 0..<4000 {
      // Some come again soon, others late: there are more of them than places.
      let number = Int.random(in: 0..<1 << Int.random(in: 1...11, using: &random), using: &random)
      let mark = Self.marks[Int.random(in: Self.marks.indices, using: &random)]
      let event =
        Bool.random(using: &random) ? Self.presence(number, mark) : Self.push(number, mark)
      let bytes = event.canonicalBytes
      let read = try RosterEvent.decode(bytes.span.bytes, recalling: &recent)
      #expect(read.canonicalBytes == bytes, "seed \(seed), step \(step)")
      #expect(read == event, "seed \(seed), step \(step)")
    }
  }

  @Test("Bytes that are no text stay an error, and what was read before them stays known")
  func damage() throws {
    let event = Self.presence(1, "")
    let bytes = event.canonicalBytes
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "@")))
    var damaged = bytes
    damaged[place] = 0xFF
    var recent = RecentTexts()
    for _ in 0..<2 {
      #expect(try RosterEvent.decode(bytes.span.bytes, recalling: &recent) == event)
      #expect(throws: CodecError.self) {
        try RosterEvent.decode(damaged.span.bytes, recalling: &recent)
      }
    }
  }
}
