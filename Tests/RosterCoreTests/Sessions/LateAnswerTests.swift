import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A device that sleeps receives late what the server had answered in time.
@Suite("Answers that come late")
struct LateAnswerTests {
  private let hours: Int64 = 8 * 3_600_000

  /// Alice, who has renamed bob (record 4) at the time 0.
  private func renames() -> Scenario {
    var scenario = aliceWithBobAndCarol()
    scenario.sets(bobItem("Rob"), at: 0)
    return scenario
  }

  @Test("The record that passes the timeout may be the answer, and its push goes back to the set")
  func answeredAfterSleep() {
    var scenario = renames()
    scenario.receivesEmptyResult(id: "set", at: hours)
    scenario.pushed(bobItem("Rob"), id: "p")
    #expect(scenario.last.originsOfChanges.map(\.cause) == [4])
    scenario.sent("<iq id='p' type='result'/>")
    scenario.sends(at: hours + 100_000)
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("The push may be first, and a late acknowledgement is one")
  func pushFirst() {
    var scenario = renames()
    scenario.pushed(bobItem("Rob"), id: "p")
    scenario.sent("<iq id='p' type='result'/>", at: hours)
    scenario.receivesEmptyResult(id: "set")
    scenario.ends()
    #expect(scenario.allCodes.isEmpty)
  }

  @Test("A get that is answered late is answered, and one that is not is reported")
  func query() {
    for isAnswered in [true, false] {
      var scenario = aliceWithBobAndCarol()
      scenario.gets(id: "again")
      scenario.time = hours
      if isAnswered { scenario.receivesResult(bobItem("Bob"), id: "again") }
      scenario.sends()
      #expect(scenario.allCodes.contains(.unansweredQuery) == !isAnswered)
    }
  }

  @Test("A set that was reported as unanswered is still answered, and nothing else blamed")
  func afterReport() {
    var scenario = renames()
    scenario.receives(from: "\(FindingWords.bob)/x", at: hours)
    #expect(scenario.codes == [.unansweredEdit])
    scenario.receivesEmptyResult(id: "set")
    scenario.pushed(bobItem("Rob"), id: "p")
    #expect(scenario.last.originsOfChanges.map(\.cause) == [4])
    scenario.sent("<iq id='p' type='result'/>")
    // Another device changes it later, which undoes the edit.
    scenario.pushed(bobItem("Bob"), id: "q")
    scenario.sent("<iq id='q' type='result'/>")
    scenario.ends(at: 2 * hours)
    #expect(scenario.allCodes == [.unansweredEdit, .undoneEdit])
  }

  @Test("What another device changes meanwhile is not what the server made of the set")
  func changedMeanwhile() {
    var scenario = renames()
    scenario.pushed(bobItem("Robin"), id: "other")
    scenario.sent("<iq id='other' type='result'/>")
    scenario.receives(from: "\(FindingWords.bob)/x", at: hours)
    #expect(scenario.codes == [.unansweredEdit])
    scenario.receivesEmptyResult(id: "set")
    scenario.pushed(bobItem("Rob"), id: "p")
    #expect(scenario.last.originsOfChanges.map(\.cause) == [4])
    scenario.sent("<iq id='p' type='result'/>")
    scenario.ends()
    #expect(scenario.allCodes == [.unansweredEdit])
  }

  @Test("A set that is never answered is reported once, and a later one is not held up by it")
  func never() throws {
    var scenario = renames()
    scenario.sends(at: 60_001)
    scenario.sets(bobItem("Bob"), id: "next")
    scenario.receivesEmptyResult(id: "next")
    scenario.ended(.inbound, at: hours)
    scenario.ends()
    #expect(scenario.allCodes == [.unansweredEdit])
  }

  @Test("A set that is answered late waits for its push like any other")
  func lateAndUnpushed() {
    for isPushed in [true, false] {
      var scenario = renames()
      scenario.receives(from: "\(FindingWords.bob)/x", at: hours)
      scenario.receivesEmptyResult(id: "set")
      if isPushed {
        scenario.pushed(bobItem("Rob"), id: "p")
        scenario.sent("<iq id='p' type='result'/>")
      }
      scenario.sends(at: hours + 59_000)
      #expect(scenario.allCodes == [.unansweredEdit])
      scenario.sends(at: hours + 61_000)
      #expect(scenario.allCodes == [.unansweredEdit] + (isPushed ? [] : [.unpushedEdit]))
    }
  }

  @Test("Sets that are overdue are part of the state")
  func state() throws {
    var scenario = renames()
    scenario.sends(at: 60_001)
    let read = try Roster(snapshot: scenario.roster.snapshot.span.bytes)
    #expect(read == scenario.roster)
    #expect(read.canonicalBytes == scenario.roster.canonicalBytes)
  }
}
