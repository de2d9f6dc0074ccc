@testable import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Sets that put back what was changed or removed")
struct PutBackTests {
  private let bob = "bob@example.test"
  private let carol = "carol@example.test"

  /// Alice at time 0, with Bob in a group and Carol, on a phone and on a desktop (connection 2).
  private func alice() -> Scenario {
    let items = item(bob, "name='Bob' subscription='both'", groups: ["A"]) + item(carol)
    var scenario = Scenario()
    scenario.time = 0
    scenario.opened("alice@example.test/phone")  // 1
    scenario.fetches(items)  // 2 and 3
    scenario.on(2) {
      $0.opened("alice@example.test/desktop")  // 4
      $0.fetches(items)  // 5 and 6
    }
    return scenario
  }

  /// One device sets an item, and the server shows it to both.
  private func edit(
    _ scenario: inout Scenario, on connection: UInt32, _ items: String, shows: String? = nil,
    at time: Int64
  ) {
    scenario.on(connection) { $0.sets(items, id: "s\(time)", at: time) }
    for other in [1, 2] as [UInt32] {
      scenario.on(other) { $0.pushed(shows ?? items, id: "p\(time)") }
    }
    scenario.on(connection) { $0.receivesEmptyResult(id: "s\(time)") }
  }

  private func findings(_ scenario: Scenario) -> [Finding] {
    var scenario = scenario
    scenario.ends()
    return scenario.findings.filter { $0.code == .putBack }
  }

  private func bobItem(_ name: String, _ groups: [String] = ["A"]) -> String {
    item(bob, "name='\(name)' subscription='both'", groups: groups)
  }

  private var removal: String { item(bob, "subscription='remove'") }
  private var added: String { item(bob, "name='Bob'", groups: ["A"]) }

