public import Rollcall

/// The account that logs in, and the server to log in to.
public struct LiveLogin: Sendable {
  /// The account.
  public var account: BareJID
  /// Its password.
  public var password: Password
  /// The resource to ask for (RFC 6120 §7.6); nil for one that the server chooses.
  public var resource: String?
  /// The server to connect to; nil to look up the server of the account's domain (RFC 6120 §3.2).
  /// The certificate has to be the domain's in either case.
  public var server: ServerAddress?
  /// A file of PEM certificates to trust in addition to the system's roots.
  public var authority: String?
  /// Whether the password itself may be sent, inside TLS (PLAIN), if the server offers nothing
  /// better. The server then learns the password.
  public var allowsPlain = false
  /// Whether to create the account first (XEP-0077).
  public var registers = false

  /// A login of an account.
  public init(account: BareJID, password: Password) {
    self.account = account
    self.password = password
  }
}
