#if Inspect
  import Foundation
  import Hummingbird
  import HummingbirdCore
  import InspectorCore
  import Logging
  import NIOCore
  import NIOPosix
  import RollcallCLI
  import ServiceLifecycle
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

    private let responder: InspectorResponder
    private let key: AccessKey

    init(_ inspector: Inspector, key: AccessKey) {
      responder = InspectorResponder(inspector)
      self.key = key
    }

    /// Serves until the process is asked to end.
    ///
    /// - Parameters:
    ///   - port: The port of the loopback address; 0 for any free one.
    ///   - alsoIPv6: Whether to listen on `::1`, too, on the same port.
    ///   - onReady: Is given the address of the page, with the key.
    /// - Throws: `Failure` if the port cannot be used.
    func run(
      port: Int, alsoIPv6: Bool, onReady: @escaping @Sendable (String) -> Void
    ) async throws {
      let (ports, continuation) = AsyncStream<Int>.makeStream()
      let key = key
      let ready = { @Sendable (port: Int) in onReady("http://127.0.0.1:\(port)/#key=\(key.text)") }
      var services: [any Service] = [
        listener("127.0.0.1", port) { port in
          responder.begin(Gate(port: port, key: key))
          // The address is printed when both are served.
          if alsoIPv6 { continuation.yield(port) } else { ready(port) }
        }
      ]
      if alsoIPv6 {
        services.append(
          Following(ports: ports) { port in listener("::1", port) { ready($0) } })
      }
      let group = ServiceGroup(
        configuration: .init(
          services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: Self.logger))
      do {
        try await group.run()
      } catch let error as IOError {
        throw Self.explained(error, port: port)
      }
    }

    private static var logger: Logger {
      Logger(label: "rollcall") { _ in SwiftLogNoOpLogHandler() }
    }

    /// The sockets of one address.
    private func listener(
      _ host: String, _ port: Int, _ onPort: @escaping @Sendable (Int) -> Void
    ) -> some Service {
      Application(
        responder: responder,
        server: .http1(
          configuration: .init(
            additionalChannelHandlers: [WriteDeadline()],
            idleTimeout: .seconds(Self.idleTimeout),
            httpDecoderConfiguration: .init(
              maxHeaderFieldSize: Self.headerBytes, maxHeaderListSize: Self.headerBytes,
              maxHeaderFieldCount: Self.headerCount))),
        configuration: ApplicationConfiguration(
          address: .hostname(host, port: port),
          availableConnectionsDelegate: MaximumAvailableConnections(Self.connectionLimit)),
        onServerRunning: { channel in onPort(channel.localAddress?.port ?? port) },
        logger: Self.logger)
    }

    /// What the user can do about an address that cannot be used; the error itself if nothing is
    /// known.
    private static func explained(_ error: IOError, port: Int) -> any Error {
      switch error.errnoCode {
      case EADDRINUSE where port == 0:
        Failure("the port is in use on ::1: try again, or leave out --ipv6")
      case EADDRINUSE:
        Failure("port \(port) is in use: choose another with --port, or leave it out")
      case EADDRNOTAVAIL, EAFNOSUPPORT:
        Failure("this machine has no address ::1: leave out --ipv6")
      default: error
      }
    }
  }

  /// A service that begins when its port is known.
  private struct Following<Followed: Service>: Service {
    let ports: AsyncStream<Int>
    let make: @Sendable (Int) -> Followed

    func run() async throws {
      for try await port in ports.cancelOnGracefulShutdown() {
        try await make(port).run()
        return
      }
    }
  }
#endif
