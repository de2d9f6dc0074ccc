import RawBytes
import XMPPStanza

// Converts between the table's rows, which hold numbers, and the values that the rest of the
// program uses.
extension ContactTable {
  /// Passes the presence of a contact's further resources to `body`; valid only during the call.
  func withFurtherResources(
    of number: ContactNumber, _ body: (Span<PresenceRow>) -> Void
  ) {
    tables.further.withRows(tables.rows[Int(number.rawValue)].further, body)
  }

  /// The contact's item with the records that set its fields.
  func entry(of number: ContactNumber) -> RosterEntry? {
    item(of: number).map { row in
      RosterEntry(item: value(of: row, number), provenance: row.provenance)
    }
  }

  /// The last error that answered what we sent to the contact. Complexity: O(1).
  func returnedError(of number: ContactNumber) -> ReturnedError? {
    guard row(of: number).detailParts.contains(.returnedError) else { return nil }
    return details(of: number)?.returnedError
  }

  /// The value of an item's row.
  func value(of row: ItemRow, _ number: ContactNumber) -> RosterItem {
    RosterItem(
      checked: address(of: number), name: text(row.name), subscription: row.subscription,
      isPending: row.isPending, isApproved: row.isApproved, groups: groups(row.groups))
  }

  /// Whether a row equals an item in its stored form.
  func says(_ row: ItemRow, _ item: StoredFields) -> Bool {
    row.subscription == item.subscription && row.isPending == item.isPending
      && row.isApproved == item.isApproved && isText(row.name, item.name)
      && groups(row.groups, are: item.groups)
  }

  /// Whether two items, or their absence, have the same fields in both tables, whichever records
  /// set them.
  func isSame(_ mine: ItemRow?, as others: ItemRow?, in other: ContactTable) -> Bool {
    guard let mine, let others else { return mine == nil && others == nil }
    return mine.subscription == others.subscription && mine.isPending == others.isPending
      && mine.isApproved == others.isApproved
      && has(mine.name, sameAs: others.name, in: other)
      && isSame(mine.groups, as: others.groups, in: other)
  }

  private func isSame(
    _ mine: GroupsNumber, as others: GroupsNumber, in other: ContactTable
  ) -> Bool {
    guard mine != .none, others != .none else { return mine == others }
    let (mine, others) = (texts(ofGroups: mine), other.texts(ofGroups: others))
    return mine.count == others.count
      && zip(mine, others).allSatisfy { has($0, sameAs: $1, in: other) }
  }

  private func isText(_ number: TextNumber, _ text: RawSpan?) -> Bool {
    guard let text, number != .none else { return text == nil && number == .none }
    return text.isSame(as: bytes(ofText: number))
  }

  /// The row of an item.
  ///
  /// - Parameter old: The previous item. Comparing with its texts is cheaper than looking them up.
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

  /// The value of a resource's row.
  func value(of row: PresenceRow) -> ResourcePresence {
    ResourcePresence(
      availability: Availability(
        show: row.show, priority: row.priority, status: text(row.status), delay: text(row.delay),
        malformed: text(row.malformed)),
      since: row.since, told: row.told)
  }

  /// The row of a resource's presence.
  mutating func row(
    of availability: Availability, by resource: String, since stamp: RecordStamp,
    told: SessionSet
  ) -> PresenceRow {
    PresenceRow(
      resource: insert(resource), status: insert(availability.status),
      delay: insert(availability.delay), malformed: insert(availability.malformed),
      show: availability.show, priority: availability.priority, since: stamp, told: told)
  }

  /// The row of a resource's presence in its stored form.
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

  /// The name of a contact's first resource if it equals `name`. Nearly all presence is from the
  /// first resource, and comparing is cheaper than a look-up.
  private func firstResource(
    of number: ContactNumber, ifNamed name: RawSpan
  ) -> TextNumber? {
    guard let first = presence(of: number)?.resource,
      bytes(ofText: first).isSame(as: name)
    else { return nil }
    return first
  }

  /// The number of a resource name; nil if no contact has a resource with this name.
  func resource(named name: RawSpan, of number: ContactNumber) -> TextNumber? {
    firstResource(of: number, ifNamed: name) ?? self.number(ofText: name)
  }

