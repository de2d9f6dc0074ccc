import Foundation
import RosterClient
import TestSupport
import Testing

@Suite("SCRAM against a test server") struct SCRAMPropertyTests {
  /// Texts and their prepared forms; none combines with its neighbor.
  private static let pieces = [
    ("a", "a"), ("Z", "Z"), (",", ","), ("=", "="), ("%2C", "%2C"), (" ", " "), ("陈", "陈"),
    ("e\u{301}", "\u{E9}"), ("\u{AA}", "a"), ("x\u{AD}", "x"), ("\u{A0}", " "), ("\u{2168}", "IX"),
    ("\u{FF46}", "f"), ("\u{1F600}", "\u{1F600}"), ("ж", "ж"), (",\u{327}", ",\u{327}"),
  ]

  private static func text(_ random: inout SeededGenerator) -> (raw: String, prepared: String) {
    var (raw, prepared) = ("", "")
    for _ in 0...Int.random(in: 0..<8, using: &random) {
      let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
      raw += piece.0
      prepared += piece.1
    }
    return (raw, prepared)
  }

  private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private static func nonce(_ random: inout SeededGenerator) -> String {
    Data(bytes(Int.random(in: 1..<30, using: &random), &random)).base64EncodedString()
  }

  /// A client's new login, and the server for it.
  private struct Login {
    var exchange: SASLExchange
    let server: SCRAMTestServer
    let user: String

    init(_ random: inout SeededGenerator) throws {
      let binds = Bool.random(using: &random)
      let hash: SCRAMTestServer.Hash = Bool.random(using: &random) ? .sha1 : .sha256
      let certificate = SCRAMPropertyTests.bytes(32, &random)
      let (user, password) = (
        SCRAMPropertyTests.text(&random), SCRAMPropertyTests.text(&random)
      )
      let nonce = SCRAMPropertyTests.nonce(&random)
      let mechanism = (hash == .sha1 ? "SCRAM-SHA-1" : "SCRAM-SHA-256") + (binds ? "-PLUS" : "")
      exchange = try SASLExchange(
        offer: SASLOffer(mechanisms: [mechanism], channelBindings: ["tls-server-end-point"]),
        user: user.raw, password: Password(password.raw), over: .tls(serverEndPoint: certificate),
        allowsPlain: false, nonce: nonce)
      let salt = Data(SCRAMPropertyTests.bytes(Int.random(in: 1..<40, using: &random), &random))
      server = SCRAMTestServer(
        hash: hash, password: password.prepared,
        serverFirst: "r=\(nonce)\(SCRAMPropertyTests.nonce(&random)),"
          + "s=\(salt.base64EncodedString()),i=\(Int.random(in: 4096...4200, using: &random))",
        certificateHash: binds ? certificate : nil)
      self.user = user.prepared
    }
  }

  @Test("Both agree, whatever the user, the password, the salt and the channel")
  func agree() throws {
    for seed in UInt64(0)..<24 {
      var random = SeededGenerator(seed: seed)
      var login = try Login(&random)
      let first = login.exchange.initialText
      let named = login.user.unicodeScalars.map {
        $0 == "," ? "=2C" : $0 == "=" ? "=3D" : String($0)
      }
      #expect(
        first.utf8.split(separator: UInt8(ascii: ",")).contains {
          $0.elementsEqual("n=\(named.joined())".utf8)
        }, "seed \(seed)")
      let answer = try login.exchange.answered(login.server.serverFirst)
      let final = try #require(login.server.final(first: first, final: answer), "seed \(seed)")
      try login.exchange.succeeded(final)
    }
  }

  @Test("The server refuses another password, and the client refuses such a server")
  func otherPassword() throws {
    for seed in UInt64(100)..<104 {
      var random = SeededGenerator(seed: seed)
      var login = try Login(&random)
      let other = SCRAMTestServer(
        hash: login.server.hash, password: login.server.password + "x",
        serverFirst: login.server.serverFirst, certificateHash: login.server.certificateHash)
      let first = login.exchange.initialText
      let answer = try login.exchange.answered(other.serverFirst)
      #expect(other.final(first: first, final: answer) == nil, "seed \(seed)")
      let wrong =
        "v="
        + Data(Self.bytes(login.server.hash == .sha1 ? 20 : 32, &random))
        .base64EncodedString()
      #expect(
        failure { () throws(SASLFailure) in try login.exchange.succeeded(wrong) }
          == .wrongServerSignature, "seed \(seed)")
    }
  }

  @Test("A changed byte in the server's first message is never accepted")
  func firstChanged() throws {
    for seed in UInt64(200)..<202 {
      var random = SeededGenerator(seed: seed)
      let login = try Login(&random)
      var honest = login.exchange
      let answer = try honest.answered(login.server.serverFirst)
      let final = try #require(
        login.server.final(first: login.exchange.initialText, final: answer))
      let bytes = Array(login.server.serverFirst.utf8)
      for place in bytes.indices {
        var changed = bytes
        changed[place] ^= UInt8.random(in: 1...255, using: &random)
        var exchange = login.exchange
        let reason = failure { () throws(SASLFailure) in
          _ = try exchange.answered(changed)
          try exchange.succeeded(final)
        }
        #expect(reason != nil, "seed \(seed), byte \(place) is \(changed[place])")
      }
    }
  }

  @Test("A changed byte in the server's last message is never accepted")
  func lastChanged() throws {
    for seed in UInt64(300)..<302 {
      var random = SeededGenerator(seed: seed)
      let login = try Login(&random)
      var waiting = login.exchange
      let answer = try waiting.answered(login.server.serverFirst)
      let final = try #require(
        login.server.final(first: login.exchange.initialText, final: answer))
      let bytes = Array(final.utf8)
      for place in bytes.indices {
        for value in UInt8.min...UInt8.max where value != bytes[place] {
          var changed = bytes
          changed[place] = value
          var (success, challenge) = (waiting, waiting)
          let reasons = [
            failure { () throws(SASLFailure) in try success.succeeded(changed) },
            failure { () throws(SASLFailure) in _ = try challenge.answered(changed) },
          ]
          #expect(!reasons.contains(nil), "seed \(seed), byte \(place) is \(value)")
        }
      }
    }
  }
}
