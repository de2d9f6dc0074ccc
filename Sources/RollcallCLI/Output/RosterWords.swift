import Rollcall
import RosterCore
import XMPPStanza

extension RosterItem {
  /// The subscription, and whether a request waits.
  var subscriptionText: String { subscription.rawValue + (isPending ? ", asked" : "") }
}

extension Roster {
  /// Tells a person on standard error that the items are not the whole roster.
  func noteIncompleteness() {
    guard completeness != .complete else { return }
    Terminal.note(completeness.clause)
  }
}
