import Rollcall
import RosterCore
import Testing

/// The transitions of RFC 6121 Appendix A.2 and A.3, written down row by row: the states are in the
/// order of Appendix A.1, and each row says whether the stanza is routed or delivered.
private enum Transitions {
  typealias State = SubscriptionState
  typealias Row = (passes: Bool, new: State)

  static let outbound: [SubscriptionStanza.Kind: [Row]] = [
    .subscribe: [
      (true, .nonePendingOut), (true, .nonePendingOut), (true, .nonePendingOutIn),
      (true, .nonePendingOutIn), (true, .to), (true, .toPendingIn), (true, .fromPendingOut),
      (true, .fromPendingOut), (true, .both),
    ],
    .unsubscribe: [
      (true, .none), (true, .none), (true, .nonePendingIn), (true, .nonePendingIn), (true, .none),
      (true, .nonePendingIn), (true, .from), (true, .from), (true, .from),
    ],
    .subscribed: [
      (false, .none), (false, .nonePendingOut), (true, .from), (true, .fromPendingOut),
      (false, .to), (true, .both), (false, .from), (false, .fromPendingOut), (false, .both),
    ],
    .unsubscribed: [
      (false, .none), (false, .nonePendingOut), (true, .none), (true, .nonePendingOut),
      (false, .to), (true, .to), (true, .none), (true, .nonePendingOut), (true, .to),
    ],
  ]

  static let inbound: [SubscriptionStanza.Kind: [Row]] = [
    .subscribe: [
      (true, .nonePendingIn), (true, .nonePendingOutIn), (false, .nonePendingIn),
      (false, .nonePendingOutIn), (true, .toPendingIn), (false, .toPendingIn), (false, .from),
      (false, .fromPendingOut), (false, .both),
    ],
    .unsubscribe: [
      (false, .none), (false, .nonePendingOut), (true, .none), (true, .nonePendingOut),
      (false, .to), (true, .to), (true, .none), (true, .nonePendingOut), (true, .to),
    ],
    .subscribed: [
      (false, .none), (true, .to), (false, .nonePendingIn), (true, .toPendingIn), (false, .to),
      (false, .toPendingIn), (false, .from), (true, .both), (false, .both),
    ],
    .unsubscribed: [
      (false, .none), (true, .none), (false, .nonePendingIn), (true, .nonePendingIn),
      (true, .none), (true, .nonePendingIn), (false, .from), (true, .from), (true, .from),
    ],
  ]

  static let states: [State] = [
    .none, .nonePendingOut, .nonePendingIn, .nonePendingOutIn, .to, .toPendingIn, .from,
    .fromPendingOut, .both,
  ]

  /// The state at the other end that goes with each.
  static let counterparts: [State] = [
    .none, .nonePendingIn, .nonePendingOut, .nonePendingOutIn, .from, .fromPendingOut, .to,
    .toPendingIn, .both,
  ]

  static func row(
    _ table: [SubscriptionStanza.Kind: [Row]], _ kind: SubscriptionStanza.Kind, _ state: State
  ) throws -> Row {
    let index = try #require(states.firstIndex(of: state))
    return try #require(table[kind])[index]
  }

  static func counterpart(of state: State) throws -> State {
    counterparts[try #require(states.firstIndex(of: state))]
  }
}

/// Two servers that follow the RFC, each with its account's state about the other.
private struct Servers {
  var states: [SubscriptionState]

  /// Sends a stanza from one account to the other; returns whether the sender's server routes it.
  mutating func send(_ kind: SubscriptionStanza.Kind, from sender: Int) throws -> Bool {
    let out = try Transitions.row(Transitions.outbound, kind, states[sender])
    states[sender] = out.new
    guard out.passes else { return false }
    let other = 1 - sender
    let isSubscribed = [.from, .fromPendingOut, .both].contains(states[other])
    states[other] = try Transitions.row(Transitions.inbound, kind, states[other]).new
    if kind == .subscribe, isSubscribed {
      // The server answers by itself (RFC 6121 §3.1.3).
      states[sender] = try Transitions.row(Transitions.inbound, .subscribed, states[sender]).new
    }
    return true
  }
}

@Suite("The two ends of a subscription, state by state") struct SubscriptionTableTests {
  private static let pairs = Transitions.states.flatMap { first in
    Transitions.states.map { (first, $0) }
  }

