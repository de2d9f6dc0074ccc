/// The stanzas of one direction that the other side has not acknowledged, counted as both sides of
/// a stream do (XEP-0198 §4).
///
/// Counts wrap around at 2³². Only stanzas with an item are kept.
package struct CountedStanzas<Item> {
  /// Whether stanzas are counted: stream management is enabled.
  package private(set) var isCounting = false
  /// The number of stanzas that have passed since then.
  private var count: UInt32 = 0
  private var unacknowledged: [(item: Item, count: UInt32)] = []

  package init() {}

  /// What has passed and was not acknowledged, in order.
  package var items: [Item] { unacknowledged.map(\.item) }

  /// Stream management is enabled: the next stanza is the first one that counts.
  package mutating func beginCounting() {
    (isCounting, count, unacknowledged) = (true, 0, [])
  }

  /// A stanza passes.
  package mutating func stanzaPassed() {
    if isCounting { count &+= 1 }
  }

  /// Keeps what the last stanza was, until it is acknowledged.
  package mutating func keep(_ item: Item) {
    if isCounting { unacknowledged.append((item, count)) }
  }

  /// The other side has handled this number of stanzas.
  ///
  /// - Returns: What it has handled of those that were not acknowledged, in order.
  ///
  /// Complexity: linear in the stanzas that were not acknowledged, if it has handled any of them.
  package mutating func acknowledged(_ handled: UInt32) -> [Item] {
    let covered = unacknowledged.prefix { Self.covers(handled, $0.count) }.map(\.item)
    if !covered.isEmpty { unacknowledged.removeFirst(covered.count) }
    return covered
  }

  /// Continues to count on a new stream, which resumes the session (XEP-0198 §5). What was not
  /// handled is sent again there, and counts again.
  ///
  /// - Parameter handled: The number of stanzas that the other side has handled; nil if the log
  ///   lacks it.
  package mutating func resumed(handled: UInt32?) {
    (isCounting, count, unacknowledged) = (true, handled ?? count, [])
  }

  /// Forgets what was not acknowledged: another connection resumes the session.
  package mutating func forgetAll() { unacknowledged = [] }

  /// Whether a count of handled stanzas includes the stanza with a count.
  private static func covers(_ handled: UInt32, _ count: UInt32) -> Bool {
    handled &- count < 1 << 31
  }
}

extension CountedStanzas: Sendable where Item: Sendable {}
