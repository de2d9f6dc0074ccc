public import ContactSections
public import RosterCore
public import XMPPStanza

extension Roster {
  /// The contacts that are friends, by address. Complexity: O(n log n).
  ///
  /// - Parameter friends: Which contacts are friends.
  public func friends(_ friends: SectionPolicy.Friends = .mutual) -> [RosterItem] {
    sortedItems.filter { friends.includes($0.subscription) }
  }
}
