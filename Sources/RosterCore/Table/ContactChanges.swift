/// The number of contacts, texts and group lists in a table. New ones are numbered from here on.
struct TableCounts: Hashable, Sendable {
  var contacts: Int
  var texts: Int
  var groups: Int

  static let none = TableCounts(contacts: 0, texts: 0, groups: 0)
}

/// The changes to a table since a point in time.
///
/// Closing a session hides the presence of all contacts at once. Contacts with no other change are
/// therefore kept in a separate set, so that they need not be listed if no one else is available.
struct ContactChanges: Sendable {
  /// The table's counts at that point.
  let before: TableCounts
  /// The contacts whose item may have changed.
  var items = ContactSet()
  /// The contacts with a resource that became available or sent new presence.
  var presences = ContactSet()
  /// The contacts whose last resource became unavailable.
  var gone = ContactSet()
  /// Those whose details may have changed.
  var details = ContactSet()

  /// The contacts that must be listed so that every change is known.
  ///
  /// - Parameter isPresenceWhole: Whether every available contact is in `presences`.
  func named(isPresenceWhole: Bool) -> [ContactNumber] {
    var named = items
    named.formUnion(presences)
    named.formUnion(details)
    if !isPresenceWhole { named.formUnion(gone) }
    return named.members
  }

  /// The parts of a contact that may have changed.
  func parts(of number: ContactNumber) -> ContactParts {
    var parts: ContactParts = []
    if items.contains(number) { parts.insert(.item) }
    if presences.contains(number) || gone.contains(number) { parts.insert(.presence) }
    if details.contains(number) { parts.insert(.details) }
    return parts
  }
}

extension ContactTable {
  /// The current number of contacts, texts and group lists.
  var counts: TableCounts {
    TableCounts(
      contacts: tables.rows.count, texts: tables.texts.count, groups: tables.groups.count)
  }

  /// The number of bytes in its addresses and texts.
  var textBytes: Int { tables.addresses.byteCount + tables.texts.byteCount }

  /// Writes the addresses, texts and group lists that were added after `before`.
  func write(after before: TableCounts, to output: inout CanonicalOutput) {
    tables.addresses.write(from: before.contacts, to: &output)
    tables.texts.write(from: before.texts, to: &output)
    tables.groups.write(from: before.groups, to: &output)
  }

  /// The snapshot that the table's numbers come from. Everything in that snapshot has the same
  /// number here, and everything added later has the same number in every table of that snapshot.
  /// Nil if there is no snapshot, or if the table has been renumbered since.
  var base: SnapshotBase? {
    get { tables.base }
    set { tables.base = newValue }
  }

  /// Starts to note changes.
  mutating func noteChanges() { tables.changes = ContactChanges(before: counts) }

  /// The changes since `noteChanges()`; nil if changes are not noted.
  var changes: ContactChanges? { tables.changes }

  /// Applies what an increment says about a contact.
  ///
  /// - Parameter parts: The parts of the row that the increment contains.
  @inline(__always)
  mutating func replace(_ parts: ContactParts, of number: ContactNumber, by row: ContactRow) {
    let (before, after) = tables.replace(parts, at: Int(number.rawValue), by: row)
    note(from: before, to: after, of: number)
  }

  /// Removes the presence of all resources of all contacts.
  mutating func forgetPresence() {
    for number in members(.presence) {
      tables.rows[Int(number.rawValue)].forgetPresence()
    }
    // A contact with further resources also has a first one.
    tables.further = FurtherResources()
    tables.members[ContactParts.presence.index] = ContactSet()
  }
}

extension ContactTable.Tables {
  /// Replaces parts of a row, and frees the contact's data outside the row that those parts
  /// referred to.
  ///
  /// - Returns: The contact's parts before and after the change.
  @inline(__always)
  fileprivate mutating func replace(
    _ parts: ContactParts, at place: Int, by row: ContactRow
  ) -> (before: ContactParts, after: ContactParts) {
    let before = rows[place].parts
    if parts.contains(.presence), rows[place].further != 0 {
      further.update(&rows[place].further) { $0 = PresenceRows() }
    }
    if parts.contains(.details) { details.free(rows[place].details) }
    if parts.contains(.item) {
      updateItem(at: place) { $0.take(parts, of: row) }
    } else {
      rows[place].take(parts, of: row)
    }
    return (before, rows[place].parts)
  }

  /// Changes a row, including its item if needed.
  @inline(__always)
  mutating func updateItem(at place: Int, _ body: (inout ContactRow) -> Void) {
    items.count(rows[place], -1)
    body(&rows[place])
    items.count(rows[place], 1)
  }
}
