import DequeModule
import XMPPStanza

/// Which connection of an account a session belongs to.
public struct ConnectionID: Hashable, Comparable, Sendable {
  /// From 1, in the order in which a log names them.
  public let number: UInt32

  /// The only connection of a log that does not tell several apart.
  package static let first = ConnectionID(number: 1)

  /// The connection of a number.
  package init(number: UInt32) {
    self.number = number
  }

  /// Orders by number.
  public static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.number < b.number }
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

  /// How far the first undirected available presence of a session has come, to which the server
  /// answers with every open request (RFC 6121 §3.1.3, §4.2).
  enum InitialPresence: Hashable, Sendable, CaseIterable {
    case unsent
    /// It was sent while there was no stream: a resumed session sends it again (XEP-0198 §5), and
    /// otherwise the server never gets it.
    case waiting
    case sent
  }

  /// The connection that it goes over; a resumption can take it to another.
  var connection: ConnectionID
  var phase = Phase.unseen
  /// Which directions of its stream have ended.
  var ends = StreamEnds()
  /// Whether there is a session that is open or may be resumed: it has begun, and has not ended in
  /// order.
  var isAlive = false
  /// The domain whose server the stream is with; nil if the log does not say.
  var server: BareJID?
  /// The resource that the server bound.
  var resource: String?
  /// The record that bound the session; 0 where the log does not say.
  var openedAt: UInt64 = 0
  /// What the server calls the session when it is resumed (XEP-0198 §5).
  var resumptionID: String?
  var features = StreamFeatures(versioning: false, preApproval: false)
  /// How far the session's first undirected available presence has come.
  var initialPresence = InitialPresence.unsent
  /// Whether its last undirected presence was an available one, so that it is told of others.
  var isAvailable = false
  /// Whether the session was told the roster, so that it is told what changes.
  var hasFetched = false
  /// The server's refusal to tell this session the roster; nil once it has told it.
  var rosterRefusal: RosterRefusal?
  var reportedUnusedVersion = false
  /// Whether it was reported that an address has more resources than are kept.
  var reportedCrowd = false
  /// Whether the session has asked for the roster, and whether an earlier one of its client had.
  var hasAsked = false
  var askedBefore = false
  /// The record of its first presence, until it is clear whether it asks for the roster.
  var unfetchedSince: RecordStamp?

  // A closed stream keeps what waits for an answer: a resumed one goes on with it. Where too much
  // waits the oldest is given up: at the front of a deque that moves nothing else.
  var openQueries: Deque<OpenQuery> = []
  /// Sets without an answer, or answered but not yet pushed, in the order they were sent.
  var pendingEdits: Deque<PendingEdit> = []
  /// Whether a set was given up that the server may still carry out. Those that wait were sent
  /// after it, so it has been carried out once none waits.
  var hasForgottenEdits = false
  var unacknowledged: Deque<UnacknowledgedPush> = []
  /// The last pushes and subscription stanzas that it was told, where it can be resumed.
  var told: [Told] = []
  /// Those that came before it was resumed, and may come again.
  var mayComeAgain: [Told] = []
  /// When it was last resumed, until the server has answered what was sent after that: what it
  /// tells the session before may be of earlier.
  var resumed: RecordStamp?
  /// The refusals that it sent and that may cross a request, until the server has answered
  /// something later.
  var refusals: [Refusal] = []

  /// How many pushes that others were told are on their way to it.
  var pushesToCome = 0
  /// The record that told the last of them.
  var lastPushToCome: UInt64 = 0

  /// Whether a set of this session may be on its way that is not among the edits that wait.
  var lacksEdits: Bool { hasForgottenEdits && !pendingEdits.isEmpty }

  /// Whether the server sends it the presence and the requests of others (RFC 6121 §3.1.3, §4.2).
  var isToldPresence: Bool { isAlive && isAvailable && initialPresence == .sent }

  /// What the version in an open get says of the roster that the client has kept.
  enum RosterBase: Hashable, Sendable {
    /// No get names a version.
    case none
    /// The log has the roster of that version, or has not.
    case known, unknown
  }

  /// What the client has kept of the roster, as far as its open gets say it.
  var rosterBase: RosterBase {
    for open in openQueries {
      guard case .roster(let version?) = open.query.subject, !version.isEmpty else { continue }
      return open.isBaseKnown ? .known : .unknown
    }
    return .none
  }

  /// Whether the server sends it pushes: it has asked for the roster (RFC 6121 §2.2).
  var isToldPushes: Bool {
    isAlive
      && (hasFetched
        || openQueries.contains { if case .roster = $0.query.subject { true } else { false } })
  }
}

