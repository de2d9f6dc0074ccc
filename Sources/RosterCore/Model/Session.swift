import DequeModule
import XMPPStanza

/// The state of one connection with the server (RFC 6120 §4 and §7, XEP-0198).
struct Session: Hashable, Sendable {
  /// The progress of a session's first undirected available presence, which the server answers with
  /// every open request (RFC 6121 §3.1.3, §4.2).
  enum InitialPresence: Hashable, Sendable, CaseIterable {
    case unsent
    /// Sent while there was no stream. A resumed session sends it again (XEP-0198 §5); otherwise
    /// the server never receives it.
    case waiting
    case sent
  }

  /// The connection in use; a resumption can change it.
  var connection: ConnectionID
  var phase = SessionPhase.unseen
  /// The directions of its stream that have ended.
  var ends = StreamEnds()
  /// Whether the session is open or can be resumed: it has begun and has not ended cleanly.
  var isAlive = false
  /// The record of the loss of its connection; nil unless it is lost.
  var lostAt: RecordStamp?
  /// The domain of the stream's server; nil if the log does not show it.
  var server: BareJID?
  /// The resource that the server bound.
  var resource: String?
  /// The record that bound the session; 0 if the log does not show it.
  var openedAt: UInt64 = 0
  /// The server's id for resuming the session (XEP-0198 §5).
  var resumptionID: String?
  var features = StreamFeatures(versioning: false, preApproval: false)
  /// The progress of the session's first undirected available presence.
  var initialPresence = InitialPresence.unsent
  /// Whether its last undirected presence was available, so the server sends it the presence of
  /// others.
  var isAvailable = false
  /// The last roster that the session received, or the confirmation that its copy is current; nil
  /// before. From then on the server pushes changes to it.
  var fetchedAt: RecordStamp?
  /// The last event that it received from the server; nil before, and if the log had no other
  /// session by then.
  var lastReceived: RecordStamp?
  /// Whether a capture of its own begins with it.
  var beginsCapture = false
  /// The server's refusal to send this session the roster; nil once it has sent it.
  var rosterRefusal: RosterRefusal?
  /// Whether it was reported that an address has more resources than the limit.
  var reportedCrowd = false
  /// Whether this session has requested the roster, or an earlier session of its client has.
  var hasAsked = false
  var askedBefore = false
  /// The record of its first presence, until it is clear whether it requests the roster.
  var unfetchedSince: RecordStamp?
  /// Whether an earlier session of its client has shown its presence.
  var showedBefore = false
  /// When it received the roster, until it shows its presence or it is reported that it does not.
  var unshownSince: RecordStamp?
  /// The ids of the last answers that it received and of the last pushes that it acknowledged.
  var settledIDs: [SettledID] = []
  /// The number of block list pushes that we have not answered.
  var unansweredBlockPushes: UInt64 = 0

  // A closed stream keeps its unanswered requests, because a resumed one continues with them.
  // Beyond the limit the oldest is dropped, which is cheap at the front of a deque.
  var openQueries: Deque<OpenQuery<AwaitedAnswer>> = []
  /// Sets that are unanswered, or answered but not yet pushed, in the order in which they were
  /// sent.
  var pendingEdits: Deque<PendingEdit> = []
  /// Whether a set was dropped that the server may still carry out. All remaining sets were sent
  /// later, so it has been carried out once none remains.
  var hasForgottenEdits = false
  var unacknowledged: Deque<UnacknowledgedPush> = []
  /// The contacts of our sets and subscription stanzas, of which the server may push the item to it
  /// even if they change nothing; one entry for each stanza, the oldest first.
  var pushableContacts: Deque<BareJID> = []
  /// The addresses that it has sent its presence to, and whose presence it does not see anyway:
  /// they may send theirs in turn (RFC 6121 §4.6). Oldest first.
  var directedTo: [BareJID] = []
  /// The last answers of ours to contacts that an error may still answer, oldest first.
  var sentAnswers: [SentAnswer] = []
  /// The last requests of ours without an id that an error without an id may answer, oldest first.
  var unidentifiedRequests: [UnidentifiedRequest] = []
  /// The last pushes and subscription stanzas that it received, if it can be resumed.
  var told: [DeliveredItem] = []
  /// Those received before the resumption, which the server may send again.
  var possibleRedeliveries: [DeliveredItem] = []
  /// When it was last resumed, until the server answers something sent after that. What the server
  /// sends before that answer may date from before the resumption.
  var resumed: RecordStamp?
  /// Its refusals that may cross a request, until the server has answered something later.
  var refusals: [Refusal] = []

