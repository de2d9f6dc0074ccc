import Foundation
import RosterCore
import TestSupport
import Testing

/// The story of a day of 32,000 records, as logged by Prosody.
@Suite("The story of a long day") struct LongStoryTests {
  private static let capture = CaptureCase.fixtures.appending(path: "day/server.log.xz").path

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    _ = try output("import", Self.capture, "--year", "2026", "-o", "day.rollcall")
  }

  private func output(_ arguments: String...) throws -> String {
    let run = try Program(arguments, in: folder.path)
    #expect(run.code == 0, "\(run.errors)")
    return run.output
  }

  /// The faults in the capture: see its README.
  private static let faults = [
    (code: "wrong-refusal", about: "carol@friends.example"),
    (code: "outdated-set", about: "zengyi@friends.example"),
    (code: "foreign-push", about: "mum@bank.example"),
  ]

  private func lines(of story: String, with word: String) -> [Substring] {
    story.split(separator: "\n").filter { $0.contains(word) }
  }

  @Test("It fits on two screens, and names the faults and the commands that explain them")
  func story() throws {
    let story = try output("replay", "day.rollcall")
    #expect(story.count(where: \.isNewline) <= 80)
    // The summary tells it, and the line of the record names it.
    #expect(self.lines(of: story, with: "outdated-set").count == 2)
    let reused = self.lines(of: story, with: "id-reused")
    #expect(reused.count == 2 && reused.allSatisfy { $0.hasPrefix("! #") })
    let lines = story.split(separator: "\n")
    let hints = lines.filter { $0.contains("see: rollcall ") }
    #expect(hints.count == Self.faults.count)
    for fault in Self.faults {
      let hint = try #require(hints.first { $0.contains(fault.about) })
      let words = hint.drop { $0 != ":" }.dropFirst().split(separator: " ").dropFirst()
      let run = try Program(words.map(String.init), in: folder.path)
      #expect(run.code == 0 && run.output.contains(" \(fault.code) ("), "\(hint)")
    }
  }

  @Test(
    "No filter makes it longer",
    arguments: [
      ["--contact", "carol@friends.example"], ["--from", "20000"], ["--to", "3000"],
      ["--from", "10000", "--to", "12000"], ["--kind", "iq"], ["--kind", "presence"],
      ["--no-presence"], ["--only", "findings"],
    ])
  func filtered(_ filter: [String]) throws {
    let whole = try output("replay", "day.rollcall")
    let part = try Program(["replay", "day.rollcall"] + filter, in: folder.path)
    #expect(part.code == 0 && part.output.contains("friends"), "\(part.errors)")
    #expect(part.output.count(where: \.isNewline) <= whole.count(where: \.isNewline))
  }

  @Test("At the end, the roster equals what the server stored")
  func state() throws {
    struct Roster: Decodable, Equatable {
      struct Item: Decodable, Equatable {
        let jid: String
        let name: String?
        let subscription: String
        let ask: String?
        let groups: [String]
      }

      let version: String
      let items: [Item]
    }
    let expected = try Data(
      contentsOf: CaptureCase.fixtures.appending(path: "day/expected.json"))
    let state = Data(try output("state", "day.rollcall", "--json").utf8)
    let decoder = JSONDecoder()
    #expect(
      try decoder.decode(Roster.self, from: state) == decoder.decode(Roster.self, from: expected))
    struct Requests: Decodable {
      struct Request: Decodable { let jid: String }
      struct All: Decodable { let incoming: [Request] }
      let requests: All
    }
    struct Kept: Decodable { let requests: [String] }
    #expect(
      try decoder.decode(Requests.self, from: state).requests.incoming.map(\.jid)
        == decoder.decode(Kept.self, from: expected).requests)
  }
}
