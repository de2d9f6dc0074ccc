import NIOCore
import Rollcall

// What comes from the server: no more of it is taken at a time than is then put on the disk.
extension LiveSession {
  /// How many bytes are taken before what was taken is on the disk.
  ///
  /// It is what one read brings. When a connection is closed, everything that has come on it is
  /// read at once, and each part that is taken keeps a roster and perhaps an answer.
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
    let actions = machine.received(part)
    let isRecorded = record {
      try machine.hasFailed ? session.refused(part, at: now) : session.received(part, at: now)
    }
    guard isRecorded else { return false }
    self.machine = machine
    for action in actions { carryOut(action) }
    return true
  }

  func heardAll(on number: Int) {
    guard number == connections else { return }
    if ending == nil { roundEnded() }
    flush()
  }

  private func roundEnded() {
    // What the connection before owed waits until somebody is let in: for the session that goes
    // on, since a new one owes it to nobody.
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
      // What came before it is taken first.
      loss = loss ?? failure
      wantsRead = true
    }
    flush()
  }

  /// Goes on with what has come, or reads, unless the server does not take what is written: else it
  /// could have the answers pile up to all that it asks. Then reading waits until writing does not.
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

  /// What has come on one connection is nothing to another.
  func forgetInbox() { (inbox, allowance, loss) = ([], Self.round, nil) }
}

extension ClientMachine {
  /// Whether what is read next has to be in TLS.
  fileprivate var isBeginningTLS: Bool { if case .handshake = state { true } else { false } }
}
