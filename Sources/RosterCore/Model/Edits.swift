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
  /// What there is to compare it with if it was sent before the session's roster was known.
  var premature: PrematureSet?

  /// Whether what the server shows now of a contact is what this set replaces: it has not taken the
  /// set yet.
  func isReplacing(_ now: EditableFields?, of other: BareJID) -> Bool {
    premature != nil && !isPushed && !isAnswered && contact == other && after != now
  }

  /// Whether the server has not shown in any way that it has carried the set out.
  var isOutstanding: Bool { !isPushed && !isAnswered }

  /// Whether what the server shows now means that the edit did not last.
  func isContradicted(by now: EditableFields?) -> Bool {
    // Before the answer a push may still tell of something earlier.
    isPushed ? now == before && now != after : isAnswered
  }
}

/// A set that was sent before the session's roster was known: its client cannot have made it from
/// what the server has.
struct PrematureSet: Hashable, Sendable {
  /// What its client can have known of the contact from an earlier session; nil for nothing.
  var known: EditableFields?
  /// What the server last showed of the contact before it took the set; nil for no item.
  var replaced: EditableFields?

  /// Returns what of the replaced item the set lost without a change by its client, or nil for
  /// nothing.
  ///
  /// A name or group that the client can have known may be changed on purpose, and so may a name
  /// that it gives. What the client cannot have known it cannot have meant to change.
  func loss(by set: EditableFields) -> EditFinding.Loss? {
    guard let replaced else { return nil }
    let groups = known?.groups ?? []
    let lost = replaced.groups.without(groups).without(set.groups)
    let returned = groups.without(groups.without(set.groups)).without(replaced.groups)
    let isNameLost =
      set.name.hasSameBytes(as: known?.name) && !set.name.hasSameBytes(as: replaced.name)
    guard isNameLost || !lost.isEmpty || !returned.isEmpty else { return nil }
    return EditFinding.Loss(
      name: isNameLost ? .name(replaced.name) : nil, groups: lost, returnedGroups: returned)
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

extension [String] {
  /// The texts that are not among others; both stand in the order of their bytes.
  func without(_ others: [String]) -> [String] {
    var rest = others[...]
    return filter { text in
      rest = rest.drop { $0.precedesByBytes(text) }
      return !(rest.first?.hasSameBytes(as: text) ?? false)
    }
  }
}
