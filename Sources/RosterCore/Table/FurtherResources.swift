/// The presence of all resources besides the first, for contacts that have several.
///
/// Kept apart from `ContactDetails`, because contacts with two devices are common and their
/// presence changes often.
struct FurtherResources: Sendable {
  private var places = ChunkedArray<PresenceRows>(chunkBits: 2)
  private var freePlaces: [UInt32] = []

  /// A slot plus one; 0 for none.
  typealias Reference = UInt32

  /// An empty table.
  init() {}

  /// - Parameter lists: The content of each slot, which is not empty.
  init(_ lists: [[PresenceRow]]) {
    for list in lists { places.append(PresenceRows(list)) }
  }

  /// The resources of a reference.
  subscript(reference: Reference) -> PresenceRows {
    reference == 0 ? PresenceRows() : places[Int(reference - 1)]
  }

  /// Passes the resources to `body` in place, because a copy would count references.
  @inline(__always)
  func withRows<Result>(
    _ reference: Reference, _ body: (Span<PresenceRow>) -> Result
  ) -> Result {
    guard reference != 0 else { return body(Span()) }
    return places.withElement(at: Int(reference - 1)) { body($0.all.span) }
  }

  /// Changes the resources in place.
  mutating func update<Result>(
    _ reference: inout Reference, _ body: (inout PresenceRows) -> Result
  ) -> Result {
    if reference == 0 { reference = makePlace() }
    let place = Int(reference - 1)
    let result = body(&places[place])
    if places[place].isEmpty {
      freePlaces.append(UInt32(place))
      reference = 0
    }
    return result
  }

  /// An empty slot.
  private mutating func makePlace() -> Reference {
    if let free = freePlaces.popLast() { return free + 1 }
    places.append(PresenceRows())
    return UInt32(places.count)
  }
}
