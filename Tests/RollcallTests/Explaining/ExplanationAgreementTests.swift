import ContactSections
import EventStore
import Foundation
import Rollcall
import RosterCore
import TestSupport
import Testing
import XMPPStanza

@Suite("Explanations agree with the roster") struct ExplanationAgreementTests {
  /// An explanation must agree with the lists, and each record that it names must exist.
  private func agrees(_ log: EventLog, at point: UInt64, _ place: Comment) throws {
    let timeline = Timeline(log)
    let roster = try timeline.state(at: .record(point)).roster
    var contacts = Set(roster.entries.keys).union(roster.incoming.keys)
    contacts.formUnion(roster.outgoing.keys)
    contacts.formUnion(roster.ended.keys)
    contacts.formUnion(roster.unconfirmed.keys)
    for jid in contacts.sorted() where jid != roster.account {
      let told = try #require(
        try timeline.explanation(of: jid, at: .record(point), friends: .mutual), place)
      let explanation = told.explanation
      // The result of a replay of all records.
      var replay = ContactReplay(of: jid)
      let state = try timeline.replay(upTo: .record(point)) { replay.follow($0, $1) }
      for finding in try timeline.findings(ending: state) { replay.follow(finding) }
      let names = ConnectionNames(try log.meta.connections)
      #expect(explanation == Explanation(roster, replay, friends: .mutual, names: names), place)
      let isOpen = roster.incoming[jid] != nil || roster.outgoing[jid] != nil
      #expect((explanation[.friend]?.verdict == .yes) == roster.isMutual(jid), place)
      #expect((explanation[.request]?.verdict == .yes) == isOpen, place)
      #expect(
        (explanation[.online]?.verdict == .yes) == !roster.presence(of: jid).resources.isEmpty,
        place)
      for topic in explanation.topics {
        #expect(!topic.reasons.isEmpty, place)
        for reason in topic.reasons {
          let named = try records(in: reason.sentence)
          #expect(Set(reason.records).isSubset(of: 1...point), "\(reason)")
          #expect(named.isSubset(of: 1...point), "\(reason)")
          if !named.isEmpty { #expect(!reason.records.isEmpty, "\(reason)") }
        }
        if let change = topic.change {
          #expect(try records(in: change).isSubset(of: 1...point), "\(change)")
        }
      }
    }
  }

  @Test("On real sessions", arguments: CaptureCase.all)
  func real(_ capture: CaptureCase) throws {
    let folder = try TemporaryFolder()
    let log = try importedLog(of: capture.path, capture.account, in: folder)
    let head = try Timeline(log).record(at: .head(minus: 0))
    for point in [head, head / 2, head * 3 / 4] where point > 0 {
      try agrees(log, at: point, "\(capture) at \(point)")
    }
  }

  /// The records that a text names.
  private func records(in text: String) throws -> Set<UInt64> {
    Set(try text.matches(of: /(?:^|[ (])#(\d+)/).map { try #require(UInt64($0.output.1)) })
  }

  @Test("On random dialogues", arguments: 1...10)
  func random(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let log = try log(of: randomScenario(seed: seed, lines: 200), in: folder)
    for point: UInt64 in [60, 130, 200] { try agrees(log, at: point, "seed \(seed) at \(point)") }
  }

  @Test("Begun at a later session, they are what a replay from the first record gives")
  func later() throws {
    let folder = try TemporaryFolder()
    for late in LateContact.allCases {
      let log = try log(of: late.scenario, in: folder)
      let head = try Timeline(log).record(at: .head(minus: 0))
      for point in (head - 12)...head { try agrees(log, at: point, "\(late) at \(point)") }
    }
  }
}
