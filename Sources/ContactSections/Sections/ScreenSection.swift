/// The identity of a row: unique on its screen, and the same on later screens for as long as the
/// row stays in its section.
///
/// A contact that is starred or in several groups has several rows, each in another section.
public struct RowID: Hashable, Sendable {
  /// What a row shows.
  public enum Kind: Hashable, Sendable {
    /// A request that awaits an answer.
    case request
    /// A contact.
    case contact
  }

  /// The section of the row.
  public let section: SectionID
  /// The bare JID of the contact or of the request's sender.
  public let address: String
  /// What the row shows.
  public let kind: Kind
}

/// A row of a contacts screen.
public struct ScreenRow: Hashable, Identifiable, Sendable {
  /// The identity of the row.
  public let id: RowID
  /// What it shows.
  public let content: SectionIndex.Row

  init(_ content: SectionIndex.Row, in section: SectionID) {
    self.content = content
    id =
      switch content {
      case .request(let request): RowID(section: section, address: request.id, kind: .request)
      case .contact(let contact): RowID(section: section, address: contact.id, kind: .contact)
      }
  }

  /// The contact that the row shows; nil if it shows a request.
  public var contact: ListedContact? {
    if case .contact(let contact) = content { contact } else { nil }
  }

  /// The request that the row shows; nil if it shows a contact.
  public var request: ListedRequest? {
    if case .request(let request) = content { request } else { nil }
  }
}

/// The rows of a section in order. A row is made when it is asked for.
public struct ScreenRows: RandomAccessCollection, Sendable {
  private let section: SectionID
  private let rows: [ListedRow]

  init(_ section: ShownSection) {
    self.section = section.id
    rows = section.rows
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of rows.
  public var endIndex: Int { rows.count }

  /// The row at a valid index. Complexity: O(1).
  public subscript(index: Int) -> ScreenRow { ScreenRow(rows[index].content, in: section) }
}

extension ScreenRows: Equatable {
  /// Whether both have equal rows. Complexity: linear in the rows.
  public static func == (left: ScreenRows, right: ScreenRows) -> Bool {
    left.section == right.section && left.rows.count == right.rows.count
      && zip(left.rows, right.rows).allSatisfy { $0 === $1 || $0.content == $1.content }
  }
}

/// A section of a contacts screen, with its rows.
public struct ScreenSection: Identifiable, Equatable, Sendable {
  /// The identity of the section, which says what it is.
  public let id: SectionID
  /// The rows in order.
  public let rows: ScreenRows

  init(_ section: ShownSection) {
    id = section.id
    rows = ScreenRows(section)
  }

  /// The header: a letter or a group's name; see `SectionID.title`.
  public var title: String { id.title }

  /// The entry in the side index; nil if the section has none.
  public var indexTitle: String? { id.indexTitle }
}

extension SectionIndex {
  /// The sections with their rows, in order. Complexity: linear in the sections.
  public var sections: [ScreenSection] { shown.map { ScreenSection($0) } }

  /// The row with an identity; nil if it is not on the screen.
  ///
  /// Complexity: linear in the sections of the contact.
  public func row(_ id: RowID) -> ScreenRow? {
    let row =
      switch id.kind {
      case .request: requests[id.address]
      case .contact: contacts[id.address]
      }
    guard let row, sections(of: row).contains(id.section) else { return nil }
    return ScreenRow(row.content, in: id.section)
  }

  /// The rows of a contact, by section; none if it is not a friend.
  package func rowIDs(ofContact id: String) -> [RowID] { rowIDs(of: contacts[id]) }

  /// The row of a request, if it is shown.
  package func rowIDs(ofRequest id: String) -> [RowID] { rowIDs(of: requests[id]) }

  private func rowIDs(of row: ListedRow?) -> [RowID] {
    guard let row else { return [] }
    return sections(of: row).sorted().map { ScreenRow(row.content, in: $0).id }
  }
}
