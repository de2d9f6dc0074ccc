import HeapModule

/// The subscription requests that await an answer, ours and our contacts', oldest first.
///
/// Contains every open request that has a time and has not been reported as neglected. May also
/// contain ended requests, which the reducer discards when they reach the front.
struct PeopleWaiting: Sendable {
  /// A contact's request, or ours to a contact.
  struct Wait: Comparable, Sendable {
    var since: Int64
    var contact: ContactNumber
    var isOurs: Bool

    /// Orders by time; the other fields only make the order deterministic.
    static func < (a: Wait, b: Wait) -> Bool {
      (a.since, a.contact.rawValue, a.isOurs ? 1 : 0)
        < (b.since, b.contact.rawValue, b.isOurs ? 1 : 0)
    }
  }

  private var waits: Heap<Wait> = []

  /// Up to this number, ended requests need not be removed.
  static let pruneThreshold = 64

  /// The number of requests.
  var count: Int { waits.count }

  /// The oldest request.
  var first: Wait? { waits.min }

  /// Adds a request. Complexity: O(log n).
  mutating func insert(_ wait: Wait) { waits.insert(wait) }

  /// Removes the oldest request. Complexity: O(log n).
  mutating func removeFirst() { _ = waits.popMin() }
}
