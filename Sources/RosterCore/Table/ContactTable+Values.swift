import RawBytes
import XMPPStanza

// Between the rows of a table, which are numbers, and the values that the rest of the program
// speaks of.
extension ContactTable {
  /// Hands what a contact's resources besides the first one said to `body`, while it runs.
  func withFurtherResources(
    of number: ContactNumber, _ body: (Span<PresenceRow>) -> Void
  ) {
    tables.further.withRows(tables.rows[Int(number.rawValue)].further, body)
  }

  /// The contact's item with what set its fields.
  func entry(of number: ContactNumber) -> RosterEntry? {
    item(of: number).map { row in
      RosterEntry(item: value(of: row, number), provenance: row.provenance)
    }
  }

  /// An item of a contact.
  func value(of row: ItemRow, _ number: ContactNumber) -> RosterItem {
    RosterItem(
      checked: address(of: number), name: text(row.name), subscription: row.subscription,
      isPending: row.isPending, isApproved: row.isApproved, groups: groups(row.groups))
  }

  /// Whether a row says the same as what stands elsewhere of an item.
  func says(_ row: ItemRow, _ item: StoredFields) -> Bool {
    row.subscription == item.subscription && row.isPending == item.isPending
      && row.isApproved == item.isApproved && isText(row.name, item.name)
      && groups(row.groups, are: item.groups)
  }

  private func isText(_ number: TextNumber, _ text: RawSpan?) -> Bool {
    guard let text, number != .none else { return text == nil && number == .none }
    return text.isSame(as: bytes(ofText: number))
  }

  /// The row of an item.
  ///
  /// - Parameter old: What it was before: what it says is compared, which takes less than to look
  ///   it up.
  mutating func row(
    of item: StoredFields, _ provenance: RosterEntry.Provenance, after old: ItemRow = .none
  ) -> ItemRow {
    ItemRow(
      name: isText(old.name, item.name)
        ? old.name : insert(text: item.name),
      groups: groups(old.groups, are: item.groups) ? old.groups : insert(groups: item.groups),
      subscription: item.subscription, isPending: item.isPending, isApproved: item.isApproved,
      provenance: provenance)
  }

  /// What a resource said.
  func value(of row: PresenceRow) -> ResourcePresence {
    ResourcePresence(
      availability: Availability(
        show: row.show, priority: row.priority, status: text(row.status), delay: text(row.delay),
        malformed: text(row.malformed)),
      since: row.since, told: row.told)
  }

  /// The row of what a resource said.
  mutating func row(
    of availability: Availability, by resource: String, since stamp: RecordStamp,
    told: SessionSet
  ) -> PresenceRow {
    PresenceRow(
      resource: insert(resource), status: insert(availability.status),
      delay: insert(availability.delay), malformed: insert(availability.malformed),
      show: availability.show, priority: availability.priority, since: stamp, told: told)
  }

  /// The row of what stands elsewhere and a resource of a contact said.
  mutating func row(
    of availability: StoredAvailability, by resource: RawSpan,
    of number: ContactNumber, since stamp: RecordStamp, told: SessionSet
  ) -> PresenceRow {
    PresenceRow(
      resource: firstResource(of: number, ifNamed: resource) ?? insert(text: resource),
      status: insert(text: availability.status),
      delay: insert(text: availability.delay),
      malformed: insert(text: availability.malformed),
      show: availability.show, priority: availability.priority, since: stamp, told: told)
  }

  /// The name of a contact's first resource if it is this one: nearly all that is said of resources
  /// is of it, and to compare them takes less than to look the name up.
  private func firstResource(
    of number: ContactNumber, ifNamed name: RawSpan
  ) -> TextNumber? {
    guard let first = presence(of: number)?.resource,
      bytes(ofText: first).isSame(as: name)
    else { return nil }
    return first
  }

  /// The name of a resource; nil where nobody has such a one.
  func resource(named name: RawSpan, of number: ContactNumber) -> TextNumber? {
    firstResource(of: number, ifNamed: name) ?? self.number(ofText: name)
  }

  /// Whether details are stored, and as those of another table are.
  func hasSameStoredDetails(
    _ mine: DetailsReference, as others: DetailsReference, in other: ContactTable
  ) -> Bool {
    tables.details.hasSameStored(mine, as: others, in: other.tables.details)
  }

  /// What all available resources of a contact said.
  ///
  /// - Parameter sessions: Only what one of these was told counts; nil for all.
  func resources(of number: ContactNumber, toldTo sessions: SessionSet? = nil) -> ResourceTable {
    resources(rows(of: number, toldTo: sessions))
  }

  /// All available resources of a contact.
  func rows(of number: ContactNumber, toldTo sessions: SessionSet? = nil) -> [PresenceRow] {
    guard let first = presence(of: number) else { return [] }
    let rows = [first] + furtherResources(of: number).all
    guard let sessions else { return rows }
    return rows.filter { !$0.told.isDisjoint(with: sessions) }
  }

  /// One available resource of a contact; nil where it is not available. Complexity: O(1).
  func row(of resource: TextNumber, of number: ContactNumber) -> PresenceRow? {
    guard let first = presence(of: number) else { return nil }
    return first.resource == resource ? first : furtherResources(of: number)[resource]
  }

  /// The resource that has said nothing for longest; nil if a contact has no more than are kept.
  /// Complexity: linear in `PresenceRows.limit`.
  func excessResource(of number: ContactNumber) -> TextNumber? {
    guard hasFurtherResources(number), var oldest = presence(of: number) else { return nil }
    return tables.further.withRows(tables.rows[Int(number.rawValue)].further) { rows in
      guard rows.count >= PresenceRows.limit else { return nil }
      for index in rows.indices where rows[index].since.record < oldest.since.record {
        oldest = rows[index]
      }
      return oldest.resource
    }
  }

  /// Resources by their names.
  func resources(_ rows: [PresenceRow]) -> ResourceTable {
    ResourceTable(rows.map { (text($0.resource) ?? "", value(of: $0)) })
  }

  /// Everything about a contact; nil where nothing is known.
  func contact(_ number: ContactNumber) -> Contact? {
    guard !isEmpty(number) else { return nil }
    let details = details(of: number)
    return Contact(
      jid: address(of: number), entry: entry(of: number), request: details?.request,
      lastEnded: details?.lastEnded, wasTaken: details?.wasTaken ?? false,
      outgoing: details?.outgoing,
      presence: ContactPresence(resources: resources(of: number)), names: details?.names,
      annotations: details?.annotations,
      expected: details?.expected ?? ExpectedCounterparts(),
      confirmedEdit: details?.confirmedEdit, deliveries: details?.deliveries ?? [],
      rounds: [details?.rounds, details?.ownRounds])
  }
}

extension ContactTable: Equatable {
  /// Whether the same is known of the same contacts, whatever numbers they have.
  static func == (a: ContactTable, b: ContactTable) -> Bool {
    func known(_ table: ContactTable) -> Int { table.numbers.count { !table.isEmpty($0) } }
    guard a.items == b.items, known(a) == known(b) else { return false }
    return a.numbers.allSatisfy { number in
      guard let contact = a.contact(number) else { return true }
      return b.number(of: contact.jid).flatMap { b.contact($0) } == contact
    }
  }
}
