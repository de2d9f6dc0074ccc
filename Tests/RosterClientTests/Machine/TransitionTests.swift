import Rollcall
@testable import RosterClient
import Testing
import XMPPStanza

/// What happens at each stage of a connection with each thing that can happen, as the
/// specifications have it.
@Suite("The transition table of a client") struct TransitionTests {
  typealias Stage = RefusalTests.Stage

  /// What becomes of a connection.
  enum Outcome: Character {
    // Nothing is done, and the machine waits for the same as before, for one of these reasons.
    case leftToOwner = "."
    case outOfTurn = "t"
    case noSession = "s"
    case notAsked = "a"
    case nothingNew = "="
    case tooLarge = "-"
    case closing = "c"
    case over = "o"
    /// The event brought no result at all.
    case nothing = "_"
    /// Something is done, or something else is waited for.
    case goesOn = ">"
    /// It is said that there is no session for it.
    case notOnline = "n"
    case done = "D"
    case lost = "L"
    case late = "T"
    case violation = "V"
    case unreadable = "U"
    case injected = "I"
    case noTLS = "X"
    case sasl = "S"
    case notAuthorized = "N"
    case noBinding = "B"
    case noRegistration = "O"
    case moreForRegistration = "M"
    case registrationRefused = "R"
    case streamError = "E"

    init(_ reason: ClientResult.Reason) {
      self =
        switch reason {
        case .leftToOwner: .leftToOwner
        case .outOfTurn: .outOfTurn
        case .noSession: .noSession
        case .notAsked: .notAsked
        case .nothingNew: .nothingNew
        case .tooLarge: .tooLarge
        case .closing: .closing
        case .over: .over
        }
    }

    /// Whether the result says that the rules of the stream were broken.
    var isViolation: Bool { [.violation, .unreadable, .injected].contains(self) }

    init(_ failure: LiveFailure?) {
      switch failure {
      case nil: self = .done
      case .encryptionNotOffered: self = .noTLS
      case .injectedBytes: self = .injected
      case .sasl: self = .sasl
      case .notAuthorized: self = .notAuthorized
      case .bindRefused: self = .noBinding
      case .registrationNotOffered: self = .noRegistration
      case .registrationRefused: self = .registrationRefused
      case .registrationNeedsMore: self = .moreForRegistration
      case .stream: self = .streamError
      case .protocolViolation: self = .violation
      case .unreadable: self = .unreadable
      case .timeout: self = .late
      case .lost, .noHeader: self = .lost
      case .resolving, .unreachable, .certificate, .authority, .handshake, .startedWithoutTLS,
        .unacknowledged, .recording, .passwordChangePending, .notOnline, .cancelled,
        .alreadyStarted, .suspended, .over:
        self = .notOnline
      }
    }
  }

  /// Something that happens, and what becomes of a connection by it at each stage, in their order.
  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    let outcomes: String
    let happens: @Sendable (inout Talk) -> Void

    /// Something else than what the server says.
    init(_ outcomes: String, _ what: String, _ happens: @escaping @Sendable (inout Talk) -> Void) {
      (self.what, self.outcomes, self.happens) = (what, outcomes, happens)
    }

    /// The server says something.
    init(_ outcomes: String, _ xml: String) {
      self.init(outcomes, xml) { $0.hears(xml) }
    }

