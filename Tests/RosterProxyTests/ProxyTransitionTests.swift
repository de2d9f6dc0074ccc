import Rollcall
import RosterClient
@testable import RosterProxy
import Testing

/// What the specifications require of a proxy at each stage of a connection for each event.
@Suite("The transition table of a proxy") struct ProxyTransitionTests {
  /// How far a connection has come.
  enum Stage: String, CaseIterable {
    case idle, connecting, directTLS
    case plain, startTLSAsked
    case securingServer, securingDirect, securingClient
    case secured, loginAsked
    case letIn, over

    func talk() -> ProxyTalk {
      var talk = ProxyTalk()
      switch self {
      case .idle: break
      case .connecting: _ = talk.say(ProxyTalk.header(), .client)
      case .directTLS, .securingDirect:
        _ = talk.happen { $0.helloReceived(for: "example.test") }
        guard self == .securingDirect else { break }
        _ = talk.happen { $0.connected(to: "host:5223") }
      case .plain: talk = .plain()
      case .startTLSAsked, .securingServer, .securingClient:
        talk = .plain()
        _ = talk.say(ProxyTalk.startTLS, .client)
        guard self != .startTLSAsked else { break }
        _ = talk.say(ProxyTalk.proceed, .server)
        guard self == .securingClient else { break }
        _ = talk.happen { $0.secured(.server, by: "TLSv1.3") }
      case .secured: talk = .secured()
      case .loginAsked:
        talk = .secured()
        _ = talk.say(ProxyTalk.auth, .client)
      case .letIn: talk = .authenticated()
      case .over:
        talk = .authenticated()
        _ = talk.happen { $0.stopped() }
      }
      return talk
    }
  }

  /// What an event leads to.
  enum Outcome: Character {
    /// Nothing is done, and the machine waits for the same as before. While there is no server yet,
    /// what the client says is kept for it.
    case nothing = "."
    /// Passed on as it is, and recorded as what it is.
    case passedOn = "p"
    /// Passed on as it is, and recorded as what cannot be read, so that it is in no roster.
    case unreadable = "u"
    /// Passed on without what would lead the client past the proxy.
    case changed = "x"
    /// Something else is done, or the machine waits for something else.
    case goesOn = ">"
    /// Both sides are done.
    case done = "F"
    case noDomain = "D"
    case notADomain = "d"
    case notXMPP = "X"
    case unreachable = "U"
    case tls = "T"
    case injected = "I"
    case otherDomain = "O"
    case plain = "P"
    case plainToUnverified = "V"
    case ledToItself = "L"
    case malformed = "R"
    case timeout = "t"
    case tooMuch = "M"
    case lost = "l"
    case recording = "E"
    case stopped = "S"
    /// One of the failures that these rows cannot bring about.
    case otherFailure = "?"

    init(_ end: ProxyEnd) {
      switch end.failure {
      case nil: self = .done
      case .noDomain: self = .noDomain
      case .notADomain: self = .notADomain
      case .notXMPP: self = .notXMPP
      case .unreachable: self = .unreachable
      case .certificate, .handshake: self = .tls
      case .injectedBytes: self = .injected
      case .otherDomain: self = .otherDomain
      case .plain: self = .plain
      case .plainToUnverified: self = .plainToUnverified
      case .ledToItself: self = .ledToItself
      case .unreadable: self = .malformed
      case .timeout: self = .timeout
      case .tooMuch: self = .tooMuch
      case .lost: self = .lost
      case .recording: self = .recording
      case .stopped: self = .stopped
      case .clientWithoutTLS, .login, .startedWithoutTLS, .noHeader: self = .otherFailure
      }
    }
  }

  /// An event, and what it leads to at each stage, in their order.
  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    let outcomes: String
    /// What is said, and by which side; nil if something else happens.
    let word: (text: String, side: ProxySide)?
    let happens: @Sendable (inout ProxyTalk) -> Void

    /// An event other than what a side says.
    init(
      _ outcomes: String, _ what: String,
      _ happens: @escaping @Sendable (inout ProxyMachine) -> [ProxyAction]
    ) {
      (self.what, self.outcomes, word) = (what, outcomes, nil)
      self.happens = { talk in _ = talk.happen(happens) }
    }

    /// One side says something.
    init(_ outcomes: String, _ side: ProxySide, _ xml: String) {
      (what, self.outcomes, word) = ("the \(side) says \(xml)", outcomes, (xml, side))
      happens = { talk in _ = talk.say(xml, side) }
    }

    var testDescription: String { what }
  }

  @Test("Every event at every stage", arguments: rows)
  func transition(_ row: Row) {
    let outcomes = row.outcomes.filter { $0 != " " }
    #expect(outcomes.count == Stage.allCases.count, "\(row.what)")
    for (stage, outcome) in zip(Stage.allCases, outcomes) {
      var talk = stage.talk()
      let before = talk.machine.state
      row.happens(&talk)
      let seen = Self.outcome(of: row.word, in: talk, before)
      #expect(
        seen == Outcome(rawValue: outcome),
        """
        at \(stage), \(row.what): \(seen.rawValue) in place of \(outcome): \
        \(talk.actions.map(\.words))
        """)
      expectInvariants(talk, from: stage, row.what)
    }
  }

  private static func outcome(
    of word: (text: String, side: ProxySide)?, in talk: ProxyTalk, _ before: ProxyMachine.State
  ) -> Outcome {
    for case .finish(let end) in talk.actions { return Outcome(end) }
    let isUnchanged = talk.machine.state == before
    guard !talk.actions.isEmpty else { return isUnchanged ? .nothing : .goesOn }
    guard let word else { return .goesOn }
    var passed: [UInt8] = []
    var isUnreadable = false
    for action in talk.actions {
      switch action {
      case .send(to: word.side.other, let bytes): passed += bytes
      case .record(.unreadable, from: word.side): isUnreadable = true
      case .send, .record, .connect, .note, .reportRefusal, .beginTLS, .derive, .finish: break
      }
    }
    guard !passed.isEmpty else { return .goesOn }
    guard passed == Array(word.text.utf8) else { return .changed }
    return isUnreadable ? .unreadable : isUnchanged ? .passedOn : .goesOn
  }

  /// Checks what is true after every event.
  private func expectInvariants(_ talk: ProxyTalk, from stage: Stage, _ what: String) {
    let finishes = talk.actions.filter { if case .finish = $0 { true } else { false } }
    #expect((finishes.count == 1) == talk.machine.isOver || stage == .over)
    if let finish = finishes.first { #expect(talk.actions.last == finish, "\(stage): \(what)") }
    guard stage == .securingServer || stage == .securingDirect || stage == .securingClient else {
      return
    }
    // RFC 6120 §5.4.3.3: nothing is passed on to a server between the two streams.
    for case .send(to: .server, _) in talk.actions { Issue.record("\(stage): \(what)") }
  }
}
