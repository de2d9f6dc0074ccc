/// The stanzas of ours that the server has not acknowledged, counted as both sides of a stream do
/// (XEP-0198 §4).
///
/// Counts wrap around at 2³². Only stanzas with an item are kept.
package struct SentStanzas<Item> {
  /// Whether stanzas are counted: stream management is enabled.
  package private(set) var isCounting = false
  /// The number of stanzas that were sent since then.
  private var count: UInt32 = 0
  private var unacknowledged: [(item: Item, count: UInt32)] = []

  package init() {}

  /// What was sent and not acknowledged, in order.
  package var items: [Item] { unacknowledged.map(\.item) }

  /// Stream management is enabled: the next stanza is the first one that counts.
  package mutating func beginCounting() {
    (isCounting, count, unacknowledged) = (true, 0, [])
  }

  /// A stanza is sent.
  package mutating func stanzaSent() {
    if isCounting { count &+= 1 }
  }

  /// Keeps what the last stanza was, until it is acknowledged.
  package mutating func keep(_ item: Item) {
    if isCounting { unacknowledged.append((item, count)) }
  }

  /// The server has handled this number of our stanzas.
  ///
  /// - Returns: What it has handled of those that were not acknowledged, in order.
  ///
  /// Complexity: linear in the stanzas that were not acknowledged.
  package mutating func acknowledged(_ handled: UInt32) -> [Item] {
    let covered = unacknowledged.filter { Self.covers(handled, $0.count) }
    unacknowledged.removeAll { Self.covers(handled, $0.count) }
    return covered.map(\.item)
  }

  /// Continues to count on a new stream, which resumes the session (XEP-0198 §5). What the server
  /// has not handled is sent again there, and counts again.
  ///
  /// - Parameter handled: The number of stanzas that the server has handled; nil if the log lacks
  ///   it.
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

extension SentStanzas: Sendable where Item: Sendable {}
