import RosterCore

/// How the clocks of two logs are aligned by the stanzas that both have.
///
/// No stanza arrives before it is sent. So each one that the first end sent is an upper bound of
/// the offset between the clocks, and each one that the second end sent is a lower bound.
package struct ClockAlignment: Hashable, Sendable {
  /// The milliseconds by which the second log's clock is ahead of the first's.
  package let offset: Int64
  /// The largest error of the offset in milliseconds; nil if stanzas of one direction only, or
  /// none, are in both logs.
  package let uncertainty: Int64?
  /// The number of stanzas with times that both logs have.
  package let shared: Int

  /// Aligns two clocks. They are believed unless a stanza would have arrived before it was sent.
  ///
  /// Complexity: linear in the stanzas.
  package init(_ stanzas: [SharedStanza]) {
    var (lower, upper): (Int64?, Int64?) = (nil, nil)
    var count = 0
    for stanza in stanzas {
      guard let sent = stanza.sent.stamp.clock, let received = stanza.received.stamp.clock else {
        continue
      }
      count += 1
      switch stanza.sender {
      case .first: upper = min(upper ?? .max, received.shifted(by: sent))
      case .second: lower = max(lower ?? .min, sent.shifted(by: received))
      }
    }
    shared = count
    guard let low = lower, let high = upper else {
      offset = max(0, lower ?? 0) + min(0, upper ?? 0)
      uncertainty = nil
      return
    }
    let middle = low / 2 + high / 2
    offset = low <= 0 && high >= 0 ? 0 : middle
    uncertainty =
      max(high.shifted(by: offset).magnitude, low.shifted(by: offset).magnitude)
      .clampedToInt64
  }

  /// Whether a stanza may be one that was sent before; true if the times do not say.
  func mayFollow(_ received: RecordStamp, _ sent: RecordStamp, sentBy sender: PairEnd) -> Bool {
    guard let sent = sent.time, let received = received.time else { return true }
    let ahead = sender == .first ? offset : -offset
    return received.shifted(by: ahead) >= sent.shifted(by: uncertainty ?? 0)
  }
}

extension UInt64 {
  fileprivate var clampedToInt64: Int64 { Int64(clamping: self) }
}
