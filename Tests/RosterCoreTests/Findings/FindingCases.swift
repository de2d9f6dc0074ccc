import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// A dialogue that causes a finding, and a similar one that does not.
struct FindingCase {
  let raises: (inout Scenario) -> Void
  let nearMiss: (inout Scenario) -> Void

  init(
    _ raises: @escaping (inout Scenario) -> Void, _ nearMiss: @escaping (inout Scenario) -> Void
  ) {
    self.raises = raises
    self.nearMiss = nearMiss
  }
}

/// The contacts in the roster of every dialogue.
enum FindingWords {
  static let bob = "bob@example.test"
  static let day: Int64 = 86_400_000
}

private let bob = FindingWords.bob

/// Alice at time 0, with Bob (both) and Carol (none) in her roster.
func aliceWithBobAndCarol() -> Scenario {
  var scenario = Scenario()
  scenario.time = 0
  scenario.opened("alice@example.test/phone")
  scenario.fetches(
    item(bob, "name='Bob' subscription='both'", groups: ["A", "B"]) + item("carol@example.test"),
    version: "v1")
  return scenario
}

func bobItem(_ name: String, _ groups: [String] = ["A", "B"]) -> String {
  item(bob, "name='\(name)' subscription='both'", groups: groups)
}

/// Every code by name: a code without a case does not compile.
func findingCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .unpreparedAddress, .unknownType, .addresslessSubscription, .malformedPayload,
    .oversizedElement, .foreignAccount, .otherDomain, .unverifiedServer,
    .lateStanza:
    refusalCase(code)
  case .foreignRoster: foreignRosterCase()
  case .answerToNothing: answerToNothingCase()
  case .rosterFromDomain: domainRosterCase()
  case .unsolicitedResult, .unseenQuery, .spoofedAnswer, .misdirectedQuery, .refusedQuery,
    .emptyResult,
    .unknownBase, .unansweredQuery, .missingID:
    answerCase(code)
  case .foreignPush, .pushItemCount, .unacknowledgedPush, .malformedItem, .duplicateItem,
    .removalInResult, .unknownSubscription, .unusedVersion:
    pushCase(code)
  case .missedPush: missedPushCase()
  case .idlePushes: idlePushCase()
  case .unshownAcceptance: unshownAcceptanceCase()
  case .requestForRequest: requestForRequestCase()
  case .unshownPresence: unshownPresenceCase()
  case .removedElsewhere, .unfetchedRoster, .wrongRefusal, .returnedRequest, .deniedRequest,
    .subscriptionLoop, .friendLeft:
    storyCase(code)
  case .undeliveredRequest: errorCase(code)
  case .streamError: streamErrorCase()
  case .conflictLoop: conflictLoopCase()
  case .setItemCount, .groupsLost, .refusedEdit, .unansweredEdit, .unpushedEdit, .undoneEdit,
    .putBack, .outdatedSet, .prematureSet, .foreignSet:
    editCase(code)
  case .ownSubscription, .needlessRequest, .unsolicitedSubscribed, .unsolicitedUnsubscribe,
    .unsolicitedUnsubscribed, .preApproval, .automaticAcceptance, .neglectedRequest,
    .uninvitedPresence, .malformedPresence, .crowdedAddress, .foreignBlocking:
    contactCase(code)
  }
}

func refusalCase(_ code: Finding.Code) -> FindingCase {
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
  case .otherDomain:
    FindingCase(
      {
        $0.closed()
        $0.reachedServer("evil.test")
        $0.opened("alice@example.test/x")
      },
      {
        $0.closed()
        $0.reachedServer("example.test")
        $0.opened("ALICE@EXAMPLE.test/x")
      })
  case .unverifiedServer:
    FindingCase(
      { $0.reachedServer("example.test", isVerified: false) }, { $0.reachedServer("example.test") })
  case .lateStanza:
    FindingCase(
      {
        $0.ended(.inbound)
        $0.receives(from: "\(bob)/x")
        $0.pushed(item(bob))
      },
      {
        $0.ended(.outbound)
        $0.receives(from: "\(bob)/x")
        $0.pushed(item(bob))
        $0.ended(.inbound)
      })
  case .oversizedElement:
    FindingCase(
      { $0.reduce(.stanza(.rejected(Rejection(kind: .limit, reason: "it is too long")))) },
      { $0.receives(from: "\(bob)/x") })
  default:  // Another account's stream.
    FindingCase(
      { $0.opened("mallory@example.test/x") }, { $0.opened("ALICE@example.test/other") })
  }
}

