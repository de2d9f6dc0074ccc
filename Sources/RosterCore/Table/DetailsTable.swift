import RawBytes

/// Where a contact's details are: in a place of their own, or where a snapshot has them.
struct DetailsReference: Hashable, Sendable {
  /// A place plus one, or the offset of stored ones; 0 where there are none.
  private let rawValue: UInt32

  /// Of those that are stored.
  private static let storedBit: UInt32 = 1 << 31

  private init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A contact has none.
  static let none = DetailsReference(rawValue: 0)

  /// A place of their own.
  init(place: Int) {
    rawValue = UInt32(place + 1)
  }

  /// Details at an offset of a snapshot's; nil where it is too far away.
  init?(offset: Int) {
    guard offset < Self.storedBit else { return nil }
    rawValue = Self.storedBit | UInt32(offset)
  }

  /// In a snapshot: the next ones there.
  static let next = DetailsReference(rawValue: 1)

  /// Whether they are where a snapshot has them.
  var isStored: Bool { rawValue & Self.storedBit != 0 }

  /// Their place; nil where they have none.
  fileprivate var place: Int? { isStored || self == .none ? nil : Int(rawValue - 1) }

  /// The offset of stored ones.
  fileprivate var offset: Int { Int(rawValue & ~Self.storedBit) }
}

/// The details of those contacts that have any.
///
/// Those that came with a snapshot stay as they are there until they are changed, and are read
/// whenever they are looked at: few are, of many.
struct DetailsTable: Sendable {
  /// Those that were changed, each in a place of its own.
  var places = ChunkedArray<ContactDetails>(chunkBits: 2)
  private var freePlaces: [UInt32] = []
  /// Those of a snapshot, and of the increments to it.
  private var kept: [(start: Int, details: StoredDetails)] = []

  /// A table of none, which can refer to the same stored ones.
  var withoutPlaces: DetailsTable {
    var table = DetailsTable()
    table.kept = kept
    return table
  }

  /// A table of none, which can refer to these stored ones, the first of them at 0.
  init(of details: StoredDetails) { _ = keep(details) }

  init() {}

  /// Takes over the details of a snapshot.
  ///
  /// - Returns: Where they begin among all that were taken over.
  mutating func keep(_ details: StoredDetails) -> Int {
    let start = kept.last.map { $0.start + $0.details.byteCount } ?? 0
    kept.append((start, details))
    return start
  }

  /// Where stored details are.
  private func find(_ reference: DetailsReference) -> (details: StoredDetails, offset: Int)? {
    guard reference.isStored, let place = kept.lastIndex(where: { $0.start <= reference.offset })
    else { return nil }
    return (kept[place].details, reference.offset - kept[place].start)
  }

  /// Whether details are stored, and as those of another table are.
  func hasSameStored(
    _ mine: DetailsReference, as others: DetailsReference, in other: DetailsTable
  ) -> Bool {
    guard let mine = find(mine), let others = other.find(others) else { return false }
    return mine.details.bytes(at: mine.offset).isSame(as: others.details.bytes(at: others.offset))
  }

  /// All details; nil where there are none.
  subscript(reference: DetailsReference) -> ContactDetails? {
    if let place = reference.place { return places[place] }
    return find(reference).map { $0.details.details(at: $0.offset) }
  }

  /// What `value` sees in the details, which are not copied; nil where there are none.
  @inline(__always)
  func look<Value>(
    at reference: DetailsReference, _ value: (borrowing ContactDetails) -> Value?
  ) -> Value? {
    if let place = reference.place { return places.withElement(at: place, value) }
    guard let (stored, offset) = find(reference) else { return nil }
    return value(stored.details(at: offset))
  }

  /// Writes details down, one after the other.
  func write(_ references: some Sequence<DetailsReference>, to output: inout DetailsOutput) {
    guard let (start, stored) = kept.last else {
      for reference in references { write(reference, to: &output) }
      return
    }
    // Where snapshots are taken, all that are stored came last; they are held once for all of them.
    for reference in references {
      if reference.isStored, reference.offset >= start {
        output.write(stored: stored.bytes(at: reference.offset - start))
      } else {
        write(reference, to: &output)
      }
    }
  }

  private func write(_ reference: DetailsReference, to output: inout DetailsOutput) {
    if let place = reference.place {
      places.withElement(at: place) { output.write($0) }
    } else if let (stored, offset) = find(reference) {
      output.write(stored: stored.bytes(at: offset))
    }
  }

  // MARK: Places

  /// A place of their own for details, in which they are as they were.
  mutating func makePlace(for reference: DetailsReference) -> Int {
    if let place = reference.place { return place }
    let details = self[reference] ?? ContactDetails()
    if let free = freePlaces.popLast() {
      places[Int(free)] = details
      return Int(free)
    }
    places.append(details)
    return places.count - 1
  }

  /// Gives up a place, whose details say nothing.
  mutating func free(place: Int) { freePlaces.append(UInt32(place)) }

  /// Forgets details.
  mutating func free(_ reference: DetailsReference) {
    guard let place = reference.place else { return }
    places[place] = ContactDetails()
    free(place: place)
  }
}
