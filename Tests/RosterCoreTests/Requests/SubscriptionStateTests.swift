import RosterCore
import TestSupport
import Testing
import XMPPStanza

/// The nine states of RFC 6121 Appendix A.1; `O` is Pending Out, `I` is Pending In.
enum SubscriptionState: String, CaseIterable, Sendable {
  case none = "None"
  case noneOut = "None+O"
  case noneIn = "None+I"
  case noneOutIn = "None+OI"
  case to = "To"
  case toIn = "To+I"
  case from = "From"
  case fromOut = "From+O"
  case both = "Both"

  var subscription: RosterSubscription {
    switch self {
    case .none, .noneOut, .noneIn, .noneOutIn: .none
    case .to, .toIn: .to
    case .from, .fromOut: .from
    case .both: .both
    }
  }

  var isPendingOut: Bool {
    switch self {
    case .noneOut, .noneOutIn, .fromOut: true
    case .none, .noneIn, .to, .toIn, .from, .both: false
    }
  }

  var isPendingIn: Bool {
    switch self {
    case .noneIn, .noneOutIn, .toIn: true
    case .none, .noneOut, .to, .from, .fromOut, .both: false
    }
  }

  /// What the server shows of the contact in this state.
  var item: String {
    let ask = isPendingOut ? "ask='subscribe'" : ""
    return TestSupport.item("bob@example.test", "subscription='\(subscription)' \(ask)")
  }
}

/// A subscription stanza with its effect on each state according to RFC 6121.
struct SubscriptionRow: Sendable, CustomTestStringConvertible {
  let isInbound: Bool
  let type: String
  /// The new state for each state in the order of `SubscriptionState.allCases`; `.` is the same.
  let states: String
  /// `!` if the stanza is unexpected in either direction, with the name of that finding.
  let unasked: String
  let finding: Finding.Code?

  var testDescription: String { (isInbound ? "inbound " : "outbound ") + type }

  func next(_ state: SubscriptionState) throws -> SubscriptionState {
    let cell = try cell(states, state)
    return cell == "." ? state : try #require(SubscriptionState(rawValue: cell))
  }

