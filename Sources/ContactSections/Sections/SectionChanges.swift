/// Where a row stands: the number of its section and its number in it, from 0.
public struct RowPosition: Hashable, Comparable, Sendable {
  /// The section's number.
  public var section: Int
  /// The row's number in the section.
  public var row: Int

  /// The row of that number in the section of that number.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Orders by section, then by row.
  public static func < (left: RowPosition, right: RowPosition) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

/// What turns the old screen into the new one, in two steps.
///
/// The first step is one batch as UITableView and UICollectionView take it: what is deleted,
/// reloaded or moved from is numbered as on the old screen, what is inserted or moved to as on the
/// new one. No row of a deleted section and none of an inserted one is named. The second step,
/// after the batch, reloads rows that moved and changed.
///
/// NSTableView and GTK's ListModel take one change at a time. For them, in this order: reload;
/// delete the rows deleted or moved from, last first; delete the sections, last first; insert the
/// sections, first first, with their rows; insert the rows inserted or moved to, first first.
public struct SectionChanges: Hashable, Sendable {
  /// A row that goes elsewhere, from the old screen's number to the new one's.
  public struct Move: Hashable, Sendable {
    /// Where it stands on the old screen.
    public var from: RowPosition
    /// Where it stands on the new screen.
    public var to: RowPosition
  }

  /// Sections that go, with all their rows; old numbers, in order.
  public internal(set) var deletedSections: [Int] = []
  /// Sections that come, with all their rows; new numbers, in order.
  public internal(set) var insertedSections: [Int] = []
  /// Rows that go from sections that stay; old numbers, in order.
  public internal(set) var deletedRows: [RowPosition] = []
  /// Rows that come into sections that were there; new numbers, in order.
  public internal(set) var insertedRows: [RowPosition] = []
  /// Rows that go from one place to another, neither in a section that goes or comes.
  public internal(set) var movedRows: [Move] = []
  /// Rows that stay and show something else; old numbers, in order.
  public internal(set) var reloadedRows: [RowPosition] = []
  /// Rows to reload after the batch, because they moved and show something else; new numbers.
  public internal(set) var reloadedAfterMove: [RowPosition] = []

  /// Nothing changes.
  public var isEmpty: Bool { self == SectionChanges() }
}
