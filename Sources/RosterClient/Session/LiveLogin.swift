public import Rollcall

/// Who logs in, and where.
public struct LiveLogin: Sendable {
  /// The account.
  public var account: BareJID
  /// Its password.
  public var password: Password
  /// The resource to ask for (RFC 6120 §7.6); nil for one that the server chooses.
  public var resource: String?
  /// The server to connect to; nil to look up that of the account's domain (RFC 6120 §3.2). The
  /// certificate has to be the domain's in either case.
  public var server: ServerAddress?
  /// A file of PEM certificates that are trusted beside the system's roots.
  public var authority: String?
  /// Whether the password may be sent as it is (PLAIN), inside TLS, where the server offers nothing
  /// better. It then learns the password itself.
  public var allowsPlain = false
  /// Whether the account is made first (XEP-0077).
  public var registers = false

  /// A login of an account.
  public init(account: BareJID, password: Password) {
    self.account = account
    self.password = password
  }
}
