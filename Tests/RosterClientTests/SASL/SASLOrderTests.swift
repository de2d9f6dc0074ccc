import RosterClient
import Testing

@Suite("The order of a login") struct SASLOrderTests {
  private enum Said: CaseIterable { case first, last, empty, success, successWithLast }

  private static func hear(
    _ said: Said, _ exchange: inout SASLExchange
  ) throws(SASLFailure) {
    switch said {
    case .first: _ = try exchange.challenged(SCRAMVector.rfc5802.serverFirst)
    case .last: _ = try exchange.challenged(SCRAMVector.rfc5802.serverFinal)
    case .empty: _ = try exchange.challenged([])
    case .success: try exchange.succeeded(nil)
    case .successWithLast: try exchange.succeeded(SCRAMVector.rfc5802.serverFinal)
    }
  }

  /// What a server may say, from the first message to the success.
  private static let legal: [[Said]] = [[.first, .successWithLast], [.first, .last, .success]]

  @Test("Of all orders of what a server can say, two log in and all others fail")
  func orders() throws {
    var orders: [[Said]] = [[]]
    for length in 1...4 {
      orders = orders.flatMap { order in Said.allCases.map { order + [$0] } }
      for order in orders {
        var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
        var heard = 0
        let reason = failure { () throws(SASLFailure) in
          for said in order {
            try Self.hear(said, &exchange)
            heard += 1
          }
        }
        let isBeginning = Self.legal.contains { $0.starts(with: order) }
        #expect((reason == nil) == isBeginning, "\(order): \(String(describing: reason))")
        let legalCount = Self.legal.map { legal in
          zip(legal, order).prefix { $0 == $1 }.count
        }.max()
        #expect(heard == legalCount, "\(order) of length \(length)")
      }
    }
  }

  @Test("What comes out of its order is named")
  func reasons() throws {
    for (order, expected): ([Said], SASLFailure) in [
      ([.success], .missingServerSignature), ([.successWithLast], .missingServerSignature),
      ([.first, .success], .missingServerSignature),
      ([.first, .last, .last], .unexpectedChallenge),
      ([.first, .last, .successWithLast], .malformedChallenge("its success adds data to nothing")),
      ([.first, .successWithLast, .success], .alreadyOver),
      ([.first, .last, .success, .first], .alreadyOver),
    ] {
      var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
      let reason = failure { () throws(SASLFailure) in
        for said in order { try Self.hear(said, &exchange) }
      }
      #expect(reason == expected, "\(order)")
    }
  }

  @Test("PLAIN is asked nothing and told nothing")
  func plain() throws {
    let fresh = try SASLExchange(
      offer: SASLOffer(mechanisms: ["PLAIN"], channelBindings: nil), user: "ana",
      password: Password("pencil"), over: .tls(serverEndPoint: nil), allowsPlain: true,
      nonce: "abc")
    var exchange = fresh
    #expect(
      failure { () throws(SASLFailure) in _ = try exchange.challenged([]) }
        == .unexpectedChallenge)
    exchange = fresh
    #expect(
      failure { () throws(SASLFailure) in try exchange.succeeded("x") }
        == .malformedChallenge("its success adds data to nothing"))
  }
}
