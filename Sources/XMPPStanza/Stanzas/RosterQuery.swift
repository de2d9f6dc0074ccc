import RawBytes

/// The state of the subscription between the account and a contact (RFC 6121 §2.1.2.5).
public enum RosterSubscription: String, Hashable, Sendable, CaseIterable {
  /// Neither sees the other's presence.
  case none
  /// The account sees the contact's presence.
  case to
  /// The contact sees the account's presence.
  case from
  /// Each sees the other's presence.
  case both

  /// Whether the account sees the contact's presence.
  public var includesTo: Bool { self == .to || self == .both }
  /// Whether the contact sees the account's presence.
  public var includesFrom: Bool { self == .from || self == .both }
}

/// A contact as the server keeps it in the roster (RFC 6121 §2.1.2).
public struct RosterItem: Sendable {
  /// The contact's address.
  public var jid: BareJID
  /// The name the user gave the contact, never empty.
  public var name: String?
  /// The state of the subscription.
  public var subscription: RosterSubscription
  /// Whether a request to see the contact's presence awaits an answer (`ask='subscribe'`).
  public var isPending: Bool
  /// Whether a later request from the contact is pre-approved (RFC 6121 §3.4).
  public var isApproved: Bool
  /// The groups in byte order, without empty names and duplicates. Servers compare groups by their
  /// bytes, so groups that differ only in their normal form are distinct.
  public var groups: [String]

  /// An item from its parts; empty and repeated groups and an empty name are dropped.
  public init(
    jid: BareJID, name: String? = nil, subscription: RosterSubscription = .none,
    isPending: Bool = false, isApproved: Bool = false, groups: [String] = []
  ) {
    self.jid = jid
    self.name = name.flatMap { $0.isEmpty ? nil : $0 }
    self.subscription = subscription
    self.isPending = isPending
    self.isApproved = isApproved
    self.groups = groups.sortedSet
  }

  /// Creates an item from parts that were already checked, such as stored ones.
  package init(
    checked jid: BareJID, name: String?, subscription: RosterSubscription, isPending: Bool,
    isApproved: Bool, groups: [String]
  ) {
    self.jid = jid
    self.name = name
    self.subscription = subscription
    self.isPending = isPending
    self.isApproved = isApproved
    self.groups = groups
  }
}

extension RosterItem: Hashable {
  /// Whether all fields are the same, the texts by their bytes.
  public static func == (a: RosterItem, b: RosterItem) -> Bool {
    a.jid == b.jid && a.name.hasSameBytes(as: b.name) && a.subscription == b.subscription
      && a.isPending == b.isPending && a.isApproved == b.isApproved
      && a.groups.hasSameBytes(as: b.groups)
  }

  /// Feeds the fields into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(jid)
    hasher.combine(bytesOf: name)
    hasher.combine(subscription)
    hasher.combine(isPending)
    hasher.combine(isApproved)
    for group in groups { hasher.combine(bytesOf: group) }
  }
}

/// The payload of a roster get, set, push or result (RFC 6121 §2.1.1).
package struct RosterQuery: Hashable, Sendable {
  /// One `<item/>` whose address could be prepared.
  package struct Item: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
      case set(RosterItem)
      case remove(BareJID)
    }

    package var change: Change
    /// A `subscription` that RFC 6121 does not define; it was read as `none`.
    package var unknownSubscription: String?

    package init(change: Change, unknownSubscription: String? = nil) {
      self.change = change
      self.unknownSubscription = unknownSubscription
    }

    package var jid: BareJID {
      switch change {
      case .set(let item): item.jid
      case .remove(let jid): jid
      }
    }
  }

  /// One `<item/>` that had to be left out.
  package struct Malformed: Hashable, Sendable {
    /// The `jid` attribute as written; nil if it is missing.
    package var jid: String?
    package var reason: String

    package init(jid: String?, reason: String) {
      self.jid = jid
      self.reason = reason
    }

    /// Represents any number of items. No server writes text here, but people who shorten a log do.
    package static let omission = Malformed(
      jid: nil, reason: "text stands in its place, as where a log was shortened")
  }

  /// The roster version, opaque (RFC 6121 §2.6).
  package var version: String?
  package var items: [Item]
  package var malformed: [Malformed]

  package init(version: String? = nil, items: [Item] = [], malformed: [Malformed] = []) {
    self.version = version
    self.items = items
    self.malformed = malformed
  }
}