  func codes(_ state: SubscriptionState) throws -> [Finding.Code] {
    switch try cell(unasked, state) {
    case "!": [try #require(finding)]
    // Ends a request of ours.
    case "-": [.deniedRequest]
    default: []
    }
  }

  /// The finding of the push and the stanza together: a contact that ends a subscription leaves.
  func leaving(_ state: SubscriptionState) -> [Finding.Code] {
    let isEnd =
      switch type {
      case "unsubscribed": state.subscription.includesTo
      case "unsubscribe": state.subscription.includesFrom
      default: false
      }
    return isInbound && isEnd ? [.friendLeft] : []
  }

  private func cell(_ row: String, _ state: SubscriptionState) throws -> String {
    let cells = row.split(separator: " ").map(String.init)
    try #require(cells.count == SubscriptionState.allCases.count)
    return cells[try #require(SubscriptionState.allCases.firstIndex(of: state))]
  }

  /// RFC 6121 A.2.1 to A.2.4 and A.3.1 to A.3.4. The columns:
  ///   None     None+O   None+I   None+OI  To       To+I     From     From+O   Both
  static let table: [SubscriptionRow] = [
    SubscriptionRow(
      isInbound: false, type: "subscribe",
      states: "None+O   .        None+OI  .        .        .        From+O   .        .     ",
      unasked: ".       .        .        .        !        !        .        .        !     ",
      finding: .needlessRequest),
    SubscriptionRow(
      isInbound: false, type: "unsubscribe",
      states: ".        None     .        None+I   None     None+I   .        From     From  ",
      unasked: ".       .        !        .        .        .        .        .        .     ",
      finding: .wrongRefusal),
    SubscriptionRow(
      isInbound: false, type: "subscribed",
      states: ".        .        From     From+O   .        Both     .        .        .     ",
      unasked: "!       !        .        .        !        .        .        .        .     ",
      finding: .preApproval),
    SubscriptionRow(
      isInbound: false, type: "unsubscribed",
      states: ".        .        None     None+O   .        To       None     None+O   To    ",
      unasked: ".       .        .        .        .        .        .        .        .     ",
      finding: nil),
    SubscriptionRow(
      isInbound: true, type: "subscribe",
      states: "None+I   None+OI  .        .        To+I     .        .        .        .     ",
      unasked: ".       .        .        .        .        .        !        !        !     ",
      finding: .needlessRequest),
    SubscriptionRow(
      isInbound: true, type: "unsubscribe",
      states: ".        .        None     None+O   .        To       None     None+O   To    ",
      unasked: "!       !        .        .        !        .        .        .        .     ",
      finding: .unsolicitedUnsubscribe),
    SubscriptionRow(
      isInbound: true, type: "subscribed",
      states: ".        To       .        To+I     .        .        .        Both     .     ",
      unasked: "!       .        !        .        !        !        !        .        !     ",
      finding: .unsolicitedSubscribed),
    SubscriptionRow(
      isInbound: true, type: "unsubscribed",
      states: ".        None     .        None+I   None     None+I   .        From     From  ",
      unasked: "!       -        !        -        .        .        !        -        .     ",
      finding: .unsolicitedUnsubscribed),
  ]
}

@Suite("RFC 6121 Appendix A, as seen by the user's client")
struct SubscriptionStateTests {
  private let bob = "bob@example.test"

  private func scenario(_ state: SubscriptionState, hasItem: Bool) -> Scenario {
    var scenario = Scenario.alice(hasItem ? state.item : "")
    if state.isPendingIn { scenario.receives("subscribe", from: bob) }
    return scenario
  }

  private func play(_ row: SubscriptionRow, _ scenario: inout Scenario) {
    if row.isInbound {
      scenario.receives(row.type, from: bob)
    } else {
      scenario.sends(row.type, to: bob)
    }
  }

  private func expectRequests(_ scenario: Scenario, _ state: SubscriptionState, _ note: String) {
    #expect(scenario.incoming == (state.isPendingIn ? [bob] : []), "\(note)")
    #expect(scenario.outgoing == (state.isPendingOut ? [bob] : []), "\(note)")
  }

  @Test("The stanza, then the push", arguments: SubscriptionState.allCases, SubscriptionRow.table)
  func stanzaThenPush(state: SubscriptionState, row: SubscriptionRow) throws {
    let next = try row.next(state)
    // A contact without a subscription and without our request need not be an item.
    for hasItem in state.subscription == .none && !state.isPendingOut ? [true, false] : [true] {
      var scenario = scenario(state, hasItem: hasItem)
      let before = scenario.roster.entries
      play(row, &scenario)
      #expect(scenario.roster.entries == before)
      expectRequests(scenario, next, "after the stanza")
      #expect(scenario.codes == (try row.codes(state)))
      guard next.item != state.item else { continue }
      scenario.pushed(next.item)
      #expect(scenario.item(bob)?.subscription == next.subscription)
      #expect(scenario.item(bob)?.isPending == next.isPendingOut)
      expectRequests(scenario, next, "after the push")
      #expect(scenario.codes + scenario.leavings == row.leaving(state))
    }
  }

  @Test("The push, then the stanza", arguments: SubscriptionState.allCases, SubscriptionRow.table)
  func pushThenStanza(state: SubscriptionState, row: SubscriptionRow) throws {
    let next = try row.next(state)
    guard row.isInbound, next.item != state.item else { return }
    var scenario = scenario(state, hasItem: true)
    scenario.pushed(next.item)
    play(row, &scenario)
    #expect(scenario.item(bob)?.subscription == next.subscription)
    expectRequests(scenario, next, "after both")
    let denial = try row.codes(state).filter { $0 == .deniedRequest }
    #expect(scenario.allCodes + scenario.leavings == denial + row.leaving(state))
  }

  @Test("Only the push, when another device of ours acts", arguments: SubscriptionState.allCases)
  func onlyPush(state: SubscriptionState) throws {
    for row in SubscriptionRow.table where !row.isInbound {
      let next = try row.next(state)
      guard next.item != state.item else { continue }
      var scenario = scenario(state, hasItem: true)
      scenario.pushed(next.item)
      #expect(scenario.item(bob)?.subscription == next.subscription)
      #expect(scenario.outgoing == (next.isPendingOut ? [bob] : []), "\(row.type)")
      // A denial that changes no item is not pushed, so rule 12 keeps the request.
      #expect(scenario.incoming == (next.isPendingIn ? [bob] : []), "\(row.type)")
    }
  }

  @Test("A fetch in any state shows what the pushes showed", arguments: SubscriptionState.allCases)
  func fetched(state: SubscriptionState) {
    var scenario = scenario(state, hasItem: true)
    let before = scenario.roster
    scenario.fetches(state.item, id: "again")
    #expect(scenario.roster.entries == before.entries)
    expectRequests(scenario, state, "after the fetch")
    #expect(scenario.last.changes.isEmpty)
  }
}

extension Scenario {
  /// The findings about contacts that may still end the other direction, as the end of the log
  /// decides them.
  fileprivate var leavings: [Finding.Code] {
    var copy = self
    copy.ends()
    return copy.ending.map(\.code).filter { $0 == .friendLeft }
  }
}
