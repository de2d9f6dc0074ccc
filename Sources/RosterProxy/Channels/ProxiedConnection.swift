import NIOCore
import Rollcall

/// What a proxy holds of one client's connection.
///
/// Not thread-safe: its proxy keeps it on its thread.
final class ProxiedConnection {
  /// What is done once all before it is on the disk, where that is asked for.
  enum Output {
    case bytes(to: ProxySide, [UInt8])
    case tls(on: ProxySide, domain: String)
    case finish
  }

  let number: Int
  let recording: ConnectionRecording
  var machine: ProxyMachine
  var intakes: [ProxySide: ProxyIntake]
  var channels: [ProxySide: any Channel]
  var outputs: [Output] = []
  var isFlushing = false
  /// Whose bytes are all passed on, and who may be read from again.
  var wantsRead: Set<ProxySide> = [.client]
  /// Goes on with a handshake of the client's that waits for the server.
  var hello: EventLoopPromise<Void>?
  var timer: Scheduled<Void>?
  var failure: ProxyFailure?
  var isClosing = false
  /// Whether it is being looked at that what was handed over gets to the disk.
  var isChecking = false

  init(
    _ number: Int, _ client: any Channel, _ recording: ConnectionRecording,
    _ machine: ProxyMachine, _ limits: SessionLimits
  ) {
    (self.number, self.recording, self.machine) = (number, recording, machine)
    channels = [.client: client]
    intakes = [.client: ProxyIntake(limits), .server: ProxyIntake(limits)]
  }

  /// Closes both sides at once.
  func abandon() {
    for channel in channels.values { channel.close(promise: nil) }
  }
}
