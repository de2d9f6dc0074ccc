/// Which contacts a contacts screen shows, and how it is cut into sections.
public struct SectionPolicy: Hashable, Sendable {
  /// Which contacts are friends.
  public enum Friends: String, Hashable, Sendable, CaseIterable {
    /// Both see each other's presence.
    case mutual
    /// At least one of the two sees the other's presence.
    case subscribed
    /// Everybody in the roster.
    case all

    /// Whether a contact with this subscription is a friend.
    public func includes(_ subscription: ListedContact.Subscription) -> Bool {
      switch self {
      case .mutual: subscription == .both
      case .subscribed: subscription != .none
      case .all: true
      }
    }
  }

  /// How friends are grouped.
  public enum Grouping: String, Hashable, Sendable, CaseIterable {
    /// One list from A to Z, then `#`.
    case index
    /// A section for each roster group; contacts in several are in each, those in none come last.
    case groups
    /// A to Z in each group.
    case groupsAndIndex = "groups+index"
  }

  /// Which contacts are friends.
  public var friends: Friends
  /// How friends are grouped.
  public var grouping: Grouping
  /// Whether the first section holds the requests; it is there also while there are none.
  public var showsRequests: Bool
  /// Whether a section before the others repeats the starred contacts.
  public var showsStarred: Bool
  /// Whether the online contacts of a section stand before the others.
  public var onlineFirst: Bool

  /// The default: mutual friends from A to Z below the requests.
  public init(
    friends: Friends = .mutual, grouping: Grouping = .index, showsRequests: Bool = true,
    showsStarred: Bool = false, onlineFirst: Bool = false
  ) {
    self.friends = friends
    self.grouping = grouping
    self.showsRequests = showsRequests
    self.showsStarred = showsStarred
    self.onlineFirst = onlineFirst
  }
}
