import RosterCore

/// How the clocks of two logs are aligned by the stanzas that both have.
///
/// No stanza arrives before it is sent. So each one that the first end sent is an upper bound of
/// the offset between the clocks, and each one that the second end sent is a lower bound.
package struct ClockAlignment: Hashable, Sendable {
  /// The milliseconds by which the second log's clock is ahead of the first's.
  package let offset: Int64
  /// The largest error of the offset in milliseconds; nil if stanzas of one direction only, or
  /// none, bound it.
  package let uncertainty: Int64?
  /// The milliseconds by which news may seem late or early. Clocks that stanzas of both directions
  /// do not contradict are believed to a minute, however late those were; if all go one way, the
  /// clocks may be off by the time that the fastest seems to have taken.
  package let slack: Int64
  /// The number of stanzas that bound the offset.
  package let shared: Int

  /// The milliseconds by which bounds may contradict each other because a clock is set or drifts.
  /// Beyond it, some stanza is not the one that it looks like.
  private static let tolerance: Int64 = 1_000

  /// Aligns two clocks. They are believed unless a stanza would have arrived before it was sent.
  ///
  /// Stanzas that were stored on the way say little, so they do not count.
  ///
  /// Complexity: O(n log n) in the stanzas.
  package init(_ stanzas: [SharedStanza]) {
    var (lowers, uppers): ([Int64], [Int64]) = ([], [])
    for stanza in stanzas where !stanza.received.isDelayed {
      guard let sent = stanza.sent.stamp.clock, let received = stanza.received.stamp.clock else {
        continue
      }
      switch stanza.sender {
      case .first: uppers.append(received.shifted(by: sent))
      case .second: lowers.append(sent.shifted(by: received))
      }
    }
    if let likely = Self.likelyOffset(lowers, uppers) {
      lowers.removeAll { $0 > likely.shifted(by: -Self.tolerance) }
      uppers.removeAll { $0 < likely.shifted(by: Self.tolerance) }
    }
    shared = lowers.count + uppers.count
    guard let low = lowers.max(), let high = uppers.min() else {
      offset = max(0, lowers.max() ?? 0) + min(0, uppers.min() ?? 0)
      uncertainty = nil
      slack = max(0, uppers.min() ?? lowers.max().map { Int64(0).shifted(by: $0) } ?? 0)
      return
    }
    let middle = low / 2 + high / 2
    offset = low <= 0 && high >= 0 ? 0 : middle
    let error =
      max(high.shifted(by: offset).magnitude, low.shifted(by: offset).magnitude)
      .clampedToInt64
    uncertainty = error
    slack = offset == 0 ? min(error, EndsComparison.settling) : error
  }

  /// Returns the offset to keep to if some bounds must be wrong; nil if none need be.
  private static func likelyOffset(_ lowers: [Int64], _ uppers: [Int64]) -> Int64? {
    if let low = lowers.max(), let high = uppers.min() {
      guard low.shifted(by: high) > tolerance else { return nil }
      return offset(allowedByMost: lowers.sorted(), uppers.sorted())
    }
    // Bounds of one side cannot contradict each other. If most allow that the clocks agree, the
    // others would make all of those late.
    let apart = lowers.count { $0 > tolerance } + uppers.count { $0 < -tolerance }
    return apart * 2 < lowers.count + uppers.count ? 0 : nil
  }

  /// Returns the offset that the most bounds allow, and of several the one nearest to none.
  ///
  /// Both lists of bounds are sorted.
  private static func offset(allowedByMost lowers: [Int64], _ uppers: [Int64]) -> Int64 {
    var (reached, passed) = (0, 0)
    var best: (allowed: Int, offset: Int64) = (-1, 0)
    for offset in (lowers + uppers + [0]).sorted() {
      while reached < lowers.count, lowers[reached] <= offset { reached += 1 }
      while passed < uppers.count, uppers[passed] < offset { passed += 1 }
      let allowed = reached + uppers.count - passed
      guard
        allowed > best.allowed
          || allowed == best.allowed && offset.magnitude < best.offset.magnitude
      else { continue }
      best = (allowed, offset)
    }
    return best.offset
  }

  /// Whether a stanza may be one that was sent before; true if the times do not say.
  ///
  /// - Parameters:
  ///   - received: When it was received.
  ///   - sent: When it was sent.
  ///   - sender: The end that sent it.
  ///   - error: The most by which the clocks may be off in milliseconds; the uncertainty by
  ///     default.
  func mayFollow(
    _ received: RecordStamp, _ sent: RecordStamp, sentBy sender: PairEnd, within error: Int64? = nil
  ) -> Bool {
    guard let sent = sent.time, let received = received.time else { return true }
    let ahead = sender == .first ? offset : -offset
    return received.shifted(by: ahead) >= sent.shifted(by: error ?? uncertainty ?? 0)
  }
}

extension UInt64 {
  fileprivate var clampedToInt64: Int64 { Int64(clamping: self) }
}
