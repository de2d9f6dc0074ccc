import RawBytes
public import XMPPStanza

/// A contact as a contacts screen knows it. Any change reloads the row.
public struct ListedContact: Sendable {
  /// The bare JID, which identifies the contact and breaks ties in the order.
  public var id: String
  /// The displayed name.
  public var displayName: String
  /// The reading that the user gave the name, such as `zeng xian`; it overrides the computed one.
  public var userReading: String?
  /// The roster groups without duplicates and empty names, in byte order. Groups that differ only
  /// in their normal form are distinct.
  public let groups: [String]
  /// Who sees whose presence.
  public var subscription: RosterSubscription
  /// The availability of the contact, lower for the more available; nil if offline.
  public var onlineRank: Int?
  /// Whether the user starred the contact.
  public var isStarred: Bool
  /// The status text of the contact, in its words; nil if it has none or is offline.
  public var status: String?
  /// The resource that represents the contact; nil if it is offline.
  public var resource: String?
  /// What the user noted about the contact.
  public var note: String?

  /// A contact; see the properties. Groups may come in any order.
  public init(
    id: String, displayName: String, userReading: String? = nil, groups: [String] = [],
    subscription: RosterSubscription = .both, onlineRank: Int? = nil, isStarred: Bool = false,
    status: String? = nil, resource: String? = nil, note: String? = nil
  ) {
    self.id = id
    self.displayName = displayName
    self.userReading = userReading
    self.groups = groups.sortedSet
    self.subscription = subscription
    self.onlineRank = onlineRank
    self.isStarred = isStarred
    self.status = status
    self.resource = resource
    self.note = note
  }
}

extension ListedContact: Hashable {
  /// Whether all fields are equal, comparing texts by their bytes.
  public static func == (a: ListedContact, b: ListedContact) -> Bool {
    a.id == b.id && a.displayName.hasSameBytes(as: b.displayName)
      && a.userReading.hasSameBytes(as: b.userReading)
      && a.groups.hasSameBytes(as: b.groups)
      && a.subscription == b.subscription && a.onlineRank == b.onlineRank
      && a.isStarred == b.isStarred && a.status.hasSameBytes(as: b.status)
      && a.resource.hasSameBytes(as: b.resource) && a.note.hasSameBytes(as: b.note)
  }

  /// Hashes the identifier of the contact.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

/// A request that awaits the user's answer.
public struct ListedRequest: Hashable, Sendable {
  /// The bare JID of the sender.
  public var id: String
  /// The nickname that the contact gave itself, if any.
  public var nick: String?
  /// The text that came with the request.
  public var text: String?
  /// The record that the request came with; the newest request is listed first.
  public var since: UInt64
  /// Whether the user has seen the request, so that the badge no longer counts it.
  public var isSeen: Bool

  /// A request; see the properties.
  public init(
    id: String, nick: String? = nil, text: String? = nil, since: UInt64, isSeen: Bool = false
  ) {
    self.id = id
    self.nick = nick
    self.text = text
    self.since = since
    self.isSeen = isSeen
  }
}
