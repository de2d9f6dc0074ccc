import XMPPStanza

// How tables are made of others.
extension ContactTable {
  /// A table of contacts of whom nothing is known yet.
  ///
  /// - Parameters:
  ///   - groups: Lists of groups, each as the numbers that its texts have in `texts`.
  init(addresses: TextTable, texts: TextTable, groups: TextTable) {
    tables.addresses = addresses
    tables.texts = texts
    tables.groups = groups
    for _ in 0..<addresses.count { tables.rows.append(ContactRow()) }
    for number in (0..<UInt32(groups.count)).lazy.map(GroupsNumber.init) {
      noteIfLong(number, self.texts(ofGroups: number))
    }
    setCompactionSize()
  }

  /// How many lists of groups there are; their numbers are those below.
  var groupsCount: Int { tables.groups.count }

  /// Whether so much came and went that the table is best made anew.
  var isCompactionDue: Bool { tables.size > tables.compactionSize }

  private mutating func setCompactionSize() {
    tables.compactionSize = max(Tables.leastCompactionSize, 2 * tables.size)
  }

  /// The same table without the texts that nothing refers to and the contacts of whom nothing is
  /// known; the numbers change. Contacts stand in the order of their addresses, resources in that
  /// of their names: what tables say that are equal, they say with the same numbers then.
  ///
  /// - Parameter others: Rows that stand elsewhere, and whose texts are in this table.
  ///
  /// Complexity: O(n log n), so next to nothing for each row and text that was added.
  func compacted(with others: inout PresenceRows) -> ContactTable {
    var new = ContactTable()
    new.tables.details = tables.details.withoutPlaces
    for number in sorted(known) {
      let target = withAddress(of: number) { new.insert(address: $0) }
      if let item = item(of: number) { new.setItem(new.copy(item, of: self), of: target) }
      let rows = sorted(rows(of: number)).map { new.copy($0, of: self) }
      new.setPresence(rows.first, of: target)
      new.copyDetails(of: number, from: self, to: target, with: rows.dropFirst())
    }
    others = PresenceRows(sorted(others.all).map { new.copy($0, of: self) })
    new.setCompactionSize()
    return new
  }

  private mutating func copyDetails(
    of number: ContactNumber, from other: ContactTable, to target: ContactNumber,
    with further: ArraySlice<PresenceRow>
  ) {
    let reference = other.tables.rows[Int(number.rawValue)].details
    if reference.isStored { return setDetails(reference, of: target) }
    guard var details = other.details(of: number) else { return }
    details.furtherResources = PresenceRows(Array(further))
    updateDetails(of: target) { $0 = details }
  }

  private mutating func copy(_ item: ItemRow, of other: ContactTable) -> ItemRow {
    var copy = item
    copy.name = self.copy(item.name, of: other)
    let groups = other.texts(ofGroups: item.groups).map { self.copy($0, of: other) }
    copy.groups = insert(groups: groups)
    return copy
  }

  private mutating func copy(_ presence: PresenceRow, of other: ContactTable) -> PresenceRow {
    var copy = presence
    copy.resource = self.copy(presence.resource, of: other)
    copy.status = self.copy(presence.status, of: other)
    copy.delay = self.copy(presence.delay, of: other)
    copy.malformed = self.copy(presence.malformed, of: other)
    return copy
  }

  private mutating func copy(_ text: TextNumber, of other: ContactTable) -> TextNumber {
    text == .none ? .none : other.withText(text) { insert(text: $0) }
  }

  // MARK: Increments

  /// Takes over what another table says of its contacts, instead of what this one says of them.
  ///
  /// - Parameter others: Rows that stand elsewhere, and whose texts are in the other table.
  /// - Returns: These rows with their texts in this one.
  ///
  /// Complexity: linear in the other table.
  mutating func merge(_ other: ContactTable, with others: PresenceRows) -> PresenceRows {
    let start = other.tables.details.stored.map { keep($0) }
    var texts = TextNumbers(of: other)
    for number in other.numbers {
      let target = other.withAddress(of: number) { insert(address: $0) }
      removeDetails(of: target)
      setItem(other.item(of: number).map { copy($0, &texts) }, of: target)
      let rows = other.rows(of: number).map { copy($0, &texts) }
      setPresence(rows.first, of: target)
      let details = other.tables.rows[Int(number.rawValue)].details
      if let start, let moved = details.advanced(by: start) {
        setDetails(moved, of: target)
      } else if var details = other.details(of: number) {
        // Of who has further resources.
        details.furtherResources = PresenceRows(Array(rows.dropFirst()))
        updateDetails(of: target) { $0 = details }
      }
    }
    return PresenceRows(others.all.map { copy($0, &texts) })
  }

  /// Forgets what all resources of all contacts said.
  mutating func forgetPresence() {
    for number in members(.presence) {
      setPresence(nil, of: number)
      guard hasFurtherResources(number) else { continue }
      updateDetails(of: number) { $0.furtherResources = PresenceRows() }
    }
  }

  /// Which numbers the texts and groups of another table have in this one, each looked up once.
  private struct TextNumbers {
    let other: ContactTable
    var texts: [TextNumber]
    var groups: [GroupsNumber]

    init(of other: ContactTable) {
      self.other = other
      texts = Array(repeating: .none, count: other.textCount)
      groups = Array(repeating: .none, count: other.groupsCount)
    }
  }

  private mutating func copy(_ text: TextNumber, _ known: inout TextNumbers) -> TextNumber {
    guard text != .none else { return .none }
    let place = Int(text.rawValue)
    if known.texts[place] == .none {
      known.texts[place] = known.other.withText(text) { insert(text: $0) }
    }
    return known.texts[place]
  }

  private mutating func copy(_ groups: GroupsNumber, _ known: inout TextNumbers) -> GroupsNumber {
    guard groups != .none else { return .none }
    let place = Int(groups.rawValue)
    if known.groups[place] == .none {
      known.groups[place] = insert(
        groups: known.other.texts(ofGroups: groups).map { copy($0, &known) })
    }
    return known.groups[place]
  }

  private mutating func copy(_ item: ItemRow, _ known: inout TextNumbers) -> ItemRow {
    var copy = item
    copy.name = self.copy(item.name, &known)
    copy.groups = self.copy(item.groups, &known)
    return copy
  }

  private mutating func copy(_ row: PresenceRow, _ known: inout TextNumbers) -> PresenceRow {
    var copy = row
    copy.resource = self.copy(row.resource, &known)
    copy.status = self.copy(row.status, &known)
    copy.delay = self.copy(row.delay, &known)
    copy.malformed = self.copy(row.malformed, &known)
    return copy
  }
}
