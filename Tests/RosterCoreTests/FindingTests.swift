import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A dialogue that raises a finding and one that comes near and does not.
private struct FindingCase {
  let raises: (inout Scenario) -> Void
  let nearMiss: (inout Scenario) -> Void

  init(
    _ raises: @escaping (inout Scenario) -> Void, _ nearMiss: @escaping (inout Scenario) -> Void
  ) {
    self.raises = raises
    self.nearMiss = nearMiss
  }
}

private let bob = "bob@example.test"
private let day: Int64 = 86_400_000

/// Alice at time 0, with Bob (both) and Carol (none) in her roster.
private func alice() -> Scenario {
  var scenario = Scenario()
  scenario.time = 0
  scenario.opened("alice@example.test/phone")
  scenario.fetches(
    item(bob, "name='Bob' subscription='both'", groups: ["A", "B"]) + item("carol@example.test"),
    version: "v1")
  return scenario
}

private func bobItem(_ name: String, _ groups: [String] = ["A", "B"]) -> String {
  item(bob, "name='\(name)' subscription='both'", groups: groups)
}

/// Every code by name: a code without a case does not compile.
private func findingCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .unpreparedAddress, .unknownType, .addresslessSubscription, .malformedPayload,
    .foreignAccount:
    refusalCase(code)
  case .unsolicitedResult, .spoofedAnswer, .misdirectedQuery, .refusedQuery, .emptyResult,
    .unknownBase, .unansweredQuery, .missingID:
    answerCase(code)
  case .foreignPush, .pushItemCount, .unacknowledgedPush, .malformedItem, .duplicateItem,
    .removalInResult, .unknownSubscription, .unusedVersion:
    pushCase(code)
  case .setItemCount, .groupsLost, .refusedEdit, .unansweredEdit, .unpushedEdit, .undoneEdit,
    .foreignSet:
    editCase(code)
  case .ownSubscription, .needlessRequest, .unsolicitedSubscribed, .unsolicitedUnsubscribe,
    .unsolicitedUnsubscribed, .preApproval, .automaticAcceptance, .neglectedRequest,
    .uninvitedPresence, .malformedPresence, .foreignBlocking:
    contactCase(code)
  }
}

private func refusalCase(_ code: Finding.Code) -> FindingCase {
  let bind = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
  return switch code {
  case .unpreparedAddress:
    FindingCase({ $0.receives(from: "b ob@example.test/x") }, { $0.receives(from: "\(bob)/x y") })
  case .unknownType:
    FindingCase(
      { $0.receives("Unavailable", from: bob) }, { $0.receives("unavailable", from: bob) })
  case .addresslessSubscription:
    FindingCase({ $0.received("<presence type='subscribe'/>") }, { $0.sends("unavailable") })
  case .malformedPayload:
    FindingCase(
      { $0.received("<iq id='b' type='result'>\(bind)<jid>@</jid></bind></iq>") },
      {
        $0.received("<iq id='b' type='result'>\(bind)<jid>alice@example.test/p</jid></bind></iq>")
      })
  default:  // Another account's stream.
    FindingCase(
      { $0.opened("mallory@example.test/x") }, { $0.opened("ALICE@example.test/other") })
  }
}

