import Captures
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
@_exported public import Rollcall

/// A session of an account with its server, recorded as it happens.
///
/// The session logs in, keeps the roster, answers the server's requests, and reconnects if the
/// connection is lost, until it is closed. A session that is dropped without being closed stays
/// connected. Outgoing data is on disk before it is sent, incoming data before anyone is notified:
/// after a crash the log shows what the server saw.
///
///     let login = LiveLogin(account: alice, password: Password("…"))
///     let session = try LiveSession(login, recordingTo: "alice.rollcall")
///     try await session.start()
///     try await session.perform(.add(bob, name: "Bob"))
///     await session.close()
public actor LiveSession {
  /// The roster as it is on disk.
  public internal(set) var roster: Roster
  /// The reason why the session is over; nil if it ended in order.
  public internal(set) var failure: LiveFailure?
  /// What the session does at the moment.
  public internal(set) var state = LiveState.idle

  let loop: any EventLoop
  let taskExecutor: LoopTaskExecutor
  var login: LiveLogin
  let timeouts: LiveTimeouts
  let session: RosterSession
  let hub = UpdateHub()
  var stanzaWatchers: [Int: StanzaWatcher] = [:]
  var stateWatchers: [Int: AsyncStream<LiveState>.Continuation] = [:]
  /// Ends the wait before another connection.
  var wake: EventLoopPromise<Void>?
  /// Whether the application has suspended the session and has not resumed it.
  var isSuspended = false
  /// Whether the next connection is made without a wait.
  var connectsAtOnce = false
  /// Callers that wait until the connection was dropped.
  var dropWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
  /// The namespaces whose requests the application answers.
  var answeredNamespaces: Set<String> = []
  /// The service that takes files, once it was looked up.
  var uploadService: UploadService?
  /// The outcomes of the files that are on their way to their hosts.
  var uploads: [Int: EventLoopPromise<Void>] = [:]
  let idPrefix = RosterSession.anyIDPrefix()
  var phase = Phase.idle
  /// Whether the session is over and its log is closed.
  var isEnded = false

  enum Phase {
    /// Not started yet, or the last start failed for a reason that is not final.
    case idle
    /// Logging in, or waiting for the roster.
    case starting
    case running, closing, over

    /// Whether the session makes connections.
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
  /// Whether the account has been created, if the login asks for that.
  var isRegistered = false
  /// The number of connections so far, which is also the number of the last one.
  var connections = 0
  var intake: StreamIntake
  var security: NIOSSLContext?
  var resumption: Resumption?
  var reconnection = Reconnection()
  var timer: Scheduled<Void>?
  var beat: RepeatedTask?
  var silence = Silence()
  /// The number of writes that the system has accepted.
  var written = 0

  // Received data.
  /// Received bytes that are not handled yet.
  var inbox: ArraySlice<UInt8> = []
  /// The number of bytes that may still be handled before everything handled is on disk.
  var allowance = LiveSession.roundBytes
  /// The reason for the lost connection, while earlier bytes are not handled yet.
  var pendingLoss: LiveFailure?

  // Effects that wait for the disk.
  var outbox: [[UInt8]] = []
  var pendingSteps: [PendingStep] = []
  var answers: [NamedAnswer] = []
  var wantsRead = false
  /// Whether reading waits until the channel is writable.
  var waitsForWriting = false
  var isFlushing = false
  /// How the connection ends once all of these effects are done.
  var ending: ConnectionEnd?

  /// The unanswered roster get of this session, with the record that began the session.
  var pendingFetch: (id: CommandID, sent: Int64, since: UInt64)?
  /// Why the last connection ended.
  var lastFailure: LiveFailure?
  var passwords: LivePasswords

  // Waiting callers.
  var connectionWaiter: FailureWaiter?
  var pendingCommands: [CommandID: PendingCommand] = [:]
  /// Commands without an answer that are not on disk yet, by the name that `NamedAnswer` has.
  var unrecordedCommands: [String: CommandID] = [:]
  /// Requests other than commands, and stanzas, by the name that their answer has.
  var pendingRequests: [String: PendingRequest] = [:]
  /// Annotations that are not on disk yet, by id.
  var pendingAnnotations: [String: FailureWaiter] = [:]
  var rosterWaiters: [Int: FailureWaiter] = [:]
  var endWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
  /// The number of the last wait.
  var waitCount = 0

  /// The event loop of the connection, on which the session runs, too.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.executor.asUnownedSerialExecutor()
  }

  /// Creates a session that has not started.
  ///
  /// - Parameters:
  ///   - login: The account that logs in, and its server.
  ///   - path: The log to continue, created if it does not exist; nil to keep the session in memory
  ///     only.
  ///   - policy: What of the stream is kept in the log. The default keeps no text of a message, so
  ///     an application that shows conversations asks for `RecordingPolicy.everything`, or all
  ///     messages.
  ///   - limits: The limits for the server's stream.
  ///   - decider: Decides what is sent for commands.
  /// - Throws: `LiveFailure` if the log cannot be opened, belongs to another account, or is in use
  ///   by another session (`RollcallError.Reason.inUse`).
  public init(
    _ login: LiveLogin, recordingTo path: String? = nil, keeping policy: RecordingPolicy = .heads,
    limits: SessionLimits = SessionLimits(),
    decider: RosterDecider = RosterDecider(wantsMutualFriends: true)
  ) throws(LiveFailure) {
    try self.init(
      login, recordingTo: path, keeping: policy, limits: limits, decider: decider,
      timeouts: LiveTimeouts())
  }

  init(
    _ login: LiveLogin, recordingTo path: String?, keeping policy: RecordingPolicy = .everything,
    limits: SessionLimits = SessionLimits(),
    decider: RosterDecider = RosterDecider(wantsMutualFriends: true), timeouts: LiveTimeouts
  ) throws(LiveFailure) {
    self.login = login
    self.timeouts = timeouts
    passwords = LivePasswords(login.password)
    intake = StreamIntake(limits)
    loop = MultiThreadedEventLoopGroup.singleton.any()
    taskExecutor = LoopTaskExecutor(loop)
    do {
      session =
        try path.map { try RosterSession(recordingTo: $0, keeping: policy, limits: limits) }
        ?? RosterSession(limits: limits)
    } catch {
      throw .recording(RollcallError(error))
    }
    session.decider = decider
    roster = session.roster
    if let account = roster.account, account != login.account {
      throw .recording(RollcallError(.log, "it is the log of \(account), not of \(login.account)"))
    }
  }

  // MARK: The user's side

  /// Connects, logs in, and waits until the server has answered the roster request.
  ///
  /// The answer is the roster, *unchanged* for the version that the log holds, or an error. After
  /// an error, and if the server does not answer for a minute, there is a session, but commands
  /// that replace an item are refused with the reason (see `RosterCommand`).
  ///
  /// Once started, the session reconnects by itself when the connection is lost. Before that, a
  /// lost connection ends the call. After a failure that is not final, or a cancellation, the
  /// session can be started again.
  ///
  /// The longest wait is the time that the system takes to look up the server, 10 seconds for each
  /// of its addresses that does not answer, 30 seconds for the login, and 65 seconds for the
  /// roster. Time during which the session is suspended does not count.
  ///
  /// - Throws: `LiveFailure` if that did not succeed; the session is over if the failure is final.
  ///   `.over` if the session was closed or has ended before, `.alreadyStarted` if it has been
  ///   started, `.cancelled` if the task was cancelled.
  public func start() async throws(LiveFailure) {
    switch phase {
    case .idle:
      phase = .starting
      enter(.connecting)
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
      isSuspended = false
      enter(.idle)
      // Record how the connection ended before the caller hears of it.
      try? await session.durable()
    }
    throw failure
  }

  /// Returns the updates from now on, for one watcher.
  ///
  /// The sequence begins with the current roster, followed by each step once it is on disk, and
  /// ends with the session; if the session is over, it ends after the roster. Does not wait.
  ///
  /// - Parameter limit: How many steps may wait for a watcher that is slow, at least 1.
  public func updates(limit: Int = 256) -> RosterUpdates {
    hub.watch(from: roster, limit: limit)
  }

  /// Returns the updates of the contacts screen from now on, for one watcher.
  ///
  /// Each update has all that a screen needs: the sections, the roster, the badge and the state of
  /// the session. The roster is as it is on disk. The sequence ends with the session; if the
  /// session is over, it ends after the first screen. Does not wait.
  ///
  /// - Parameters:
  ///   - policy: Which contacts the screen shows, and in which sections.
  ///   - limit: How many steps may wait for a watcher that is slow, at least 1.
  public func screens(
    _ policy: SectionPolicy = SectionPolicy(), limit: Int = 256
  ) -> ScreenUpdates<LiveState> {
    let updates = hub.watch(from: roster, limit: limit, connection: state)
    return ScreenUpdates(updates, policy) { _, state in state as? LiveState }
  }

  /// The log's timeline, from its beginning; nil for a session in memory.
  public func timeline() throws(RollcallError) -> Timeline? { try session.timeline() }

  /// Ends the stream in order, and closes the log. Does nothing the second time. Ends uploads.
  ///
  /// The longest wait is 3 seconds for the server's end of the stream, and the disk. A cancelled
  /// task does not wait; the session closes all the same.
  public func close() async {
    switch phase {
    case .closing, .over: return await waitUntilEnded()
    case .idle, .starting, .running: phase = .closing
    }
    enter(.closing)
    wake.take()?.succeed()
    endUploads()
    if let machine {
      // If the connection has ended by itself, its end is about to be recorded.
      if !machine.isOver {
        startTimeout(timeouts.closing)
        act { $0.closed() }
        flush()
      }
    } else {
      inBackground { await $0.end(nil) }
    }
    await waitUntilEnded()
  }

  /// Waits until the session is over: `failure` says why. Returns at once if the task is cancelled;
  /// otherwise waits as long as the session lasts.
  public func waitUntilEnded() async {
    let number = nextWait()
    await waiting { waiter in
      guard !isEnded else { return waiter.resume() }
      endWaiters[number] = waiter
    } onCancel: {
      $0.endWaiters.removeValue(forKey: number)?.resume()
    }
  }

  /// Runs an operation in a task of its own.
  func inBackground(_ operation: @escaping @Sendable (isolated LiveSession) async -> Void) {
    Task(executorPreference: taskExecutor) { await operation(self) }
  }
}
