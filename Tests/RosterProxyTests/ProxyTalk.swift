import Rollcall
import RosterClient
import XMPPStanza
import XMPPStream
@testable import RosterProxy

/// A proxied connection, with its actions as text.
struct ProxyTalk {
  private(set) var machine: ProxyMachine
  /// The actions of the last event.
  private(set) var actions: [ProxyAction] = []
  private var intakes = [
    ProxySide.client: ProxyIntake(SessionLimits()), .server: ProxyIntake(SessionLimits()),
  ]

  init(
    allowsPlain: Bool = false, isClientLocal: Bool = true, secrets: TerminationSecrets? = nil
  ) {
    machine = ProxyMachine(
      allowsPlain: allowsPlain, isClientLocal: isClientLocal, secrets: secrets,
      nonces: (1...ProxyMachine.nonces).map { "proxy\($0)" })
  }

  static func header(_ domain: String = "example.test") -> String {
    "<?xml version='1.0'?><stream:stream to='\(domain)' version='1.0' xmlns='jabber:client' "
      + "xmlns:stream='http://etherx.jabber.org/streams'>"
  }

  /// Handles a text from one side as the proxy does.
  mutating func say(_ text: String, _ side: ProxySide) -> [String] {
    hear(Array(text.utf8), side)
  }

  /// Handles bytes from one side as the proxy does.
  mutating func hear(_ bytes: [UInt8], _ side: ProxySide) -> [String] {
    actions = machine.heard(bytes.count, from: side)
    for unit in intakes[side]?.take(bytes) ?? [] {
      actions += machine.received(unit, from: side)
      if machine.isBeginningTLS { for side in ProxySide.allCases { intakes[side]?.reset() } }
    }
    return actions.map(\.words)
  }

  mutating func happen(_ what: (inout ProxyMachine) -> [ProxyAction]) -> [String] {
    actions = what(&machine)
    return actions.map(\.words)
  }

  /// A connection without TLS, after the server's features.
  static func plain(
    allowsPlain: Bool = false, isClientLocal: Bool = true, to domain: String = "example.test"
  ) -> ProxyTalk {
    var talk = ProxyTalk(allowsPlain: allowsPlain, isClientLocal: isClientLocal)
    _ = talk.say(header(domain), .client)
    _ = talk.happen { $0.connected(to: "host:5222") }
    _ = talk.say(header(domain) + features, .server)
    return talk
  }

  /// A connection with TLS on both sides.
  static func secured(
    allowsPlain: Bool = false, secrets: TerminationSecrets? = nil,
    endPoints: (client: [UInt8]?, server: [UInt8]?) = (nil, nil), to domain: String = "example.test"
  ) -> ProxyTalk {
    var talk = ProxyTalk(allowsPlain: allowsPlain, secrets: secrets)
    _ = talk.say(header(domain), .client)
    _ = talk.happen { $0.connected(to: "host:5222") }
    _ = talk.say(header(domain) + features, .server)
    _ = talk.say(startTLS, .client)
    _ = talk.say(proceed, .server)
    _ = talk.happen { $0.secured(.server, by: "TLSv1.3", endPoint: endPoints.server) }
    _ = talk.happen { $0.secured(.client, by: nil, endPoint: endPoints.client) }
    _ = talk.say(header(domain), .client)
    _ = talk.say(header(domain) + "<stream:features/>", .server)
    return talk
  }

  /// A connection whose client has logged in.
  static func authenticated() -> ProxyTalk {
    var talk = secured()
    _ = talk.say(auth, .client)
    _ = talk.say("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", .server)
    _ = talk.say(header(), .client)
    _ = talk.say(header() + "<stream:features/>", .server)
    return talk
  }

  static let features =
    "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"
  static let startTLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
  static let auth = "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'/>"
  static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
}

extension ProxyAction {
  /// The action as text.
  var words: String {
    switch self {
    case .connect(let domain): "connect to \(domain)"
    case .send(let side, let bytes): "\(side) < \(String(decoding: bytes, as: UTF8.self))"
    case .record(.header, let side): "record \(side) header"
    case .record(.end, let side): "record \(side) end"
    case .record(.unreadable, let side): "record \(side) unreadable"
    case .record(.skipped, let side): "record \(side) skipped"
    case .record(.element(let element), let side): "record \(side) <\(element.node.name.local)/>"
    case .reportRefusal(let name, let refusal): "refused \(name ?? "-"): \(refusal.clause)"
    case .note(let lifecycle): "note \(lifecycle)"
    case .beginTLS(let side, let domain): "TLS with the \(side) for \(domain)"
    case .derive: "derive"
    case .finish(let end): "over: \(end)"
    }
  }
}