  private func mismatches(
    _ first: SubscriptionState, _ second: SubscriptionState
  ) -> [SubscriptionMismatch?] {
    [
      SubscriptionMismatch(subscriber: first.outbound, owner: second.inbound),
      SubscriptionMismatch(subscriber: second.outbound, owner: first.inbound),
    ]
  }

  @Test("Of the 81 pairs of states exactly the nine that RFC 6121 leads to agree")
  func agreement() throws {
    #expect(Self.pairs.count == 81)
    for (first, second) in Self.pairs {
      let isRight = try second == Transitions.counterpart(of: first)
      let found = mismatches(first, second)
      #expect(found.allSatisfy { $0 == nil } == isRight, "\(first), \(second): \(found)")
    }
  }

  @Test("A stanza that reaches both servers keeps the two ends in agreement")
  func transitions() throws {
    for state in Transitions.states {
      for kind in SubscriptionStanza.Kind.allCases {
        for sender in 0...1 {
          var servers = Servers(states: [state, try Transitions.counterpart(of: state)])
          _ = try servers.send(kind, from: sender)
          #expect(
            mismatches(servers.states[0], servers.states[1]) == [nil, nil], "\(state) \(kind)")
        }
      }
    }
  }

  @Test("Each repair of each pair is routed by the servers and makes the two ends agree")
  func repairs() throws {
    for (first, second) in Self.pairs {
      let found = mismatches(first, second)
      for (subscriber, mismatch) in found.enumerated() {
        for repair in mismatch?.repairs ?? [] {
          var servers = Servers(states: [first, second])
          for step in repair.steps {
            let sender = step.sender == .subscriber ? subscriber : 1 - subscriber
            #expect(try servers.send(step.kind, from: sender), "\(first), \(second): \(repair)")
          }
          let (mine, other) = (servers.states[subscriber], servers.states[1 - subscriber])
          let wanted: SubscriptionStage =
            switch repair.purpose {
            case .restore: .active
            case .askAgain: .pending
            case .end: .none
            }
          #expect(mine.outbound == wanted, "\(first), \(second): \(repair)")
          #expect(other.inbound == wanted, "\(first), \(second): \(repair)")
          // The other direction stays as it was.
          let rest = mismatches(servers.states[0], servers.states[1])[1 - subscriber]
          #expect(rest == found[1 - subscriber], "\(first), \(second): \(repair)")
        }
      }
    }
  }

  @Test("Each mismatch has one pair of stages, and the owner decides what is seen")
  func authority() {
    let pairs: [(SubscriptionStage, SubscriptionStage, SubscriptionMismatch, SubscriptionSide)] = [
      (.none, .pending, .staleRequest, .subscriber),
      (.none, .active, .unnoticedSubscription, .owner),
      (.pending, .none, .unseenRequest, .subscriber),
      (.pending, .active, .unseenAcceptance, .owner), (.active, .none, .unseenEnd, .owner),
      (.active, .pending, .unansweredRequest, .owner),
    ]
    for (subscriber, owner, mismatch, authority) in pairs {
      #expect(SubscriptionMismatch(subscriber: subscriber, owner: owner) == mismatch)
      #expect(mismatch.authority == authority)
    }
    #expect(Set(pairs.map(\.2)) == Set(SubscriptionMismatch.allCases))
  }

  @Test("Ends that may be in one stage are not said to disagree")
  func possible() {
    for subscriber in 1...7 {
      for owner in 1...7 {
        let (first, second) = (
          PossibleStages(rawValue: UInt8(subscriber)), PossibleStages(rawValue: UInt8(owner))
        )
        let mismatch = SubscriptionMismatch(subscriber: first, owner: second)
        #expect((mismatch == nil) == (subscriber & owner != 0))
      }
    }
  }
}