private func answerCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .unsolicitedResult:
    FindingCase({ $0.receivesResult(id: "unknown") }, { $0.receivesEmptyResult(id: "unknown") })
  case .spoofedAnswer:
    FindingCase(
      {
        $0.gets(id: "a")
        $0.receivesResult(id: "a", from: bob)
      },
      {
        $0.gets(id: "a")
        $0.receivesResult(id: "a", from: "example.test")
      })
  case .misdirectedQuery:
    FindingCase(
      { $0.sent("<iq id='a' to='\(bob)' type='get'><query xmlns='jabber:iq:roster'/></iq>") },
      { $0.sent("<iq id='a' to='\(bob)' type='get'><vCard xmlns='vcard-temp'/></iq>") })
  case .refusedQuery:
    FindingCase(
      {
        $0.gets(id: "a")
        $0.received("<iq id='a' type='error'/>")
      }, { $0.received("<iq id='a' type='error'/>") })
  case .emptyResult:
    FindingCase(
      {
        $0.gets(id: "a")
        $0.receivesEmptyResult(id: "a")
      },
      {
        $0.gets(id: "a")
        $0.receivesResult(id: "a")
      })
  case .unknownBase:
    FindingCase(
      {
        $0.gets(id: "a", version: "v0")
        $0.receivesEmptyResult(id: "a")
      },
      {
        $0.gets(id: "a", version: "v1")
        $0.receivesEmptyResult(id: "a")
      })
  case .unansweredQuery:
    FindingCase(
      {
        $0.gets(id: "a")
        $0.sends(at: 60_001)
      },
      {
        $0.gets(id: "a")
        $0.sends(at: 60_000)
      })
  default:  // A get, a set or a push without an id.
    FindingCase(
      { $0.sent("<iq type='get'><query xmlns='jabber:iq:roster'/></iq>") },
      { $0.sent("<iq type='get'><query xmlns='jabber:iq:private'/></iq>") })
  }
}

private func pushCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .foreignPush:
    FindingCase(
      { $0.pushed(item(bob), from: "example.test") },
      { $0.pushed(item(bob), from: "alice@example.test") })
  case .pushItemCount:
    FindingCase({ $0.pushed(item(bob) + item(bob)) }, { $0.pushed(item(bob)) })
  case .unacknowledgedPush:
    FindingCase(
      {
        $0.pushed(item(bob), id: "p")
        $0.pushed(item(bob), id: "p")
        $0.sent("<iq id='p' type='result' to='\(bob)'/>")
        $0.sent("<iq id='p' type='result'/>")
        $0.sends(at: 60_001)
      },
      {
        $0.pushed(item(bob), id: "p")
        $0.pushed(item(bob), id: "p")
        $0.sent("<iq id='p' type='result'/>")
        $0.sent("<iq id='p' type='result' to='alice@example.test'/>")
        $0.sends(at: 60_001)
      })
  case .malformedItem:
    FindingCase({ $0.pushed(item("b ob@x")) }, { $0.pushed(item("bob@x")) })
  case .duplicateItem:
    FindingCase(
      { $0.fetches(item("a@x") + item("A@x/r")) }, { $0.fetches(item("a@x") + item("a@y")) })
  case .removalInResult:
    FindingCase(
      { $0.fetches(item(bob, "subscription='remove'")) },
      { $0.pushed(item(bob, "subscription='remove'")) })
  case .unknownSubscription:
    FindingCase(
      { $0.pushed(item(bob, "subscription='Both'")) }, { $0.pushed(item(bob, "subscription=''")) })
  default:  // A version that was never used.
    FindingCase(
      {
        $0.received(
          "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>")
        $0.opened("alice@example.test/phone")
        $0.gets()
      },
      {
        $0.received(
          "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>")
        $0.opened("alice@example.test/phone")
        $0.gets(version: "")
      })
  }
}

private func editCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .setItemCount:
    FindingCase({ $0.sets(item(bob) + item("carol@example.test")) }, { $0.sets(bobItem("Bob")) })
  case .groupsLost:
    FindingCase({ $0.sets(bobItem("Bob", ["C"])) }, { $0.sets(bobItem("Bob", ["C", "B"])) })
  case .refusedEdit:
    FindingCase(
      {
        $0.sets(bobItem("Rob"))
        $0.received("<iq id='set' type='error'/>")
      },
      {
        $0.sets(bobItem("Rob"))
        $0.received("<iq id='other' type='error'/>")
      })
  case .unansweredEdit:
    FindingCase(
      {
        $0.sets(bobItem("Rob"))
        $0.sends(at: 60_001)
      },
      {
        $0.sets(bobItem("Rob"))
        $0.sends(at: 60_000)
      })
  case .unpushedEdit:
    FindingCase(
      {
        $0.sets(bobItem("Rob"))
        $0.receivesEmptyResult(id: "set")
        $0.closed()
      },
      {
        $0.sets(bobItem("Rob"))
        $0.receivesEmptyResult(id: "set")
        $0.pushed(bobItem("Rob"))
        $0.closed()
      })
  case .undoneEdit:
    FindingCase(
      {
        $0.sets(bobItem("Rob"))
        $0.receivesEmptyResult(id: "set")
        $0.pushed(bobItem("Rob"))
        $0.pushed(bobItem("Bob"))
      },
      {
        $0.sets(bobItem("Rob"))
        $0.receivesEmptyResult(id: "set")
        $0.pushed(bobItem("Rob"))
        $0.pushed(bobItem("Robin"))
      })
  default:  // A set to somebody else's roster.
    FindingCase(
      {
        $0.sent(
          "<iq id='s' to='\(bob)' type='set'><query xmlns='jabber:iq:roster'><item jid='a@x'/>"
            + "</query></iq>")
      },
      {
        $0.sent(
          "<iq id='s' to='alice@example.test' type='set'><query xmlns='jabber:iq:roster'>"
            + "<item jid='a@x'/></query></iq>")
      })
  }
}

