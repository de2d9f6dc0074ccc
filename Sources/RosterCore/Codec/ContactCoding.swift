import XMPPStanza

// The details of the contacts that have any, then the rows of all as the table has them, in the
// order of the addresses, and then the further resources of those that have any. A row says whether
// there are details and further resources, which are the next ones, and refers to texts by their
// numbers in the snapshot.
extension RosterOutput {
  mutating func write(_ numbers: [ContactNumber]) {
    writeDetails(of: numbers)
    var several: [ContactNumber] = []
    for number in numbers {
      write(contact: number)
      var row = contacts.row(of: number)
      row.renumber {
        numberOfText($0)
      } _: {
        numberOfGroups($0)
      }
      if row.further != 0 {
        several.append(number)
        row.further = ContactRow.hasFurther
      }
      if !hasNewDetails(number) {
        row.refer(to: .unchanged, with: [])
      } else if row.details != .none {
        row.refer(to: .next, with: row.parts)
      }
      rows.write(row, to: &plain)
    }
    for number in several { write(contacts.furtherResources(of: number).all) }
  }

  private func hasNewDetails(_ number: ContactNumber) -> Bool {
    changedDetails?.contains(number) ?? true
  }

  private mutating func writeDetails(of numbers: [ContactNumber]) {
    var details = DetailsOutput()
    for number in numbers where hasNewDetails(number) && contacts.hasDetails(number) {
      if let stored = contacts.storedDetails(of: number) {
        details.write(stored: stored)
      } else {
        contacts.withDetails(of: number) { details.write($0) }
      }
    }
    details.all.bytes.withUnsafeBytes { plain.write(counted: $0) }
  }
}

extension RosterInput {
  /// Reads what is known of the contacts whose addresses are there.
  mutating func readContacts() throws(CodecError) {
    let all = try plain.readCounted()
    var details = KeptDetails(all, from: contacts.keep(StoredDetails(all)))
    var firsts: [TextNumber] = []
    let rows = try ChunkedArray(chunkBits: ContactTable.chunkBits, count: numbers.count) {
      () throws(CodecError) in
      try readContact(&details, &firsts)
    }
    guard details.rest == 0 else { throw plain.invalid }
    var further: [[PresenceRow]] = []
    for first in firsts { further.append(try readFurther(than: first)) }
    guard isIncrement else { return contacts.fill(with: rows, further) }
    for (place, number) in numbers.enumerated() {
      let row = rows[place]
      contacts.replace(
        number, by: row,
        furtherResources: row.further == 0 ? [] : further[Int(row.further) - 1])
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

  /// Reads a row, whose texts have their numbers in the table.
  ///
  /// - Parameter firsts: The first resources of those who have further ones.
  @inline(__always)
  private mutating func readContact(
    _ details: inout KeptDetails, _ firsts: inout [TextNumber]
  ) throws(CodecError) -> ContactRow {
    var row = try rows.read(from: &plain)
    guard row.isWellFormed, isIncrement || !row.isEmpty else { throw plain.invalid }
    switch row.details {
    case .next where !row.parts.isEmpty:
      row.refer(to: try details.next(row.parts, isSound: isSound), with: row.parts)
    case .unchanged where isIncrement && row.parts.isEmpty: break
    default: guard row.details == .none, row.parts.isEmpty else { throw plain.invalid }
    }
    try row.renumber { (text) throws(CodecError) in
      try number(ofText: text)
    } _: { (groups) throws(CodecError) in
      try number(ofGroups: groups)
    }
    if row.further != 0 {
      guard row.further == ContactRow.hasFurther, let first = row.presence?.resource else {
        throw plain.invalid
      }
      firsts.append(first)
      row.further = UInt32(firsts.count)
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
