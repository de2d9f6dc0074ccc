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
  private let taskExecutor: LoopTaskExecutor
  private(set) var login: LiveLogin
  let patience: LivePatience
  let session: RosterSession
  let hub = UpdateHub()
  let idPrefix = RosterSession.anyIDPrefix()
  var phase = Phase.idle

  enum Phase {
    case idle, running, closing, over
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
  /// How many beats there have been since the last byte.
  var silentBeats = 0

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

  // Who waits.
  var opening: CheckedContinuation<LiveFailure?, Never>?
  var asking: [CommandID: CheckedContinuation<CommandAnswer.Word, Never>] = [:]
  /// By the id of a request that is no command, or of an annotation.
  var requesting: [String: CheckedContinuation<LiveFailure?, Never>] = [:]
  private var annotations = 0
  var watchingEnd: [CheckedContinuation<Void, Never>] = []

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

  /// Connects and logs in. From then on the session connects again by itself when the connection is
  /// lost.
  ///
  /// - Throws: `LiveFailure` where that did not succeed; the session is over then.
  public func start() async throws(LiveFailure) {
    guard phase == .idle else { return }
    phase = .running
    do throws(LiveFailure) {
      try await withTaskExecutorPreference(taskExecutor) { () throws(LiveFailure) in
        try await connect()
      }
    } catch {
      await end(error)
      throw error
    }
  }

  /// What happens from now on, for one watcher: first the roster as it is, then each step once it
  /// is on the disk.
  ///
  /// - Parameter limit: How many steps may wait for a watcher that is slow, at least 1.
  public func updates(limit: Int = 256) -> RosterUpdates {
    hub.watch(from: roster, limit: limit)
  }

  /// The contacts screen from now on, for one watcher: what it shows is on the disk.
  ///
  /// - Parameters:
  ///   - policy: Whom the screen shows, and in which sections.
  ///   - limit: How many steps may wait for a watcher that is slow, at least 1.
  public func screens(
    _ policy: SectionPolicy = SectionPolicy(), limit: Int = 256
  ) -> ScreenUpdates {
    ScreenUpdates(updates(limit: limit), policy)
  }

  /// Carries a command out, and waits for what the server says. What an acceptance, a rejection or
  /// a cancellation has done, only the roster tells: for them the word is `result` at once.
  ///
  /// - Throws: `LiveError` where the command makes no sense, or there is no session.
  public func perform(_ command: RosterCommand) async throws(LiveError) -> CommandAnswer.Word {
    guard machine?.isOnline == true else { throw .failure(.notOnline) }
    let decided: DecidedCommand
    do {
      decided = try session.decide(command)
    } catch {
      throw .refusal(error)
    }
    for element in decided.elements { send(element.bytes) }
    flush()
    guard decided.isAnswered else { return .result }
    return await withCheckedContinuation { asking[decided.id] = $0 }
  }

  /// Records what the user says and no server keeps, such as a star; also without a connection. It
  /// is on the disk, and `roster` has it, on return.
  ///
  /// - Throws: `LiveFailure` where it cannot be recorded.
  public func annotate(_ annotation: RosterAnnotation) async throws(LiveFailure) {
    do throws(RollcallError) {
      for step in try session.annotate(annotation, at: now) { news.append((step, session.roster)) }
    } catch {
      throw .recording(error)
    }
    annotations += 1
    let id = "annotation \(annotations)"
    answers.append((id, nil))
    flush()
    if let failure = await answer(to: id) { throw failure }
  }

  private func answer(to id: String) async -> LiveFailure? {
    await withCheckedContinuation { requesting[id] = $0 }
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

  /// Gives the account another password. The session comes back by it; the next one only where the
  /// caller keeps it.
  public func changePassword(to password: Password) async throws(LiveFailure) {
    try await request { $0.passwordChanged(to: password) }
    login.password = password
  }

  /// Waits until the server has answered all that it was sent before, and that is on the disk.
  public func ping() async throws(LiveFailure) {
    try await request { $0.pinged() }
  }

  private func request(
    _ begin: (inout ClientMachine) -> (id: String, actions: [ClientAction])
  ) async throws(LiveFailure) {
    guard machine?.isOnline == true else { throw .notOnline }
    var id = ""
    act { machine in
      let request = begin(&machine)
      id = request.id
      return request.actions
    }
    flush()
    if let failure = await answer(to: id) { throw failure }
  }

  /// What the log holds from its beginning; nil for a session in memory.
  public func timeline() throws(RollcallError) -> Timeline? { try session.timeline() }

  /// Ends the stream in order, and closes the log. Does nothing the second time.
  public func close() async {
    guard phase != .over else { return }
    phase = .closing
    guard let machine else { return await end(nil) }
    // Where the connection has ended by itself, it is about to be recorded how.
    if !machine.isOver {
      arm(patience.closing)
      act { $0.closed() }
      flush()
    }
    await ended()
  }

  /// Waits until the session is over: `failure` says why.
  public func ended() async {
    guard phase != .over else { return }
    await withCheckedContinuation { watchingEnd.append($0) }
  }

  /// Does something in a task of its own.
  func inBackground(_ operation: @escaping @Sendable (isolated LiveSession) async -> Void) {
    Task(executorPreference: taskExecutor) { await operation(self) }
  }

  private func write(_ element: XMPPElement) throws(LiveFailure) {
    guard machine?.isOnline == true else { throw .notOnline }
    send(element.serialized())
    flush()
  }
}
