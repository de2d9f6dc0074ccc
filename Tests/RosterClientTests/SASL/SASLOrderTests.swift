import RosterClient
import Testing

@Suite("The order of a login") struct SASLOrderTests {
  private enum ServerMessage: CaseIterable { case first, last, empty, success, successWithLast }

  private static func receive(
    _ message: ServerMessage, _ exchange: inout SASLExchange
  ) throws(SASLFailure) {
    switch message {
    case .first: _ = try exchange.answered(SCRAMVector.rfc5802.serverFirst)
    case .last: _ = try exchange.answered(SCRAMVector.rfc5802.serverFinal)
    case .empty: _ = try exchange.answered([])
    case .success: try exchange.succeeded(nil)
    case .successWithLast: try exchange.succeeded(SCRAMVector.rfc5802.serverFinal)
    }
  }

  /// The legal messages of a server, from the first message to the success.
  private static let legal: [[ServerMessage]] = [
    [.first, .successWithLast], [.first, .last, .success],
  ]

  @Test("Of all orders of server messages, two log in and all others fail")
  func orders() throws {
    var orders: [[ServerMessage]] = [[]]
    for length in 1...4 {
      orders = orders.flatMap { order in ServerMessage.allCases.map { order + [$0] } }
      for order in orders {
        var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
        var heard = 0
        let reason = failure { () throws(SASLFailure) in
          for message in order {
            try Self.receive(message, &exchange)
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

  @Test("A message out of order has a failure of its own")
  func reasons() throws {
    for (order, expected): ([ServerMessage], SASLFailure) in [
      ([.success], .missingServerSignature), ([.successWithLast], .missingServerSignature),
      ([.first, .success], .missingServerSignature),
      ([.first, .last, .last], .unexpectedChallenge),
      ([.first, .last, .successWithLast], .malformedChallenge("its success adds data to nothing")),
      ([.first, .successWithLast, .success], .alreadyOver),
      ([.first, .last, .success, .first], .alreadyOver),
    ] {
      var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
      let reason = failure { () throws(SASLFailure) in
        for message in order { try Self.receive(message, &exchange) }
      }
      #expect(reason == expected, "\(order)")
    }
  }

  @Test("No message may arrive while keys are derived, and keys after a failure are ignored")
  func whileDeriving() throws {
    let heard: [([UInt8]?, SASLFailure)] = [
      (Array(SCRAMVector.rfc5802.serverFirst.utf8), .unexpectedChallenge),
      ([], .unexpectedChallenge), (nil, .missingServerSignature),
    ]
    for (challenge, expected) in heard {
      var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
      let first = Array(SCRAMVector.rfc5802.serverFirst.utf8)
      guard case .derive(let derivation) = try exchange.challenged(first) else {
        Issue.record("no keys are made")
        return
      }
      let reason = failure { () throws(SASLFailure) in
        if let challenge {
          _ = try exchange.challenged(challenge)
        } else {
          try exchange.succeeded(SCRAMVector.rfc5802.serverFinal)
        }
      }
      #expect(reason == expected)
      #expect(try exchange.derived(.success(derivation.keys())) == nil)
    }
  }

  @Test("Keys that cannot be made end the login")
  func noKeys() throws {
    let reason = SASLFailure.malformedChallenge("no key can be made with its salt")
    var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
    _ = try exchange.challenged(Array(SCRAMVector.rfc5802.serverFirst.utf8))
    #expect(
      failure { () throws(SASLFailure) in _ = try exchange.derived(.failure(reason)) } == reason)
    #expect(failure { () throws(SASLFailure) in try exchange.succeeded("v=x") } == reason)
  }

  @Test("PLAIN accepts neither a challenge nor data with the success")
  func plain() throws {
    let fresh = try SASLExchange(
      offer: SASLOffer(mechanisms: ["PLAIN"], channelBindings: nil), user: "ana",
      password: Password("pencil"), over: .tls(serverEndPoint: nil), allowsPlain: true,
      nonce: "abc")
    var exchange = fresh
    #expect(
      failure { () throws(SASLFailure) in _ = try exchange.answered([]) }
        == .unexpectedChallenge)
    exchange = fresh
    #expect(
      failure { () throws(SASLFailure) in try exchange.succeeded("x") }
        == .malformedChallenge("its success adds data to nothing"))
  }
}
