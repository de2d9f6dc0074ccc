package import Captures
import EventStore
import RawBytes
package import RosterCore

extension Lifecycle {
  /// What it means to the roster; nil where that is nothing: until there is a session, how the
  /// stream came about does not matter.
  package var event: RosterEvent? {
    switch self {
    case .connected, .secured, .authenticated: nil
    case .header(let account, let inboundOnly):
      .session(.captureBegan(account: account, inboundOnly: inboundOnly))
    case .opened(let jid): .session(.opened(jid))
    case .resumed(let jid): .session(.resumed(jid))
    case .closed: .session(.closed(isLost: true))
    }
  }
}

extension RecordKind {
  /// Whether a record of this kind is the first line of a capture, which is about the capture that
  /// it stands in, and about no stream.
  func isCaptureHeader(_ bytes: RawSpan) -> Bool {
    guard self == .lifecycle else { return false }
    guard case .header = Lifecycle([UInt8](bytes)) else { return false }
    return true
  }
}
