import XMPPStanza

// Requests that come back after they were answered, and those that never end.
extension Reduction {
  /// A request came that we had answered: the answer was lost, or not taken.
  mutating func reportReturn(_ number: ContactNumber) {
    guard let details = roster.contacts.details(of: number), let end = details.lastEnded,
      !details.endIsConfirmedByRoster
    else { return }
    switch end.way {
    case .accepted, .denied:
      report(
        .subscription(.returned(after: end.way)), about: number,
        cause: end.at.record)
    case .withdrawn, .acceptedElsewhere: break
    }
  }

  mutating func reportDenial(ofRequestSince since: RecordStamp, _ number: ContactNumber) {
    let rounds = roster.contacts.details(of: number)?.ownRounds
    // A loop was told once, with all that follows.
    guard (rounds?.count ?? 0) < Rounds.loop else { return }
    report(
      .subscription(.denied), about: number,
      cause: since.record)
  }

  /// A request opens; where the one before has just ended, they go round.
  ///
  /// - Returns: Whether they go round and round, which is told once.
  @discardableResult
  mutating func roundBegan(
    _ number: ContactNumber, of rounds: WritableKeyPath<ContactDetails, Rounds?>
  ) -> Bool {
    guard var known = roster.contacts.details(of: number)?[keyPath: rounds] else { return false }
    guard known.continues(at: stamp) else {
      roster.contacts.updateDetails(of: number) { $0[keyPath: rounds] = nil }
      return false
    }
    known.count += 1
    known.ended = nil
    let next = known
    roster.contacts.updateDetails(of: number) { $0[keyPath: rounds] = next }
    if next.count == Rounds.loop {
      report(
        .subscription(.loop(rounds: next.count)), about: number,
        cause: next.first.record)
    }
    return next.count >= Rounds.loop
  }

  /// A request ended that had opened at a record.
  mutating func roundEnded(
    _ number: ContactNumber, of rounds: WritableKeyPath<ContactDetails, Rounds?>,
    since first: RecordStamp
  ) {
    let stamp = stamp
    roster.contacts.updateDetails(of: number) { details in
      var known = details[keyPath: rounds] ?? Rounds(first: first)
      known.ended = stamp
      details[keyPath: rounds] = known
    }
  }
}
