import RosterClient
import Testing

@Suite("Illegal messages of a SCRAM server") struct SCRAMIllegalTests {
  /// First messages of a server to a client whose nonce is `abc`.
  private static let firsts: [(String, SASLFailure)] = [
    ("", .malformedChallenge("a part of it is not an attribute")),
    ("hello", .malformedChallenge("a part of it is not an attribute")),
    ("r=abcdef", .malformedChallenge("the attribute s is not in its place")),
    ("r=abcdef,s=QUJD", .malformedChallenge("the attribute i is not in its place")),
    ("r=abcdef,i=4096,s=QUJD", .malformedChallenge("the attribute s is not in its place")),
    ("s=QUJD,r=abcdef,i=4096", .malformedChallenge("the attribute r is not in its place")),
    ("R=abcdef,s=QUJD,i=4096", .malformedChallenge("the attribute r is not in its place")),
    ("r=abcdef,s=QUJD,i=4096,", .malformedChallenge("a part of it is not an attribute")),
    (",r=abcdef,s=QUJD,i=4096", .malformedChallenge("a part of it is not an attribute")),
    ("r=abcdef,,s=QUJD,i=4096", .malformedChallenge("a part of it is not an attribute")),
    ("r=abcdef,s=QUJD,i=4096,x", .malformedChallenge("a part of it is not an attribute")),
    ("r=abcdef,s=QUJD,i=4096,1=x", .malformedChallenge("a part of it is not an attribute")),
    ("r=abcdef,s=QUJD,i=4096,x=", .malformedChallenge("an attribute of it is empty")),
    ("r=abcdef,s=,i=4096", .malformedChallenge("an attribute of it is empty")),
    ("r=abcdef,s=QUJD,i=4096,r=abcdef", .malformedChallenge("the attribute r is out of place")),
    ("r=abcdef,s=QUJD,i=4096,v=QUJD", .malformedChallenge("the attribute v is out of place")),
    ("r=abcdef,s=QUJD,i=4096,e=no", .malformedChallenge("the attribute e is out of place")),
    ("r=abcdef\0,s=QUJD,i=4096", .malformedChallenge("it has a zero byte")),
    ("m=x,r=abcdef,s=QUJD,i=4096", .mandatoryExtension),
    ("r=abcdef,s=QUJD,i=4096,m=x", .mandatoryExtension),
    ("r=abc,s=QUJD,i=4096", .nonceMismatch), ("r=ab,s=QUJD,i=4096", .nonceMismatch),
    ("r=abd,s=QUJD,i=4096", .nonceMismatch), ("r=xabcdef,s=QUJD,i=4096", .nonceMismatch),
    ("r=ABCdef,s=QUJD,i=4096", .nonceMismatch),
    ("r=abc def,s=QUJD,i=4096", nonceCharacters), ("r=abcdéf,s=QUJD,i=4096", nonceCharacters),
    ("r=abcd\u{7F},s=QUJD,i=4096", nonceCharacters),
    ("r=abcdef,s=QUJ,i=4096", salt), ("r=abcdef,s=QUI,i=4096", salt),
    ("r=abcdef,s=QUI,=,i=4096", .malformedChallenge("a part of it is not an attribute")),
    ("r=abcdef,s=QUJ=,i=4096", salt), ("r=abcdef,s=QU\nJD,i=4096", salt),
    ("r=abcdef,s= QUJD,i=4096", salt), ("r=abcdef,s=QUJD====,i=4096", salt),
    ("r=abcdef,s=QU-_,i=4096", salt), ("r=abcdef,s=====,i=4096", salt),
    ("r=abcdef,s=QUJDQQ==QUJD,i=4096", salt), ("r=abcdef,s=QUJDQR==,i=4096", salt),
    ("r=abcdef,s=QUJD,i=0", count), ("r=abcdef,s=QUJD,i=04096", count),
    ("r=abcdef,s=QUJD,i=-4096", count), ("r=abcdef,s=QUJD,i=+4096", count),
    ("r=abcdef,s=QUJD,i=4096.0", count), ("r=abcdef,s=QUJD,i= 4096", count),
    ("r=abcdef,s=QUJD,i=0x1000", count), ("r=abcdef,s=QUJD,i=４０９６", count),
    ("r=abcdef,s=QUJD,i=1", .tooFewIterations(1)),
    ("r=abcdef,s=QUJD,i=4095", .tooFewIterations(4095)),
    ("r=abcdef,s=QUJD,i=1000001", .tooManyIterations(1_000_001)),
    ("r=abcdef,s=QUJD,i=4294971392", .tooManyIterations(4_294_971_392)),
    ("r=abcdef,s=QUJD,i=9223372036854775808", .tooManyIterations(.max)),
    ("r=abcdef,s=QUJD,i=99999999999999999999999999", .tooManyIterations(.max)),
    ("e=unknown-user", .serverError("unknown-user")),
    ("e=\u{1B}[31m", .malformedChallenge("its error is not a name")),
    ("v=QUJD", .malformedChallenge("the attribute r is not in its place")),
    (
      "r=abcdef,s=QUJD,i=4096,x=" + String(repeating: "x", count: 8192),
      .malformedChallenge("it has more than 8192 bytes")
    ),
  ]

