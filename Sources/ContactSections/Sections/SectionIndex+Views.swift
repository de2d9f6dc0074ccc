// What the screen shows.
extension SectionIndex {
  /// How many sections there are.
  public var sectionCount: Int { sections.count }

  /// What a section is; the number must be one of a section.
  public func section(_ number: Int) -> SectionID { sections[number].id }

  /// How many rows a section has; the number must be one of a section.
  public func rowCount(inSection number: Int) -> Int { sections[number].rows.count }

  /// What a row shows; nil where there is no such row. Complexity: O(1).
  public func row(at position: RowPosition) -> Row? {
    guard sections.indices.contains(position.section),
      sections[position.section].rows.indices.contains(position.row)
    else { return nil }
    return row(sections[position.section].rows[position.row])
  }

  /// The rows of a section in order; the number must be one of a section. Complexity: O(n).
  public func rows(inSection number: Int) -> [Row] { sections[number].rows.compactMap(row) }

  private func row(_ key: RowKey) -> Row? {
    if key.name == nil { return requests[key.id].map { .request($0.request) } }
    return contacts[key.id].map { .contact($0.contact) }
  }

  /// Where a contact is shown, first things first: in several groups several times, nowhere where
  /// it is no friend. Complexity: O(log n) for each.
  public func positions(ofContact id: String) -> [RowPosition] {
    positions(contacts[id]?.place)
  }

  /// Where a request is shown. Complexity: O(log n).
  public func position(ofRequest id: String) -> RowPosition? {
    positions(requests[id]?.place).first
  }

  private func positions(_ place: Place?) -> [RowPosition] {
    (place?.sections ?? []).compactMap { position(of: place?.key, in: $0) }.sorted()
  }

  /// The titles of the index at the side, each with the number of its section.
  public var sideIndex: [(title: String, section: Int)] {
    sections.indices.compactMap { number in
      sections[number].id.indexTitle.map { ($0, number) }
    }
  }

  /// How many requests wait for an answer: the number on the badge.
  public var badgeCount: Int { requests.count }

  /// How many contacts the screen shows, each counted once. Complexity: O(n).
  public var friendCount: Int {
    contacts.values.count { policy.friends.includes($0.contact.subscription) }
  }

  /// The friends that match a query, the best first, and equals in the order of the list.
  /// Complexity: O(n) readings.
  public func search(_ query: NameQuery) -> [ListedContact] {
    let hits = contacts.values.compactMap { entry -> (rank: NameQuery.Rank, entry: Entry)? in
      let contact = entry.contact
      guard policy.friends.includes(contact.subscription) else { return nil }
      let names = [contact.displayName, contact.userReading].compactMap { $0 }
      return names.compactMap {
        query.match(PinyinReader.reading(of: $0), address: contact.id)
      }.min().map { ($0, entry) }
    }
    return hits.sorted {
      if $0.rank != $1.rank { return $0.rank < $1.rank }
      return $0.entry.place.key < $1.entry.place.key
    }.map(\.entry.contact)
  }
}
