import RosterClient
import Testing

/// A complete login from an RFC.
struct SCRAMVector: Sendable, CustomTestStringConvertible {
  let source: String
  let mechanism: SASLMechanism
  let nonce: String
  let clientFirst: String
  let serverFirst: String
  let clientFinal: String
  let serverFinal: String

  var testDescription: String { source }

  static let all = [rfc5802, rfc7677]

  static let rfc5802 = SCRAMVector(
    source: "RFC 5802 §5", mechanism: .scramSHA1, nonce: "fyko+d2lbbFgONRv9qkxdawL",
    clientFirst: "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL",
    serverFirst: "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
    clientFinal: "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,"
      + "p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
    serverFinal: "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")

  static let rfc7677 = SCRAMVector(
    source: "RFC 7677 §3", mechanism: .scramSHA256, nonce: "rOprNGfwEbeRWgbNEkqO",
    clientFirst: "n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
    serverFirst: "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
      + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    clientFinal: "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
      + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
    serverFinal: "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
}

@Suite("Logins from the RFCs") struct SCRAMVectorTests {
  @Test("Every message is that of the RFC", arguments: SCRAMVector.all)
  func whole(_ vector: SCRAMVector) throws {
    var exchange = try SASLExchange.by(vector.mechanism, nonce: vector.nonce)
    #expect(exchange.mechanism == vector.mechanism)
    #expect(exchange.initialText == vector.clientFirst)
    #expect(try exchange.answered(vector.serverFirst) == vector.clientFinal)
    try exchange.succeeded(vector.serverFinal)
  }

  @Test("The signature may come in a last challenge", arguments: SCRAMVector.all)
  func lastChallenge(_ vector: SCRAMVector) throws {
    for nothing: [UInt8]? in [nil, []] {
      var exchange = try SASLExchange.by(vector.mechanism, nonce: vector.nonce)
      _ = try exchange.answered(vector.serverFirst)
      #expect(try exchange.answered(vector.serverFinal) == "")
      try exchange.succeeded(nothing)
    }
  }

  @Test("Optional extensions change nothing but what is signed")
  func extensions() throws {
    let extended = SCRAMVector.rfc5802.serverFirst + ",x=1,Y=\u{FC}=,w=w"
    var exchange = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
    let server = SCRAMTestServer(
      hash: .sha1, password: "pencil", serverFirst: extended, certificateHash: nil)
    let answer = try exchange.answered(extended)
    let final = try #require(server.final(first: exchange.initialText, final: answer))
    try exchange.succeeded(final + ",x=1")
  }

  @Test("Separators of attributes are escaped in a user name")
  func escaped() throws {
    for (user, written) in [
      ("a,b", "a=2Cb"), ("a=b", "a=3Db"), ("=2C", "=3D2C"),
      (",\u{327}=\u{328}", "=2C\u{327}=3D\u{328}"),
    ] {
      let exchange = try SASLExchange.by(user: user, nonce: "abc")
      let expected = "n,,n=\(written),r=abc"
      #expect(exchange.initialResponse == Array(expected.utf8), "\(user)")
    }
  }

  @Test("PLAIN sends the user name and the password unchanged")
  func plain() throws {
    var exchange = try SASLExchange(
      offer: SASLOffer(mechanisms: ["PLAIN"], channelBindings: nil), user: "ana",
      password: Password("pé\u{AD}n"), over: .tls(serverEndPoint: nil), allowsPlain: true,
      nonce: "abc")
    #expect(exchange.initialText == "\0ana\0pé\u{AD}n")
    try exchange.succeeded(nil)
  }
}
