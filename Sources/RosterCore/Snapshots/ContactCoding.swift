import RawBytes
import XMPPStanza

// The details of all contacts that have any, then the rows in the table's order, and then the
// further resources of all contacts that have any. A row says whether its contact has details and
// further resources, which are then the next ones, and refers to texts by their numbers.
//
// A whole snapshot contains the rows of all contacts, in the order of their numbers. In
// an increment, numbers come before the rows: for each row the distance from the previous contact's
// number, and which of the row's parts belong to the contact. The other parts repeat the previous
// row, which takes no space. If no resource is available, the row says so and repeats the presence
// of the previous row.
extension RosterOutput {
  /// - Parameter numbers: All contacts, or those that an increment contains.
  /// - Returns: The written details, from which the table can continue.
  mutating func write(_ numbers: [ContactNumber]) -> StoredDetails {
    let details = writeDetails(of: numbers)
    if let changes { write(numbers, changes) }
    var several: [ContactNumber] = []
    for number in numbers {
      let parts = changes?.parts(of: number) ?? .all
      let row = contacts.row(of: number)
      if row.further != 0, parts.contains(.presence) { several.append(number) }
      rows.write(to: &plain) { $0.store(parts, of: row) }
    }
    // A local copy, because writing changes the value that contains it.
    let contacts = contacts
    for number in several { contacts.withFurtherResources(of: number) { write($0) } }
    return details
  }

  /// Writes the contacts of an increment.
  private mutating func write(_ numbers: [ContactNumber], _ changes: ContactChanges) {
    plain.write(UInt64(numbers.count))
    var last: UInt32 = 0
    for number in numbers {
      let way = UInt64(number.rawValue - last)
      let parts = changes.parts(of: number)
      plain.write(way << ContactParts.incrementBits | parts.incrementBits)
      last = number.rawValue
    }
  }

  private mutating func writeDetails(of numbers: [ContactNumber]) -> StoredDetails {
    var details = DetailsOutput()
    let changed = changes?.details
    contacts.writeDetails(of: numbers.lazy.filter { changed?.contains($0) ?? true }, to: &details)
    plain.write(counted: details.all.bytes.span.bytes)
    return StoredDetails(details.all.bytes)
  }
}

extension ContactRow {
  /// Copies parts of a contact's row in their stored form.
  @inline(__always)
  fileprivate mutating func store(_ parts: ContactParts, of row: ContactRow) {
    take(row.hasPresence ? parts : parts.subtracting(.presence), of: row)
    if parts.contains(.presence) {
      further =
        !row.hasPresence ? Self.lacksPresence : row.further == 0 ? 0 : Self.hasFurther
    }
    if parts.contains(.details), row.details != .none { refer(to: .next, with: row.detailParts) }
  }
}

extension RosterInput {
  /// Reads the state of the contacts.
  mutating func readContacts() throws(CodecError) {
    let all = try plain.readCounted()
    var details = KeptDetails(all, from: contacts.keep(StoredDetails([UInt8](all))))
    if isIncrement { try readChanges(&details) } else { try readAll(&details) }
    guard details.rest == 0 else { throw plain.invalid }
  }

  /// Reads the rows of all contacts of a whole snapshot.
  private mutating func readAll(_ details: inout KeptDetails) throws(CodecError) {
    // The number of contacts that have further resources.
    var several: UInt32 = 0
    var parts: [ContactParts] = []
    parts.reserveCapacity(counts.contacts)
    var items = ItemCounts()
    let rows = try ChunkedArray(
      repeating: ContactRow(), count: counts.contacts, chunkBits: ContactTable.chunkBits
    ) { (row) throws(CodecError) in
      try readRow(.all, &details, into: &row)
      if row.further != 0 {
        several += 1
        row.further = several
      }
      parts.append(row.parts)
      items.count(row, 1)
    }
    var further: [[PresenceRow]] = []
    for _ in 0..<several { further.append(try readFurther()) }
    contacts.fill(with: rows, parts, items, further)
  }

  /// Reads the rows of the contacts in an increment.
  private mutating func readChanges(_ details: inout KeptDetails) throws(CodecError) {
    let changed = try readNumbers()
    var several: [ContactNumber] = []
    var row = ContactRow()
    for (number, parts) in changed {
      try readRow(parts, &details, into: &row)
      contacts.replace(parts, of: number, by: row)
      if row.further != 0, parts.contains(.presence) { several.append(number) }
    }
    for number in several {
      let further = try readFurther()
      contacts.updateFurtherResources(of: number) { $0 = PresenceRows(further) }
    }
  }

  /// Reads the contacts of an increment and which of their parts it contains.
  private mutating func readNumbers() throws(CodecError) -> [(
    number: ContactNumber, parts: ContactParts
  )] {
    var changed: [(number: ContactNumber, parts: ContactParts)] = []
    let count = try plain.readCount()
    changed.reserveCapacity(count)
    var last: UInt64?
    for _ in 0..<count {
      let head = try plain.readNumber()
      let way = head >> ContactParts.incrementBits
      let parts = ContactParts(increment: head)
      let (next, overflows) = (last ?? 0).addingReportingOverflow(way)
      guard !overflows, next < UInt64(counts.contacts), last.map({ $0 < next }) ?? true else {
        throw plain.invalid
      }
      changed.append((ContactNumber(rawValue: UInt32(next)), parts))
      last = next
    }
    return changed
  }

  /// Reads the presence of the resources besides the first.
  private mutating func readFurther() throws(CodecError) -> [PresenceRow] {
    let rows = try readPresence()
    guard !rows.isEmpty else { throw plain.invalid }
    return rows
  }

  /// Reads a row in place of another one.
  ///
  /// - Parameter parts: The parts that belong to the contact.
  @inline(__always)
  private mutating func readRow(
    _ parts: ContactParts, _ details: inout KeptDetails, into row: inout ContactRow
  ) throws(CodecError) {
    try rows.read(from: &plain, into: &row)
    if row.further == ContactRow.lacksPresence {
      row.forgetPresence()
    } else if parts.contains(.presence), !row.hasPresence {
      throw plain.invalid
    }
    guard row.isWellFormed, row.refersOnly(to: counts),
      row.further == 0 || row.further == ContactRow.hasFurther
    else { throw plain.invalid }
    if parts.contains(.details) {
      switch row.details {
      case .next where !row.detailParts.isEmpty:
        row.refer(to: try details.next(), with: row.detailParts)
      default: guard row.details == .none, row.detailParts.isEmpty else { throw plain.invalid }
      }
    }
  }
}

/// The details of a snapshot, to which its rows refer one after the other. They are decoded on
/// access.
private struct KeptDetails: ~Escapable {
  private var input: CanonicalInput
  /// The end of the details among all stored ones.
  private let end: Int

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, from start: Int) {
    input = CanonicalInput(bytes)
    end = start + bytes.byteCount
  }

  var rest: Int { input.rest }

  /// A reference to the next details.
  @inline(__always)
  mutating func next() throws(CodecError) -> DetailsReference {
    let place = end - input.rest
    _ = try input.readCounted()
    guard let reference = DetailsReference(offset: place) else { throw input.invalid }
    return reference
  }
}
