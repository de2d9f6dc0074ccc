import Captures
import RawBytes
import Rollcall
import RosterCore
import XMPPStanza

/// The server of a stream, and whether its certificate was verified.
struct StreamServer: Hashable, Sendable {
  let domain: BareJID
  let isVerified: Bool

  init(domain: BareJID, isVerified: Bool) {
    (self.domain, self.isVerified) = (domain, isVerified)
  }

  /// The server that a lifecycle record names; nil if the record names none.
  init?(_ lifecycle: Lifecycle) {
    switch lifecycle {
    case .verified(let domain): self.init(domain: domain, isVerified: true)
    case .unverified(let domain): self.init(domain: domain, isVerified: false)
    case .header, .connected, .secured, .authenticated, .opened, .resumed, .closed, .recorded:
      return nil
    }
  }

  /// Whether an account is of the server's domain. Claims about other accounts do not count.
  func serves(_ account: BareJID) -> Bool { account.domain.hasSameBytes(as: domain.text) }
}

/// One of the logs that an account can have in a folder.
///
/// Streams with a verified server and streams without are never in one log, because without TLS an
/// attacker in the middle can send anything. The first stream decides which kind the account's main
/// log holds; a log next to it holds the others.
struct LogName: Hashable, Sendable {
  enum Kind: CaseIterable, Sendable {
    /// The account's main log.
    case main
    /// Unverified streams, next to a log of verified ones.
    case plain
    /// Verified streams, next to a log of unverified ones.
    case verified
  }

  /// The kind of streams that the account's main log holds.
  enum Content: CaseIterable, Sendable {
    case nothing, verified, unverified

    init(_ roster: Roster) {
      guard roster.position > 0 else {
        self = .nothing
        return
      }
      self = roster.hasVerifiedStream ? .verified : .unverified
    }
  }

  let account: BareJID
  let kind: Kind

  init(of account: BareJID, _ kind: Kind) { (self.account, self.kind) = (account, kind) }

  /// The log for a stream.
  ///
  /// - Parameters:
  ///   - account: An account of the server's domain.
  ///   - main: What the account's main log holds.
  init(of account: BareJID, isVerified: Bool, main: Content) {
    self.account = account
    kind =
      switch (main, isVerified) {
      case (.nothing, _), (.verified, true), (.unverified, false): .main
      case (.verified, false): .plain
      case (.unverified, true): .verified
      }
  }

  /// The name of its file, unique in the folder.
  var fileName: String {
    switch kind {
    case .main: "\(account.fileName).rollcall"
    case .plain: "\(account.fileName).plain.rollcall"
    case .verified: "\(account.fileName).tls.rollcall"
    }
  }

  /// The server of the streams that it holds.
  ///
  /// - Parameter content: What the account's main log holds.
  func server(_ content: Content) -> StreamServer {
    let isVerified =
      switch kind {
      case .main: content == .verified
      case .plain: false
      case .verified: true
      }
    return StreamServer(domain: BareJID(prepared: account.domain), isVerified: isVerified)
  }
}
