/// One login, from the initial response to the server's result (RFC 4422).
///
/// Each mechanism passes through these states only:
///
///     PLAIN  sent > over
///     SCRAM  first > deriving > final > over            the signature comes with the success
///     SCRAM  first > deriving > final > proved > over   the signature comes in a last challenge
///
/// Anything else from the server is a failure, and a failure is final.
package struct SASLExchange: Sendable, Undisclosed {
  package let mechanism: SASLMechanism
  /// The data that is sent with the mechanism's name.
  package let initialResponse: [UInt8]

  private var state: State

  /// What to do after a challenge.
  package enum Step: Hashable, Sendable {
    case respond([UInt8])
    /// The keys have to be passed to `derived`: deriving them takes up to a second, on any thread.
    case derive(SCRAMDerivation)
  }

  private enum State: Sendable, Undisclosed {
    /// The password was sent.
    case sent
    /// The client's first SCRAM message was sent.
    case first(SCRAMFirst)
    /// The keys for the client's last SCRAM message are being derived.
    case deriving(SCRAMLast)
    /// The client's last SCRAM message was sent.
    case final(SCRAMFinal)
    /// The server has proved that it knows the password.
    case proved
    case over
    case failed(SASLFailure)
  }

  /// Chooses a mechanism and begins.
  ///
  /// - Parameters:
  ///   - user: The local part of the account's address.
  ///   - allowsPlain: Whether the password itself may be sent to the server, over TLS.
  ///   - nonce: Fresh, unguessable, printable ASCII without a comma.
  /// - Throws: `SASLFailure` if no mechanism can be used, or if the user name or the password
  ///   cannot be prepared.
  package init(
    offer: SASLOffer, user: String, password: Password, over channel: SASLChannel,
    allowsPlain: Bool, nonce: String
  ) throws(SASLFailure) {
    let choice = try SASLChoice(of: offer, over: channel, allowsPlain: allowsPlain)
    mechanism = choice.mechanism
    guard let hash = choice.mechanism.hash else {
      initialResponse = try Self.plainMessage(user: user, password: password)
      state = .sent
      return
    }
    let first = try SCRAMFirst(
      hash: hash, binding: choice.binding, user: user, password: password, nonce: nonce)
    initialResponse = Array(first.message.utf8)
    state = .first(first)
  }

  /// The server sent a challenge.
  ///
  /// - Throws: `SASLFailure`; every later call then throws it again.
  package mutating func challenged(_ data: [UInt8]) throws(SASLFailure) -> Step {
    do throws(SASLFailure) {
      switch state {
      case .first(let first):
        let last = try first.answered(data)
        state = .deriving(last)
        return .derive(last.derivation)
      case .final(let final):
        try final.check(data)
        state = .proved
        return .respond([])
      case .sent, .deriving, .proved: throw .unexpectedChallenge
      case .over: throw .alreadyOver
      case .failed(let failure): throw failure
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// The keys have been derived, or cannot be.
  ///
  /// - Returns: The response; nil if the exchange no longer waits for the keys.
  package mutating func derived(
    _ keys: Result<SCRAMKeys, SASLFailure>
  ) throws(SASLFailure) -> [UInt8]? {
    guard case .deriving(let last) = state else { return nil }
    do throws(SASLFailure) {
      let (response, final) = last.proved(by: try keys.get())
      state = .final(final)
      return response
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// The server accepted the login; nil and empty data mean the same.
  ///
  /// - Throws: `SASLFailure` if the server did not prove that it knows the password, which every
  ///   mechanism except PLAIN requires.
  package mutating func succeeded(_ data: [UInt8]?) throws(SASLFailure) {
    let data = data ?? []
    do throws(SASLFailure) {
      switch state {
      case .final(let final) where !data.isEmpty: try final.check(data)
      case .first, .deriving, .final: throw .missingServerSignature
      case .sent, .proved:
        guard data.isEmpty else { throw .malformedChallenge("its success adds data to nothing") }
      case .over: throw .alreadyOver
      case .failed(let failure): throw failure
      }
      state = .over
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// RFC 4616 §2: the server prepares both texts, so they are sent as they are.
  private static func plainMessage(
    user: String, password: Password
  ) throws(SASLFailure) -> [UInt8] {
    let user = Array(user.utf8)
    let password = password.withText { Array($0.utf8) }
    for (credential, text) in [(SASLFailure.Credential.user, user), (.password, password)] {
      if text.isEmpty { throw .unpreparable(credential, why: .empty) }
      if text.contains(0) { throw .unpreparable(credential, why: .forbiddenCharacter) }
    }
    return [0] + user + [0] + password
  }
}

extension SASLMechanism {
  /// The hash of SCRAM; nil for PLAIN.
  fileprivate var hash: SCRAMHash? {
    switch self {
    case .scramSHA256Plus, .scramSHA256: .sha256
    case .scramSHA1Plus, .scramSHA1: .sha1
    case .plain: nil
    }
  }
}
