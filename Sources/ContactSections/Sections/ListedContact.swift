/// What a contacts screen knows of a contact. The row is shown anew when any of it changes.
public struct ListedContact: Sendable {
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
  /// The roster groups, none twice, in the order of their bytes: two that differ in their normal
  /// form only are two.
  public let groups: [String]
  /// Who sees whose presence.
  public var subscription: Subscription
  /// How available the contact is, the most available with the least number; `nil` is offline.
  public var onlineRank: Int?
  /// Whether the user starred the contact.
  public var isStarred: Bool

  /// A contact; see the properties. Groups may come in any order.
  public init(
    id: String, displayName: String, userReading: String? = nil, groups: [String] = [],
    subscription: Subscription = .both, onlineRank: Int? = nil, isStarred: Bool = false
  ) {
    self.id = id
    self.displayName = displayName
    self.userReading = userReading
    self.groups = groups.withoutRepetition
    self.subscription = subscription
    self.onlineRank = onlineRank
    self.isStarred = isStarred
  }
}

extension ListedContact: Hashable {
  /// Whether everything is the same, the texts by their bytes.
  public static func == (a: ListedContact, b: ListedContact) -> Bool {
    a.id == b.id && a.displayName.hasSameBytes(as: b.displayName)
      && a.userReading.hasSameBytes(as: b.userReading)
      && a.groups.elementsEqual(b.groups) { $0.hasSameBytes(as: $1) }
      && a.subscription == b.subscription && a.onlineRank == b.onlineRank
      && a.isStarred == b.isStarred
  }

  /// Feeds what tells contacts apart into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
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
