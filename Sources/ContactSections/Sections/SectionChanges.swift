/// The position of a row: the index of its section and its index in that section.
public struct RowPosition: Hashable, Comparable, Sendable {
  /// The index of the section.
  public var section: Int
  /// The index of the row in the section.
  public var row: Int

  /// The position at the given indices.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Orders by section, then by row.
  public static func < (left: RowPosition, right: RowPosition) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

/// The changes that turn the old screen into the new one, in two steps.
///
/// The first step is one batch as UITableView and UICollectionView expect it: deletions, reloads
/// and the sources of moves use indices of the old screen, insertions and the targets of moves use
/// indices of the new one. Rows in deleted or inserted sections are not listed. The second step,
/// after the batch, reloads rows that both moved and changed.
///
/// NSTableView and GTK's ListModel expect one change at a time. Apply them in this order: reload;
/// delete the rows that are deleted or moved away, last first; delete the sections, last first;
/// insert the sections with their rows, first first; insert the rows that are inserted or moved in,
/// first first.
public struct SectionChanges: Hashable, Sendable {
  /// A row that moves, from its position on the old screen to its position on the new one.
  public struct Move: Hashable, Sendable {
    /// The position on the old screen.
    public var from: RowPosition
    /// The position on the new screen.
    public var to: RowPosition
  }

  /// Sections to delete with all their rows; old indices, in order.
  public internal(set) var deletedSections: [Int] = []
  /// Sections to insert with all their rows; new indices, in order.
  public internal(set) var insertedSections: [Int] = []
  /// Rows to delete from sections that stay; old indices, in order.
  public internal(set) var deletedRows: [RowPosition] = []
  /// Rows to insert into sections that existed before; new indices, in order.
  public internal(set) var insertedRows: [RowPosition] = []
  /// Rows that move between sections that exist before and after.
  public internal(set) var movedRows: [Move] = []
  /// Rows that stay in place but show other content; old indices, in order.
  public internal(set) var reloadedRows: [RowPosition] = []
  /// Rows to reload after the batch, because they moved and show other content; new indices.
  public internal(set) var reloadedAfterMove: [RowPosition] = []

  /// No changes.
  public init() {}

  /// Whether nothing changes.
  public var isEmpty: Bool { self == SectionChanges() }
}
