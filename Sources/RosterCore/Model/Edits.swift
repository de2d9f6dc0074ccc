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
  var before: EditableFields?
  var after: EditableFields?
}