  @Test("A device that adds again what another one removed puts it back, and is named")
  func removedContact() throws {
    var scenario = alice()
    edit(&scenario, on: 2, removal, at: 1_000)  // 7 to 10
    edit(&scenario, on: 1, item(carol), at: 19_900)
    edit(&scenario, on: 1, added, at: 20_000)  // 15 to 18
    let finding = try #require(findings(scenario).first)
    #expect(findings(scenario).count == 1)
    #expect(finding.cause == 15 && finding.record == 18 && finding.contact == bare(bob))
    #expect(finding.severity == .warning && finding.device == "phone")
    let sentence = finding.sentence
    #expect(sentence.hasPrefix("phone added \(bob) again by the set of record 15"))
    #expect(
      sentence.contains("desktop had removed it at record 7, which the server showed at record 8"))
    #expect(sentence.contains("“both” is not restored") && sentence.contains("in a row"))
  }

  @Test("A device that sets an old name and old groups again puts them back")
  func editedFields() throws {
    var scenario = alice()
    edit(&scenario, on: 2, bobItem("Robert", ["A", "B"]), at: 1_000)  // 7 to 10
    edit(&scenario, on: 1, bobItem("Bob"), at: 20_000)  // 11 to 14
    let finding = try #require(findings(scenario).first)
    #expect(finding.cause == 11 && finding.record == 14)
    #expect(finding.sentence.contains("desktop had changed that at record 7"))
    #expect(finding.sentence.contains("Name and groups are both as they were"))
    #expect(!scenario.allCodes.contains(.undoneEdit) && !scenario.allCodes.contains(.outdatedSet))
  }

  @Test("Only what the other device had changed is named, and one set is one finding")
  func words() throws {
    for (changed, words) in [
      (bobItem("Robert"), "gave \(bob) back the name “Bob”, by"),
      (bobItem("Bob", ["A", "B"]), "took \(bob) out of “B” again, by"),
      (bobItem("Bob", ["B"]), "gave \(bob) back the group “A” and took it out of “B” again, by"),
      (bobItem("Robert", []), "gave \(bob) back the name “Bob” and the group “A”, by"),
      (item(bob, groups: ["A"]), "gave \(bob) back the name “Bob”, by"),
      (bobItem("Bob", ["B", "C"]), "gave \(bob) back the group “A” and took it out of “B”, “C” "),
    ] {
      var scenario = alice()
      edit(&scenario, on: 2, changed, at: 1_000)
      edit(&scenario, on: 1, bobItem("Bob"), at: 20_000)
      scenario.sends(at: 30_000)
      let finding = try #require(findings(scenario).first)
      #expect(finding.sentence.hasPrefix("phone \(words)"), "\(finding.sentence)")
      let codes = scenario.findings.filter { $0.record > 10 }.map(\.code)
      #expect(!codes.contains(.groupsLost))
    }
  }

  @Test("Sets in a row are evidence, whether the other set comes first or second")
  func rows() throws {
    for (before, after) in [(19_500, nil), (nil, 20_500), (nil, 22_000)] as [(Int64?, Int64?)] {
      var scenario = alice()
      edit(&scenario, on: 2, bobItem("Robert"), at: 1_000)
      if let before { edit(&scenario, on: 1, item(carol, "name='C'"), at: before) }
      edit(&scenario, on: 1, bobItem("Bob"), at: 20_000)
      if let after { edit(&scenario, on: 1, item(carol, "name='C'"), at: after) }
      let isRow = after != 22_000
      let finding = try #require(findings(scenario).first)
      #expect(findings(scenario).count == 1)
      #expect(finding.sentence.contains("several sets in a row") == isRow)
      #expect(finding.sentence.contains("Either its user wanted that") == !isRow)
      #expect(finding.severity == (isRow ? .warning : .info))
    }
  }

  @Test("A person who adds a removed contact again, with name and group, sends no old copy")
  func addedByHand() throws {
    var scenario = alice()
    edit(&scenario, on: 2, removal, at: 1_000)
    edit(&scenario, on: 1, added, at: 20_000)
    scenario.sends(at: 30_000)
    let finding = try #require(findings(scenario).first)
    #expect(findings(scenario).count == 1)
    #expect(finding.severity == .info)
    #expect(finding.sentence.contains("Either its user wanted that"))
  }

  @Test("If no set in the log had removed the contact, only a sign of an old copy counts")
  func unrecordedRemoval() throws {
    for isRow in [false, true] {
      var scenario = alice()
      for connection in [1, 2] as [UInt32] {
        scenario.on(connection) {
          $0.time = 1_000
          $0.pushed(removal, id: "gone")
        }
      }
      edit(&scenario, on: 1, added, at: 20_000)
      if isRow { edit(&scenario, on: 1, item(carol, "name='C'"), at: 20_500) }
      scenario.sends(at: 30_000)
      #expect(findings(scenario).map(\.severity) == (isRow ? [.warning] : []))
    }
  }

  @Test("A client that adds at once what the roster of its login lacks keeps a list of its own")
  func afterLogin() throws {
    for (wait, isFound) in [(200, true), (2_500, false)] as [(Int64, Bool)] {
      var scenario = Scenario()
      scenario.time = 0
      scenario.opened("alice@example.test/phone")
      scenario.fetches(bobItem("Bob"))
      scenario.closed()
      scenario.opened("alice@example.test/phone", at: 100_000)
      scenario.fetches("", id: "again")  // 6 and 7
      scenario.sets(added, id: "s", at: 100_000 + wait)  // 8
      scenario.pushed(added)
      #expect(findings(scenario).count == (isFound ? 1 : 0))
      guard let finding = findings(scenario).first else { continue }
      #expect(finding.cause == 8)
      #expect(finding.sentence.hasPrefix("This client added"))
      #expect(finding.sentence.contains("left the roster at record 7"))
      #expect(finding.sentence.contains("This is a guess."))
    }
  }

  /// Devices rename Bob in turn: each device with the name that it sets, at this pace.
  private func rename(
    _ turns: [(device: UInt32, name: String)], every pace: Int64 = 3_000
  ) -> Scenario {
    var scenario = alice()
    for (number, turn) in turns.enumerated() {
      edit(&scenario, on: turn.device, bobItem(turn.name), at: 1_000 + Int64(number) * pace)
    }
    return scenario
  }

  @Test("Devices that undo each other's changes are one finding, with the count")
  func turns() throws {
    for (count, severity) in [(1, .info), (2, .info), (3, .warning), (18, .warning)]
      as [(Int, Finding.Severity)]
    {
      let turns = (0..<(count + 2)).map { $0 % 2 == 0 ? (device: UInt32(1), "A") : (2, "B") }
      let scenario = rename(turns)
      let found = findings(scenario)
      let finding = try #require(found.first)
      #expect(found.count == 1 && finding.count == count && finding.severity == severity)
      #expect(finding.device == "phone" && finding.cause == 15)
      #expect(finding.sentence.hasPrefix("phone gave \(bob) back the name “A”, by the set of"))
      let words =
        "the first of \(count) such sets (#15 to #\(11 + 4 * count)): phone and desktop undo"
      #expect(finding.sentence.contains(words) == (count > 1), "\(finding.sentence)")
      #expect(finding.sentence.contains("People would have stopped") == (severity == .warning))
    }
  }

  @Test("A device that puts its name back each time is one finding, too")
  func oneSided() throws {
    let scenario = rename([(2, "A"), (1, "Bob"), (2, "B"), (1, "Bob"), (2, "C"), (1, "Bob")])
    let found = findings(scenario)
    let finding = try #require(found.first)
    #expect(found.count == 1 && finding.count == 3 && finding.severity == .warning)
    #expect(finding.sentence.contains("That was the first of 3 such sets (#11 to #27). People"))
  }

  @Test("After a pause, it is another matter, and each is reported before the log ends")
  func pause() {
    let turns = (0..<4).map { $0 % 2 == 0 ? (device: UInt32(1), "A") : (2, "B") }
    let scenario = rename(turns, every: 61_000)
    #expect(findings(scenario).map(\.count) == [1, 1])
    #expect(scenario.allCodes.filter { $0 == .putBack }.count == 1)
  }

  @Test("What was put back is part of the state until it is reported")
  func state() throws {
    let scenario = rename([(1, "A"), (2, "B"), (1, "A"), (2, "B")])
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
    let ending = RosterReducer.findings(
      ending: read, at: RecordStamp(record: scenario.record, time: scenario.time),
      hasReceived: false)
    #expect(ending.filter { $0.code == .putBack }.map(\.count) == [2])
  }

  @Test("What the same device changed or removed, it may put back")
  func sameDevice() {
    var removed = alice()
    edit(&removed, on: 1, removal, at: 1_000)
    edit(&removed, on: 1, item(carol, "name='C'"), at: 19_900)
    edit(&removed, on: 1, added, at: 20_000)
    #expect(findings(removed).isEmpty)

    var renamed = alice()
    edit(&renamed, on: 1, bobItem("Robert", ["B"]), at: 1_000)
    edit(&renamed, on: 1, bobItem("Bob"), at: 20_000)
    #expect(findings(renamed).isEmpty)
  }

  @Test("A new name, another group, a refused set and a set that changes nothing put nothing back")
  func nearMisses() {
    let sets = [bobItem("Rob"), bobItem("Bob", ["C"]), bobItem("Robert", ["A", "B"]), removal]
    for set in sets {
      var scenario = alice()
      edit(&scenario, on: 2, bobItem("Robert", ["A", "B"]), at: 1_000)
      edit(&scenario, on: 1, set, at: 20_000)
      #expect(findings(scenario).isEmpty, "\(set)")
    }
    for set in [item(bob, "name='Bob'", groups: ["B"]), item(bob, "name='Rob'", groups: ["A"])] {
      var scenario = alice()
      edit(&scenario, on: 2, removal, at: 1_000)
      edit(&scenario, on: 1, set, at: 20_000)
      #expect(findings(scenario).isEmpty, "\(set)")
    }
    var refused = alice()
    edit(&refused, on: 2, removal, at: 1_000)
    refused.sets(added, id: "x", at: 20_000)
    refused.received("<iq id='x' type='error'><error type='cancel'/></iq>")
    refused.sends(at: 30_000)
    #expect(findings(refused).isEmpty)
  }
}
