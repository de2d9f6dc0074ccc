import TestSupport
import Testing

@testable import ConversationCore

/// What the state keeps for later copies and answers is bounded, however long the log is.
@Suite("Bounds of what is kept for later")
struct BoundTests {
  private static let count = 20_000
  private static let noon = "2026-11-26T12:00:00Z"

  private static func text(_ number: Int) -> String {
    message(from: "bob@example.test/peer", to: Dialogue.account, "m\(number)")
  }

  private static func late(_ number: Int) -> Dialogue.Step {
    fromBob("m\(number)", delay(noon, from: "example.test"))
  }

  @Test("Texts that an archive has shown wait for late copies up to a limit, others without one")
  func textsWithoutIDs() {
    var dialogue = Dialogue.online(query("q"))
    for number in 0..<Self.count {
      dialogue.take(result("a\(number)", Self.text(number), stamp: Self.noon))
    }
    #expect(dialogue.state.textsWithoutIDs.count == TextsWithoutIDs.archivedLimit)
    dialogue.take(fin("q"))
    // A server delivers late what is new.
    dialogue.take(.bound(connection: 2))
    let newest = Self.count - 100..<Self.count
    for number in newest { dialogue.take(Self.late(number)) }
    #expect(dialogue.messages().count == Self.count)
    for number in 0..<Self.count { dialogue.take(fromBob("n\(number)")) }
    #expect(
      dialogue.state.textsWithoutIDs.count == TextsWithoutIDs.archivedLimit + Self.count)
    dialogue.take(query("p"))
    dialogue.take(
      result(
        "b", message(from: "bob@example.test/peer", to: Dialogue.account, "n0"), stamp: Self.noon))
    #expect(dialogue.messages().count == 2 * Self.count)
  }

  @Test("Reactions are known again up to a limit")
  func reactions() {
    var dialogue = Dialogue.online(fromBob("hi", id: "a"))
    for number in 0..<Self.count {
      dialogue.take(fromBob("", id: "r\(number)", reacts("a", "e\(number)")))
    }
    #expect(dialogue.state.all[0].seenSigns.count == 4096)
    dialogue.take(.bound(connection: 2))
    for number in Self.count - 1000..<Self.count - 1 {
      dialogue.take(fromBob("", id: "r\(number)", reacts("a", "e\(number)")))
    }
    // What is not known any more, an archive shows as older.
    let first = message(
      from: "bob@example.test/peer", to: Dialogue.account, id: "r0", "", reacts("a", "e0"))
    dialogue.take(query("q"))
    dialogue.take(result("k", first, stamp: "2026-11-26T11:59:00Z"))
    #expect(dialogue.lines() == ["in hi unread bob@example.test e\(Self.count - 1)"])
  }

  @Test("The times of signs and of the ends of pages are kept up to a limit")
  func archiveTimes() {
    var dialogue = Dialogue.online()
    for number in 0..<Self.count {
      dialogue.take(fromBob("", receipt("x") + stanzaID("s\(number)")))
    }
    #expect(dialogue.state.archiveTimes.count == 16384)
    let last = ArchiveID("s\(Self.count - 1)", in: bare(Dialogue.account))
    #expect(dialogue.state.archiveTimes[last] != nil)
  }

  private func kept(_ steps: [Dialogue.Step]) -> Int? {
    let messages = (0..<1000).map { fromBob("m\($0)", id: "i\($0)") }
    return Dialogue(steps + messages).state.sessions[ConnectionID(number: 1)]?.received.items.count
  }

  @Test("What we have not acknowledged is kept only if the log has our side")
  func received() {
    let enabled = Dialogue.Step.received(
      "<enabled xmlns='urn:xmpp:sm:3' id='s' resume='true'/>")
    let enable = Dialogue.Step.sent("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
    #expect(kept([.bound(connection: 1), enabled]) == 0)
    #expect(kept([.bound(connection: 1), enable, enabled]) == 1000)
  }

  @Test("The oldest entries are forgotten, whatever was removed")
  func recentEntries() {
    for seed in Seeds.chosen(or: 0...99) {
      var random = SeededGenerator(seed: seed)
      var entries = RecentEntries<Int, Int>(limit: 8)
      // The entries that must be there, oldest first.
      var wanted: [(key: Int, value: Int)] = []
      for step in 0..<500 {
        let key = Int.random(in: 0..<20, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
          entries.remove(key)
          wanted.removeAll { $0.key == key }
        } else {
          let forgotten = entries.update(key, step)
          if let index = wanted.firstIndex(where: { $0.key == key }) {
            wanted[index].value = step
          } else {
            wanted.append((key, step))
          }
          let oldest = wanted.count > 8 ? wanted.removeFirst() : nil
          #expect(forgotten?.key == oldest?.key && forgotten?.value == oldest?.value)
        }
        #expect(entries.count == wanted.count, "seed \(seed)")
        for (key, value) in wanted { #expect(entries[key] == value, "seed \(seed)") }
      }
    }
  }
}
