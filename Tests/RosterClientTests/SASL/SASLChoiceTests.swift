import RosterClient
import Testing

@Suite("Choosing a mechanism") struct SASLChoiceTests {
  private static let names = [
    "SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN",
    "SCRAM-SHA-512-PLUS", "EXTERNAL",
  ]
  private static let bindings: [[String]?] = [
    nil, [], ["tls-exporter"], ["tls-server-end-point"], ["tls-exporter", "tls-server-end-point"],
    ["TLS-SERVER-END-POINT"],
  ]
  private static let channels: [SASLChannel] = [
    .plain, .tls(serverEndPoint: nil), .tls(serverEndPoint: [1, 2, 3]),
  ]

  /// A situation and its outcome: the mechanism and the beginning of the first message, or the
  /// failure.
  private struct Outcome {
    let offered: Set<String>
    let bindings: [String]?
    let channel: SASLChannel
    let allowsPlain: Bool
    var taken: String?
    var header = ""
    var reason: SASLFailure?

    var isTLS: Bool { channel != .plain }
    var canBind: Bool {
      channel == .tls(serverEndPoint: [1, 2, 3])
        && bindings?.contains("tls-server-end-point") == true
    }
    /// The usable mechanisms, restated from the text of the rules.
    var usable: Set<String> {
      var usable: Set = ["SCRAM-SHA-256", "SCRAM-SHA-1"]
      if canBind { usable.formUnion(["SCRAM-SHA-256-PLUS", "SCRAM-SHA-1-PLUS"]) }
      if isTLS, allowsPlain { usable.insert("PLAIN") }
      return usable.intersection(offered)
    }
  }

  private static func outcomes() -> [Outcome] {
    var outcomes: [Outcome] = []
    for subset in 0..<(1 << names.count) {
      let offered = names.indices.filter { subset >> $0 & 1 == 1 }.map { names[$0] }
      for bindings in bindings {
        for channel in channels {
          for allowsPlain in [false, true] {
            var outcome = Outcome(
              offered: Set(offered), bindings: bindings, channel: channel,
              allowsPlain: allowsPlain)
            do throws(SASLFailure) {
              let exchange = try SASLExchange(
                // The server's order does not matter.
                offer: SASLOffer(
                  mechanisms: subset % 2 == 0 ? offered : offered.reversed(),
                  channelBindings: bindings),
                user: "ana", password: Password("pencil"), over: channel,
                allowsPlain: allowsPlain, nonce: "abc")
              outcome.taken = exchange.mechanism.rawValue
              outcome.header = String(exchange.initialText.prefix { $0 != "," })
            } catch {
              outcome.reason = error
            }
            outcomes.append(outcome)
          }
        }
      }
    }
    return outcomes
  }

  @Test("The rules hold for all offers, types of binding, channels and permissions")
  func rules() {
    let outcomes = Self.outcomes()
    #expect(outcomes.count == 128 * 6 * 3 * 2)
    for outcome in outcomes {
      let said: Comment = "\(outcome)"
      #expect((outcome.taken == nil) == outcome.usable.isEmpty, said)
      guard let taken = outcome.taken else {
        let expected: SASLFailure? =
          switch (outcome.offered.contains("PLAIN"), outcome.isTLS) {
          case (true, true): .plainNotAllowed
          case (true, false): .plainWithoutTLS
          case (false, _): nil
          }
        if let expected { #expect(outcome.reason == expected, said) }
        continue
      }
      #expect(outcome.usable.contains(taken), said)
      // No better mechanism was passed over.
      let better = Self.names.prefix { $0 != taken }
      #expect(outcome.usable.isDisjoint(with: better), said)
      #expect(outcome.header == Self.header(outcome, taken), said)
    }
  }

  private static func header(_ outcome: Outcome, _ taken: String) -> String {
    if taken == "PLAIN" { return "\0ana\0pencil" }
    if taken.hasSuffix("-PLUS") { return "p=tls-server-end-point" }
    guard outcome.isTLS else { return "n" }
    return outcome.offered.contains { $0.hasSuffix("-PLUS") } ? "n" : "y"
  }

  @Test("If nothing can be used, the failure lists the offer, except for what is not a name")
  func sentence() throws {
    let offered = ["GSSAPI", "EXTERNAL", "\u{1B}[31m", "x"]
    let reason = failure { () throws(SASLFailure) in
      _ = try SASLExchange(
        offer: SASLOffer(mechanisms: offered, channelBindings: nil), user: "ana",
        password: Password("pencil"), over: .plain, allowsPlain: true, nonce: "abc")
    }
    #expect(reason == .noUsableMechanism(offered: offered))
    #expect(
      "\(try #require(reason))"
        == "the server offers no way to log in that can be used: GSSAPI, EXTERNAL")
    #expect("\(SASLFailure.noUsableMechanism(offered: []))" == "the server offers no way to log in")
  }
}
