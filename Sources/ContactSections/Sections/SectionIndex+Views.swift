// The content of the screen.
extension SectionIndex {
  /// The number of sections.
  public var sectionCount: Int { sections.count }

  /// The identity of the section at an index, which must be valid.
  public func section(_ number: Int) -> SectionID { sections[number].id }

  /// The number of rows in the section at an index, which must be valid.
  public func rowCount(inSection number: Int) -> Int { sections[number].rows.count }

  /// The content of a row, or nil if there is no such row. Complexity: O(1).
  public func row(at position: RowPosition) -> Row? {
    guard sections.indices.contains(position.section),
      sections[position.section].rows.indices.contains(position.row)
    else { return nil }
    return sections[position.section].rows[position.row].shown
  }

  /// The rows in order of the section at an index, which must be valid. Complexity: O(n).
  public func rows(inSection number: Int) -> [Row] { sections[number].rows.map(\.shown) }

  /// The positions of a contact in order: several if it is in several groups, none if it is not a
  /// friend. Complexity: O(log n) for each.
  public func positions(ofContact id: String) -> [RowPosition] {
    positions(of: contacts[id])
  }

  /// The position of a request. Complexity: O(log n).
  public func position(ofRequest id: String) -> RowPosition? {
    positions(of: requests[id]).first
  }

  private func positions(of row: ListedRow?) -> [RowPosition] {
    guard let row else { return [] }
    return sections(of: row).compactMap { position(of: row, in: $0) }.sorted()
  }

  /// The titles of the side index, each with the index of its section.
  public var sideIndex: [(title: String, section: Int)] {
    sections.indices.compactMap { number in
      sections[number].id.indexTitle.map { ($0, number) }
    }
  }

  /// The number of requests that await an answer, whether or not the user has seen them.
  public var badgeCount: Int { requests.count }

  /// The number of displayed contacts, each counted once. Complexity: O(n).
  public var friendCount: Int { contacts.values.count { $0.role == .friend } }

  /// The friends that match a query, best match first, and equal matches in list order.
  ///
  /// Complexity: O(n), plus one reading for each name that contains all letters of the query.
  public func search(_ query: NameQuery) -> [ListedContact] {
    var hits: [NameQuery.Rank: [ListedRow]] = [:]
    for row in contacts.values {
      guard row.role == .friend, let rank = query.match(row) else { continue }
      hits[rank, default: []].append(row)
    }
    var found: [ListedContact] = []
    for rank in NameQuery.Rank.allCases {
      hits[rank]?.forEachInOrder {
        if case .contact(let contact) = $0.shown { found.append(contact) }
      }
    }
    return found
  }
}