private func contactCase(_ code: Finding.Code) -> FindingCase {
  let asker = "dave@example.test"
  return switch code {
  case .ownSubscription:
    FindingCase(
      { $0.sends("subscribe", to: "alice@example.test") },
      { $0.sends("subscribe", to: "alice@example.org") })
  case .needlessRequest:
    FindingCase(
      { $0.sends("subscribe", to: bob) }, { $0.sends("subscribe", to: "carol@example.test") })
  case .unsolicitedSubscribed:
    FindingCase(
      { $0.receives("subscribed", from: asker) },
      {
        $0.sends("subscribe", to: asker)
        $0.receives("subscribed", from: asker)
      })
  case .unsolicitedUnsubscribe:
    FindingCase(
      { $0.receives("unsubscribe", from: asker) }, { $0.receives("unsubscribe", from: bob) })
  case .unsolicitedUnsubscribed:
    FindingCase(
      { $0.receives("unsubscribed", from: asker) }, { $0.receives("unsubscribed", from: bob) })
  case .preApproval:
    FindingCase(
      { $0.sends("subscribed", to: asker) },
      {
        $0.receives("subscribe", from: asker)
        $0.sends("subscribed", to: asker, at: 5_000)
      })
  case .automaticAcceptance:
    FindingCase(
      {
        $0.receives("subscribe", from: "carol@example.test", at: 5_000)
        $0.sends("subscribed", to: "carol@example.test", at: 5_020)
      },
      {
        $0.sends("subscribe", to: "carol@example.test")
        $0.receives("subscribe", from: "carol@example.test", at: 5_000)
        $0.sends("subscribed", to: "carol@example.test", at: 5_020)
      })
  case .neglectedRequest:
    FindingCase(
      {
        $0.receives("subscribe", from: asker)
        $0.sends(at: 3 * day + 1)
      },
      {
        $0.receives("subscribe", from: asker)
        $0.sends("unsubscribed", to: asker, at: 2 * day)
        $0.sends(at: 4 * day)
      })
  case .uninvitedPresence:
    FindingCase(
      { $0.receives(from: "carol@example.test/x") }, { $0.receives(from: "\(bob)/x") })
  case .malformedPresence:
    FindingCase(
      { $0.receives(from: "\(bob)/x", "<priority>128</priority>") },
      { $0.receives(from: "\(bob)/x", "<priority>127</priority>") })
  default:  // Blocking by a stranger.
    FindingCase(
      {
        $0.received(
          "<iq id='b' from='\(bob)' type='set'><block xmlns='urn:xmpp:blocking'>"
            + "<item jid='a@x'/></block></iq>")
      },
      {
        $0.received(
          "<iq id='b' type='set'><block xmlns='urn:xmpp:blocking'><item jid='a@x'/></block></iq>")
      })
  }
}

