#if Inspect
  import Foundation
  import Hummingbird
  import HummingbirdCore
  import InspectorCore
  import Logging
  import NIOCore
  import NIOPosix
  import RollcallCLI
  import UnixSignals

  /// The sockets of the inspector: passes requests through the gate to the inspector, and answers
  /// with the page.
  struct InspectorServer: Sendable {
    /// The most connections at a time.
    private static let connectionLimit = 64
    /// The longest that a connection may be silent, in seconds.
    private static let idleTimeout: Int64 = 30
    /// The most bytes of a request's headers, and the most headers.
    private static let headerBytes = 8 << 10
    private static let headerCount = 40

    private let inspector: Inspector
    private let key: AccessKey

    init(_ inspector: Inspector, key: AccessKey) {
      self.inspector = inspector
      self.key = key
    }

    /// Serves until the process is asked to end.
    ///
    /// - Parameters:
    ///   - port: The port of the loopback address; 0 for any free one.
    ///   - onReady: Is given the address of the page, with the key.
    /// - Throws: `Failure` if the port cannot be used.
    func run(port: Int, onReady: @escaping @Sendable (String) -> Void) async throws {
      let responder = InspectorResponder(inspector)
      let key = key
      let app = Application(
        responder: responder,
        server: .http1(
          configuration: .init(
            idleTimeout: .seconds(Self.idleTimeout),
            httpDecoderConfiguration: .init(
              maxHeaderFieldSize: Self.headerBytes, maxHeaderListSize: Self.headerBytes,
              maxHeaderFieldCount: Self.headerCount))),
        configuration: ApplicationConfiguration(
          address: .hostname("127.0.0.1", port: port),
          availableConnectionsDelegate: MaximumAvailableConnections(Self.connectionLimit)),
        onServerRunning: { channel in
          let port = channel.localAddress?.port ?? port
          responder.begin(Gate(port: port, key: key))
          onReady("http://127.0.0.1:\(port)/#key=\(key.text)")
        },
        logger: Logger(label: "rollcall") { _ in SwiftLogNoOpLogHandler() })
      do {
        try await app.runService(gracefulShutdownSignals: [.sigterm, .sigint])
      } catch let error as IOError where error.errnoCode == EADDRINUSE {
        throw Failure("port \(port) is in use: choose another with --port, or leave it out")
      }
    }
  }
#endif