    var testDescription: String { what }
  }

  @Test("Whatever happens at whatever stage", arguments: rows)
  func transition(_ row: Row) {
    let outcomes = row.outcomes.filter { $0 != " " }
    #expect(outcomes.count == Stage.allCases.count, "\(row.what)")
    for (stage, outcome) in zip(Stage.allCases, outcomes) {
      var talk = stage.talk()
      let before = talk.machine.stateName
      row.happens(&talk)
      let (seen, after) = (Self.outcome(of: talk), talk.machine.stateName)
      #expect(
        seen == Outcome(rawValue: outcome),
        "at \(stage), \(row.what): \(seen.rawValue) in place of \(outcome): \(talk.done)")
      let isViolation = talk.results.contains { if case .violation = $0 { true } else { false } }
      #expect(isViolation == seen.isViolation, "at \(stage), \(row.what): \(talk.results)")
      #expect(
        before == after || Self.transitions[before, default: []].contains(after),
        "\(row.what): \(before) became \(after)")
      expectDecency(talk, from: stage, row.what)
    }
  }

  /// What each state can become, as `ClientMachine.State` documents it.
  private static let transitions: [String: Set<String>] = [
    "idle": ["handshake", "header", "over"],
    "handshake": ["header", "over"],
    "header": ["features", "closing", "over"],
    "features": [
      "startTLS", "registrationForm", "sasl", "sasl2", "resuming", "binding", "closing", "over",
    ],
    "startTLS": ["handshake", "closing", "over"],
    "registrationForm": ["registration", "closing", "over"],
    "registration": ["sasl", "sasl2", "closing", "over"],
    "sasl": ["header", "closing", "over"],
    "sasl2": ["features", "boundFeatures", "online", "closing", "over"],
    "boundFeatures": ["online", "closing", "over"],
    "resuming": ["online", "binding", "closing", "over"],
    "binding": ["legacySession", "online", "closing", "over"],
    "legacySession": ["online", "closing", "over"],
    "online": ["closing", "over"],
    "closing": ["over"],
  ]

  private static func outcome(of talk: Talk) -> Outcome {
    for case .finish(let failure) in talk.actions { return Outcome(failure) }
    if case .answered(_, .failed(.notOnline))? = talk.actions.first { return .notOnline }
    switch talk.results.last {
    case .ignored(let reason)? where talk.actions.isEmpty: return Outcome(reason)
    case .actions?, .ignored?, .violation?: return .goesOn
    case nil: return .nothing
    }
  }

  /// What holds whatever happens.
  private func expectDecency(_ talk: Talk, from stage: Stage, _ what: String) {
    let sent = talk.actions.compactMap { action in
      if case .send(let bytes) = action { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
    let finishes = talk.actions.filter { if case .finish = $0 { true } else { false } }
    #expect(finishes.count <= 1)
    #expect((finishes.count == 1) == talk.machine.isOver || stage == .over)
    if finishes.count == 1 { #expect(talk.actions.last == finishes[0], "\(stage): \(what)") }
    switch stage {
    case .connecting, .header, .features, .startTLS, .handshake:
      // RFC 6120 §5.3.4 and §4.7.1: nothing of us is said in the clear.
      guard !what.hasPrefix("TLS has begun") else { break }
      #expect(!sent.joined().contains("alice"), "\(stage): \(what): \(sent)")
    case .closing, .over:
      // RFC 6120 §4.4: after its end a stream has nothing more.
      #expect(sent.isEmpty, "\(stage): \(what): \(sent)")
    case .secureHeader, .secureFeatures, .form, .registration, .sasl, .sasl2, .authenticatedHeader,
      .authenticatedFeatures, .boundFeatures, .resuming, .binding, .legacySession, .online:
      break
    }
  }

  @Test("An unexpected answer of stream management does not change the counts")
  func unaskedCounting() {
    var talk = Stage.online.talk()
    talk.happens { $0.sent(Array("<presence/>".utf8)) }
    let before = talk.machine.state.session
    talk.hears("<enabled xmlns='urn:xmpp:sm:3' id='another' resume='true'/>")
    talk.hears("<failed xmlns='urn:xmpp:sm:3'/>")
    #expect(talk.machine.state.session == before && talk.machine.resumption?.id == "some-id")
    // An answer without a request has no effect, and before that nothing is counted.
    talk = Talk()
    talk.authenticates()
    talk.hears(
      Talk.features(
        Talk.bind + Talk.counting + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>"))
    talk.hears(Talk.bound("r1"))
    talk.hears("<enabled xmlns='urn:xmpp:sm:3' id='too-early' resume='true'/>")
    talk.hears("<iq type='get' id='p'><ping xmlns='urn:xmpp:ping'/></iq>")
    talk.hears("<iq type='result' id='r2'/>")
    #expect(talk.machine.resumption == nil)
    talk.hears("<enabled xmlns='urn:xmpp:sm:3' id='in-time' resume='true'/>")
    #expect(talk.machine.resumption?.management == StreamManagement(id: "in-time"))
  }

  @Test("A request that is refused because there is no session leaves the open one as it is")
  func requestWhileBinding() {
    var talk = Stage.binding.talk()
    talk.happens { $0.pinged().result }
    talk.hears(Talk.bound("r1"))
    #expect(talk.machine.isOnline)
  }

  @Test("What is over stays over, whatever happens", arguments: Stage.allCases)
  func over(_ stage: Stage) {
    var talk = stage.talk()
    talk.happens { $0.disconnected(.lost(reason: "cut")) }
    _ = talk.deeds()
    for row in Self.rows { row.happens(&talk) }
    let isOnlyToldThat = talk.actions.allSatisfy { action in
      if case .answered(_, .failed(.notOnline)) = action { true } else { false }
    }
    #expect(isOnlyToldThat && talk.machine.isOver, "\(talk.done)")
    #expect(!talk.machine.isOnline)
  }
}

extension ClientMachine {
  /// The name of the state, without what is known in it.
  var stateName: String { String(String(describing: state).prefix { $0 != "(" }) }
}
