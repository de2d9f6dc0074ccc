import Foundation

/// What is wrong with a server's certificate, so that the connection was not used.
public enum CertificateFault: Hashable, Sendable {
  /// Its validity ended at this time, in milliseconds since 1970 (RFC 5280 §4.1.2.5).
  case expired(at: Int64)
  /// Its validity begins at this time, in milliseconds since 1970.
  case notYetValid(before: Int64)
  /// It is for other names than the account's domain (RFC 9525 §6). A clause with both: `is for
  /// other.test, not for example.test`.
  case otherNames(String)
  /// Its purposes do not include servers (RFC 5280 §4.2.1.12).
  case notForServers
  /// It is signed with its own key, and it is not among the trusted certificates.
  case selfSigned
  /// No trusted authority vouches for it. With the name of the authority that signed it, if it has
  /// a name.
  case untrusted(issuer: String?)
  /// It cannot be read.
  case unreadable
}

extension CertificateFault: CustomStringConvertible {
  /// A clause whose subject is the certificate, for a person. Days are those of UTC.
  public var description: String {
    switch self {
    case .expired(let time): "expired on \(Self.day(time))"
    case .notYetValid(let time):
      "is not valid before \(Self.day(time)): check the clock of this machine"
    case .otherNames(let clause): clause
    case .notForServers: "is not for servers"
    case .selfSigned: "is signed by itself and not among the trusted certificates"
    case .untrusted(let issuer?):
      "is signed by “\(issuer)”, for which no authority vouches that is trusted here"
    case .untrusted(nil): "is not signed by an authority that is trusted here"
    case .unreadable: "cannot be read"
    }
  }

  private static func day(_ time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time) / 1000)
      .formatted(.iso8601.year().month().day())
  }
}