  /// The number of pushes that other sessions received and this one has not yet.
  var pendingPushCount = 0
  /// The record of the last of these pushes.
  var lastPendingPush: UInt64 = 0

  /// Requests to block or unblock without an answer, in the order in which they were sent.
  var openBlocking: [OpenBlocking] = []
  /// The last set that it sent.
  var lastSet: LastSet?

  /// Whether it may have sent its presence to more single addresses than are kept.
  var hasForgottenAddresses: Bool { directedTo.count >= WaitingLimit.directed }

  /// Whether the session was told the roster, so that it is told what changes.
  var hasFetched: Bool { fetchedAt != nil }

  /// Whether a set of this session may be on its way that is not among `pendingEdits`.
  var lacksEdits: Bool { hasForgottenEdits && !pendingEdits.isEmpty }

  /// Whether the connection is lost, so that the session may be resumed.
  var isLost: Bool { isAlive && phase != .open }

  /// Whether we have ended the session in order and the server has not, so that it may still answer
  /// what was sent before.
  var mayStillBeAnswered: Bool { ends.ours != nil && ends.server == nil }

  /// Whether the server sends it the presence and the requests of others (RFC 6121 §3.1.3, §4.2).
  var receivesPresence: Bool { isAlive && isAvailable && initialPresence == .sent }

  /// What the version in an open get says about the roster that the client has kept.
  enum RosterBase: Hashable, Sendable {
    /// No open get names a version.
    case none
    /// Whether the log contains the roster of that version.
    case known, unknown
  }

  /// What the client has kept of the roster, according to its open gets.
  var rosterBase: RosterBase {
    for open in openQueries {
      guard case .roster(let version?) = open.subject.kind, !version.isEmpty else { continue }
      return open.subject.isBaseKnown ? .known : .unknown
    }
    return .none
  }

  /// Whether the server has to push changes to it: it is open, has received the roster, and neither
  /// side has ended the stream (RFC 6121 §2.1.6).
  var isInterested: Bool { phase == .open && hasFetched && ends == StreamEnds() }

  /// Whether the server may push changes to it, now or once it is resumed: it has requested the
  /// roster (RFC 6121 §2.2), though the result may still be on its way.
  var isToldPushes: Bool {
    isAlive
      && (hasFetched
        || openQueries.contains { if case .roster = $0.subject.kind { true } else { false } })
  }
}

/// The server's refusal of a roster get.
struct RosterRefusal: Hashable, Sendable {
  /// The error's defined condition (RFC 6120 §8.3.3); nil if the error has none.
  var condition: String?
}

/// A set of an account's sessions, by their slots in its table.
struct SessionSet: OptionSet, Hashable, Sendable {
  let rawValue: UInt64

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The set of the session in one slot.
  init(_ place: Int) {
    rawValue = 1 << UInt64(place)
  }
}

/// The sessions of an account, each in a fixed slot, in the order in which their connections first
/// appeared. An ended session stays until its slot is needed.
struct SessionTable: Hashable, Sendable {
  /// All known sessions.
  private(set) var all: [Session] = []

  /// The number of bits in a `SessionSet`. No person has that many devices online at once.
  static let limit = UInt64.bitWidth

  /// The slot of a connection's session; nil if the connection is unknown.
  func place(of connection: ConnectionID) -> Int? {
    // By index, because iterating over elements would copy them.
    for place in all.indices where all[place].connection == connection { return place }
    return nil
  }

