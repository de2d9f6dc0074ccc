import Rollcall
import RosterCore
import XMPPStanza

extension RosterItem {
  /// The subscription, and whether our request is pending.
  var subscriptionText: String { subscription.rawValue + (isPending ? ", asked" : "") }
}

extension Roster {
  /// Notes on standard error that the items are not the whole roster.
  func noteIncompleteness() {
    guard completeness != .complete else { return }
    Terminal.note(completeness.clause)
  }
}