/// The directions of a stream that have ended, each with its own closing tag (RFC 6120 §4.4).
struct StreamEnds: Hashable, Sendable {
  /// The record at which the server ended its direction: nothing that it sends later counts.
  var server: UInt64?
  /// Whether our direction has ended. Nothing more is sent, and what the server sends still counts.
  var isOurs = false
  /// Whether it was reported that the server sent something after its end.
  var reportedLateStanza = false
}

/// The server's refusal of a roster get.
struct RosterRefusal: Hashable, Sendable {
  /// The error's defined condition (RFC 6120 §8.3.3); nil if the error has none.
  var condition: String?
}

/// Some of the sessions of an account, by their places in its table.
struct SessionSet: OptionSet, Hashable, Sendable {
  let rawValue: UInt64

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The session at one place.
  init(_ place: Int) {
    rawValue = 1 << UInt64(place)
  }
}

/// The sessions of an account, by places that they keep, in the order in which their connections
/// were first seen. Those that are over stay until their place is wanted.
struct SessionTable: Hashable, Sendable {
  /// All that are known.
  private(set) var all: [Session] = []

  /// As many as a set can tell apart. No person has so many devices online at once.
  static let limit = UInt64.bitWidth

  /// Where the session of a connection is; nil where nothing was seen of it.
  func place(of connection: ConnectionID) -> Int? {
    // By index: an element that is looked at whole is copied.
    for place in all.indices where all[place].connection == connection { return place }
    return nil
  }

  /// Adds the session of a connection of which nothing was seen.
  mutating func add(_ connection: ConnectionID) -> Int {
    all.append(Session(connection: connection))
    return all.count - 1
  }

  /// The place that a new connection takes where all are taken: that of the session that is over
  /// longest, or else of the one that is open longest.
  var placeToReuse: Int? {
    guard all.count >= Self.limit else { return nil }
    return all.indices.min { a, b in
      let (a, b) = (all[a], all[b])
      if a.isAlive != b.isAlive { return !a.isAlive }
      return (a.openedAt, a.connection) < (b.openedAt, b.connection)
    }
  }

  /// Those of which something is true.
  func places(where isIncluded: (Session) -> Bool) -> SessionSet {
    var set: SessionSet = []
    for place in all.indices where isIncluded(all[place]) { set.formUnion(SessionSet(place)) }
    return set
  }

  /// Those that are open.
  var open: SessionSet {
    var set: SessionSet = []
    for place in all.indices where all[place].phase == .open { set.formUnion(SessionSet(place)) }
    return set
  }

  /// Whether any set of ours waits for its answer or its push.
  var hasPendingEdits: Bool { all.indices.contains { !all[$0].pendingEdits.isEmpty } }

  /// Whether a set of ours for a contact waits for its answer or its push.
  func hasEdit(of contact: BareJID) -> Bool {
    all.indices.contains { place in all[place].pendingEdits.contains { $0.contact == contact } }
  }

  /// Whether a set of ours that removes a contact waits for its answer or its push.
  func hasRemoval(of contact: BareJID) -> Bool {
    all.indices.contains { place in
      all[place].pendingEdits.contains { $0.contact == contact && $0.after == nil }
    }
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
  /// Of groups in edits together: an edit keeps those that its item had before.
  static let groups = 1 << 14
  /// Of the versions that the server gave.
  static let knownVersions = 64
}