  /// Adds the session of a new connection.
  mutating func add(_ connection: ConnectionID) -> Int {
    all.append(Session(connection: connection))
    return all.count - 1
  }

  /// The slot for a new connection if all are in use: that of the session that ended the longest
  /// time ago, or else of the one that has been open the longest.
  var placeToReuse: Int? {
    guard all.count >= Self.limit else { return nil }
    return all.indices.min { a, b in
      let (a, b) = (all[a], all[b])
      if a.isAlive != b.isAlive { return !a.isAlive }
      return (a.openedAt, a.connection) < (b.openedAt, b.connection)
    }
  }

  /// The slots of the sessions that satisfy a condition.
  func places(where isIncluded: (Session) -> Bool) -> SessionSet {
    var set: SessionSet = []
    for place in all.indices where isIncluded(all[place]) { set.formUnion(SessionSet(place)) }
    return set
  }

  /// The slots of the open sessions.
  var open: SessionSet {
    var set: SessionSet = []
    for place in all.indices where all[place].phase == .open { set.formUnion(SessionSet(place)) }
    return set
  }

  /// Whether any set of ours awaits its answer or its push.
  var hasPendingEdits: Bool { all.indices.contains { !all[$0].pendingEdits.isEmpty } }

  /// Whether a set of ours for a contact awaits its answer or its push.
  func hasEdit(of contact: BareJID) -> Bool {
    all.indices.contains { place in all[place].pendingEdits.contains { $0.contact == contact } }
  }

  /// Whether such a set is not overdue.
  func hasTimelyEdit(of contact: BareJID) -> Bool {
    all.indices.contains { place in
      all[place].pendingEdits.contains { $0.contact == contact && !$0.isReportedAsOverdue }
    }
  }

  /// Whether a set of ours that removes a contact awaits its answer or its push.
  func hasRemoval(of contact: BareJID) -> Bool {
    all.indices.contains { place in
      all[place].pendingEdits.contains { $0.contact == contact && $0.after == nil }
    }
  }

  /// The session in a slot.
  subscript(place: Int) -> Session {
    _read { yield all[place] }
    _modify { yield &all[place] }
  }
}

/// The id of an answer that we received, or of a push that we acknowledged.
struct SettledID: Hashable, Sendable {
  var id: String
  /// The record that settled it.
  var record: UInt64
}

/// A subscription stanza of ours other than a request, which the server does not keep for later.
struct SentAnswer: Hashable, Sendable {
  var contact: BareJID
  var kind: SubscriptionStanza.Kind
  var sent: RecordStamp
}

/// A roster get or set of ours without an id (RFC 6120 §8.1.3 requires one).
struct UnidentifiedRequest: Hashable, Sendable {
  /// The contact that a set is about; nil for a get.
  var contact: BareJID?
  var sent: RecordStamp
}

/// What an open request of ours asks for.
struct AwaitedAnswer: Hashable, Sendable {
  var kind: Query.Subject
  /// For a roster get with a version: whether the log contains the roster of that version.
  var isBaseKnown: Bool
  var isReportedAsOverdue = false
}

/// A push that we have not acknowledged yet (RFC 6121 §2.1.6).
struct UnacknowledgedPush: Hashable, Sendable {
  var id: String
  var contact: BareJID
  var received: RecordStamp
}

/// Limits on what may await an answer that perhaps never comes.
enum WaitingLimit {
  /// For answers of ours, and for requests without an id, that an error may answer.
  static let unidentified = 8
  /// For requests, edits and pushes each; beyond it the oldest is dropped. Far more than a client
  /// has in flight, and few enough to copy with each kept state.
  static let count = 1024
  /// For groups in all edits together, because an edit keeps the previous groups of its item.
  static let groups = 1 << 14
  /// For the addresses that a session has sent its presence to, one at a time.
  static let directed = 64
  /// For the ids of answers and of acknowledged pushes.
  static let settledIDs = 16
  /// For the versions that the server gave.
  static let knownVersions = 64
}
