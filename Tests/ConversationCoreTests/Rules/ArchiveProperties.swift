import TestSupport
import Testing
import XMPPStanza

@testable import ConversationCore

/// Whatever part of a chat was seen live, an archive that is read to its end gives all of it, each
/// message once and in order.
@Suite("An archive completes a chat")
struct ArchiveProperties {
  /// A message as the server has it.
  private struct Sent {
    let body: String
    let isOurs: Bool
    let id: String?
    let originID: String?
    let archiveID: String
    /// Whether the client saw or wrote it live.
    let isLive: Bool

    var xml: String {
      let more = originID.map { ConversationCoreTests.originID($0) } ?? ""
      return isOurs
        ? message(from: "alice@example.test/d1", to: "bob@example.test", id: id, body, more)
        : message(from: "bob@example.test/peer", to: Dialogue.account, id: id, body, more)
    }

    var liveStep: Dialogue.Step {
      let more = originID.map { ConversationCoreTests.originID($0) } ?? ""
      return isOurs
        ? toBob(body, id: id, more) : fromBob(body, id: id, more + stanzaID(archiveID))
    }

    init(number: Int, using generator: inout SeededGenerator) {
      body = "m\(number)"
      isOurs = Bool.random(using: &generator)
      let kind = Int.random(in: 0..<4, using: &generator)
      // Other clients reuse ids, and the tutorials have none.
      id = kind == 0 ? nil : kind == 1 ? "same" : "i\(number)"
      originID = kind == 2 ? "o\(number)" : nil
      archiveID = "a\(number)"
      isLive = Bool.random(using: &generator)
    }
  }

  /// The results of the archive in pages, forwards or backwards.
  private static func pages(
    of all: [Sent], at times: [String], isBackward: Bool, size: Int
  ) -> [Dialogue.Step] {
    var steps: [Dialogue.Step] = []
    var ranges = stride(from: 0, to: all.count, by: size).map { $0..<min($0 + size, all.count) }
    if isBackward { ranges.reverse() }
    for (number, range) in ranges.enumerated() {
      let set: String
      if isBackward {
        set = number == 0 ? "<before/>" : "<before>\(all[range.upperBound].archiveID)</before>"
      } else {
        set = number == 0 ? "" : "<after>\(all[range.lowerBound - 1].archiveID)</after>"
      }
      steps.append(query("q\(number)", set))
      for index in range {
        steps.append(result(all[index].archiveID, all[index].xml, stamp: times[index]))
      }
      steps.append(fin("q\(number)", complete: number == ranges.count - 1))
    }
    return steps
  }

  @Test("Pages in any direction and of any size complete what was seen live")
  func completion() {
    for seed in Seeds.chosen(or: 0...199) {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...12, using: &generator)
      let all = (0..<count).map { Sent(number: $0, using: &generator) }
      // Prosody stamps in whole seconds, and several messages share one.
      var (steps, times): ([Dialogue.Step], [String]) = ([], [])
      var second = 0
      for sent in all {
        let pause = Int.random(in: 0...2, using: &generator)
        second += pause
        steps.append(.wait(Int64(pause) * 1000))
        let digits = second < 10 ? "0\(second)" : "\(second)"
        times.append("2026-11-26T12:00:\(digits)Z")
        if sent.isLive { steps.append(sent.liveStep) }
      }
      let archive = Self.pages(
        of: all, at: times, isBackward: Bool.random(using: &generator),
        size: Int.random(in: 1...5, using: &generator))
      var dialogue = Dialogue.online(steps + archive)
      #expect(dialogue.bodies() == all.map(\.body), "seed \(seed)")
      // Reading it again changes nothing.
      for step in archive { dialogue.take(step) }
      #expect(dialogue.bodies() == all.map(\.body), "seed \(seed), read twice")
      #expect(!dialogue.findings.contains("delivered-twice"), "seed \(seed)")
    }
  }
}
