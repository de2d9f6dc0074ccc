import RosterCore
import TestSupport
import Testing
import XMPPStanza

private let bob = FindingWords.bob
private let day = FindingWords.day

/// Dave sends a request, which is answered after a minute.
private func daveAsks(_ scenario: inout Scenario, answered answer: String, at time: Int64) {
  scenario.receives("subscribe", from: "dave@example.test", at: time)
  scenario.sends(answer, to: "dave@example.test", at: time + 60_000)
}

func storyCase(_ code: Finding.Code) -> FindingCase {
  let dave = "dave@example.test"
  return switch code {
  case .removedElsewhere:
    FindingCase(
      {
        $0.pushed(item(bob, "subscription='remove'"))
        $0.ends()
      },
      {
        $0.sets(item(bob, "subscription='remove'"))
        $0.pushed(item(bob, "subscription='remove'"))
        $0.ends()
      })
  case .unfetchedRoster:
    FindingCase(
      {
        $0.closed()
        $0.opened("alice@example.test/phone", at: 10_000)
        $0.sends()
        $0.sends(to: bob, at: 70_001)
      },
      {
        $0.closed()
        $0.opened("alice@example.test/phone", at: 10_000)
        $0.sends()
        $0.gets(id: "late", version: "v1")
        $0.receivesEmptyResult(id: "late")
        $0.sends(to: bob, at: 70_001)
      })
  case .wrongRefusal:
    FindingCase(
      {
        $0.receives("subscribe", from: dave)
        $0.sends("unsubscribe", to: dave)
      },
      {
        $0.receives("subscribe", from: dave)
        $0.sends("subscribe", to: dave)
        $0.sends("unsubscribe", to: dave)
      })
  case .returnedRequest:
    FindingCase(
      {
        daveAsks(&$0, answered: "subscribed", at: 0)
        $0.receives("subscribe", from: dave, at: 600_000)
      },
      {
        daveAsks(&$0, answered: "subscribed", at: 0)
        $0.pushed(item(dave, "subscription='from'"))
        $0.sent("<iq id='push' type='result'/>")
        $0.receives("unsubscribe", from: dave)
        $0.pushed(item(dave))
        $0.sent("<iq id='push' type='result'/>")
        $0.receives("subscribe", from: dave, at: 600_000)
      })
  case .deniedRequest:
    FindingCase(
      {
        $0.sends("subscribe", to: dave)
        $0.receives("unsubscribed", from: dave)
      },
      {
        $0.sends("subscribe", to: dave)
        $0.sends("unsubscribe", to: dave)
        $0.receives("unsubscribed", from: bob)
      })
  case .friendLeft:
    FindingCase(
      {
        $0.receives("unsubscribed", from: bob)
        $0.pushed(item(bob, "name='Bob' subscription='from'", groups: ["A", "B"]))
        $0.receives("unsubscribe", from: bob)
        $0.pushed(item(bob, "name='Bob' subscription='none'", groups: ["A", "B"]))
      },
      {
        $0.sends("unsubscribe", to: bob)
        $0.pushed(item(bob, "name='Bob' subscription='from'", groups: ["A", "B"]))
        $0.receives("unsubscribed", from: bob)
      })
  default:  // Requests that are opened again and again.
    FindingCase(
      {
        for round in Int64(0)..<4 {
          $0.receives("subscribe", from: dave, at: round * 10_000)
          $0.sends("unsubscribed", to: dave, at: round * 10_000 + 5_000)
        }
      },
      {
        for round in Int64(0)..<4 {
          $0.receives("subscribe", from: dave, at: round * 100_000)
          $0.sends("unsubscribed", to: dave, at: round * 100_000 + 5_000)
        }
      })
  }
}

func contactCase(_ code: Finding.Code) -> FindingCase {
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
  case .crowdedAddress:
    FindingCase(
      { for number in 0...64 { $0.receives(from: "\(bob)/r\(number)") } },
      { for number in 0..<200 { $0.receives(from: "\(bob)/r\(number % 64)") } })
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
