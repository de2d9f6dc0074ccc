/// How many contacts, texts and lists of groups a table has: those that come get the numbers after
/// them.
struct TableCounts: Hashable, Sendable {
  var contacts: Int
  var texts: Int
  var groups: Int

  static let none = TableCounts(contacts: 0, texts: 0, groups: 0)
}

/// What has changed in a table since some time.
///
/// Whoever closes a session loses sight of everybody at once: those of whom nothing else is new are
/// held apart, so that they need not be named where nobody but others is available.
struct ContactChanges: Sendable {
  /// What the table had then.
  let before: TableCounts
  /// The contacts whose item may have changed.
  var items = ContactSet()
  /// Those of whom a resource has come, or said something else.
  var presences = ContactSet()
  /// Those whose last presence went.
  var gone = ContactSet()
  /// Those whose details may have changed.
  var details = ContactSet()

  /// Whom to name so that all that changed is known.
  ///
  /// - Parameter isPresenceWhole: Whether nobody is available but those of whom a resource has come
  ///   or said something else.
  func named(isPresenceWhole: Bool) -> [ContactNumber] {
    var named = items
    named.formUnion(presences)
    named.formUnion(details)
    if !isPresenceWhole { named.formUnion(gone) }
    return named.members
  }

  /// What of a contact may have changed.
  func parts(of number: ContactNumber) -> ChangedParts {
    var parts: ChangedParts = []
    if items.contains(number) { parts.insert(.item) }
    if presences.contains(number) || gone.contains(number) { parts.insert(.presence) }
    if details.contains(number) { parts.insert(.details) }
    return parts
  }
}

/// What of a contact is in an increment.
struct ChangedParts: OptionSet {
  let rawValue: UInt8

  static let item = Self(rawValue: 1)
  /// All resources.
  static let presence = Self(rawValue: 2)
  static let details = Self(rawValue: 4)
  static let all: Self = [.item, .presence, .details]

  /// In how many bits they are.
  static let bits = 3
}

extension ContactTable {
  /// How many contacts, texts and lists of groups there are.
  var counts: TableCounts {
    TableCounts(
      contacts: tables.rows.count, texts: tables.texts.count, groups: tables.groups.count)
  }

  /// How many bytes its addresses and texts have.
  var textBytes: Int { tables.addresses.byteCount + tables.texts.byteCount }

  /// Writes down the addresses, texts and lists of groups that came after the first so many.
  func write(after before: TableCounts, to output: inout CanonicalOutput) {
    tables.addresses.write(from: before.contacts, to: &output)
    tables.texts.write(from: before.texts, to: &output)
    tables.groups.write(from: before.groups, to: &output)
  }

  /// The snapshot that the table is of: what had a number in it has the same one here, and what
  /// came after it has the numbers that it has in every table of that snapshot. Nil where there is
  /// none, or numbers have changed since.
  var base: SnapshotBase? {
    get { tables.base }
    set { tables.base = newValue }
  }

  /// From now on, notes what changes.
  mutating func noteChanges() { tables.changes = ContactChanges(before: counts) }

  /// What has changed since then; nil where it was not noted.
  var changes: ContactChanges? { tables.changes }

  /// Takes over what an increment says of a contact.
  ///
  /// - Parameter parts: Which parts of the row it says anything of.
  @inline(__always)
  mutating func replace(_ parts: ChangedParts, of number: ContactNumber, by row: ContactRow) {
    let (before, after) = tables.replace(parts, at: Int(number.rawValue), by: row)
    note(from: before, to: after, of: number)
  }

  /// Forgets what all resources of all contacts said.
  mutating func forgetPresence() {
    for number in members(.presence) {
      tables.rows[Int(number.rawValue)].forgetPresence()
    }
    // Who has further resources has a first one.
    tables.further = FurtherResources()
    tables.members[ContactPart.presence.rawValue] = ContactSet()
  }
}

extension ContactTable.Tables {
  /// Takes over parts of a row, and frees what the contact has of them beside its row.
  ///
  /// - Returns: Which parts it had before, and has now.
  @inline(__always)
  fileprivate mutating func replace(
    _ parts: ChangedParts, at place: Int, by row: ContactRow
  ) -> (before: ContactParts, after: ContactParts) {
    let before = rows[place].membership
    if parts.contains(.presence), rows[place].further != 0 {
      further.update(&rows[place].further) { $0 = PresenceRows() }
    }
    if parts.contains(.details) { details.free(rows[place].details) }
    if parts.contains(.item) {
      updateItem(at: place) { $0.take(parts, of: row) }
    } else {
      rows[place].take(parts, of: row)
    }
    return (before, rows[place].membership)
  }

  /// Changes a row whose item may be another one afterwards.
  @inline(__always)
  mutating func updateItem(at place: Int, _ body: (inout ContactRow) -> Void) {
    items.count(rows[place], -1)
    body(&rows[place])
    items.count(rows[place], 1)
  }
}
