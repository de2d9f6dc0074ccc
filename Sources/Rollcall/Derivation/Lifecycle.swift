package import Captures
import EventStore
import RawBytes
package import RosterCore

extension Lifecycle {
  /// The event for the roster; nil if there is none. Before a session begins, only the server's
  /// identity matters.
  package var event: SessionEvent? {
    switch self {
    case .connected, .authenticated, .recorded: nil
    // Rollcall's own recorders verify every certificate.
    case .secured: .serverIdentified(domain: nil, isVerified: true)
    case .verified(let domain): .serverIdentified(domain: domain, isVerified: true)
    case .unverified(let domain): .serverIdentified(domain: domain, isVerified: false)
    case .header(let account, let inboundOnly):
      .captureBegan(account: account, inboundOnly: inboundOnly)
    case .opened(let jid): .opened(jid)
    case .resumed(let jid): .resumed(jid)
    case .closed: .closed(isLost: true)
    }
  }
}

extension Lifecycle {
  /// The kind of its record.
  var kind: RecordKind {
    if case .recorded = self { .policy } else { .lifecycle }
  }
}

extension RecordKind {
  /// Whether a record of this kind is the first line of a capture, which describes the capture and
  /// not a stream.
  func isCaptureHeader(_ bytes: RawSpan) -> Bool {
    guard self == .lifecycle else { return false }
    guard case .header = Lifecycle([UInt8](bytes)) else { return false }
    return true
  }
}
