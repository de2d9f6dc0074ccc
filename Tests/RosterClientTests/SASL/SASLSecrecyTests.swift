import RosterClient
import Testing

@Suite("The secrets of a login") struct SASLSecrecyTests {
  /// A login in each of its states.
  private static func states() throws -> [SASLExchange] {
    let vector = SCRAMVector.rfc5802
    var exchange = try SASLExchange.by(nonce: vector.nonce)
    var states = [exchange]
    _ = try exchange.answered(vector.serverFirst)
    states.append(exchange)
    _ = try exchange.answered(vector.serverFinal)
    states.append(exchange)
    try exchange.succeeded(nil)
    states.append(exchange)
    let plain = try SASLExchange(
      offer: SASLOffer(mechanisms: ["PLAIN"], channelBindings: nil), user: "user",
      password: Password("pencil"), over: .tls(serverEndPoint: nil), allowsPlain: true,
      nonce: "abc")
    return states + [plain]
  }

  @Test("A printed login shows only its type")
  func hidden() throws {
    for exchange in try Self.states() {
      var dumped = ""
      dump(exchange, to: &dumped)
      #expect(dumped == "- SASLExchange\n")
      #expect("\(exchange)" == "SASLExchange")
      #expect(String(reflecting: exchange) == "SASLExchange")
      #expect("\([exchange])" == "[SASLExchange]")
      #expect(Mirror(reflecting: exchange).children.isEmpty)
      #expect(Mirror(reflecting: exchange).superclassMirror == nil)
    }
  }

  @Test("The failure to prepare a password shows neither it nor the character at fault")
  func failures() throws {
    for (password, why): (String, SASLFailure.PreparationProblem) in [
      ("pen\u{7}cil", .forbiddenCharacter), ("pen\u{5D0}cil", .mixedDirections),
      ("\u{AD}", .empty), ("", .empty),
    ] {
      let reason = failure { () throws(SASLFailure) in
        _ = try SASLExchange.by(password: password, nonce: "abc")
      }
      #expect(reason == .unpreparable(.password, why: why))
      #expect(!"\(try #require(reason))".contains("pen"))
    }
    #expect(
      failure { () throws(SASLFailure) in _ = try SASLExchange.by(user: "\u{AD}", nonce: "abc") }
        == .unpreparable(.user, why: .empty))
  }

  @Test("PLAIN cannot carry an empty text, nor one with a zero byte")
  func plain() throws {
    for (user, password, expected): (String, String, SASLFailure) in [
      ("", "pencil", .unpreparable(.user, why: .empty)),
      ("a\0b", "pencil", .unpreparable(.user, why: .forbiddenCharacter)),
      ("ana", "", .unpreparable(.password, why: .empty)),
      ("ana", "pen\0cil", .unpreparable(.password, why: .forbiddenCharacter)),
    ] {
      let reason = failure { () throws(SASLFailure) in
        _ = try SASLExchange(
          offer: SASLOffer(mechanisms: ["PLAIN"], channelBindings: nil), user: user,
          password: Password(password), over: .tls(serverEndPoint: nil), allowsPlain: true,
          nonce: "abc")
      }
      #expect(reason == expected)
    }
  }
}
