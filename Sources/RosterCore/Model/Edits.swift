import RawBytes
import XMPPStanza

/// The parts of an item that a client may edit (RFC 6121 §2.1.2).
package struct EditableFields: Sendable {
  package var name: String?
  package var groups: [String]

  init(_ item: RosterItem) {
    self.init(name: item.name, groups: item.groups)
  }

  init(name: String?, groups: [String]) {
    self.name = name
    self.groups = groups
  }
}

extension EditableFields: Hashable {
  package static func == (a: EditableFields, b: EditableFields) -> Bool {
    a.name.hasSameBytes(as: b.name) && a.groups.hasSameBytes(as: b.groups)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: name)
    for group in groups { hasher.combine(bytesOf: group) }
  }
}

/// One item of a roster set of ours that is not settled yet.
struct PendingEdit: Hashable, Sendable {
  var id: String?
  var contact: BareJID
  var sent: RecordStamp
  /// What the item had before, nil where there was none.
  var before: EditableFields?
  /// What it shall have, nil for a removal.
  var after: EditableFields?
  /// A push has shown it.
  var isPushed = false
  /// The server has answered the set by a result.
  var isAnswered = false

  /// Whether what the server shows now means that the edit did not last.
  func isContradicted(by now: EditableFields?) -> Bool {
    // Before the answer a push may still tell of something earlier.
    isPushed ? now == before && now != after : isAnswered
  }
}

/// An edit that the server took over, kept so that its undoing can be told.
struct ConfirmedEdit: Hashable, Sendable {
  /// The record of the set.
  var sent: UInt64
  /// The resource of the device that sent it, where it is known.
  var device: String?
  var before: EditableFields?
  var after: EditableFields?

  /// What a set that another device sends after this edit takes back of it while it changes
  /// something else, as a set does that is made from an older copy of the contact.
  ///
  /// A set that only takes back may be just what its user wants.
  func takenBack(by set: EditableFields) -> EditFinding.Field? {
    guard let before, let after else { return nil }
    if !before.name.hasSameBytes(as: after.name), set.name.hasSameBytes(as: before.name),
      !set.groups.hasSameBytes(as: after.groups), !set.groups.hasSameBytes(as: before.groups)
    {
      return .name(after.name)
    }
    if !before.groups.hasSameBytes(as: after.groups), set.groups.hasSameBytes(as: before.groups),
      !set.name.hasSameBytes(as: after.name), !set.name.hasSameBytes(as: before.name)
    {
      return .groups(after.groups)
    }
    return nil
  }
}
