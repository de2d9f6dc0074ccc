import Foundation
import Rollcall
import RosterClient
@testable import RosterProxy
import TestSupport
import Testing

/// Random events of a connection, in any order. `ROLLCALL_SEEDS=1000-4999` tests other seeds.
@Suite("Random events of a proxied connection") struct RandomProxyTests {
  private static var seeds: ClosedRange<Int> {
    let given = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"]?.split(separator: "-")
      .compactMap { Int($0) }
    guard let given, given.count == 2, given[0] <= given[1] else { return 0...2999 }
    return given[0]...given[1]
  }

  private static let words = [
    ProxyTalk.header(), ProxyTalk.header("other.test"), ProxyTalk.features, ProxyTalk.startTLS,
    ProxyTalk.proceed, "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>c2VjcmV0</auth>",
    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'/>",
    "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<presence/>", " ", "<a></b>",
    "</stream:stream>", "<stream:error/>",
    "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
      + "<mechanism>SCRAM-SHA-1</mechanism></mechanisms></stream:features>",
    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'>biwsbj1hLHI9eA==</auth>",
    "<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>eA==</response>",
    "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>eA==</challenge>",
  ]

  /// Checks the invariants of a proxied connection from outside.
  private struct Watch {
    let allowsPlain: Bool
    var isConnected = false
    var isOver = false
    /// The sides on which TLS is beginning, so that only TLS may be sent there.
    var beginning: Set<ProxySide> = []
    var isSecured: Set<ProxySide> = []

    mutating func fault(in action: ProxyAction) -> String? {
      if isOver { return "an action after the end" }
      switch action {
      case .connect: return isConnected ? "connected twice" : nil
      case .send(let side, let bytes):
        if side == .server, !isConnected { return "the server is sent data before it is connected" }
        if beginning.contains(side) { return "the \(side) is sent data while TLS begins" }
        let text = String(decoding: bytes, as: UTF8.self)
        guard side == .server, text.contains("c2VjcmV0") else { return nil }
        return isSecured.count == 2 && allowsPlain ? nil : "a password is passed on"
      case .record, .note, .derive, .reportRefusal: return nil
      case .beginTLS(let side, _):
        if isSecured.contains(side) { return "TLS begins within TLS" }
        if side == .client, !isSecured.contains(.server) {
          return "the client is in TLS before the server is known"
        }
        beginning.insert(side)
        return nil
      case .finish:
        isOver = true
        return nil
      }
    }
  }

  @Test("Nothing is done after the end, sent during a handshake, or disclosed")
  func sequences() throws {
    let secrets = try TerminationSecrets(
      Password("secret"), allowsPlain: false, salt: Array(1...16))
    for seed in Self.seeds {
      var random = SeededGenerator(seed: UInt64(seed))
      // In every third, the proxy logs in itself.
      var machine = ProxyMachine(
        allowsPlain: seed % 2 == 0, isClientLocal: seed % 5 != 0,
        secrets: seed % 3 == 0 ? secrets : nil,
        nonces: (1...ProxyMachine.nonces).map { "\($0)" })
      var intakes = [
        ProxySide.client: ProxyIntake(SessionLimits()), .server: ProxyIntake(SessionLimits()),
      ]
      var watch = Watch(allowsPlain: seed % 2 == 0)
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let side = ProxySide.allCases.randomElement(using: &random) ?? .client
        var actions: [ProxyAction] = []
        switch Int.random(in: 0..<20, using: &random) {
        case 0: actions = machine.helloReceived(for: "example.test")
        case 1...3:
          actions = machine.connected(to: "host")
          watch.isConnected = watch.isConnected || !actions.isEmpty
        case 4...6:
          guard watch.beginning.contains(side) else { continue }
          watch.beginning.remove(side)
          watch.isSecured.insert(side)
          actions = machine.secured(side, by: nil)
        case 7: actions = machine.ended(side)
        case 8: actions = machine.failed(side, .lost(reason: "x"))
        case 9: actions = machine.timedOut()
        case 10: actions = machine.unreachable("x")
        default:
          let word = Self.words.randomElement(using: &random) ?? ""
          for unit in intakes[side]?.take(Array(word.utf8)) ?? [] {
            actions += machine.received(unit, from: side)
          }
        }
        for action in actions {
          if let fault = watch.fault(in: action) {
            Issue.record("seed \(seed): \(fault): \(action.words)")
          }
        }
        #expect(machine.isOver == watch.isOver, "seed \(seed)")
      }
    }
  }
}
