import RosterClient
import Testing

@Suite("Logins at GNU SASL", .enabled(if: GSASL() != nil, "needs Debian's package libgsasl18"))
struct GSASLTests {
  private static let passwords = [
    "pencil", "p", "a=b,c", "I\u{AD}X", "\u{2168} \u{A0}", "陈庆", "e\u{301}",
    "\u{5D0}\u{5D1}", String(repeating: "long ", count: 60),
  ]

  /// Logs in, and returns whether the server accepts; throws if the client does not.
  private static func logIn(
    _ mechanism: SASLMechanism, user: String, password: String, known: String
  ) throws -> Bool {
    let gsasl = try #require(GSASL())
    var exchange = try SASLExchange(
      offer: SASLOffer(mechanisms: [mechanism.rawValue], channelBindings: nil), user: user,
      password: Password(password), over: .tls(serverEndPoint: nil), allowsPlain: false,
      nonce: "pYe6zzGDs7xY4bCdYn0c")
    var answered = 0
    return try gsasl.serve(mechanism.rawValue, password: known) { message in
      answered += 1
      switch answered {
      case 1: return exchange.initialResponse
      case 2: return try exchange.answered(message ?? [])
      default:
        try exchange.succeeded(message)
        return nil
      }
    }
  }

  @Test(
    "A client with the password logs in, and the server proves that it knows it",
    arguments: [SASLMechanism.scramSHA256, .scramSHA1])
  func right(_ mechanism: SASLMechanism) throws {
    for password in Self.passwords {
      for user in ["ana", "a,b=c", "zoë"] {
        #expect(
          try Self.logIn(mechanism, user: user, password: password, known: password),
          "\(user), \(password)")
      }
    }
  }

  @Test(
    "A client without the password does not log in",
    arguments: [SASLMechanism.scramSHA256, .scramSHA1])
  func wrong(_ mechanism: SASLMechanism) throws {
    for password in Self.passwords {
      #expect(
        try !Self.logIn(mechanism, user: "ana", password: password, known: password + "!"),
        "\(password)")
    }
  }
}
