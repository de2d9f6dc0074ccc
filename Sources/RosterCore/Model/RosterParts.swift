import HashTreeCollections
import XMPPStanza

/// Where the session with the server stands.
struct StreamState: Hashable, Sendable {
  enum Phase: Hashable, Sendable {
    /// Nothing was seen yet: the log may begin in mid-session.
    case unseen
    /// A stream header was seen, no session yet.
    case negotiating
    /// A session is bound, resumed, or taken for granted in a log that begins in the middle.
    case open
    case closed
    /// The stream is another account's; what it carries is not ours.
    case foreign
  }

  var phase = Phase.unseen
  /// The record that bound the session; 0 where the log does not say.
  var openedAt: UInt64 = 0
  var features = StreamFeatures(versioning: false, preApproval: false)
  /// Whether the session has sent its first undirected available presence (RFC 6121 §4.2).
  var sentInitialPresence = false
  var reportedUnusedVersion = false
  /// Only what the server sent was captured: answers cannot be matched to requests.
  var isInboundOnly = false
}

/// A request of ours that has no answer yet.
struct OpenQuery: Hashable, Sendable {
  var query: Query
  var sent: RecordStamp
  /// For a roster get with a version: whether the log holds what that version stands for.
  var isBaseKnown: Bool
  var isReportedAsLate = false
}

/// A push that we have not acknowledged yet (RFC 6121 §2.1.6).
struct UnacknowledgedPush: Hashable, Sendable {
  var id: String
  var contact: BareJID
  var received: RecordStamp
}

/// What we asked the server to change, and what came of it.
struct EditBook: Hashable, Sendable {
  /// Sets without an answer, or answered but not yet pushed, in the order they were sent.
  var pending: [PendingEdit] = []
  /// For each contact the last edit that the server pushed back as we wanted it.
  var settled = TreeDictionary<BareJID, SettledEdit>()
}

/// The parts of an item that a client may edit (RFC 6121 §2.1.2).
struct EditableFields: Hashable, Sendable {
  var name: String?
  var groups: [String]

  init(_ item: RosterItem) {
    self.init(name: item.name, groups: item.groups)
  }

  init(name: String?, groups: [String]) {
    self.name = name
    self.groups = groups
  }
}

/// One item of a roster set of ours.
struct PendingEdit: Hashable, Sendable {
  var id: String?
  var contact: BareJID
  var sent: RecordStamp
  /// What the item had before, nil where there was none.
  var before: EditableFields?
  /// What it shall have, nil for a removal.
  var after: EditableFields?
  var isPushed = false
  var isAnswered = false
}

/// An edit that took effect, kept so that its undoing can be told.
///
/// One for each contact that we ever edited: states share them, as their tables move them about.
final class SettledEdit: Hashable, Sendable {
  let sent: UInt64
  let before: EditableFields?
  let after: EditableFields?

  init(sent: UInt64, before: EditableFields?, after: EditableFields?) {
    self.sent = sent
    self.before = before
    self.after = after
  }

  static func == (a: SettledEdit, b: SettledEdit) -> Bool {
    a === b || (a.sent == b.sent && a.before == b.before && a.after == b.after)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(sent)
    hasher.combine(before)
    hasher.combine(after)
  }
}
