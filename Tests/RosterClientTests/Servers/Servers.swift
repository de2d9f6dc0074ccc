import TestSupport
import Testing

/// The kinds of servers to test with.
enum Servers: String, CaseIterable, CustomTestStringConvertible {
  case prosody, ejabberd

  static var arePossible: Bool { Prosody.isPossible && Ejabberd.isPossible }

  var testDescription: String { rawValue }

  func make(isQuiet: Bool = false, tap: TapOptions? = nil) throws -> any RealServer {
    switch self {
    case .prosody: try Prosody(isQuiet: isQuiet, tap: tap)
    case .ejabberd: try Ejabberd(isQuiet: isQuiet, tap: tap)
    }
  }
}

/// One server of each kind, shared by all tests that need none of their own.
actor SharedServers {
  static let all = SharedServers()

  private var beginning: [Servers: Task<any RealServer, any Error>] = [:]

  /// The server, which is started on first use.
  func server(_ kind: Servers) async throws -> any RealServer {
    if let begun = beginning[kind] { return try await begun.value }
    let task = Task {
      let server = try kind.make(isQuiet: true)
      try await server.start()
      return server
    }
    beginning[kind] = task
    return try await task.value
  }

  func stop() async {
    for task in beginning.values { try? await task.value.stop() }
    beginning = [:]
  }
}

/// Stops a suite's shared servers after its last test.
struct ServerSharing: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    do {
      try await function()
    } catch {
      await SharedServers.all.stop()
      throw error
    }
    await SharedServers.all.stop()
  }
}

extension Trait where Self == ServerSharing {
  static var sharedServers: Self { Self() }
}
