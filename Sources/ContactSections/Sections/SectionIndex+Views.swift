// The content of the screen.
extension SectionIndex {
  /// The number of sections.
  public var sectionCount: Int { shown.count }

  /// The identity of the section at an index, which must be valid.
  public func section(_ number: Int) -> SectionID { shown[number].id }

  /// The number of rows in the section at an index, which must be valid.
  public func rowCount(inSection number: Int) -> Int { shown[number].rows.count }

  /// The content of a row, or nil if there is no such row. Complexity: O(1).
  public func row(at position: RowPosition) -> Row? {
    guard shown.indices.contains(position.section),
      shown[position.section].rows.indices.contains(position.row)
    else { return nil }
    return shown[position.section].rows[position.row].content
  }

  /// The rows in order of the section at an index, which must be valid. Complexity: O(n).
  public func rows(inSection number: Int) -> [Row] { shown[number].rows.map(\.content) }

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
  public var indexTitles: [(title: String, section: Int)] {
    shown.indices.compactMap { number in
      shown[number].id.indexTitle.map { ($0, number) }
    }
  }

  /// The number of requests that await an answer, whether or not the user has seen them; for the
  /// badge see `Roster.unseenRequestCount`.
  public var requestCount: Int { requests.count }

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
        if case .contact(let contact) = $0.content { found.append(contact) }
      }
    }
    return found
  }
}
