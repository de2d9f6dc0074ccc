public import XMPPStanza

/// Which contacts a contacts screen shows, and how it is divided into sections.
public struct SectionPolicy: Hashable, Sendable {
  /// Which contacts are friends.
  public enum Friends: String, Hashable, Sendable, CaseIterable {
    /// Both see each other's presence.
    case mutual
    /// At least one of the two sees the other's presence.
    case subscribed
    /// Every contact in the roster.
    case all

    /// Whether a contact with this subscription is a friend.
    public func includes(_ subscription: RosterSubscription) -> Bool {
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
    /// A section per roster group. A contact in several groups is in each; those without one come
    /// last.
    case groups
    /// A to Z within each group.
    case groupsAndIndex = "groups+index"
  }

  /// Which contacts are friends.
  public var friends: Friends
  /// How friends are grouped.
  public var grouping: Grouping
  /// Whether the first section shows the requests, even if there are none.
  public var showsRequests: Bool
  /// Whether a section above the list repeats the starred contacts.
  public var showsStarred: Bool
  /// Whether each section lists its online contacts first.
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