  /// Whether both contacts' details are stored in a snapshot, with the same bytes.
  func hasSameStoredDetails(
    _ mine: DetailsReference, as others: DetailsReference, in other: ContactTable
  ) -> Bool {
    tables.details.hasSameStored(mine, as: others, in: other.tables.details)
  }

  /// The presence of all available resources of a contact.
  ///
  /// - Parameter sessions: Includes only what one of these sessions received; nil for all.
  func resources(of number: ContactNumber, toldTo sessions: SessionSet? = nil) -> ResourceTable {
    resources(rows(of: number, toldTo: sessions))
  }

  /// The rows of all available resources of a contact.
  func rows(of number: ContactNumber, toldTo sessions: SessionSet? = nil) -> [PresenceRow] {
    guard let first = presence(of: number) else { return [] }
    let rows = [first] + furtherResources(of: number).all
    guard let sessions else { return rows }
    return rows.filter { !$0.told.isDisjoint(with: sessions) }
  }

  /// The row of one resource of a contact; nil if it is not available. Complexity: O(1).
  func row(of resource: TextNumber, of number: ContactNumber) -> PresenceRow? {
    guard let first = presence(of: number) else { return nil }
    return first.resource == resource ? first : furtherResources(of: number)[resource]
  }

  /// The resource that has been silent the longest; nil if a contact has no more resources than the
  /// limit. Complexity: linear in `PresenceRows.limit`.
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

  /// A table of resources by name.
  func resources(_ rows: [PresenceRow]) -> ResourceTable {
    ResourceTable(rows.map { (text($0.resource) ?? "", value(of: $0)) })
  }

  /// The whole state of a contact; nil if it has none.
  func contact(_ number: ContactNumber) -> Contact? {
    guard !isEmpty(number) else { return nil }
    let details = details(of: number)
    return Contact(
      jid: address(of: number), entry: entry(of: number), request: details?.request,
      lastEnded: details?.lastEnded,
      endIsConfirmedByRoster: details?.endIsConfirmedByRoster ?? false,
      outgoing: details?.outgoing, lastOutgoingEnd: details?.lastOutgoingEnd,
      presence: ContactPresence(resources: resources(of: number)), names: details?.names,
      annotations: details?.annotations,
      expected: details?.expected ?? ExpectedCounterparts(),
      confirmedEdit: details?.confirmedEdit, deliveries: details?.deliveries ?? [],
      returnedError: details?.returnedError,
      rounds: [details?.rounds, details?.ownRounds])
  }
}

extension ContactTable {
  /// How our last request to the contact ended.
  func lastOutgoingEnd(of number: ContactNumber) -> EndedOutgoing? {
    guard row(of: number).detailParts.contains(.lastOutgoingEnd) else { return nil }
    return details(of: number)?.lastOutgoingEnd
  }
}

extension ContactTable: Equatable {
  /// Whether both tables have the same state for the same contacts, regardless of their numbers.
  static func == (a: ContactTable, b: ContactTable) -> Bool {
    func known(_ table: ContactTable) -> Int { table.numbers.count { !table.isEmpty($0) } }
    guard a.items == b.items, known(a) == known(b) else { return false }
    return a.numbers.allSatisfy { number in
      guard !a.isEmpty(number) else { return true }
      guard let other = b.number(ofAddress: a.bytes(ofAddress: number)) else { return false }
      // What a snapshot says of the parts is not checked when it is read.
      guard a.row(of: number).parts == b.row(of: other).parts else { return false }
      return a.isSurely(number, sameAs: other, in: b) || a.contact(number) == b.contact(other)
    }
  }

  /// Whether the rows already show that two contacts are equal; false if only their values can.
  ///
  /// Making the values takes ten times as long, and hardly a contact has details that changed since
  /// a snapshot or several resources.
  private func isSurely(
    _ number: ContactNumber, sameAs others: ContactNumber, in other: ContactTable
  ) -> Bool {
    let (mine, others) = (row(of: number), other.row(of: others))
    return mine.further == 0 && others.further == 0
      && (mine.details == .none && others.details == .none
        || hasSameStoredDetails(mine.details, as: others.details, in: other))
      && isSame(mine.item, as: others.item, in: other)
      && mine.item?.provenance == others.item?.provenance
      && says(mine.presence, sameAs: others.presence, in: other)
      && mine.presence?.since == others.presence?.since
      && mine.presence?.told == others.presence?.told
  }
}
