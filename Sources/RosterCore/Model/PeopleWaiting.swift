import HeapModule

/// The requests that people have still to answer, by when they began.
///
/// It may hold some that are over; those that are not it holds all.
struct PeopleWaiting: Sendable {
  /// A contact's request, or ours to a contact.
  struct Wait: Comparable, Sendable {
    var since: Int64
    var contact: ContactNumber
    var isOurs: Bool

    /// Orders by when they began, and then in any way that is always the same.
    static func < (a: Wait, b: Wait) -> Bool {
      (a.since, a.contact.rawValue, a.isOurs ? 1 : 0)
        < (b.since, b.contact.rawValue, b.isOurs ? 1 : 0)
    }
  }

  private var waits: Heap<Wait> = []

  /// So many are no burden, be they over or not.
  static let few = 64

  /// How many there are.
  var count: Int { waits.count }

  /// The oldest.
  var first: Wait? { waits.min }

  /// Adds one. Complexity: O(log n).
  mutating func insert(_ wait: Wait) { waits.insert(wait) }

  /// Takes the oldest out. Complexity: O(log n).
  mutating func removeFirst() { _ = waits.popMin() }
}
