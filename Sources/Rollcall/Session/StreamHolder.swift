package import Captures
import RosterCore
import XMPPStanza
import XMPPStream

// For callers that parse the stream themselves and have already extracted its parts.
extension RosterSession {
  /// Records a part of what came from the server; otherwise like `received`.
  package func received(
    _ part: StreamIntake.Part, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(part, .inbound, time)
  }

  /// Records a part of what came from the server that is not allowed at this point, such as a push
  /// before login. It has no effect, now or when the log is read.
  package func refused(
    _ part: StreamIntake.Part, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    guard case .element(let element) = part, element.meansSomething else {
      return try received(part, at: time)
    }
    return try received(
      .unreadable(element.bytes, reason: "it stands where it has no place"), at: time)
  }

  /// Records a lifecycle event of the connection.
  @discardableResult
  package func note(
    _ lifecycle: Lifecycle, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(lifecycle, time)
  }
}

extension StreamElement {
  /// Whether the event can affect a roster. A refused login and a stream error cannot, and may come
  /// before login.
  fileprivate var meansSomething: Bool {
    var encoder = EventEncoder()
    encoder.encode(node, .inbound)
    guard let event = encoder.storedEvent else { return false }
    switch try? RosterEvent(stored: event) {
    case .session(.loginFailed), .session(.streamFailed): return false
    case .session, .stanza, .annotation, nil: return true
    }
  }
}
