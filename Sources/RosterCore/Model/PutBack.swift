import RawBytes
package import XMPPStanza

/// A contact that the server took out of the roster, as it was before.
struct LostItem: Hashable, Sendable {
  var contact: BareJID
  var fields: EditableFields
  var subscription: RosterSubscription
  /// The record that showed it.
  var at: UInt64
  /// Whether a whole roster showed it, and not a push.
  var isByRoster: Bool
  /// Our set that asked for it, and the resource that sent the set; nil if none of ours did.
  var edit: UInt64?
  var device: String?

  /// How many are kept of an account, the newest.
  static let limit = 128
  /// The number of groups from which on an item is not kept.
  static let groupLimit = 64
}

/// What a set puts back that something else had changed or removed.
struct Restoration: Hashable, Sendable {
  /// Which of its name and groups it puts back; nil if it puts back the whole contact.
  var fields: RestoredFields?
  /// What the subscription had been; of a contact that was not removed, what it is.
  var subscription: RosterSubscription
  /// Our set that is undone, and the resource that sent it; nil if none of ours is known.
  var edit: UInt64?
  var device: String?
  /// The record that had shown the removal; nil if there was none.
  var lostAt: UInt64?
  /// What suggests that the set was made from an old copy of the contact.
  var evidence: PutBack.Evidence = []
}

/// What a set gives back to a contact of its name and groups.
package struct RestoredFields: Hashable, Sendable {
  /// What the contact had just before the set, and what the set gives it.
  let from, to: EditableFields

  /// The name; nil if it had not been changed.
  var name: EditFinding.Field? { from.name.hasSameBytes(as: to.name) ? nil : .name(to.name) }

  /// The groups that the contact is in again.
  var groups: [String] { to.groups.without(from.groups) }

  /// The groups that the contact is no longer in.
  var leftGroups: [String] { from.groups.without(to.groups) }

  /// Whether both the name and groups had been changed.
  var isBoth: Bool { name != nil && !from.groups.hasSameBytes(as: to.groups) }
}

/// A set that has put something back, until it is clear whether it is one of several: of one device
/// in a row, or of devices that undo each other's changes of a contact.
struct HeldPutBack: Hashable, Sendable {
  var contact: BareJID
  /// The set.
  var sent: RecordStamp
  var restoration: Restoration
  /// The subscription after the set.
  var subscription: RosterSubscription
  /// The connection that sent it, and its resource.
  var connection: ConnectionID
  var device: String?
  /// How many sets have put something of the contact back without a pause, and the last of them.
  var count = 1
  var last: RecordStamp
  /// Another device that sent one of them.
  var rival: String?

  /// The number that is kept at once; beyond it the oldest is reported.
  static let limit = 64
}

/// The last set that a session sent.
struct LastSet: Hashable, Sendable {
  var contact: BareJID
  var sent: RecordStamp
}

/// What a device put back that something else had changed or removed, with its values.
package struct PutBack: Hashable, Sendable {
  /// What suggests that the set was made from an old copy.
  package struct Evidence: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The same device sent another set within a second, for another contact.
    package static let burst = Self(rawValue: 1)
    /// Name and groups are both as they were. Of a contact that was removed, that says nothing: a
    /// person who adds it again may well give it both.
    package static let bothFields = Self(rawValue: 2)
    /// The device sent the set as soon as it had received the roster.
    package static let afterLogin = Self(rawValue: 4)
    /// Sets have put something of the contact back so often without a pause that people would have
    /// stopped by then.
    package static let rounds = Self(rawValue: 8)
    static let all = Self(rawValue: 15)
  }

  /// Which of its name and groups; nil if it is the whole contact.
  package var fields: RestoredFields?
  /// The device whose change was undone; nil if no recorded one had made it.
  package var of: String?
  /// The set that was undone; nil if none is known.
  package var edit: UInt64?
  /// The record that had shown the removal; nil if there was none.
  package var lostAt: UInt64?
  /// The subscription before the removal, if the contact has less now; else nil.
  package var before: RosterSubscription?
  /// The device that put something back in turn; nil if none did.
  package var rival: String?
  /// What suggests that it came from an old copy.
  package var evidence: Evidence
}