func answerCase(_ code: Finding.Code) -> FindingCase {
  switch code {
  case .unsolicitedResult:
    FindingCase({ $0.receivesResult(id: "unknown") }, { $0.receivesEmptyResult(id: "unknown") })
  case .unseenQuery:
    // The first log begins in mid-session, the second one before the get.
    FindingCase(
      {
        $0 = Scenario()
        $0.captureBegan("alice@example.test/phone")
        $0.receivesResult(item(bob), id: "unknown")
      },
      {
        $0.gets(id: "a")
        $0.receivesResult(item(bob), id: "a")
      })
  case .spoofedAnswer:
    FindingCase(
      {
        $0.gets(id: "a")
        $0.received("<iq id='a' type='result' from='\(bob)'/>")
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

func pushCase(_ code: Finding.Code) -> FindingCase {
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
        $0.ends()
      },
      {
        $0.pushed(item(bob), id: "p")
        $0.pushed(item(bob), id: "p")
        $0.sent("<iq id='p' type='result'/>")
        $0.sent("<iq id='p' type='result' to='alice@example.test'/>")
        $0.sends(at: 60_001)
        $0.ends()
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
        $0 = Scenario()
        $0.received(
          "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>")
        $0.opened("alice@example.test/phone")
        $0.gets()
      },
      {
        $0.received(
          "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>")
        $0.opened("alice@example.test/phone")
        $0.gets()
      })
  }
}

/// Another device removes Bob, and the server pushes that to it.
private func removedElsewhere(_ scenario: inout Scenario) {
  scenario.on(2) {
    $0.opened("alice@example.test/desktop")
    $0.sets(item(bob, "subscription='remove'"), id: "remove")
    $0.receivesEmptyResult(id: "remove")
    $0.pushed(item(bob, "subscription='remove'"))
  }
}

/// Another device, the desktop, has renamed bob.
private func renamedElsewhere(_ scenario: inout Scenario) {
  scenario.on(2) {
    $0.opened("alice@example.test/desktop")
    $0.sets(bobItem("Rob"))
    $0.pushed(bobItem("Rob"))
    $0.receivesEmptyResult(id: "set")
  }
}

/// The phone logs in again and renames bob, based on what it kept, before its get is answered.
///
/// - Parameter groups: The groups that bob is in by then.
private func renamesBeforeTheRoster(_ scenario: inout Scenario, groups: [String]) {
  scenario.closed()
  scenario.opened("alice@example.test/phone")
  scenario.gets(id: "again")
  scenario.sets(bobItem("Rob"))
  scenario.receivesResult(bobItem("Bob", groups), id: "again")
  scenario.pushed(bobItem("Rob"))
  scenario.receivesEmptyResult(id: "set")
}

func editCase(_ code: Finding.Code) -> FindingCase {
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
  case .outdatedSet:
    FindingCase(
      {
        renamedElsewhere(&$0)
        $0.sets(bobItem("Bob", ["C", "D"]), id: "other")
      },
      {
        renamedElsewhere(&$0)
        $0.sets(bobItem("Rob", ["C", "D"]), id: "other")
      })
  case .prematureSet:
    FindingCase(
      { renamesBeforeTheRoster(&$0, groups: ["A", "B", "C"]) },
      { renamesBeforeTheRoster(&$0, groups: ["A", "B"]) })
  case .putBack:
    FindingCase(
      {
        removedElsewhere(&$0)
        $0.pushed(item(bob, "subscription='remove'"))
        $0.sets(bobItem("Bob"), id: "back", at: 20_000)
        $0.pushed(item(bob, "name='Bob'", groups: ["A", "B"]))
        $0.sets(item("carol@example.test", "name='C'"), id: "next", at: 20_500)
        $0.ends()
      },
      {
        $0.sets(item(bob, "subscription='remove'"), id: "remove")
        $0.pushed(item(bob, "subscription='remove'"))
        $0.receivesEmptyResult(id: "remove")
        $0.sets(bobItem("Bob"), id: "back", at: 20_000)
        $0.pushed(item(bob, "name='Bob'", groups: ["A", "B"]))
        $0.sets(item("carol@example.test", "name='C'"), id: "next", at: 20_500)
        $0.ends()
      })
  default:  // A set to another account's roster.
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
