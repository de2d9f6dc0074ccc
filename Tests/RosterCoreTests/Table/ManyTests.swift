import TestSupport
import Testing
import XMPPStanza

@testable import RosterCore

/// The collections that find few among many, compared with plain ones.
@Suite("Few among many")
struct ManyTests {
  @Test("A set of contacts behaves like a set of their numbers", arguments: 0..<UInt64(10))
  func contactSet(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (set, other) = (ContactSet(), ContactSet())
    var (model, otherModel): (Set<UInt32>, Set<UInt32>) = ([], [])
    let most: UInt32 = [70, 5000, 600_000][Int(seed % 3)]
    for step in 0..<2000 {
      let number = UInt32.random(in: 0..<most, using: &random)
      let contact = ContactNumber(rawValue: number)
      let isMember = UInt32.random(in: 0..<3, using: &random) > 0
      let isNew = isMember ? model.insert(number).inserted : model.remove(number) != nil
      #expect(set.set(contact, isMember) == isNew, "seed \(seed), step \(step)")
      #expect(other.insert(contact) == otherModel.insert(number).inserted)
    }
    #expect(set.members.map(\.rawValue) == model.sorted(), "seed \(seed)")
    #expect(set.count == model.count, "seed \(seed)")
    #expect(set.isSubset(of: other) && !other.isSubset(of: set), "seed \(seed)")
    // At both ends of the words that the set has, and beyond.
    let outside = (0..<most).filter { !model.contains($0) }
    for number in [outside.first, outside.last].compactMap({ $0 }) + [most + 64] {
      var larger = set
      let isNew = larger.insert(ContactNumber(rawValue: number))
      #expect(
        isNew && set.isSubset(of: larger) && !larger.isSubset(of: set), "seed \(seed), \(number)")
    }
    var emptied = set
    for number in model {
      let isRemoved = emptied.set(ContactNumber(rawValue: number), false)
      #expect(isRemoved, "seed \(seed), \(number)")
    }
    #expect(emptied.members.isEmpty && emptied.isSubset(of: ContactSet()), "seed \(seed)")
    set.formUnion(other)
    #expect(set.members.map(\.rawValue) == otherModel.sorted(), "seed \(seed)")
    #expect(other.isSubset(of: set), "seed \(seed)")
  }

  @Test("The longest wait comes first, whatever is inserted and removed", arguments: 0..<UInt64(10))
  func peopleWaiting(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var waiting = PeopleWaiting()
    var model: [Int64] = []
    for step in 0..<2000 {
      if Int.random(in: 0..<5, using: &random) < 3 {
        let since = Int64.random(in: 0..<500, using: &random)
        model.append(since)
        waiting.insert(
          PeopleWaiting.Wait(
            since: since, contact: ContactNumber(rawValue: UInt32(step)), isOurs: false))
      } else {
        model.sort()
        #expect(waiting.first?.since == model.first, "seed \(seed), step \(step)")
        waiting.removeFirst()
        model = Array(model.dropFirst())
      }
      #expect(waiting.count == model.count)
    }
  }

  @Test(
    "A state that was stored continues like one that was not", arguments: 300..<UInt64(306))
  func storedStates(seed: UInt64) throws {
    var fuzzer = StanzaFuzzer(seed: seed)
    var random = SeededGenerator(seed: seed)
    var scenario = Scenario()
    for _ in 0..<1500 { fuzzer.step(&scenario) }
    var stored = Roster()
    var findings: [Finding] = []
    for step in scenario.history {
      findings +=
        RosterReducer.reduce(&stored, step.event, at: step.stamp, on: step.connection).findings
      if Int.random(in: 0..<20, using: &random) == 0 {
        stored = try Roster(snapshot: stored.snapshot.span.bytes)
      }
    }
    #expect(stored == scenario.roster, "seed \(seed)")
    #expect(findings == scenario.outcomes.flatMap(\.findings), "seed \(seed)")
    #expect(findings.contains { $0.code == .neglectedRequest }, "seed \(seed)")
  }

  @Test("Each unanswered request is reported once, at the first record after its time")
  func neglect() {
    var scenario = Scenario()
    scenario.opened("alice@example.test/phone", at: 0)
    let day: Int64 = 86_400_000
    for number in 0..<200 {
      scenario.receives("subscribe", from: "contact\(number)@example.test", at: Int64(number))
    }
    for number in 0..<100 {
      scenario.receives(
        "unsubscribe", from: "contact\(2 * number)@example.test", at: 1000 + Int64(number))
    }
    for number in 0..<250 {
      scenario.receives(from: "bob@example.test/pc", at: 3 * day + Int64(number))
      // The wait ends after the millisecond in which it was due.
      #expect(
        scenario.last.findings.map(\.contact?.text)
          == ((number - 1) % 2 == 1 && number <= 200 ? ["contact\(number - 1)@example.test"] : []))
    }
  }

  @Test("The contacts with a property are found among any number of them")
  func membersWithAProperty() {
    var random = SeededGenerator(seed: 17)
    for count in [0, 1, 7, 8, 9, 63, 64, 65, 71, 128, 1000] {
      let all = (0..<count).map { _ in Bool.random(using: &random) }
      let found = ContactSet(of: count) { all[$0] }.members.map { Int($0.rawValue) }
      #expect(found == all.indices.filter { all[$0] }, "\(count) contacts")
    }
  }
}
