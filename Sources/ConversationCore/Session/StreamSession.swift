import XMPPStanza

/// The state of the stream of one connection, as far as messages depend on it (RFC 6120 §4 and §7,
/// XEP-0198).
struct StreamSession: Sendable {
  var stream: StreamID
  /// The first stream of the session, if it was resumed and it is known what is sent again; else
  /// its own stream.
  var origin: StreamID
  var phase = SessionPhase.unseen
  /// The address that the server bound.
  var jid: JID?
  /// Whether the source itself said that a stream opened, and its binding was not seen.
  var isOpenedByLog = false
  /// The directions of the stream that were ended in order.
  var ends = StreamEnds()
  /// The last time of the session.
  var lastTime: Int64?

  /// The messages of ours that the server has not acknowledged.
  var sent = CountedStanzas<MessageVersionID>()
  /// Whether the log has anything that we sent on the connection.
  var hasOurs = false
  /// The messages from the server that we have not acknowledged. In a log without our side, they
  /// are not kept: nothing acknowledges them there, and no resumption says what we have handled,
  /// without which it is not known what the server sends again.
  var received = CountedStanzas<Int>()
  /// The messages that a resumption did not acknowledge and that the side which sent them has not
  /// sent again so far: ours without ids, and those from the server. Both sides send them again in
  /// their order, before anything new (XEP-0198 §5).
  var resends: [Int] = []
  var redeliveries: [Int] = []
  /// The server's id for resuming the session, if it offered to.
  var resumptionID: String?
  /// What this connection asked for, while it tries to resume a session.
  var resumes: ResumptionRequest?
  /// Messages of ours that we wrote after the last record from the server.
  var unheard: [MessageVersionID] = []

  var queries: [OpenQuery<AwaitedContent>] = []
  /// The pages of archives whose queries the log does not have, in a one-way capture.
  var loosePages: [LoosePage] = []

  init(stream: StreamID) {
    (self.stream, origin) = (stream, stream)
  }

  /// Whether the stream may still carry stanzas; a log can begin in mid-session.
  var isAlive: Bool { phase != .closed }

  /// Whether a query of an archive was not answered.
  var awaitsArchive: Bool {
    queries.contains { if case .archive = $0.subject.kind { true } else { false } }
  }
}

/// A request to resume a session (XEP-0198 §5).
struct ResumptionRequest: Sendable {
  /// The server's id of the session.
  var previousID: String
  /// The number of its stanzas that we have handled; nil if the request does not say it.
  var handled: UInt32?
}

/// What an open request of ours asks for.
struct AwaitedContent: Sendable {
  var kind: QueryStanza.Subject
  /// What a set of ours sends; nil for a get.
  var content: XMPPElement?
  /// The results that have arrived, if it asks an archive.
  var page = ArchivePage()
}

/// A page of an archive whose query is not in the log.
struct LoosePage: Sendable {
  var queryID: String?
  var page: ArchivePage
}

/// The results of one query of an archive.
struct ArchivePage: Sendable {
  struct Result: Sendable {
    var id: ExactText
    var time: Int64?
    /// The message, if the result is one.
    var message: Int?
  }

  var results: [Result] = []
  /// The last message of each conversation in the page, or in the pages that it continues.
  var last: [Int: Int] = [:]
  /// The first message of each conversation in the pages that it precedes, if an archive is read
  /// backwards.
  var next: [Int: Int] = [:]
}

/// A page of an archive that was answered, for what needs to know which time it covers.
struct AnsweredPage: Sendable {
  var archive: BareJID
  var with: JID?
  /// The time that it covers, in milliseconds since 1970; nil for an open bound.
  var start: Int64?
  var end: Int64?
  /// Whether it follows a result that the log does not have: it may start before its first result.
  var startsAfterUnknown = false
  var answered: RecordPosition
  /// The first and the last result, and the first and the last message of each conversation up to
  /// there.
  var firstID: ExactText?
  var first: [Int: Int]
  var lastID: ExactText?
  var last: [Int: Int]
}
