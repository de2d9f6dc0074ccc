import Rollcall
@testable import RosterClient
import Testing
import XMPPStanza

/// What a server may not do, and what a client cannot do.
@Suite("Where a client breaks off") struct RefusalTests {
  /// How far a conversation has come.
  enum Stage: String, CaseIterable {
    case connecting, header, features, startTLS, handshake, secureHeader, secureFeatures, form
    case registration, sasl, sasl2, authenticatedHeader, authenticatedFeatures, boundFeatures
    case resuming, binding, legacySession, online, closing, over

    func talk() -> Talk {
      var talk = Talk(login)
      switch self {
      case .connecting: break
      case .header: talk.happens { $0.connected(to: "x", isDirectTLS: false) }
      case .features:
        talk.happens { $0.connected(to: "x", isDirectTLS: false) }
        talk.hears(Talk.header)
      case .startTLS:
        talk.happens { $0.connected(to: "x", isDirectTLS: false) }
        talk.hears(Talk.header + Talk.tlsFeatures)
      case .handshake: talk.happens { $0.connected(to: "x", isDirectTLS: true) }
      case .secureHeader:
        talk.happens { $0.connected(to: "x", isDirectTLS: true) }
        talk.happens { $0.secured(by: nil, serverEndPoint: nil) }
      case .secureFeatures: talk.secures()
      case .form, .sasl:
        talk.secures()
        talk.hears(Talk.saslFeatures)
      case .registration:
        talk.secures()
        talk.hears(Talk.saslFeatures)
        talk.hears(
          """
          <iq type='result' id='r1'><query xmlns='jabber:iq:register'><username/><password/>\
          </query></iq>
          """)
      case .sasl2, .boundFeatures:
        talk.secures()
        talk.hears(
          Talk.features(
            """
            <authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism></authentication>
            """))
        guard self == .boundFeatures else { break }
        talk.hears(
          """
          <success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@example.test/x\
          </authorization-identifier><bound xmlns='urn:xmpp:bind:0'/></success>
          """)
      case .authenticatedHeader:
        talk.secures()
        talk.hears(Talk.saslFeatures + Talk.success)
      case .authenticatedFeatures: talk.authenticates()
      case .resuming, .binding:
        talk.authenticates()
        talk.hears(Talk.features(Talk.bind + Talk.counting))
      case .legacySession:
        talk.authenticates()
        talk.hears(
          Talk.features(Talk.bind + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>"))
        talk.hears(Talk.bound("r1"))
      case .online: talk.goesOnline()
      case .closing:
        talk.goesOnline()
        talk.happens { $0.closed() }
      case .over:
        talk.goesOnline()
        talk.happens { $0.disconnected(.lost(reason: "cut")) }
      }
      _ = talk.deeds()
      return talk
    }

    private var login: ClientLogin {
      Talk.login { login in
        login.registers = self == .form || self == .registration
        guard self == .resuming else { return }
        login.resumption = Talk.resumption
      }
    }

    /// Whether a stream of the server's is open, so that elements may come.
    var hasStream: Bool {
      ![.connecting, .header, .handshake, .secureHeader, .authenticatedHeader, .over].contains(self)
    }
  }

  /// What may happen at any time, and how every stage but the last two ends by it.
  private static let always: [(String, @Sendable (inout Talk) -> Void, String)] = [
    (
      "the connection is cut", { $0.happens { $0.disconnected(.lost(reason: "cut")) } },
      "finish the connection was lost: cut"
    ),
    (
      "bytes that cannot be read", { $0.hears("<a></b>") },
      "finish the data from the server cannot be read"
    ),
    (
      "an error of the stream",
      {
        $0.hears(
          """
          <stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>\
          </stream:error>
          """)
      }, "finish the server ended the stream (system-shutdown)"
    ),
  ]

  @Test("Whatever the stage, the end of everything is the end", arguments: Stage.allCases)
  func always(_ stage: Stage) {
    for (what, happens, end) in Self.always {
      var talk = stage.talk()
      happens(&talk)
      let deeds = talk.deeds()
      switch stage {
      case .over: #expect(deeds.isEmpty, "\(what)")
      case .closing where what == "the connection is cut": #expect(deeds == ["finish well"])
      case .header where what == "the connection is cut":
        let lost = "finish the connection was lost before the server's stream header (cut)"
        #expect(deeds.last?.hasPrefix(lost) == true, "\(deeds)")
      default: #expect(deeds.last?.hasPrefix(end) == true, "\(stage), \(what): \(deeds)")
      }
      #expect(talk.machine.isOver)
      talk.hears("<presence/>")
      talk.happens { $0.timedOut() }
      talk.happens { $0.closed() }
      #expect(talk.deeds().isEmpty, "it is over")
    }
  }

  @Test("Whatever the stage, what does not come in time is the end", arguments: Stage.allCases)
  func timeouts(_ stage: Stage) {
    var talk = stage.talk()
    talk.happens { $0.timedOut() }
    let last = talk.deeds().last
    switch stage {
    case .over: #expect(last == nil)
    case .closing: #expect(last == "finish well")
    case .online: #expect(last == "finish the connection was lost: the server is silent")
    default: #expect(last?.hasPrefix("finish no answer in time: waited for") == true, "\(stage)")
    }
  }

  /// Elements that belong to one stage each, and to no other.
  private static let elements: [(xml: String, stages: Set<Stage>)] = [
    (Talk.proceed, [.startTLS]),
    ("<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", [.startTLS]),
    ("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", [.sasl]),
    (Talk.success, [.sasl]),
    ("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>", [.sasl]),
    ("<success xmlns='urn:xmpp:sasl:2'/>", [.sasl2]),
    ("<continue xmlns='urn:xmpp:sasl:2'/>", [.sasl2]),
    (
      Talk.features(""), [.features, .secureFeatures, .authenticatedFeatures, .boundFeatures]
    ),
    ("<resumed xmlns='urn:xmpp:sm:3' h='0' previd='some-id'/>", [.resuming]),
    (Talk.bound("r1"), [.binding, .form]),
    ("<presence from='bob@example.test/x'/>", [.binding, .legacySession, .boundFeatures, .online]),
  ]

  /// Stages in which elements of other kinds pass, as extensions may send them.
  private static let lenient: Set<Stage> = [
    .binding, .legacySession, .boundFeatures, .online, .closing,
  ]

  @Test("An element at another stage than its own is a violation", arguments: Stage.allCases)
  func illegalOrder(_ stage: Stage) {
    for (xml, stages) in Self.elements where !stages.contains(stage) {
      var talk = stage.talk()
      talk.hears(xml)
      let deeds = talk.deeds()
      if stage == .over || Self.lenient.contains(stage) {
        #expect(deeds.isEmpty, "\(stage): \(xml): \(deeds)")
      } else {
        #expect(
          deeds.last?.contains("violated the protocol") == true, "\(stage): \(xml): \(deeds)")
        #expect(deeds.contains { $0.hasSuffix("</stream:stream>") })
      }
      #expect(!talk.machine.isOnline || stage == .online || Self.lenient.contains(stage))
    }
  }

