import Captures
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
public import Rollcall

/// A session of an account with its server, recorded as it happens.
///
/// It logs in, keeps the roster, answers what has to be answered, and connects again where the
/// connection is lost, until it is closed; who drops it without that leaves it connected. What goes
/// out is on the disk before it is written, what came in before anybody is told of it: who looks
/// into the log after a crash finds what the server saw.
///
///     let login = LiveLogin(account: alice, password: Password("…"))
///     let session = try LiveSession(login, recordingTo: "alice.rollcall")
///     try await session.start()
///     let word = try await session.perform(.add(bob, name: "Bob"))
///     await session.close()
public actor LiveSession {
  /// The roster as it is on the disk.
  public internal(set) var roster: Roster
  /// Why the session is over, where it did not end in order.
  public internal(set) var failure: LiveFailure?

  let loop: any EventLoop
  let taskExecutor: LoopTaskExecutor
  var login: LiveLogin
  let patience: LivePatience
  let session: RosterSession
  let hub = UpdateHub()
  let idPrefix = RosterSession.anyIDPrefix()
  var phase = Phase.idle
  /// Whether the log is closed, too.
  var isEnded = false

  enum Phase {
    /// Not started yet, or the last start failed for a reason that is not final.
    case idle
    /// Logging in, or waiting for the roster.
    case starting
    case running, closing, over

    /// Whether connections are to be made.
    var connects: Bool {
      switch self {
      case .starting, .running: true
      case .idle, .closing, .over: false
      }
    }
  }

  // The connection.
  var machine: ClientMachine?
  var channel: (any Channel)?
  /// Whether the account was made, where it was to be.
  var isRegistered = false
  /// How many connections there have been; the last one's number.
  var connections = 0
  var intake: StreamIntake
  var security: NIOSSLContext?
  var resumption: Resumption?
  var reconnection = Reconnection()
  var timer: Scheduled<Void>?
  var beat: RepeatedTask?
  var silence = Silence()
  /// How many writes the system has taken.
  var written = 0

  // What has come.
  /// Bytes that are not taken yet.
  var inbox: ArraySlice<UInt8> = []
  /// How many of them are taken before what was taken is on the disk.
  var allowance = LiveSession.round
  /// Why the connection is gone, while bytes that came before that are not taken yet.
  var loss: LiveFailure?

  // What waits for the disk.
  var outbox: [[UInt8]] = []
  var news: [(step: SessionStep, roster: Roster)] = []
  var answers: [(id: String, failure: LiveFailure?)] = []
  var wantsRead = false
  /// Whether reading waits until the server takes what is written.
  var waitsForWriting = false
  var isFlushing = false
  /// How the connection ends once all of that is done.
  var ending: ConnectionEnd?

  /// The roster get of this session, until it is answered or given up, with the record that began
  /// the session.
  var fetching: (id: CommandID, sent: Int64, since: UInt64)?
  /// Why the last connection ended.
  var lastFailure: LiveFailure?
  var passwords: LivePasswords

  // Callers that wait.
  var opening: FailureWaiter?
  var asking: [CommandID: AskedCommand] = [:]
  /// By the id of a request that is no command.
  var requesting: [String: WaitingRequest] = [:]
  /// By the id of an annotation.
  var annotating: [String: FailureWaiter] = [:]
  var awaitingRoster: [Int: FailureWaiter] = [:]
  var watchingEnd: [Int: CheckedContinuation<Void, Never>] = [:]
  /// The number of the last caller that waits.
  var waits = 0

  /// The thread of the connection is the session's.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.executor.asUnownedSerialExecutor()
  }

  /// A session that is not begun yet.
  ///
  /// - Parameters:
  ///   - login: Who logs in, and where.
  ///   - path: The log, made where there is none and gone on with where there is one; nil to keep
  ///     the session in memory only.
  ///   - limits: What is too much of anything in the stream.
  ///   - decider: What is sent for commands.
  /// - Throws: `LiveFailure` where the log cannot be opened, is another account's, or is being
  ///   recorded to by another session (`RollcallError.Reason.inUse`).
  public init(
    _ login: LiveLogin, recordingTo path: String? = nil, limits: SessionLimits = SessionLimits(),
    decider: RosterDecider = RosterDecider(wantsMutualFriends: true)
  ) throws(LiveFailure) {
    try self.init(
      login, recordingTo: path, limits: limits, decider: decider, patience: LivePatience())
  }

  init(
    _ login: LiveLogin, recordingTo path: String?, limits: SessionLimits = SessionLimits(),
    decider: RosterDecider = RosterDecider(wantsMutualFriends: true), patience: LivePatience
  ) throws(LiveFailure) {
    self.login = login
    self.patience = patience
    passwords = LivePasswords(login.password)
    intake = StreamIntake(limits)
    loop = MultiThreadedEventLoopGroup.singleton.any()
    taskExecutor = LoopTaskExecutor(loop)
    do {
      session =
        try path.map { try RosterSession(recordingTo: $0, limits: limits) }
        ?? RosterSession(limits: limits)
    } catch {
      throw .recording((error as? RollcallError) ?? RollcallError(.log, "\(error)"))
    }
    session.decider = decider
    roster = session.roster
    if let account = roster.account, account != login.account {
      throw .recording(RollcallError(.log, "it is the log of \(account), not of \(login.account)"))
    }
  }

  // MARK: The user's side

  /// Connects, logs in, and waits until the server has answered for the roster: by the roster, by
  /// *unchanged* for the version that the log holds, or by an error. In the last case, and if the
  /// server does not answer for a minute, the session is there, but commands that replace an item
  /// are refused with the reason (see `RosterCommand`).
  ///
  /// From then on the session connects again by itself when the connection is lost. Until then a
  /// lost connection ends the call. After a failure that is not final, or a cancellation, the
  /// session can be started again.
  ///
  /// The longest wait is the time that the system takes to look up the server, 10 seconds for each
  /// of its addresses that does not answer, 30 seconds for the login, and 65 seconds for the
  /// roster.
  ///
  /// - Throws: `LiveFailure` if that did not succeed. The session is over if the failure is final;
  ///   `.over` if the session was closed or has ended before, `.alreadyStarted` if it has been
  ///   started, `.cancelled` if the task was cancelled.
  public func start() async throws(LiveFailure) {
    switch phase {
    case .idle: phase = .starting
    case .starting, .running: throw .alreadyStarted
    case .closing, .over: throw .over
    }
    var failure: LiveFailure?
    do throws(LiveFailure) {
      try await withTaskExecutorPreference(taskExecutor) { () throws(LiveFailure) in
        try await logIn()
      }
    } catch {
      failure = error
    }
    guard let failure else { return }
    guard phase == .starting else { throw .over }
    if failure.isFinal {
      await end(failure)
    } else {
      phase = .idle
      // How the connection ended is on the disk before the caller hears of it.
      try? await session.durable()
    }
    throw failure
  }

  /// What happens from now on, for one watcher: first the roster as it is, then each step once it
  /// is on the disk. The sequence ends with the session; that of a session that is over ends after
  /// the roster. Waits for nothing.
  ///
  /// - Parameter limit: How many steps may wait for a watcher that is slow, at least 1.
  public func updates(limit: Int = 256) -> RosterUpdates {
    hub.watch(from: roster, limit: limit)
  }

  /// The contacts screen from now on, for one watcher: what it shows is on the disk. The sequence
  /// ends with the session; that of a session that is over ends after the screen. Waits for
  /// nothing.
  ///
  /// - Parameters:
  ///   - policy: Whom the screen shows, and in which sections.
  ///   - limit: How many steps may wait for a watcher that is slow, at least 1.
  public func screens(
    _ policy: SectionPolicy = SectionPolicy(), limit: Int = 256
  ) -> ScreenUpdates {
    ScreenUpdates(updates(limit: limit), policy)
  }

  /// Sends a message to somebody.
  public func say(_ text: String, to jid: JID) throws(LiveFailure) {
    try write(
      .element(
        "message", "jabber:client", [("to", jid.description), ("type", "chat")],
        [.element("body", "jabber:client", text: text)]))
  }

  /// Tells everybody who may see it how available the user is (RFC 6121 §4.7.2).
  ///
  /// - Parameters:
  ///   - show: How available.
  ///   - status: In the user's words.
  public func appear(_ show: Show = .available, status: String? = nil) throws(LiveFailure) {
    let word = show == .available ? nil : show.rawValue
    let parts = [("show", word), ("status", status)].compactMap { name, text in
      text.map { XMPPElement.element(name, "jabber:client", text: $0) }
    }
    try write(.element("presence", "jabber:client", [], parts))
  }

  /// What the log holds from its beginning; nil for a session in memory.
  public func timeline() throws(RollcallError) -> Timeline? { try session.timeline() }

  /// Ends the stream in order, and closes the log. Does nothing the second time.
  ///
  /// The longest wait is 3 seconds for the server's end of the stream, and the disk. A cancelled
  /// task does not wait; the session closes all the same.
  public func close() async {
    switch phase {
    case .closing, .over: return await ended()
    case .idle, .starting, .running: phase = .closing
    }
    if let machine {
      // Where the connection has ended by itself, it is about to be recorded how.
      if !machine.isOver {
        arm(patience.closing)
        act { $0.closed() }
        flush()
      }
    } else {
      inBackground { await $0.end(nil) }
    }
    await ended()
  }

  /// Waits until the session is over: `failure` says why. Returns at once if the task is cancelled;
  /// otherwise waits as long as the session lasts.
  public func ended() async {
    let number = nextWait()
    await waiting { waiter in
      guard !isEnded else { return waiter.resume() }
      watchingEnd[number] = waiter
    } onCancel: {
      $0.watchingEnd.removeValue(forKey: number)?.resume()
    }
  }

  /// Does something in a task of its own.
  func inBackground(_ operation: @escaping @Sendable (isolated LiveSession) async -> Void) {
    Task(executorPreference: taskExecutor) { await operation(self) }
  }

  func write(_ element: XMPPElement) throws(LiveFailure) {
    guard machine?.isOnline == true else { throw .notOnline }
    send(element.serialized())
    flush()
  }
}
