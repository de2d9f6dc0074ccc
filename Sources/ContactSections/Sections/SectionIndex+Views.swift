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
    return sections[position.section].rows[position.row].shown
  }

  /// The rows of a section in order; the number must be one of a section. Complexity: O(n).
  public func rows(inSection number: Int) -> [Row] { sections[number].rows.map(\.shown) }

  /// Where a contact is shown, first things first: in several groups several times, nowhere where
  /// it is no friend. Complexity: O(log n) for each.
  public func positions(ofContact id: String) -> [RowPosition] {
    positions(of: contacts[id])
  }

  /// Where a request is shown. Complexity: O(log n).
  public func position(ofRequest id: String) -> RowPosition? {
    positions(of: requests[id]).first
  }

  private func positions(of row: ListedRow?) -> [RowPosition] {
    guard let row else { return [] }
    return sections(of: row).compactMap { position(of: row, in: $0) }.sorted()
  }

  /// The titles of the index at the side, each with the number of its section.
  public var sideIndex: [(title: String, section: Int)] {
    sections.indices.compactMap { number in
      sections[number].id.indexTitle.map { ($0, number) }
    }
  }

  /// How many requests wait for an answer, whether the user has seen them or not.
  public var badgeCount: Int { requests.count }

  /// How many contacts the screen shows, each counted once. Complexity: O(n).
  public var friendCount: Int { contacts.values.count { $0.standing == .friend } }

  /// The friends that match a query, the best first, and equals in the order of the list.
  ///
  /// Complexity: O(n), and a reading for each name that holds all letters of the query.
  public func search(_ query: NameQuery) -> [ListedContact] {
    var hits: [NameQuery.Rank: [ListedRow]] = [:]
    for row in contacts.values {
      guard row.standing == .friend, let rank = query.match(row) else { continue }
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