@Suite("Findings")
struct FindingTests {
  @Test("Each code is raised once by what it is about", arguments: Finding.Code.allCases)
  func raised(code: Finding.Code) {
    var scenario = alice()
    findingCase(code).raises(&scenario)
    #expect(scenario.allCodes.filter { $0 == code }.count == 1)
    let finding = scenario.outcomes.flatMap(\.findings).first { $0.code == code }
    #expect(finding?.sentence.last == ".")
    #expect(finding?.severity == code.severity)
  }

  @Test("No code is raised by what only looks like it", arguments: Finding.Code.allCases)
  func nearMiss(code: Finding.Code) {
    var scenario = alice()
    findingCase(code).nearMiss(&scenario)
    #expect(!scenario.allCodes.contains(code))
  }

  @Test("Codes are stable words")
  func codes() {
    let names = Finding.Code.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0.allSatisfy { $0 == "-" || ("a"..."z").contains($0) } })
  }

  @Test("A get, a set and a push without an id are each told")
  func missingIDs() {
    for (line, isInbound) in [
      ("<iq type='get'><query xmlns='jabber:iq:roster'/></iq>", false),
      ("<iq type='set'><query xmlns='jabber:iq:roster'>\(bobItem("B"))</query></iq>", false),
      ("<iq type='set'><query xmlns='jabber:iq:roster'>\(bobItem("B"))</query></iq>", true),
    ] {
      var scenario = alice()
      if isInbound { scenario.received(line) } else { scenario.sent(line) }
      #expect(scenario.codes.contains(.missingID))
    }
  }

  @Test("A rename that forgets the groups is told")
  func renameLosesGroups() {
    var scenario = alice()
    scenario.sets(bobItem("Rob", []))
    #expect(scenario.codes == [.groupsLost])
    scenario.sets(bobItem("Rob", ["A", "B"]), id: "s2")
    #expect(scenario.codes.isEmpty)
    scenario.sets(bobItem("Robin", []), id: "s3")
    #expect(scenario.codes == [.groupsLost])
    scenario.sets(item("carol@example.test", "name='C'"), id: "s4")
    #expect(scenario.codes.isEmpty)
  }

  @Test("A version that the server gave and the client did not name later is told once a session")
  func unusedVersion() {
    var scenario = alice()
    scenario.opened("alice@example.test/phone")
    scenario.gets(id: "a")
    #expect(scenario.codes == [.unusedVersion])
    scenario.gets(id: "b")
    #expect(scenario.codes.isEmpty)
    scenario.opened("alice@example.test/phone")
    scenario.gets(id: "c")
    #expect(scenario.codes == [.unusedVersion])
  }

  @Test("What is expected of a contact ends with its session and with its item")
  func expectationsEnd() {
    let lines: [(String, (inout Scenario) -> Void)] = [
      ("a new session", { $0.opened("alice@example.test/phone") }),
      ("a removal", { $0.pushed(item("bob@example.test", "subscription='remove'")) }),
    ]
    for (name, line) in lines {
      // The push shows what a “subscribed” did that is still to come.
      var scenario = Scenario.alice(item("bob@example.test", "ask='subscribe'"))
      scenario.pushed(item("bob@example.test", "subscription='to'"))
      line(&scenario)
      scenario.receives("subscribed", from: "bob@example.test")
      #expect(scenario.codes == [.unsolicitedSubscribed], "\(name)")
    }
  }

  @Test("A push that was not acknowledged is told where its session ends in order")
  func unacknowledgedAtEnd() {
    var scenario = alice()
    scenario.pushed(bobItem("B"))
    scenario.lost()
    #expect(scenario.codes.isEmpty)
    scenario.resumed()
    scenario.closed()
    #expect(scenario.codes == [.unacknowledgedPush])
  }

  @Test("An outgoing request that nobody answers for days is told once")
  func neglectedOutgoing() {
    var scenario = alice()
    scenario.sends("subscribe", to: "carol@example.test")
    scenario.sends(at: 3 * day)
    #expect(scenario.codes.isEmpty)
    scenario.sends(at: 3 * day + 1)
    #expect(scenario.codes == [.neglectedRequest])
    scenario.sends(at: 30 * day)
    #expect(scenario.codes.isEmpty)
  }
}