  /// What a server says at a stage, and how the client sees it.
  private static let refusals: [(Stage, String, String)] = [
    (.features, Talk.features(""), "finish the server offers no TLS"),
    (.features, Talk.saslFeatures, "finish the server offers no TLS"),
    (
      .startTLS, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
      "finish the server offers no TLS"
    ),
    (
      .sasl,
      """
      <failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/><text>No</text></failure>
      """, "finish the server refuses the name or the password: “No”"
    ),
    (
      .sasl2,
      """
      <failure xmlns='urn:xmpp:sasl:2'><account-disabled \
      xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/><text>Gone</text></failure>
      """, "finish the server refuses the login (account-disabled): “Gone”"
    ),
    (
      .sasl2, "<continue xmlns='urn:xmpp:sasl:2'><tasks><task>TOTP</task></tasks></continue>",
      "finish the server refuses the login (continue): “it also wants TOTP”"
    ),
    (.authenticatedFeatures, Talk.features(""), "finish the server violated the protocol"),
    (
      .binding, Talk.bound("r1", "mallory@example.test/x"),
      "finish the server violated the protocol"
    ),
    (
      .binding,
      """
      <iq type='error' id='r1'><error type='wait'><resource-constraint \
      xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
      """, "finish the server refuses to bind a resource (resource-constraint)"
    ),
    (
      .resuming, "<resumed xmlns='urn:xmpp:sm:3' h='7' previd='some-id'/>",
      "finish the server violated the protocol"
    ),
    (
      .resuming, "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='another'/>",
      "finish the server violated the protocol"
    ),
    (
      .form, "<iq type='error' id='r1'><error type='cancel'/></iq>",
      "finish the server does not let clients create accounts"
    ),
    (
      .form,
      """
      <iq type='result' id='r1'><query xmlns='jabber:iq:register'><username/><password/><email/>\
      </query></iq>
      """, "finish the server requires more than a name and a password: email"
    ),
    (
      .registration,
      """
      <iq type='error' id='r2'><error type='cancel'><conflict \
      xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
      """, "finish the name is taken"
    ),
  ]

