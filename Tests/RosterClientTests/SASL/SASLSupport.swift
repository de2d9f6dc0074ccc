import RosterClient

/// The messages of an exchange as text.
extension SASLExchange {
  /// An exchange by one mechanism over a plain connection, so that its first message says `n,,`.
  static func by(
    _ mechanism: SASLMechanism = .scramSHA1, user: String = "user", password: String = "pencil",
    nonce: String
  ) throws(SASLFailure) -> SASLExchange {
    try SASLExchange(
      offer: SASLOffer(mechanisms: [mechanism.rawValue], channelBindings: nil), user: user,
      password: Password(password), over: .plain, allowsPlain: false, nonce: nonce)
  }

  var initialText: String { String(decoding: initialResponse, as: UTF8.self) }

  /// The response to a challenge, deriving the keys if needed.
  mutating func answered(_ data: [UInt8]) throws(SASLFailure) -> [UInt8] {
    switch try challenged(data) {
    case .respond(let response): return response
    case .derive(let derivation):
      let keys = Result { () throws(SASLFailure) in try derivation.keys() }
      return try derived(keys) ?? []
    }
  }

  mutating func answered(_ text: String) throws(SASLFailure) -> String {
    String(decoding: try answered(Array(text.utf8)), as: UTF8.self)
  }

  mutating func succeeded(_ text: String) throws(SASLFailure) {
    try succeeded(Array(text.utf8))
  }
}

/// The failure that a call throws; nil if it throws none.
func failure(_ call: () throws(SASLFailure) -> Void) -> SASLFailure? {
  do throws(SASLFailure) {
    try call()
    return nil
  } catch {
    return error
  }
}
