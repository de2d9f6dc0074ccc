import XMPPStanza

/// Which connection of an account a session belongs to.
package struct ConnectionID: Hashable, Comparable, Sendable {
  /// From 1, in the order in which a log names them.
  package let number: UInt32

  /// The only connection of a log that does not tell several apart.
  package static let first = ConnectionID(number: 1)

  package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.number < b.number }
}

/// Where one connection stands with the server: RFC 6120 §4 and §7, XEP-0198.
struct Session: Hashable, Sendable {
  enum Phase: Hashable, Sendable, CaseIterable {
    /// Nothing was seen yet: the log may begin in mid-session.
    case unseen
    /// A stream header was seen, no session yet.
    case negotiating
    /// A session is bound, resumed, or assumed in a log that begins in the middle.
    case open
    case closed
    /// The stream is another account's; what it carries is not ours.
    case foreign
  }

  let connection: ConnectionID
  var phase = Phase.unseen
  /// The resource that the server bound.
  var resource: String?
  /// The record that bound the session; 0 where the log does not say.
  var openedAt: UInt64 = 0
  var features = StreamFeatures(versioning: false, preApproval: false)
  /// Whether the session has sent its first undirected available presence (RFC 6121 §4.2).
  var sentInitialPresence = false
  var reportedUnusedVersion = false
  /// Only what the server sent was captured: answers cannot be matched to requests.
  var isInboundOnly = false

  // A closed stream keeps what waits for an answer: a resumed one goes on with it.
  var openQueries: [OpenQuery] = []
  /// Sets without an answer, or answered but not yet pushed, in the order they were sent.
  var pendingEdits: [PendingEdit] = []
  var unacknowledged: [UnacknowledgedPush] = []
}

/// The sessions of an account, in the order of their connections.
struct SessionTable: Hashable, Sendable {
  /// All that were seen.
  private(set) var all: [Session] = []

  /// Where the session of a connection is; one of which nothing was seen is made.
  mutating func place(of connection: ConnectionID) -> Int {
    let place = all.firstIndex { $0.connection >= connection } ?? all.count
    if place == all.count || all[place].connection != connection {
      all.insert(Session(connection: connection), at: place)
    }
    return place
  }

  /// The session at a place.
  subscript(place: Int) -> Session {
    _read { yield all[place] }
    _modify { yield &all[place] }
  }
}

/// A request of ours that has no answer yet.
struct OpenQuery: Hashable, Sendable {
  var query: Query
  var sent: RecordStamp
  /// For a roster get with a version: whether the log holds what that version stands for.
  var isBaseKnown: Bool
  var isReportedAsOverdue = false
}

/// A push that we have not acknowledged yet (RFC 6121 §2.1.6).
struct UnacknowledgedPush: Hashable, Sendable {
  var id: String
  var contact: BareJID
  var received: RecordStamp
}

/// How much may wait at once for an answer that perhaps never comes.
enum WaitingLimit {
  /// Of requests, of edits and of pushes each; beyond it the oldest is given up. Many more than a
  /// client has in flight, and few enough to be copied with each state that is kept.
  static let count = 1024
  /// Of the versions that the server gave.
  static let knownVersions = 64
}
