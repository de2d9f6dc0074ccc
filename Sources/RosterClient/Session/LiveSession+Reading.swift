import NIOCore
import Rollcall

// What the server sends. It is taken in rounds, each of which is on the disk before the next.
extension LiveSession {
  /// How many bytes a round takes: as many as one read usually brings.
  ///
  /// When a connection is closed, NIO reads everything that has come on it at once, and each part
  /// that is taken keeps a roster, and perhaps an answer, in memory until it is on the disk.
  static let round = 64 << 10

  func heard(_ bytes: [UInt8], on number: Int) {
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
    // TLS that has begun in this read keeps the read's end to itself.
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

  /// Takes a part of the server's stream.
  ///
  /// - Returns: False if nothing more is taken.
  private func handle(_ part: StreamIntake.Part) -> Bool {
    guard ending == nil, var machine else { return false }
    let result = machine.received(part)
    let isRecorded = record {
      try machine.hasFailed ? session.refused(part, at: now) : session.received(part, at: now)
    }
    guard isRecorded else { return false }
    self.machine = machine
    for action in result.actions { carryOut(action) }
    return true
  }

  func heardAll(on number: Int) {
    guard number == connections else { return }
    if ending == nil { roundEnded() }
    flush()
  }

  private func roundEnded() {
    // Acknowledgements left from the last connection wait for the login: a resumed session sends
    // them, a new one does not owe them.
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
      // The bytes that came before the end are taken first.
      loss = loss ?? failure
      wantsRead = true
    }
    flush()
  }

  /// Takes the next round of what has come, or reads.
  ///
  /// While the server does not read, neither happens: it could otherwise fill the memory with the
  /// answers to what it asks.
  func readOn() {
    guard let channel else { return }
    // Nothing waits to be written to a connection that is gone.
    waitsForWriting = loss == nil && !channel.isWritable
    guard !waitsForWriting else { return }
    allowance = Self.round
    if !inbox.isEmpty {
      takeInbox()
      if ending == nil { roundEnded() }
    } else if let loss {
      act { $0.disconnected(loss) }
    } else {
      channel.read()
    }
  }

  /// The server takes what is written again, or no longer.
  func writabilityChanged(on number: Int) {
    guard number == connections, waitsForWriting, ending == nil else { return }
    readOn()
    flush()
  }

  /// Drops what came on a connection that is over.
  func forgetInbox() { (inbox, allowance, loss) = ([], Self.round, nil) }
}

extension ClientMachine {
  /// Whether what is read next has to be in TLS.
  fileprivate var isBeginningTLS: Bool { if case .handshake = state { true } else { false } }
}
