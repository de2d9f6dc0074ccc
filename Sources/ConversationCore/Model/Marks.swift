/// How far the other party has received or displayed what we wrote, by its markers (rule 17).
///
/// Markers of several devices arrive in any order, so that the last one may be neither the newest
/// nor the one that goes furthest. A message may arrive later, or be corrected, whose place and
/// time are between those of two markers. So each marker is kept that no other one equals or
/// exceeds in both place and time, as long as their messages stay in place; for most conversations,
/// that is one.
struct Marks: Sendable {
  struct Mark: Sendable {
    /// The number of the message that the marker names.
    var message: Int
    /// When it was sent, as far as it is known.
    var time: Int64?
    /// Whether an archive may give its message a later place, because we sent it again.
    var mayMove = false

    /// The last time that the marker is not before. A time in whole seconds is compared in seconds
    /// (rule 34); an unknown one is before all others.
    fileprivate var reach: Int64 {
      time.map { $0.isWholeSecond ? $0 + 999 : $0 } ?? .min
    }
  }

  /// The markers that count, in no order.
  private(set) var marks: [Mark] = []
  /// Messages of ours before the furthest marker that were corrected after all that cover them.
  var corrected: Set<Int> = []

  /// Adds a marker, unless another one covers as much, and removes those that cover no more.
  ///
  /// - Parameter place: The place of a message in the conversation.
  mutating func insert(_ mark: Mark, place: (Int) -> Int?) {
    guard let own = place(mark.message) else { return }
    let isExceeded = marks.contains { other in
      other.reach >= mark.reach && (place(other.message) ?? -1) >= own
    }
    guard !isExceeded || mark.mayMove else { return }
    // The same message moves once, with its newest marker.
    marks.removeAll { $0.message == mark.message && $0.reach <= mark.reach }
    marks.removeAll { other in
      !other.mayMove && other.reach <= mark.reach && (place(other.message) ?? -1) <= own
    }
    marks.append(mark)
  }

  /// A message is removed: what was marked up to it, is so up to the message before it.
  mutating func remove(_ message: Int, before: Int?) {
    corrected.remove(message)
    marks = marks.compactMap { mark in
      guard mark.message == message else { return mark }
      return before.map { Mark(message: $0, time: mark.time) }
    }
  }
}
