import NIOCore
import Rollcall
import RosterClient

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
  /// The address at which its server was reached.
  var serverAddress: ServerAddress?
  /// Where TLS is beginning.
  var securing: Set<ProxySide> = []
  /// The hash of the certificate that the client is shown.
  var endPoint: [UInt8]?
  /// Goes on with a handshake of the client's that waits for the server.
  var hello: EventLoopPromise<Void>?
  var timer: Scheduled<Void>?
  var failure: ProxyFailure?
  var isClosing = false
  /// How late the disk is with what was handed over.
  var watch = WriteWatch()

  init(
    _ number: Int, _ client: any Channel, _ recording: ConnectionRecording,
    _ machine: ProxyMachine, _ limits: SessionLimits
  ) {
    (self.number, self.recording, self.machine) = (number, recording, machine)
    channels = [.client: client]
    intakes = [.client: ProxyIntake(limits), .server: ProxyIntake(limits)]
  }

  /// How many bytes wait here: for the rest of their element, for the disk, or for a side that
  /// takes none.
  var heldBytes: Int {
    let waiting = outputs.reduce(0) { sum, output in
      if case .bytes(_, let bytes) = output { sum + bytes.count } else { sum }
    }
    let unwritten = channels.values.reduce(0) { sum, channel in
      sum + ((try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
    }
    return intakes.values.reduce(waiting + unwritten + recording.heldBytes) { $0 + $1.heldBytes }
  }

  /// Closes both sides at once.
  func abandon() {
    for channel in channels.values { channel.close(promise: nil) }
  }
}
