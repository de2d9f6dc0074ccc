/// What the resources besides the first one said, of those contacts that have several.
///
/// They stand apart from what else few contacts have: many have two devices, and they come and go.
struct FurtherResources: Sendable {
  private var places = ChunkedArray<PresenceRows>(chunkBits: 2)
  private var freePlaces: [UInt32] = []

  /// Where a contact's are: a place plus one; 0 where there are none.
  typealias Reference = UInt32

  /// Of nobody.
  init() {}

  /// - Parameter lists: What each place is to hold, which is not empty.
  init(_ lists: [[PresenceRow]]) {
    for list in lists { places.append(PresenceRows(list)) }
  }

  /// What they said.
  subscript(reference: Reference) -> PresenceRows {
    reference == 0 ? PresenceRows() : places[Int(reference - 1)]
  }

  /// Hands what they said to `body` where it stands, while it runs: a copy would count references.
  @inline(__always)
  func withRows<Result>(
    _ reference: Reference, _ body: (Span<PresenceRow>) -> Result
  ) -> Result {
    guard reference != 0 else { return body(Span()) }
    return places.withElement(at: Int(reference - 1)) { body($0.all.span) }
  }

  /// Changes them in place.
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

  /// A place where there is nothing.
  private mutating func makePlace() -> Reference {
    if let free = freePlaces.popLast() { return free + 1 }
    places.append(PresenceRows())
    return UInt32(places.count)
  }
}
