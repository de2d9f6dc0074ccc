import Rollcall

/// An address book that follows the server.
final class AddressBook {
  private let session: RosterSession
  private let socket: any Socket

  init(log: String, socket: any Socket) throws {
    session = try RosterSession(recordingTo: log)
    self.socket = socket
  }

  /// Reads the socket until it is closed.
  func run() async throws {
    for await piece in socket.pieces {
      for step in try session.received(piece, at: now()) { try follow(step) }
      for answer in session.acknowledgements { try send(answer.bytes) }
    }
    try session.closed(at: now())
    try await session.durable()
  }

  /// Once a session is bound, fetches the roster and sends presence.
  private func follow(_ step: SessionStep) throws {
    for finding in step.outcome.findings { print(finding.sentence) }
    let isOnline = step.outcome.changes.contains {
      $0.values == .connected(before: false, after: true)
    }
    guard isOnline else { return }
    try perform(.fetch)
    try send(Array("<presence/>".utf8))
  }

  /// Carries out what the user does: `.add`, `.accept`, `.reject`, `.remove`, `.rename`, …
  func perform(_ command: RosterCommand) throws {
    for element in try session.decide(command).elements { try send(element.bytes) }
  }

  /// Records the bytes, then sends them.
  func send(_ bytes: [UInt8]) throws {
    try session.sent(bytes, at: now())
    socket.write(bytes)
  }

  /// The friends, by letter, and the requests of those who want to become friends.
  var screen: ScreenUpdates<Bool> { session.screens() }
}
