import XMPPStanza

// The details of the contacts that have any, then the rows of all as the table has them, and then
// the further resources of those that have any. A row says whether there are details and further
// resources, which are the next ones, and refers to texts by their numbers.
//
// A whole snapshot has the rows of all contacts of the table, in the order of their numbers. In an
// increment each comes after a number: the way from the number of the contact before, and which
// parts of the row are the contact's; the others are those of the row before, which takes no room.
extension RosterOutput {
  /// - Parameter numbers: All contacts, or those that an increment is of.
  /// - Returns: Where the details stand, for a table that goes on with them.
  mutating func write(_ numbers: [ContactNumber]) -> StoredDetails {
    let details = writeDetails(of: numbers)
    if changes != nil { plain.write(UInt64(numbers.count)) }
    var several: [ContactNumber] = []
    var last: UInt32 = 0
    for number in numbers {
      let parts = changes?.parts(of: number) ?? .all
      if changes != nil {
        let way = UInt64(number.rawValue - last)
        plain.write(way << UInt64(ChangedParts.bits) | UInt64(parts.rawValue))
        last = number.rawValue
      }
      let row = storedRow(of: number, parts)
      if row.further != 0, parts.contains(.presence) { several.append(number) }
      rows.write(row, to: &plain)
    }
    for number in several { write(contacts.furtherResources(of: number).all) }
    return details
  }

  /// The row of a contact, with the other parts as the row before has them.
  private mutating func storedRow(of number: ContactNumber, _ parts: ChangedParts) -> ContactRow {
    let row = contacts.row(of: number)
    var stored = rows.last
    stored.take(parts, of: row)
    if parts.contains(.presence) {
      stored.further = row.further == 0 ? 0 : ContactRow.hasFurther
    }
    if parts.contains(.details), row.details != .none {
      stored.refer(to: .next, with: row.parts)
    }
    return stored
  }

  private mutating func writeDetails(of numbers: [ContactNumber]) -> StoredDetails {
    var details = DetailsOutput()
    let changed = changes?.details
    contacts.writeDetails(of: numbers.lazy.filter { changed?.contains($0) ?? true }, to: &details)
    details.all.bytes.withUnsafeBytes { plain.write(counted: $0) }
    return StoredDetails(details.all.bytes)
  }
}

extension RosterInput {
  /// Reads what is known of the contacts.
  mutating func readContacts() throws(CodecError) {
    let all = try plain.readCounted()
    var details = KeptDetails(all, from: contacts.keep(StoredDetails(Array(all))))
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
    let rows = try ChunkedArray(chunkBits: ContactTable.chunkBits, count: counts.contacts) {
      () throws(CodecError) in
      var row = try readRow(.all, &details)
      if row.further != 0, let presence = row.presence {
        firsts.append(presence.resource)
        row.further = UInt32(firsts.count)
      }
      parts.append(row.membership)
      items.count(row, 1)
      return row
    }
    var further: [[PresenceRow]] = []
    for first in firsts { further.append(try readFurther(than: first)) }
    contacts.fill(with: rows, parts, items, further)
  }

  /// Reads the rows of the contacts of whom an increment says anything.
  private mutating func readChanges(_ details: inout KeptDetails) throws(CodecError) {
    var several: [(number: ContactNumber, first: TextNumber)] = []
    var last: UInt64?
    for _ in 0..<(try plain.readCount()) {
      let head = try plain.readNumber()
      let way = head >> UInt64(ChangedParts.bits)
      let parts = ChangedParts(rawValue: UInt8(truncatingIfNeeded: head)).intersection(.all)
      let (next, overflows) = (last ?? 0).addingReportingOverflow(way)
      guard !overflows, next < UInt64(counts.contacts), last.map({ $0 < next }) ?? true else {
        throw plain.invalid
      }
      let number = ContactNumber(rawValue: UInt32(next))
      let row = try readRow(parts, &details)
      contacts.replace(parts, of: number, by: row)
      if row.further != 0, parts.contains(.presence), let presence = row.presence {
        several.append((number, presence.resource))
      }
      last = next
    }
    for (number, first) in several {
      let further = try readFurther(than: first)
      contacts.updateFurtherResources(of: number) { $0 = PresenceRows(further) }
    }
  }

  /// Reads what the resources besides the first one said.
  private mutating func readFurther(than first: TextNumber) throws(CodecError) -> [PresenceRow] {
    let rows = try readPresence()
    guard !rows.isEmpty, isSound || !rows.contains(where: { $0.resource == first }) else {
      throw plain.invalid
    }
    return rows
  }

  /// Reads a row.
  ///
  /// - Parameter parts: What of it is the contact's.
  @inline(__always)
  private mutating func readRow(
    _ parts: ChangedParts, _ details: inout KeptDetails
  ) throws(CodecError) -> ContactRow {
    var row = try rows.read(from: &plain)
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
    return row
  }
}

/// The details of a snapshot, to which its rows refer one after the other. They are read when they
/// are asked for.
private struct KeptDetails {
  private var input: CanonicalInput
  /// Where they end among all that are kept.
  private let end: Int

  init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
    input = CanonicalInput(bytes)
    end = start + bytes.count
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
