import RawBytes

/// A reference to a contact's details, either in a slot of the table or in a snapshot.
struct DetailsReference: Hashable, Sendable {
  /// A slot plus one, or `storedBit` and an offset; 0 for none.
  private let rawValue: UInt32

  /// Marks an offset of stored details.
  private static let storedBit: UInt32 = 1 << 31

  private init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The reference of a contact without details.
  static let none = DetailsReference(rawValue: 0)

  /// A reference to a slot.
  init(place: Int) {
    rawValue = UInt32(place + 1)
  }

  /// A reference to details stored in a snapshot; nil if the offset is too large.
  init?(offset: Int) {
    guard offset < Self.storedBit else { return nil }
    rawValue = Self.storedBit | UInt32(offset)
  }

  /// In a snapshot: the contact has the next details there.
  static let next = DetailsReference(rawValue: 1)

  /// Whether the details are stored in a snapshot.
  var isStored: Bool { rawValue & Self.storedBit != 0 }

  /// The slot; nil if the details are stored or missing.
  fileprivate var place: Int? { isStored || self == .none ? nil : Int(rawValue - 1) }

  /// The offset of stored details.
  fileprivate var offset: Int { Int(rawValue & ~Self.storedBit) }
}

/// The details of all contacts that have any.
///
/// Details from a snapshot stay there until they change and are decoded at each access, because
/// only a few of many are ever looked at.
struct DetailsTable: Sendable {
  /// The changed details, each in its slot.
  var places = ChunkedArray<ContactDetails>(chunkBits: 2)
  private var freePlaces: [UInt32] = []
  /// The stored details of a snapshot and of its increments.
  private var kept: [(start: Int, details: StoredDetails)] = []

  /// An empty table that can refer to the same stored details.
  var withoutPlaces: DetailsTable {
    var table = DetailsTable()
    table.kept = kept
    return table
  }

  /// An empty table that can refer to the given stored details, which begin at offset 0.
  init(of details: StoredDetails) { _ = keep(details) }

  init() {}

  /// Adds the details of a snapshot.
  ///
  /// - Returns: Where they begin among all stored details.
  mutating func keep(_ details: StoredDetails) -> Int {
    let start = kept.last.map { $0.start + $0.details.byteCount } ?? 0
    kept.append((start, details))
    return start
  }

  /// The stored details that contain a reference's offset.
  private func find(_ reference: DetailsReference) -> (details: StoredDetails, offset: Int)? {
    guard reference.isStored, let place = kept.lastIndex(where: { $0.start <= reference.offset })
    else { return nil }
    return (kept[place].details, reference.offset - kept[place].start)
  }

  /// Whether both references are to stored details with the same bytes.
  func hasSameStored(
    _ mine: DetailsReference, as others: DetailsReference, in other: DetailsTable
  ) -> Bool {
    guard let mine = find(mine), let others = other.find(others) else { return false }
    return mine.details.bytes(at: mine.offset).isSame(as: others.details.bytes(at: others.offset))
  }

  /// The decoded details; nil for `none`.
  subscript(reference: DetailsReference) -> ContactDetails? {
    if let place = reference.place { return places[place] }
    return find(reference).map { $0.details.details(at: $0.offset) }
  }

  /// Passes the details to `value` without copying them; nil for `none`.
  @inline(__always)
  func look<Value>(
    at reference: DetailsReference, _ value: (borrowing ContactDetails) -> Value?
  ) -> Value? {
    if let place = reference.place { return places.withElement(at: place, value) }
    guard let (stored, offset) = find(reference) else { return nil }
    return value(stored.details(at: offset))
  }

  /// Writes details one after the other.
  func write(_ references: some Sequence<DetailsReference>, to output: inout DetailsOutput) {
    guard let (start, stored) = kept.last else {
      for reference in references { write(reference, to: &output) }
      return
    }
    // When a snapshot is written, the stored details come from the latest one, so one lookup serves
    // all of them.
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

  /// Moves details into a slot, unchanged.
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

  /// Frees a slot whose details are empty.
  mutating func free(place: Int) { freePlaces.append(UInt32(place)) }

  /// Frees the slot that a reference has, if any.
  mutating func free(_ reference: DetailsReference) {
    guard let place = reference.place else { return }
    places[place] = ContactDetails()
    free(place: place)
  }
}
