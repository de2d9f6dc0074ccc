import NIOCore
import Rollcall
import RosterClient

/// The state of one client's connection through the proxy.
///
/// Not thread-safe: used only on the proxy's thread.
final class ProxiedConnection {
  /// An effect of the machine. If the proxy is durable, it waits until everything before it is on
  /// disk.
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
  /// The sides whose bytes have all been passed on, so that they may be read from again.
  var wantsRead: Set<ProxySide> = [.client]
  /// The address at which the server was reached.
  var serverAddress: ServerAddress?
  /// The sides on which a TLS handshake is running.
  var securing: Set<ProxySide> = []
  /// The hash of the certificate that is presented to the client.
  var endPoint: [UInt8]?
  /// Resumes a handshake of the client that waits for the server.
  var hello: EventLoopPromise<Void>?
  var timer: Scheduled<Void>?
  var end: ProxyEnd?
  var isClosing = false
  /// Measures how long recorded data waits for the disk.
  var watch = WriteWatch()

  init(
    _ number: Int, _ client: any Channel, _ recording: ConnectionRecording,
    _ machine: ProxyMachine, _ limits: SessionLimits
  ) {
    (self.number, self.recording, self.machine) = (number, recording, machine)
    channels = [.client: client]
    intakes = [.client: ProxyIntake(limits), .server: ProxyIntake(limits)]
  }

  /// The number of bytes that wait here: for the rest of their element, for the disk, or for a side
  /// that does not read.
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