  private static let salt = SASLFailure.malformedChallenge("the attribute s is not Base64")
  private static let count = SASLFailure.malformedChallenge(
    "its iteration count is not a number")
  private static let nonceCharacters = SASLFailure.malformedChallenge(
    "its nonce has characters other than visible ASCII")

  /// Last messages to the client of RFC 5802 §5.
  private static let lasts: [(String, SASLFailure)] = [
    ("v=smF9pqV8S7suAoZWja4dJRkFsKQ=", .wrongServerSignature),
    ("v=QUJD", .wrongServerSignature),
    ("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", .wrongServerSignature),
    ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ", signature), ("v=rmF9pqV8S7suAoZWja4dJRkFsKR=", signature),
    ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ= ", signature), ("v==", signature),
    ("v=", .malformedChallenge("an attribute of it is empty")),
    ("V=rmF9pqV8S7suAoZWja4dJRkFsKQ=", .malformedChallenge("the attribute v is not in its place")),
    (
      "x=1,v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
      .malformedChallenge("the attribute v is not in its place")
    ),
    ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,", .malformedChallenge("a part of it is not an attribute")),
    (
      "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,v=QUJD",
      .malformedChallenge("the attribute v is out of place")
    ),
    ("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,m=1", .mandatoryExtension),
    ("m=1,v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", .mandatoryExtension),
    ("e=invalid-proof", .serverError("invalid-proof")),
    ("e=invalid-proof,x=1", .serverError("invalid-proof")),
    ("e=two words", .malformedChallenge("its error is not a name")),
    ("e=" + String(repeating: "e", count: 65), .malformedChallenge("its error is not a name")),
    (SCRAMVector.rfc5802.serverFirst, .malformedChallenge("the attribute v is not in its place")),
  ]

  private static let signature = SASLFailure.malformedChallenge("the attribute v is not Base64")

  @Test("Each first message has its failure, which is final")
  func first() throws {
    for (message, expected) in Self.firsts {
      var exchange = try SASLExchange.by(nonce: "abc")
      let seen = failure { () throws(SASLFailure) in _ = try exchange.answered(message) }
      #expect(seen == expected, "\(message.prefix(80))")
      let next = failure { () throws(SASLFailure) in
        _ = try exchange.answered("r=abcdef,s=QUJD,i=4096")
      }
      #expect(next == expected, "after \(message.prefix(80))")
      #expect(failure { () throws(SASLFailure) in try exchange.succeeded(nil) } == expected)
    }
  }

  @Test("A first message that is not UTF-8 is refused")
  func notUTF8() throws {
    var exchange = try SASLExchange.by(nonce: "abc")
    let message = Array("r=abcdef,s=QUJD,i=4096,x=".utf8) + [0xC3]
    #expect(
      failure { () throws(SASLFailure) in _ = try exchange.answered(message) }
        == .malformedChallenge("it is not UTF-8"))
  }

  @Test("Each last message has its failure, in a success and in a challenge")
  func last() throws {
    var waiting = try SASLExchange.by(nonce: SCRAMVector.rfc5802.nonce)
    _ = try waiting.answered(SCRAMVector.rfc5802.serverFirst)
    for (message, expected) in Self.lasts {
      var (success, challenge) = (waiting, waiting)
      #expect(
        failure { () throws(SASLFailure) in try success.succeeded(message) } == expected,
        "\(message)")
      #expect(
        failure { () throws(SASLFailure) in _ = try challenge.answered(message) } == expected,
        "\(message)")
      let honest = SCRAMVector.rfc5802.serverFinal
      let next = failure { () throws(SASLFailure) in try success.succeeded(honest) }
      #expect(next == expected, "after \(message)")
    }
  }

  @Test("The numbers of iterations at both limits are accepted")
  func limits() throws {
    for count in [4096, 1_000_000] {
      var exchange = try SASLExchange.by(nonce: "abc")
      #expect(try exchange.answered("r=abcdef,s=QUJD,i=\(count)").hasPrefix("c=biws,r=abcdef,p="))
    }
  }
}
