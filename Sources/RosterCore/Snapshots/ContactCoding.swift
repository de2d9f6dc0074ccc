import RawBytes
import XMPPStanza

// The details of the contacts that have any, then the rows of all as the table has them, and then
// the further resources of those that have any. A row says whether there are details and further
// resources, which are the next ones, and refers to texts by their numbers.
//
// A whole snapshot has the rows of all contacts of the table, in the order of their numbers. In an
// increment numbers come before the rows: for each row the way from the number of the contact
// before, and which parts of it are the contact's; the others are those of the row before, which
// takes no room. Where no resource is available, the row says so, and keeps what the row before
// said of presence.
extension RosterOutput {
  /// - Parameter numbers: All contacts, or those that an increment is of.
  /// - Returns: Where the details stand, for a table that goes on with them.
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
    // Held for itself, for writing changes the value that it stands in.
    let contacts = contacts
    for number in several { contacts.withFurtherResources(of: number) { write($0) } }
    return details
  }

  /// The contacts that an increment is of.
  private mutating func write(_ numbers: [ContactNumber], _ changes: ContactChanges) {
    plain.write(UInt64(numbers.count))
    var last: UInt32 = 0
    for number in numbers {
      let way = UInt64(number.rawValue - last)
      let parts = changes.parts(of: number)
      plain.write(way << UInt64(ChangedParts.bits) | UInt64(parts.rawValue))
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
  /// Takes over parts of a contact's row as they are stored.
  @inline(__always)
  fileprivate mutating func store(_ parts: ChangedParts, of row: ContactRow) {
    take(row.hasPresence ? parts : parts.subtracting(.presence), of: row)
    if parts.contains(.presence) {
      further =
        !row.hasPresence ? Self.lacksPresence : row.further == 0 ? 0 : Self.hasFurther
    }
    if parts.contains(.details), row.details != .none { refer(to: .next, with: row.parts) }
  }
}

extension RosterInput {
  /// Reads what is known of the contacts.
  mutating func readContacts() throws(CodecError) {
    let all = try plain.readCounted()
    var details = KeptDetails(all, from: contacts.keep(StoredDetails([UInt8](all))))
    if isIncrement { try readChanges(&details) } else { try readAll(&details) }
    guard details.rest == 0 else { throw plain.invalid }
  }

  /// Reads the rows of all contacts of a whole snapshot.
  private mutating func readAll(_ details: inout KeptDetails) throws(CodecError) {
    // The first resources of those who have further ones.
    var firsts: [TextNumber] = []
    var parts: [ContactParts] = []
    parts.reserveCapacity(counts.contacts)
    var items = ItemCounts()
    let rows = try ChunkedArray(
      repeating: ContactRow(), count: counts.contacts, chunkBits: ContactTable.chunkBits
    ) { (row) throws(CodecError) in
      try readRow(.all, &details, into: &row)
      if row.further != 0, let presence = row.presence {
        firsts.append(presence.resource)
        row.further = UInt32(firsts.count)
      }
      parts.append(row.membership)
      items.count(row, 1)
    }
    var further: [[PresenceRow]] = []
    for first in firsts { further.append(try readFurther(than: first)) }
    contacts.fill(with: rows, parts, items, further)
  }

  /// Reads the rows of the contacts of whom an increment says anything.
  private mutating func readChanges(_ details: inout KeptDetails) throws(CodecError) {
    let changed = try readNumbers()
    var several: [(number: ContactNumber, first: TextNumber)] = []
    var row = ContactRow()
    for (number, parts) in changed {
      try readRow(parts, &details, into: &row)
      contacts.replace(parts, of: number, by: row)
      if row.further != 0, parts.contains(.presence), let presence = row.presence {
        several.append((number, presence.resource))
      }
    }
    for (number, first) in several {
      let further = try readFurther(than: first)
      contacts.updateFurtherResources(of: number) { $0 = PresenceRows(further) }
    }
  }

  /// Reads which contacts an increment is of, and which parts of them.
  private mutating func readNumbers() throws(CodecError) -> [(
    number: ContactNumber, parts: ChangedParts
  )] {
    var changed: [(number: ContactNumber, parts: ChangedParts)] = []
    let count = try plain.readCount()
    changed.reserveCapacity(count)
    var last: UInt64?
    for _ in 0..<count {
      let head = try plain.readNumber()
      let way = head >> UInt64(ChangedParts.bits)
      let parts = ChangedParts(rawValue: UInt8(truncatingIfNeeded: head)).intersection(.all)
      let (next, overflows) = (last ?? 0).addingReportingOverflow(way)
      guard !overflows, next < UInt64(counts.contacts), last.map({ $0 < next }) ?? true else {
        throw plain.invalid
      }
      changed.append((ContactNumber(rawValue: UInt32(next)), parts))
      last = next
    }
    return changed
  }

  /// Reads what the resources besides the first one said.
  private mutating func readFurther(than first: TextNumber) throws(CodecError) -> [PresenceRow] {
    let rows = try readPresence()
    guard !rows.isEmpty, isSound || !rows.contains(where: { $0.resource == first }) else {
      throw plain.invalid
    }
    return rows
  }

  /// Reads a row into the place of another one.
  ///
  /// - Parameter parts: What of it is the contact's.
  @inline(__always)
  private mutating func readRow(
    _ parts: ChangedParts, _ details: inout KeptDetails, into row: inout ContactRow
  ) throws(CodecError) {
    let last = isSound ? nil : rows.last
    try rows.read(from: &plain, into: &row)
    if row.further == ContactRow.lacksPresence {
      // Other words of presence than those of the row before would be a second encoding.
      guard last.map({ row.hasSamePresence(as: $0) }) ?? true else { throw plain.invalid }
      row.forgetPresence()
    } else if parts.contains(.presence), !row.hasPresence {
      throw plain.invalid
    }
    guard isSound || row.isWellFormed, row.refersOnly(to: counts),
      row.further == 0 || row.further == ContactRow.hasFurther
    else { throw plain.invalid }
    if parts.contains(.details) {
      switch row.details {
      case .next where !row.parts.isEmpty:
        row.refer(to: try details.next(row.parts, isSound: isSound), with: row.parts)
      default: guard row.details == .none, row.parts.isEmpty else { throw plain.invalid }
      }
    }
    if !isSound, let name = row.item?.name, name != .none, contacts.isEmptyText(name) {
      throw plain.invalid
    }
  }
}

/// The details of a snapshot, to which its rows refer one after the other. They are read when they
/// are asked for.
private struct KeptDetails: ~Escapable {
  private var input: CanonicalInput
  /// Where they end among all that are kept.
  private let end: Int

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, from start: Int) {
    input = CanonicalInput(bytes)
    end = start + bytes.byteCount
  }

  var rest: Int { input.rest }

  /// Where the next ones are, which have these parts; they are looked through, unless they are
  /// known to be sound.
  @inline(__always)
  mutating func next(
    _ parts: DetailParts, isSound: Bool
  ) throws(CodecError) -> DetailsReference {
    let place = end - input.rest
    var details = DetailsInput(CanonicalInput(try input.readCounted()))
    if !isSound { try details.check(parts) }
    guard let reference = DetailsReference(offset: place) else { throw input.invalid }
    return reference
  }
}
