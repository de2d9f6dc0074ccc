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

/// What a contacts screen knows of a contact. The row is shown anew when any of it changes.
public struct ListedContact: Hashable, Sendable {
  /// Who sees whose presence (RFC 6121 §2.1.2.5).
  public enum Subscription: String, Hashable, Sendable, CaseIterable {
    case none, to, from, both
  }

  /// What tells contacts apart and settles ties: the bare JID.
  public var id: String
  /// The name that is shown.
  public var displayName: String
  /// The reading that the user gave the name, such as `zeng xian`; it wins over ours.
  public var userReading: String?
  /// The roster groups.
  public var groups: Set<String>
  /// Who sees whose presence.
  public var subscription: Subscription
  /// How available the contact is, the most available with the least number; `nil` is offline.
  public var onlineRank: Int?
  /// Whether the user starred the contact.
  public var isStarred: Bool

  /// A contact; see the properties.
  public init(
    id: String, displayName: String, userReading: String? = nil, groups: Set<String> = [],
    subscription: Subscription = .both, onlineRank: Int? = nil, isStarred: Bool = false
  ) {
    self.id = id
    self.displayName = displayName
    self.userReading = userReading
    self.groups = groups
    self.subscription = subscription
    self.onlineRank = onlineRank
    self.isStarred = isStarred
  }
}

/// A request that waits for the user's answer.
public struct ListedRequest: Hashable, Sendable {
  /// Who asks: the bare JID.
  public var id: String
  /// What the contact calls itself, where it said so.
  public var nick: String?
  /// The words that came with the request.
  public var text: String?
  /// The record it came with; the newest stands first.
  public var since: UInt64

  /// A request; see the properties.
  public init(id: String, nick: String? = nil, text: String? = nil, since: UInt64) {
    self.id = id
    self.nick = nick
    self.text = text
    self.since = since
  }
}
