import XMPPStanza

extension ClientMachine {
  /// How far the two sides trust each other.
  enum Trust: Hashable, Sendable {
    case plain
    /// In TLS, with the hash of the server's certificate for `tls-server-end-point`.
    case secured(serverEndPoint: [UInt8]?)
    /// The server has accepted the login.
    case authenticated
  }

  /// What the connection waits for, with the data that is valid only while it does.
  enum State: Sendable {
    /// The connection. Can become: `handshake`, `header`, `over`.
    case idle
    /// The beginning of TLS. Can become: `header`, `over`.
    case handshake
    /// The server's stream header. Can become: `features`, `closing`, `over`.
    case header(Trust)
    /// The stream's features. Can become: `startTLS` without TLS; `registrationForm`, `sasl` or
    /// `sasl2` in TLS; `resuming` or `binding` after the login; `closing`, `over`.
    case features(Trust)
    /// `<proceed/>`. Can become: `handshake`, `closing`, `over`.
    case startTLS
    /// The server's requirements for an account. Can become: `registration`, `closing`, `over`.
    case registrationForm(Registration)
    /// The new account. Can become: `sasl`, `sasl2`, `closing`, `over`.
    case registration(Registration)
    /// The login. Can become: `sasl`, `header`, `closing`, `over`.
    case sasl(SASLExchange)
    /// The login with SASL 2 (XEP-0388). Can become: `sasl2`, `features` and from there at once
    /// `boundFeatures` or `online`, `closing`, `over`.
    case sasl2(SASLExchange)
    /// The features after SASL 2 has bound a resource too. Can become: `online`, `closing`, `over`.
    case boundFeatures(Session)
    /// The answer to resumption, with the features in case it fails. Can become:
    /// `online`, `binding`, `closing`, `over`.
    case resuming(XMPPElement)
    /// A resource, requested with this id. Can become: `legacySession`, `online`,
    /// `closing`, `over`.
    case binding(XMPPElement, id: String)
    /// The session of RFC 3921, which older servers require a request for. Can become:
    /// `online`, `closing`, `over`.
    case legacySession(XMPPElement, id: String, Session)
    /// Any stanza. Can become: `closing`, `over`.
    case online(Session)
    /// The end of the server's stream, after ours. Can become: `over`.
    case closing(Ending)
    /// Nothing. Can become: nothing.
    case over(Ending)
  }

  /// An account that is being created (XEP-0077).
  struct Registration: Sendable {
    /// The features for the login that follows.
    var features: XMPPElement
    var serverEndPoint: [UInt8]?
    /// The id of the request that awaits an answer.
    var id: String
  }

  /// What is left of a connection whose stream has ended.
  struct Ending: Hashable, Sendable {
    /// Whether the server had accepted the login.
    var wasLetIn = false
    var hadSession = false
    /// What is needed to resume the session on another connection.
    var resumption: Resumption?
  }

  /// A request of the connection's own that is not answered.
  struct OpenRequest: Hashable, Sendable {
    enum Purpose: Hashable, Sendable {
      /// To find out whether the server is there.
      case silence
      /// To find out when everything sent before has been processed.
      case ping
      case password
      /// For the application, which sent it to this address; nil for its own server.
      case stanza(to: String?)

      /// The address that was asked; nil for our own server.
      var addressee: String? {
        switch self {
        case .silence, .ping, .password: nil
        case .stanza(let to): to
        }
      }
    }

    var purpose: Purpose
    /// The name under which its answer is awaited.
    var name: String
  }

  /// A connection that has a resource, so that stanzas may be sent (RFC 6120 §7.1).
  struct Session: Hashable, Sendable {
    /// Whether the two sides count each other's stanzas (XEP-0198).
    enum Counting: Hashable, Sendable {
      case off
      /// The server was asked to and has not answered: only what we send is counted.
      case asked(StreamManagement)
      case on(StreamManagement)
    }

    /// The resource that the server bound.
    var resource: String?
    var counting = Counting.off
    /// The connection's own requests that are open, by id.
    var open: [String: OpenRequest] = [:]
    /// The requests of others that the application has yet to answer, oldest first.
    var held: [HeldRequest] = []
    /// Whether the server was asked whether it is there, and nothing has arrived since.
    var isPinged = false

    /// What both sides have counted; nil if they do not count.
    var management: StreamManagement? {
      switch counting {
      case .off: nil
      case .asked(let management), .on(let management): management
      }
    }

    /// Counts a stanza that we send.
    ///
    /// - Parameter name: The name under which its acknowledgement is awaited; nil if it is not.
    mutating func sent(_ stanza: [UInt8], awaitedAs name: String?) {
      switch counting {
      case .off: break
      case .asked(var management):
        management.sent(stanza, awaitedAs: name)
        counting = .asked(management)
      case .on(var management):
        management.sent(stanza, awaitedAs: name)
        counting = .on(management)
      }
    }

    /// Counts a stanza from the server.
    mutating func received() {
      guard case .on(var management) = counting else { return }
      management.received()
      counting = .on(management)
    }

    /// The server counts from now on.
    mutating func enabled(by node: XMPPElement) {
      var management = management ?? StreamManagement(id: nil)
      let isResumable = ["true", "1"].contains(node.attribute("resume") ?? "")
      management.id = isResumable ? node.attribute("id") : nil
      counting = .on(management)
    }

    /// Returns the request for an acknowledgement, if the server was not yet asked about all that
    /// is unacknowledged.
    mutating func ask() -> [ClientAction] {
      guard case .on(var management) = counting, management.asks() else { return [] }
      counting = .on(management)
      return [.send(XMPPElement.askForAcknowledgement.serialized())]
    }
  }
}

extension ClientMachine.State {
  /// The session; nil before there is one, and after our end of the stream (RFC 6120 §4.4).
  var session: ClientMachine.Session? {
    switch self {
    case .boundFeatures(let session), .legacySession(_, _, let session), .online(let session):
      session
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .resuming, .binding, .closing, .over:
      nil
    }
  }

  /// What is left when the stream ends in this state.
  var ending: ClientMachine.Ending {
    switch self {
    case .idle, .handshake, .header(.plain), .header(.secured), .features(.plain),
      .features(.secured), .startTLS, .registrationForm, .registration, .sasl, .sasl2:
      return ClientMachine.Ending()
    case .header(.authenticated), .features(.authenticated), .resuming, .binding:
      return ClientMachine.Ending(wasLetIn: true)
    case .boundFeatures(let session), .legacySession(_, _, let session), .online(let session):
      return ClientMachine.Ending(
        wasLetIn: true, hadSession: true, resumption: Resumption(session))
    case .closing(let ending), .over(let ending): return ending
    }
  }

  /// Why nothing is done about an event after the end; nil before it.
  var end: ClientResult.Reason? {
    switch self {
    case .closing: .closing
    case .over: .over
    case .idle, .handshake, .header, .features, .startTLS, .registrationForm, .registration, .sasl,
      .sasl2, .boundFeatures, .resuming, .binding, .legacySession, .online:
      nil
    }
  }

  /// What is waited for, in words.
  var waitsFor: String {
    switch self {
    case .idle, .over: "the connection"
    case .handshake: "TLS"
    case .header: "the server's stream header"
    case .features, .boundFeatures: "the stream's features"
    case .startTLS: "permission to begin TLS"
    case .registrationForm, .registration: "the account"
    case .sasl, .sasl2: "the login"
    case .resuming: "resumption"
    case .binding, .legacySession: "a resource"
    case .online: "an answer"
    case .closing: "the end of the stream"
    }
  }
}
