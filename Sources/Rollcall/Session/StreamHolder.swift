package import Captures
import RosterCore
import XMPPStanza
import XMPPStream

// For who holds the stream itself, and so has taken its parts out of the bytes already.
extension RosterSession {
  /// Takes a part of what came from the server; otherwise as `received`.
  package func received(
    _ part: StreamIntake.Part, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(part, .inbound, time)
  }

  /// Records a part of what came from the server that has no place there, such as a push before
  /// anybody has logged in: whoever sent it, it means nothing, now and when the log is read.
  package func refused(
    _ part: StreamIntake.Part, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    guard case .element(let element) = part, element.meansSomething else {
      return try received(part, at: time)
    }
    return try received(
      .unreadable(element.bytes, reason: "it stands where it has no place"), at: time)
  }

  /// Records what became of the connection.
  @discardableResult
  package func note(
    _ lifecycle: Lifecycle, at time: Int64?
  ) throws(RollcallError) -> [SessionStep] {
    try take(lifecycle, time)
  }
}

extension StreamElement {
  /// Whether a roster would go by it.
  fileprivate var meansSomething: Bool {
    var encoder = EventEncoder()
    encoder.encode(node, .inbound)
    return encoder.storedEvent != nil
  }
}