  @Test("A refusal is told as what it is", arguments: refusals.indices)
  func refused(_ index: Int) {
    let (stage, xml, end) = Self.refusals[index]
    var talk = stage.talk()
    talk.hears(xml)
    let deeds = talk.deeds()
    #expect(deeds.last?.hasPrefix(end) == true, "\(stage): \(deeds)")
  }

  @Test("Nothing is said of the password where it could be read or is not asked for by a mechanism")
  func noPassword() {
    for offer in ["<mechanism>X-SECRET</mechanism>", "<mechanism>LOGIN</mechanism>", ""] {
      var talk = Stage.secureFeatures.talk()
      talk.hears(
        Talk.features("<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(offer)</mechanisms>"))
      let deeds = talk.deeds()
      #expect(talk.machine.isOver && !deeds.joined().contains("AGFsaWNl"), "\(deeds)")
    }
    var talk = Talk(Talk.login { $0.allowsPlain = false })
    talk.secures()
    _ = talk.deeds()
    talk.hears(Talk.saslFeatures)
    #expect(talk.machine.isOver && !talk.deeds().joined().contains("AGFsaWNl"))
  }

  @Test("A server that speaks TLS at once is recognized only where the connection began without it")
  func tlsAtOnce() {
    // Alerts and a handshake of TLS, whole and cut; and what only looks like one.
    let records: [([UInt8], Bool)] = [
      ([0x15, 3, 1, 0, 2, 2, 0x46], true), ([0x15, 3, 3, 0, 2, 2, 10], true), ([0x16, 3, 3], true),
      ([0x15], true), ([0x15, 1], false), ([0x17, 3, 3], false),
    ]
    for (bytes, isTLS) in records {
      var talk = Stage.header.talk()
      talk.hears(bytes)
      #expect((talk.deeds() == ["finish \(LiveFailure.startedWithoutTLS)"]) == isTLS, "\(bytes)")
      #expect(talk.machine.isOver, "\(bytes)")
      for stage in [Stage.secureHeader, .authenticatedHeader, .features] {
        var talk = stage.talk()
        talk.hears(bytes)
        let last = talk.deeds().last
        #expect(
          last?.hasPrefix("finish the data from the server cannot be read") == true,
          "\(stage), \(bytes): \(last ?? "")")
      }
    }
  }

  @Test(
    "A stream of another version is none of ours",
    arguments: ["", "version='0.9'", "version='2.0'"])
  func version(_ version: String) {
    var talk = Stage.header.talk()
    talk.hears(
      """
      <stream:stream \(version) xmlns='jabber:client' \
      xmlns:stream='http://etherx.jabber.org/streams'>
      """)
    #expect(talk.machine.isOver)
  }
}
