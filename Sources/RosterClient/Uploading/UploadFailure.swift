public import Rollcall

/// Why a file could not be uploaded (XEP-0363).
public enum UploadFailure: Error, Hashable, Sendable {
  /// The server has no service that takes files.
  case notOffered
  /// The file has no bytes.
  case empty
  /// The file has more bytes than the service takes; nil if it did not say how many it takes.
  case tooLarge(size: Int, limit: Int?)
  /// The service gave no place for the file, with the reason.
  case slotRefused(StanzaError)
  /// The place that the service gave cannot be used; a clause says why.
  case unfitSlot(String)
  /// The host of the place cannot be connected to.
  case unreachable(host: String, reason: String)
  /// The host's certificate is not valid, not the host's, or not from a trusted authority.
  case certificate(host: String, CertificateFault)
  /// TLS with the host could not begin, or broke off, for another reason.
  case handshake(host: String, HandshakeFault)
  /// The host refused the file, with this status of HTTP (RFC 9110 §15).
  case refused(host: String, status: Int)
  /// The host pointed to another address, which is not followed, because the place was granted at
  /// this one only.
  case redirected(host: String)
  /// The host took or answered nothing for too long.
  case timeout(host: String)
  /// The connection to the host was lost.
  case lost(host: String, reason: String)
}

extension UploadFailure: CustomStringConvertible {
  /// A sentence for a person, without a period.
  public var description: String {
    switch self {
    case .notOffered: "the server does not take files (XEP-0363)"
    case .empty: "the file is empty"
    case .tooLarge(let size, let limit?):
      "the file has \(size) bytes, and the server takes at most \(limit)"
    case .tooLarge(let size, nil): "the file, with \(size) bytes, is too large for the server"
    case .slotRefused(let error): "the server gives no place for the file (\(error))"
    case .unfitSlot(let clause): "the server's place for the file cannot be used: \(clause)"
    case .unreachable(let host, let reason):
      "\(host), where the file goes, cannot be reached: \(reason)"
    case .certificate(let host, let fault):
      "the certificate of \(host), where the file goes, \(fault)"
    case .handshake(let host, let fault): fault.sentence(about: "host \(host)")
    case .refused(let host, let status): "\(host) refuses the file (HTTP status \(status))"
    case .redirected(let host): "\(host) points to another address, which is not followed"
    case .timeout(let host): "\(host) did not take the file in time"
    case .lost(let host, let reason): "the connection to \(host) was lost: \(reason)"
    }
  }
}
