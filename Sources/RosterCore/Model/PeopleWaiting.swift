/// The requests that people have still to answer, by when they began: a heap, the oldest first.
///
/// It may hold some that are over; those that are not it holds all.
struct PeopleWaiting: Sendable {
  /// A contact's request, or ours to a contact.
  struct Wait: Sendable {
    var since: Int64
    var contact: ContactNumber
    var isOurs: Bool
  }

  private var waits: [Wait] = []

  /// So many are no burden, be they over or not.
  static let few = 64

  /// How many there are.
  var count: Int { waits.count }

  /// The oldest.
  var first: Wait? { waits.first }

  /// Adds one. Complexity: O(log n).
  mutating func insert(_ wait: Wait) {
    waits.append(wait)
    var place = waits.count - 1
    while place > 0, waits[place].since < waits[(place - 1) / 2].since {
      waits.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the oldest out. Complexity: O(log n).
  mutating func removeFirst() {
    guard let last = waits.popLast(), !waits.isEmpty else { return }
    waits[0] = last
    var place = 0
    while let next = [2 * place + 1, 2 * place + 2].filter({ $0 < waits.count })
      .min(by: { waits[$0].since < waits[$1].since }), waits[next].since < waits[place].since
    {
      waits.swapAt(place, next)
      place = next
    }
  }
}
