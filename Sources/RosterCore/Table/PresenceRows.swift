/// The last presence of several resources, in no particular order.
struct PresenceRows: Sendable {
  /// The resources.
  private(set) var all: [PresenceRow] = []
  /// The index of each resource by name, used only for long lists. No person has that many devices,
  /// but anyone can make a server send that many.
  private var places: [TextNumber: Int] = [:]

  /// The number of resources kept for an address, including the first: more than a person has
  /// devices, and few enough to copy with each kept state.
  static let limit = 64

  /// Up to this number, a linear search is used.
  private static let linearSearchLimit = 16

  /// An empty list.
  init() {}

  /// - Parameter rows: Rows with distinct resources.
  init(_ rows: [PresenceRow]) {
    all = rows
    if all.count > Self.linearSearchLimit { notePlaces() }
  }

  /// Whether there are no resources.
  var isEmpty: Bool { all.isEmpty }

  /// The presence of a resource; nil if it is not available. Complexity: O(1).
  subscript(resource: TextNumber) -> PresenceRow? { place(of: resource).map { all[$0] } }

  /// Replaces the presence of a resource, or adds it. Sessions that had received the old presence
  /// still count as informed. Complexity: O(1).
  ///
  /// - Returns: The previous presence; nil if the resource was not available.
  mutating func update(_ row: PresenceRow) -> PresenceRow? {
    guard let place = place(of: row.resource) else {
      all.append(row)
      if !places.isEmpty {
        places[row.resource] = all.count - 1
      } else if all.count > Self.linearSearchLimit {
        notePlaces()
      }
      return nil
    }
    let before = all[place]
    all[place] = row
    all[place].told.formUnion(before.told)
    return before
  }

  /// Removes a resource. Complexity: O(1).
  ///
  /// - Returns: Its presence; nil if it was not available.
  mutating func remove(_ resource: TextNumber) -> PresenceRow? {
    guard let place = place(of: resource) else { return nil }
    let last = all.count - 1
    all.swapAt(place, last)
    if !places.isEmpty {
      places[all[place].resource] = place
      places[resource] = nil
    }
    return all.removeLast()
  }

  /// The resource that has been silent the longest; nil if there are no more than `limit`.
  /// Complexity: linear in `limit`.
  var excess: TextNumber? {
    guard all.count > Self.limit else { return nil }
    return all.min { $0.since.record < $1.since.record }?.resource
  }

  /// Removes an arbitrary resource; nil if there is none.
  mutating func removeAny() -> PresenceRow? { all.last.flatMap { remove($0.resource) } }

  private func place(of resource: TextNumber) -> Int? {
    places.isEmpty ? all.firstIndex { $0.resource == resource } : places[resource]
  }

  private mutating func notePlaces() {
    for (place, row) in all.enumerated() { places[row.resource] = place }
  }
}
