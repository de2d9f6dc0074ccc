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

/// One item of a roster set of ours that is not yet settled.
struct PendingEdit: Hashable, Sendable {
  var id: String?
  var contact: BareJID
  var sent: RecordStamp
  /// The item's fields before the set; nil if there was no item.
  var before: EditableFields?
  /// The item's fields according to the set; nil for a removal.
  var after: EditableFields?
  /// Whether a push has shown it.
  var isPushed = false
  /// Whether the server has answered the set with a result.
  var isAnswered = false
  /// The comparison for a set that was sent before the session's roster was known.
  var premature: PrematureSet?
  /// What it puts back that another device had changed or removed.
  var restores: Restoration?
  /// What the server has pushed in place of what the set asked for; nil if it has not.
  var altered: AlteredSet?
  /// Whether it was reported that no answer has come in time. The answer may still come.
  var isReportedAsOverdue = false

  /// Whether the server still shows what this set replaces, so it has not processed the set yet.
  func isReplacing(_ now: EditableFields?, of other: BareJID) -> Bool {
    premature != nil && !isPushed && !isAnswered && contact == other && after != now
  }

  /// Whether the server has not shown in any way that it carried out the set, which is not overdue.
  var isOutstanding: Bool {
    !isPushed && !isAnswered && altered == nil && !isReportedAsOverdue
  }

  /// Whether the server's current item shows that the edit did not last.
  func isContradicted(by now: EditableFields?) -> Bool {
    // Before the answer, a push may still be about an earlier change.
    isPushed
      ? now == before && now != after : isAnswered && (altered == nil || altered?.fields != now)
  }
}

/// What the server has stored in place of what a set asked for.
struct AlteredSet: Hashable, Sendable {
  var fields: EditableFields
  /// The push that showed it.
  var shown: RecordStamp
}

/// A set that was sent before the session's roster was known, so its client cannot have based it on
/// the server's item.
struct PrematureSet: Hashable, Sendable {
  /// What its client can have known about the contact from an earlier session; nil for nothing.
  var known: EditableFields?
  /// What the server last showed of the contact before it processed the set; nil for no item.
  var replaced: EditableFields?

  /// Returns what the set removed from the replaced item without a decision by its client, or nil
  /// for nothing.
  ///
  /// If the client can have known a name or group, its change may be intended, and so may a new
  /// name. A client cannot have meant to change what it cannot have known.
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

/// An edit that the server confirmed, kept so that a later set that undoes it can be reported.
struct ConfirmedEdit: Hashable, Sendable {
  /// The record of the set.
  var sent: UInt64
  /// The resource of the device that sent it, if known.
  var device: String?
  var before: EditableFields?
  var after: EditableFields?

  /// Returns the part of this edit that a later set from another device undoes while it changes
  /// something else. A set that is based on an older copy of the contact does this.
  ///
  /// A set that only undoes the edit may be just what its user wants.
  func takenBack(by set: EditableFields) -> EditFinding.Loss? {
    guard let before, let after else { return nil }
    if !before.name.hasSameBytes(as: after.name), set.name.hasSameBytes(as: before.name),
      !set.groups.hasSameBytes(as: after.groups), !set.groups.hasSameBytes(as: before.groups)
    {
      return EditFinding.Loss(name: .name(after.name), groups: [], returnedGroups: [])
    }
    if !before.groups.hasSameBytes(as: after.groups), set.groups.hasSameBytes(as: before.groups),
      !set.name.hasSameBytes(as: after.name), !set.name.hasSameBytes(as: before.name)
    {
      return EditFinding.Loss(
        name: nil, groups: after.groups.without(before.groups),
        returnedGroups: before.groups.without(after.groups))
    }
    return nil
  }
}

extension [String] {
  /// The texts that are not in `others`. Both lists are sorted by their bytes.
  func without(_ others: [String]) -> [String] {
    var rest = others[...]
    return filter { text in
      rest = rest.drop { $0.precedesByBytes(text) }
      return !(rest.first?.hasSameBytes(as: text) ?? false)
    }
  }
}
