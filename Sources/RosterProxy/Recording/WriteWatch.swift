/// How long what a connection said has waited for the disk, so that never more than a moment of it
/// is passed on unrecorded: as long as the disk is late, nothing more is read.
///
/// Times are in milliseconds of any clock that does not go backwards.
struct WriteWatch {
  /// When the oldest was handed over of what is being waited for.
  private var awaited: Int64?
  /// When the oldest was handed over since then.
  private var next: Int64?

  /// How long it may wait before nothing more is read.
  static let patience: Int64 = 50

  /// Something was handed over.
  ///
  /// - Returns: Whether it is to be waited for now: if not, somebody waits, and will again.
  mutating func handedOver(at now: Int64) -> Bool {
    guard awaited == nil else {
      next = next ?? now
      return false
    }
    awaited = now
    return true
  }

  /// What was waited for is on the disk.
  ///
  /// - Returns: How long that took, and whether there is more to wait for.
  mutating func written(at now: Int64) -> (delay: Int64, isMore: Bool) {
    let delay = awaited.map { now - $0 } ?? 0
    (awaited, next) = (next, nil)
    return (delay, awaited != nil)
  }

  /// Whether the disk is late.
  func isOverdue(at now: Int64) -> Bool { awaited.map { now - $0 > Self.patience } ?? false }
}

/// How late the disk was lately: the longest of the last seconds.
struct DelayMeter {
  /// The longest delay in this second and in the one before.
  private var longest: (now: Int64, before: Int64) = (0, 0)
  private var second: Int64 = 0

  mutating func add(_ delay: Int64, at now: Int64) {
    advance(to: now)
    longest.now = max(longest.now, delay)
  }

  /// Nil where it is as it should be.
  mutating func delay(at now: Int64) -> Int64? {
    advance(to: now)
    let delay = max(longest.now, longest.before)
    return delay > WriteWatch.patience ? delay : nil
  }

  private mutating func advance(to now: Int64) {
    let elapsed = now / 1000 - second
    guard elapsed > 0 else { return }
    longest = (0, elapsed == 1 ? longest.now : 0)
    second = now / 1000
  }
}
