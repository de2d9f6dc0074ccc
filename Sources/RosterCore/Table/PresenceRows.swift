/// What several resources last said, in no order.
struct PresenceRows: Sendable {
  /// The resources.
  private(set) var all: [PresenceRow] = []
  /// Where each is by its name, once there are many: nobody has so many devices, but anybody can
  /// make a server tell of them.
  private var places: [TextNumber: Int] = [:]

  /// How many resources of an address are kept, the first one included: no person has so many
  /// devices, and few enough to be copied with each state that is kept.
  static let limit = 64

  /// So many are looked through.
  private static let few = 16

  /// No resource.
  init() {}

  /// - Parameter rows: of resources that differ.
  init(_ rows: [PresenceRow]) {
    all = rows
    if all.count > Self.few { notePlaces() }
  }

  /// Whether there is none.
  var isEmpty: Bool { all.isEmpty }

  /// What a resource last said; nil where it is not available. Complexity: O(1).
  subscript(resource: TextNumber) -> PresenceRow? { place(of: resource).map { all[$0] } }

  /// Puts what a resource said in the place of what it said before, or beside the others. Who was
  /// told of it before knows of it still. Complexity: O(1).
  ///
  /// - Returns: What it said before; nil where it was not available.
  mutating func update(_ row: PresenceRow) -> PresenceRow? {
    guard let place = place(of: row.resource) else {
      all.append(row)
      if !places.isEmpty {
        places[row.resource] = all.count - 1
      } else if all.count > Self.few {
        notePlaces()
      }
      return nil
    }
    let before = all[place]
    all[place] = row
    all[place].told.formUnion(before.told)
    return before
  }

  /// Takes a resource out. Complexity: O(1).
  ///
  /// - Returns: What it said; nil where it was not available.
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

  /// The resource that has said nothing for longest; nil if there are no more than are kept.
  /// Complexity: linear in `limit`.
  var excess: TextNumber? {
    guard all.count > Self.limit else { return nil }
    return all.min { $0.since.record < $1.since.record }?.resource
  }

  /// Takes any of them out; nil where there is none.
  mutating func removeAny() -> PresenceRow? { all.last.flatMap { remove($0.resource) } }

  private func place(of resource: TextNumber) -> Int? {
    places.isEmpty ? all.firstIndex { $0.resource == resource } : places[resource]
  }

  private mutating func notePlaces() {
    for (place, row) in all.enumerated() { places[row.resource] = place }
  }
}
