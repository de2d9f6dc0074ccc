import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A fault that a server, a device or a contact makes once in a session that is otherwise in order.
enum PlantedFault: CaseIterable {
  case droppedPush, missingAcknowledgement, ignoredSet, refusedSet, forgedPush, forgedRoster
  case answeredAnswer, repeatedPushes, lostAcceptance, wrongRefusal, requestForRequest, denial
  case leavingFriend, deadServer, hiddenPresence, staleCopy, renameWar, brokenStream
  case conflictLoop

  /// The code of the only finding that it causes.
  var code: Finding.Code {
    switch self {
    case .droppedPush: .missedPush
    case .missingAcknowledgement: .unacknowledgedPush
    case .ignoredSet: .unansweredEdit
    case .refusedSet: .refusedEdit
    case .forgedPush: .foreignPush
    case .forgedRoster: .foreignRoster
    case .answeredAnswer: .answerToNothing
    case .repeatedPushes: .idlePushes
    case .lostAcceptance: .unshownAcceptance
    case .wrongRefusal: .wrongRefusal
    case .requestForRequest: .requestForRequest
    case .denial: .deniedRequest
    case .leavingFriend: .friendLeft
    case .deadServer: .undeliveredRequest
    case .hiddenPresence: .unshownPresence
    case .staleCopy, .renameWar: .putBack
    case .brokenStream: .streamError
    case .conflictLoop: .conflictLoop
    }
  }
}

/// What is in order, although it resembles a fault.
enum NearMiss: CaseIterable {
  case latePush, lateAcknowledgement, lateAnswer, manyEdits, renamedBackByItself, shownLate
  case orderlyEnd, crossingRequests, cancelledRequest, ownEnding, crossingPushes
}

/// `ROLLCALL_SEEDS=0-9999` tries other seeds.
@Suite("A session in order with one planted fault")
struct PlantedFaultTests {
  @Test("The fault is found, on its device, and nothing else", arguments: PlantedFault.allCases)
  func found(_ fault: PlantedFault) {
    for seed in Seeds.chosen(or: 0...59) {
      var session = FaultySession(seed: seed)
      for _ in 0..<Int(seed % 12) { session.step() }
      session.plant(fault)
      for _ in 0..<12 { session.step() }
      session.end()
      let findings = session.scenario.findings
      #expect(findings.map(\.code) == [fault.code], "seed \(seed)")
      guard let culprit = session.culprit, let finding = findings.first else { continue }
      #expect(finding.device == culprit, "seed \(seed)")
    }
  }

  @Test("What only resembles a fault is none", arguments: NearMiss.allCases)
  func nearMiss(_ nearMiss: NearMiss) {
    for seed in Seeds.chosen(or: 0...39) {
      var session = FaultySession(seed: seed)
      for _ in 0..<Int(seed % 12) { session.step() }
      session.play(nearMiss)
      for _ in 0..<12 { session.step() }
      session.end()
      #expect(session.scenario.allCodes.isEmpty, "seed \(seed)")
    }
  }

  @Test("In a session without a fault, nothing is found")
  func nothing() {
    for seed in Seeds.chosen(or: 0...199) {
      var session = FaultySession(seed: seed)
      for _ in 0..<20 { session.step() }
      session.end()
      #expect(session.scenario.allCodes.isEmpty, "seed \(seed)")
    }
  }
}
