import Foundation
import RosterClient
import TestSupport
import Testing

@Suite("SCRAM as the server") struct SCRAMServerTests {
  private static let endPoint: [UInt8] = Array(0..<32)
  private static let pencil = Result { () throws(SASLFailure) in
    try SCRAMVerifier(Password("pencil"), salt: Array(1...16))
  }

  private func server(
    _ mechanism: SASLMechanism = .scramSHA1, _ endPoint: [UInt8]? = nil,
    refusesUnbound: Bool = false
  ) throws -> SCRAMServer {
    try #require(
      SCRAMServer(
        mechanism, try Self.pencil.get(), nonce: "ours", endPoint: endPoint,
        refusesUnbound: refusesUnbound))
  }

  private func refusal(_ server: inout SCRAMServer, _ message: String) -> SASLRefusal? {
    do throws(SASLRefusal) {
      _ = try server.received(Array(message.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("Every message is that of the RFC", arguments: SCRAMVector.all)
  func vectors(_ vector: SCRAMVector) throws {
    let parts = vector.serverFirst.split(separator: ",")
    let salt = try #require(Data(base64Encoded: String(parts[1].dropFirst(2))))
    let verifier = try SCRAMVerifier(Password("pencil"), salt: Array(salt))
    var server = try #require(
      SCRAMServer(
        vector.mechanism, verifier, nonce: String(parts[0].dropFirst(2 + vector.nonce.count)),
        endPoint: nil, refusesUnbound: false))
    let first = try server.received(Array(vector.clientFirst.utf8))
    #expect(String(decoding: first, as: UTF8.self) == vector.serverFirst)
    #expect(server.user == "user" && server.identity == nil && !server.isOver)
    let final = try server.received(Array(vector.clientFinal.utf8))
    #expect(String(decoding: final, as: UTF8.self) == vector.serverFinal)
    #expect(server.isOver)
  }

  /// A client's first message, the mechanism that it has chosen, and the refusal, if any.
  private static let firsts: [(String, SASLMechanism, refuses: Bool, SASLRefusal?)] = [
    ("n,,n=user,r=x", .scramSHA1, true, nil),
    ("n,a=user@example.test,n=user,r=x", .scramSHA1, true, nil),
    ("n,,n=a=2Cb=3D,r=x", .scramSHA1, true, nil),
    ("n,,n=user,r=x,z=extension", .scramSHA1, true, nil),
    // It supports binding and was offered no mechanism for it.
    ("y,,n=user,r=x", .scramSHA1, false, nil),
    // A mechanism for it was offered, so an attacker has removed it.
    ("y,,n=user,r=x", .scramSHA1, true, .notAuthorized),
    ("p=tls-server-end-point,,n=user,r=x", .scramSHA1Plus, true, nil),
    ("p=tls-unique,,n=user,r=x", .scramSHA1Plus, true, .unknownBinding),
    ("p=tls-exporter,,n=user,r=x", .scramSHA256Plus, true, .unknownBinding),
    // The name of the mechanism and the message have to agree.
    ("p=tls-server-end-point,,n=user,r=x", .scramSHA1, true, .malformed),
    ("n,,n=user,r=x", .scramSHA1Plus, true, .malformed),
    ("y,,n=user,r=x", .scramSHA1Plus, false, .malformed),
    ("", .scramSHA1, true, .malformed), ("n,,", .scramSHA1, true, .malformed),
    ("n,,r=x,n=user", .scramSHA1, true, .malformed),
    ("n,,n=user", .scramSHA1, true, .malformed),
    ("n,,n=,r=x", .scramSHA1, true, .malformed),
    ("n,,n=user,r=", .scramSHA1, true, .malformed),
    ("n,,n=user,r=a b", .scramSHA1, true, .malformed),
    ("n,,n=us=er,r=x", .scramSHA1, true, .malformed),
    ("n,,n=user=,r=x", .scramSHA1, true, .malformed),
    ("n,x=1,n=user,r=x", .scramSHA1, true, .malformed),
    // A mandatory extension, which must not be ignored.
    ("n,,m=1,n=user,r=x", .scramSHA1, true, .malformed),
    ("n,,n=user\0,r=x", .scramSHA1, true, .malformed),
    ("n,,n=user,r=\(String(repeating: "x", count: 9000))", .scramSHA1, true, .malformed),
  ]

  @Test("A client's first message is accepted or refused, and a refusal is final")
  func first() throws {
    for (message, mechanism, refuses, expected) in Self.firsts {
      var server = try server(mechanism, Self.endPoint, refusesUnbound: refuses)
      #expect(refusal(&server, message) == expected, "\(mechanism) \(message.prefix(60))")
      guard expected != nil else { continue }
      #expect(refusal(&server, "n,,n=user,r=x") == .malformed)
    }
    #expect(try server().user == nil)
    var named = try server()
    _ = try named.received(Array("n,a=x=2Cy,n=a=2Cb=3D,r=x".utf8))
    #expect(named.user == "a,b=" && named.identity == "x,y")
  }

  @Test("Without an end point there is nothing to bind to")
  func noEndPoint() throws {
    for mechanism in SASLMechanism.allCases {
      let server = SCRAMServer(
        mechanism, try Self.pencil.get(), nonce: "ours", endPoint: nil, refusesUnbound: false)
      #expect((server == nil) == [.scramSHA1Plus, .scramSHA256Plus, .plain].contains(mechanism))
    }
  }

  @Test("A client's last message proves that it knows the password, over this very channel")
  func last() throws {
    let first = "p=tls-server-end-point,,n=user,r=theirs"
    let bound = Data(Array("p=tls-server-end-point,,".utf8) + Self.endPoint).base64EncodedString()
    let other = Data(Array("p=tls-server-end-point,,".utf8) + Self.endPoint.reversed())
      .base64EncodedString()
    let proof = Data(repeating: 0, count: 20).base64EncodedString()
    for (message, expected) in [
      ("c=\(bound),r=theirsours,p=\(proof)", SASLRefusal.notAuthorized),
      ("c=\(other),r=theirsours,p=\(proof)", .notAuthorized),
      ("c=biws,r=theirsours,p=\(proof)", .notAuthorized),
      ("c=\(bound),r=theirs,p=\(proof)", .notAuthorized),
      ("c=\(bound),r=theirsours", .malformed), ("c=\(bound),r=theirsours,p=", .malformed),
      ("c=\(bound),r=theirsours,p=???", .malformed), ("r=theirsours,p=\(proof)", .malformed),
      ("", .malformed), ("p=\(proof)", .malformed),
    ] {
      var server = try server(.scramSHA1Plus, Self.endPoint)
      #expect(refusal(&server, first) == nil)
      #expect(refusal(&server, message) == expected, "\(message)")
      #expect(refusal(&server, message) == .malformed)
    }
  }

  @Test("The server's side prints only its type")
  func hidden() throws {
    for (value, name): (any Sendable, String) in [
      (try Self.pencil.get(), "SCRAMVerifier"), (try server(), "SCRAMServer"),
    ] {
      var dumped = ""
      dump(value, to: &dumped)
      #expect(dumped == "- \(name)\n" && "\(value)" == name && String(reflecting: value) == name)
    }
  }

  @Test("A client logs in only with the password, and over the channel that it sees")
  func logins() throws {
    for seed in 0..<60 {
      var random = SeededGenerator(seed: UInt64(seed))
      let binds = Bool.random(using: &random)
      let mechanism: SASLMechanism =
        binds
        ? [.scramSHA1Plus, .scramSHA256Plus][seed % 2] : [.scramSHA1, .scramSHA256][seed % 2]
      let (knows, isSame) = (Int.random(in: 0..<3, using: &random) > 0, seed % 5 != 0)
      let user = ["user", "a,b=c", "曾"].randomElement(using: &random) ?? ""
      let seen: [UInt8] = isSame ? Self.endPoint : Self.endPoint.reversed()
      var client = try SASLExchange(
        offer: SASLOffer(
          mechanisms: [mechanism.rawValue], channelBindings: ["tls-server-end-point"]),
        user: user, password: Password(knows ? "pencil" : "pen"),
        over: binds ? .tls(serverEndPoint: seen) : .plain, allowsPlain: false, nonce: "theirs")
      var server = try server(mechanism, Self.endPoint, refusesUnbound: true)
      let challenge = try server.received(client.initialResponse)
      #expect(server.user == user, "seed \(seed)")
      let response = try client.answered(challenge)
      guard knows, isSame || !binds else {
        #expect(
          refusal(&server, String(decoding: response, as: UTF8.self)) == .notAuthorized,
          "seed \(seed)")
        continue
      }
      try client.succeeded(try server.received(response))
    }
  }
}
