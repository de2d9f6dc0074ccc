import NIOSSL

/// Why TLS did not begin, or broke off, for another reason than the server's certificate.
public enum HandshakeFault: Hashable, Sendable {
  /// The other side ended it with an alert, with the alert's name in TLS, such as `unknown_ca` (RFC
  /// 8446 §6); nil for an alert that was sent so early or late that it could not be decrypted.
  case alert(String?)
  /// The other side closed the connection.
  case closed
  /// What the other side sent is not TLS.
  case notTLS
  /// The two sides have no version of TLS, cipher or signature algorithm in common.
  case nothingInCommon
  /// TLS failed for another reason.
  case failed

  /// A sentence without a period.
  ///
  /// - Parameter peer: The other side, such as `server`.
  package func sentence(about peer: String) -> String {
    switch self {
    case .alert(let name?): "the \(peer) ended TLS with the alert \(name)"
    case .alert(nil): "the \(peer) ended TLS with an alert"
    case .closed: "the \(peer) closed the connection while TLS was to begin"
    case .notTLS: "what the \(peer) sent where TLS was to begin is not TLS"
    case .nothingInCommon: "the \(peer) supports no version or cipher of TLS that is accepted here"
    case .failed: "TLS with the \(peer) failed"
    }
  }

  /// Whether the other side said that it does not trust our certificate (RFC 8446 §6.2).
  package var isDistrust: Bool {
    guard case .alert(let name?) = self else { return false }
    return Self.distrust.contains(name)
  }

  private static let distrust: Set<String> = [
    "no_certificate", "bad_certificate", "unsupported_certificate", "certificate_revoked",
    "certificate_expired", "certificate_unknown", "unknown_ca", "access_denied",
  ]
}

// NIOSSL tells the reasons of BoringSSL only in a text. The names of the reasons in it are
// BoringSSL's interface; everything else in the text stays out of sight.
extension HandshakeFault {
  /// The fault that an error of BoringSSL amounts to; nil if it refused the certificate.
  init?(_ error: BoringSSLError) {
    switch error {
    case .zeroReturn, .syscallError: self = .closed
    case .sslError(let stack) where stack.contains(.eofDuringHandshake): self = .closed
    case .sslError(let stack), .unknownError(let stack):
      let texts = stack.map(\.description).joined(separator: "\n")
      self.init(reasons: texts.matches(of: /OPENSSL_internal:([A-Z0-9_]+)/).map { String($0.1) })
    case .noError, .wantRead, .wantWrite, .wantConnect, .wantAccept, .wantX509Lookup,
      .wantCertificateVerify, .invalidSNIName, .failedToSetALPN:
      self = .failed
    }
  }

  /// The fault that reasons of BoringSSL (`SSL_R_…`) amount to; nil if it refused the certificate.
  init?(reasons: [String]) {
    if reasons.contains("CERTIFICATE_VERIFY_FAILED") { return nil }
    self = reasons.compactMap { HandshakeFault(reason: $0) }.first ?? .failed
  }

  private init?(reason: String) {
    for prefix in ["SSLV3_ALERT_", "TLSV1_ALERT_", "TLSV1_"] where reason.hasPrefix(prefix) {
      self = .alert(reason.dropFirst(prefix.count).lowercased())
      return
    }
    switch reason {
    // An alert that is sent unencrypted where TLS 1.3 encrypts is too short to be decrypted.
    case "BAD_PACKET_LENGTH": self = .alert(nil)
    case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST": self = .notTLS
    case "UNSUPPORTED_PROTOCOL", "NO_SHARED_CIPHER", "NO_SHARED_GROUP",
      "NO_COMMON_SIGNATURE_ALGORITHMS", "WRONG_SSL_VERSION", "UNKNOWN_PROTOCOL":
      self = .nothingInCommon
    default: return nil
    }
  }
}
