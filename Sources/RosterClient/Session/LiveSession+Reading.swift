import NIOCore
import Rollcall

// Reading from the server, in rounds, each of which is on disk before the next begins.
extension LiveSession {
  /// The most bytes that a round handles: as many as one read usually returns.
  ///
  /// When a connection is closed, NIO reads everything that has arrived on it at once, and each
  /// part that is handled keeps a roster, and perhaps an answer, in memory until it is on disk.
  static let roundBytes = 64 << 10

  func bytesReceived(_ bytes: [UInt8], on number: Int) {
    guard number == connections, ending == nil else { return }
    silence.broken()
    inbox += bytes
    takeInbox()
  }

  private func takeInbox() {
    while ending == nil, allowance > 0, !inbox.isEmpty {
      let piece = Array(inbox.prefix(allowance))
      inbox = inbox.count == piece.count ? [] : inbox.dropFirst(piece.count)
      allowance -= piece.count
      take(piece)
    }
    // If TLS began in this read, `readCompleted` is not called for it.
    if ending != nil { flush() }
  }

  private func take(_ bytes: [UInt8]) {
    let parts = intake.take(bytes)
    for (index, part) in parts.enumerated() {
      let began = machine?.isBeginningTLS ?? false
      guard handle(part) else { return }
      guard !began, machine?.isBeginningTLS == true else { continue }
      if index < parts.count - 1 || !intake.isBetweenElements || !inbox.isEmpty {
        act { $0.injected() }
      }
      intake.reset()
    }
    if machine?.wasLetIn == false, let part = intake.giveUp() { _ = handle(part) }
  }

  /// Handles a part of the server's stream.
  ///
  /// - Returns: Whether further parts are to be handled.
  private func handle(_ part: StreamIntake.Part) -> Bool {
    guard ending == nil, var machine else { return false }
    let isInSession = machine.hadSession
    let result = machine.received(part)
    let isRecorded = record {
      try machine.hasFailed ? session.refused(part, at: now) : session.received(part, at: now)
    }
    guard isRecorded else { return false }
    self.machine = machine
    if let last = pendingSteps.indices.last { pendingSteps[last].isArrival = isInSession }
    let stamp = pendingSteps.last?.step.stamp
    for action in result.actions { carryOut(action, after: stamp) }
    return true
  }

  func readCompleted(on number: Int) {
    guard number == connections else { return }
    if ending == nil { roundEnded() }
    flush()
  }

  private func roundEnded() {
    // Acknowledgements left over from the last connection wait for the login: a resumed session
    // sends them, a new one does not owe them.
    if machine?.isOnline == true {
      for answer in session.acknowledgements { send(answer.bytes) }
    }
    wantsRead = true
  }

  func disconnected(_ failure: LiveFailure, on number: Int) {
    guard number == connections, ending == nil else { return }
    if inbox.isEmpty {
      act { $0.disconnected(failure) }
    } else {
      // The bytes that arrived before the end are handled first.
      pendingLoss = pendingLoss ?? failure
      wantsRead = true
    }
    flush()
  }

  /// Handles the next round of received bytes, or reads more.
  ///
  /// Does neither while the server does not read: the server could otherwise fill the memory with
  /// the answers to its requests.
  func readNextRound() {
    guard let channel else { return }
    // A lost connection has nothing left to write.
    waitsForWriting = pendingLoss == nil && !channel.isWritable
    guard !waitsForWriting else { return }
    allowance = Self.roundBytes
    if !inbox.isEmpty {
      takeInbox()
      if ending == nil { roundEnded() }
    } else if let pendingLoss {
      act { $0.disconnected(pendingLoss) }
    } else {
      channel.read()
    }
  }

  /// The channel became writable, or is no longer.
  func writabilityChanged(on number: Int) {
    guard number == connections, waitsForWriting, ending == nil else { return }
    readNextRound()
    flush()
  }

  /// Drops the unhandled bytes of a connection that has ended.
  func clearInbox() { (inbox, allowance, pendingLoss) = ([], Self.roundBytes, nil) }
}

extension ClientMachine {
  /// Whether the next byte has to be part of the TLS handshake.
  fileprivate var isBeginningTLS: Bool { if case .handshake = state { true } else { false } }
}
