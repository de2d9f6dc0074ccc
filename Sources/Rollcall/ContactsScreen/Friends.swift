public import ContactSections
public import RosterCore
public import XMPPStanza

extension Roster {
  /// The contacts that are friends, by address. Complexity: O(n log n).
  ///
  /// - Parameter policy: Which contacts are friends.
  public func friends(by policy: SectionPolicy.Friends = .mutual) -> [RosterItem] {
    sortedItems.filter { policy.includes($0.subscription) }
  }
}
