import XMPPStanza

// Builds tables from other tables.
extension ContactTable {
  /// A table whose contacts have addresses but no state yet.
  ///
  /// - Parameters:
  ///   - groups: Group lists, each as the numbers that its texts have in `texts`.
  init(
    addresses: consuming TextTable, texts: consuming TextTable, groups: consuming TextTable
  ) {
    let lists = groups.count
    tables.addresses = addresses
    tables.texts = texts
    tables.groups = groups
    for number in (0..<UInt32(lists)).lazy.map(GroupsNumber.init) {
      noteIfLong(number, self.texts(ofGroups: number))
    }
  }

  /// Whether so much was added and removed that the table should be rebuilt. While changes are
  /// noted, the numbers must stay valid, so the result is false.
  var isCompactionDue: Bool { tables.size > tables.compactionSize && tables.changes == nil }

  /// Sets the size at which the next compaction is due, after the table has become as small as it
  /// can.
  mutating func setCompactionSize() {
    tables.compactionSize = max(Tables.leastCompactionSize, 2 * tables.size)
  }

  /// Whether more than a quarter of the addresses, texts and group lists, by bytes, belong to
  /// contacts without state or to no contact, so that the table should be rebuilt before it is
  /// written as a whole. Complexity: linear in the table.
  ///
  /// Depends only on the table, so a state that was read is written like the one it was read from.
  ///
  /// - Parameter others: As for `compacted(with:)`.
  func isWrittenBestCompacted(with others: PresenceRows) -> Bool {
    var addresses = UseMarks(of: counts.contacts)
    var texts = UseMarks(of: counts.texts)
    var groups = UseMarks(of: counts.groups)
    for number in numbers {
      let row = row(of: number)
      guard !row.isEmpty else { continue }
      addresses.use(number.rawValue)
      if let item = row.item {
        if item.name != .none { texts.use(item.name.rawValue) }
        if item.groups != .none { groups.use(item.groups.rawValue) }
      }
      if let presence = row.presence { texts.use(of: presence) }
      tables.further.withRows(row.further) { rows in
        for index in rows.indices { texts.use(of: rows[index]) }
      }
    }
    for list in groups.used {
      self.texts(ofGroups: GroupsNumber(rawValue: list)).forEach { texts.use($0.rawValue) }
    }
    others.all.forEach { texts.use(of: $0) }
    let used =
      tables.addresses.storedBytes(where: addresses.isUsed)
      + tables.texts.storedBytes(where: texts.isUsed)
      + tables.groups.storedBytes(where: groups.isUsed)
    let all =
      tables.addresses.storedBytes + tables.texts.storedBytes + tables.groups.storedBytes
    return 4 * used < 3 * all
  }

  /// A copy without unused texts and without contacts that have no state; the numbers change.
  /// Contacts are ordered by address and resources by name, so equal tables get equal numbers.
  ///
  /// - Parameter others: Rows outside the table that refer to its texts.
  ///
  /// Complexity: O(n log n), which is small for each row and text that was added.
  func compacted(with others: inout PresenceRows) -> ContactTable {
    var new = ContactTable()
    new.tables.details = tables.details.withoutPlaces
    for number in sorted(numbers.filter { !isEmpty($0) }) {
      let target = new.insert(address: bytes(ofAddress: number))
      if let item = item(of: number) { new.setItem(new.copy(item, of: self), of: target) }
      let rows = sorted(rows(of: number)).map { new.copy($0, of: self) }
      new.setPresence(rows.first, of: target)
      if rows.count > 1 {
        new.updateFurtherResources(of: target) { $0 = PresenceRows(Array(rows.dropFirst())) }
      }
      new.copyDetails(of: number, from: self, to: target)
    }
    others = PresenceRows(sorted(others.all).map { new.copy($0, of: self) })
    new.setCompactionSize()
    return new
  }

  private mutating func copyDetails(
    of number: ContactNumber, from other: ContactTable, to target: ContactNumber
  ) {
    let row = other.row(of: number)
    if row.details.isStored { return setDetails(row.details, with: row.detailParts, of: target) }
    guard let details = other.details(of: number) else { return }
    updateDetails(of: target) { $0 = details }
  }

  private mutating func copy(_ item: ItemRow, of other: ContactTable) -> ItemRow {
    var copy = item
    copy.renumber {
      self.copy($0, of: other)
    } _: {
      let texts = other.texts(ofGroups: $0).map { self.copy($0, of: other) }
      return insert(groups: texts)
    }
    return copy
  }

  private mutating func copy(_ presence: PresenceRow, of other: ContactTable) -> PresenceRow {
    var copy = presence
    copy.renumber { self.copy($0, of: other) }
    return copy
  }

  private mutating func copy(_ text: TextNumber, of other: ContactTable) -> TextNumber {
    insert(text: other.bytes(ofText: text))
  }

  /// Fills the contacts of a table that has no state yet, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - parts: The parts that each row has.
  ///   - items: The items of the rows.
  ///   - further: The resources that the rows refer to.
  mutating func fill(
    with rows: ChunkedArray<ContactRow>, _ parts: [ContactParts], _ items: ItemCounts,
    _ further: [[PresenceRow]]
  ) {
    tables.rows = rows
    tables.items = items
    tables.further = FurtherResources(further)
    for part in ContactParts.indexed {
      tables.members[part.index] = ContactSet(of: parts.count) { parts[$0].contains(part) }
    }
    let requests: [ContactParts] = [.openRequest, .outgoing]
    tables.requestCount = requests.reduce(0) { $0 + tables.members[$1.index].count }
    setCompactionSize()
  }

  /// Continues from a snapshot of all contacts: refers to the details stored there instead of the
  /// equal details in the table.
  mutating func continueFrom(_ stored: StoredDetails) {
    // Details at an offset too large for a reference stay in the table.
    guard DetailsReference(offset: stored.byteCount) != nil else { return }
    tables.details = DetailsTable(of: stored)
    var offset = 0
    for number in numbers where hasDetails(number) {
      // No offset is larger than the end, which was checked above.
      guard let reference = DetailsReference(offset: offset) else { return }
      let row = Int(number.rawValue)
      tables.rows[row].refer(to: reference, with: tables.rows[row].detailParts)
      offset = stored.end(ofDetailsAt: offset)
    }
  }
}

/// The texts of a table that are in use.
private struct UseMarks {
  private(set) var isUsed: [Bool]

  init(of count: Int) {
    isUsed = Array(repeating: false, count: count)
  }

  /// The numbers of the used texts.
  var used: some Sequence<UInt32> {
    isUsed.indices.lazy.filter { isUsed[$0] }.map { UInt32($0) }
  }

  mutating func use(_ number: UInt32) { isUsed[Int(number)] = true }

  /// Marks the texts of a resource as used.
  mutating func use(of row: PresenceRow) {
    if row.resource != .none { use(row.resource.rawValue) }
    if row.status != .none { use(row.status.rawValue) }
    if row.delay != .none { use(row.delay.rawValue) }
    if row.malformed != .none { use(row.malformed.rawValue) }
  }
}
