/// Measures how long a connection's recorded data waits for the disk.
///
/// While the disk is late, nothing more is read, so that at most a moment's data is passed on
/// unrecorded. Times are in milliseconds of any clock that does not go backward.
struct WriteWatch {
  /// When the oldest of the data being waited for was recorded.
  private var awaited: Int64?
  /// When the oldest of the data since then was recorded.
  private var next: Int64?

  /// The longest wait before reading pauses.
  static let delayLimit: Int64 = 50

  /// Data was passed on to be recorded.
  ///
  /// - Returns: Whether to start waiting for it. If not, a wait is running, and another will
  ///   follow.
  mutating func dataRecorded(at now: Int64) -> Bool {
    guard awaited == nil else {
      next = next ?? now
      return false
    }
    awaited = now
    return true
  }

  /// The data being waited for is on disk.
  ///
  /// - Returns: The time that took, and whether there is more to wait for.
  mutating func written(at now: Int64) -> (delay: Int64, isMore: Bool) {
    let delay = awaited.map { now - $0 } ?? 0
    (awaited, next) = (next, nil)
    return (delay, awaited != nil)
  }

  /// Whether the disk is late.
  func isOverdue(at now: Int64) -> Bool { awaited.map { now - $0 > Self.delayLimit } ?? false }
}

/// Decides whether the disk is slow, from the delays of recorded data.
///
/// Any disk takes long once in a while. It counts as slow from a delay that a person would notice,
/// or from delays above the limit in several seconds in a row, until two seconds pass without one.
struct DelayMeter {
  /// The longest delay in this second and in the one before.
  private var longest: (now: Int64, before: Int64) = (0, 0)
  private var second: Int64 = 0
  /// The seconds in a row, up to this one, that had a delay above the limit.
  private var lateSeconds = 0
  private var isSlow = false

  /// A delay in milliseconds from which the disk counts as slow at once.
  static let noticeable: Int64 = 250
  /// The number of seconds in a row with a delay above the limit from which it counts as slow.
  static let timeLimit = 5

  mutating func add(_ delay: Int64, at now: Int64) {
    advance(to: now)
    if delay > WriteWatch.delayLimit, longest.now <= WriteWatch.delayLimit { lateSeconds += 1 }
    longest.now = max(longest.now, delay)
    if delay > Self.noticeable || lateSeconds >= Self.timeLimit { isSlow = true }
  }

  /// The longest delay in this second and the one before, in milliseconds; nil unless the disk is
  /// slow.
  mutating func delay(at now: Int64) -> Int64? {
    advance(to: now)
    return isSlow ? max(longest.now, longest.before) : nil
  }

  private mutating func advance(to now: Int64) {
    let elapsed = now / 1000 - second
    guard elapsed > 0 else { return }
    if elapsed > 1 || longest.now <= WriteWatch.delayLimit { lateSeconds = 0 }
    longest = (0, elapsed == 1 ? longest.now : 0)
    second = now / 1000
    if longest.before <= WriteWatch.delayLimit { isSlow = false }
  }
}
