import Captures
import Rollcall

/// Lines in columns, aligned for characters that are two cells wide.
struct Table {
  private var rows: [[String]] = []
  private var widths: [Int]
  private var hasHeading = true
  /// Whether the last column is cut where the terminal ends.
  private let isCutToFit: Bool

  /// A table with a heading.
  ///
  /// - Parameter widths: What the columns take at least: enough where the rows are not all known
  ///   when the first are printed.
  init(_ heading: [String], widths: [Int] = [], isCutToFit: Bool = false) {
    self.widths = widths
    self.isCutToFit = isCutToFit
    rows = [heading]
  }

  /// Adds a row; a line break or another control character in a cell is shown, not obeyed.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map(\.visible))
  }

  /// Takes the rows that were added out as lines, two spaces between columns, none at the ends;
  /// the first time after the heading.
  mutating func takeLines() -> [String] {
    for row in rows {
      // Nothing is aligned after the last column.
      for (column, cell) in row.dropLast().enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.cells)
      }
    }
    let lines = rows.enumerated().map { number, row in
      let line = line(row)
      return number == 0 && hasHeading ? Style.dim(line) : line
    }
    rows.removeAll(keepingCapacity: true)
    hasHeading = false
    return lines
  }

  private func line(_ row: [String]) -> String {
    var line = ""
    for (column, cell) in row.enumerated() {
      let isCut = isCutToFit && column == row.count - 1
      line += isCut ? cell.cut(toFit: line.cells) : cell
      if column < row.count - 1 {
        line += String(repeating: " ", count: max(0, widths[column] - cell.cells) + 2)
      }
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

extension String {
  /// How many cells of a terminal the text takes: two for each wide character.
  var cells: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.cells }
  }
}

extension String {
  /// What of the text fits on a line of the terminal behind as many cells; some of it always, and
  /// all of it where there is no terminal.
  fileprivate func cut(toFit cellsBefore: Int) -> String {
    guard let columns = Terminal.columns else { return self }
    let room = max(columns - cellsBefore, 20)
    guard cells > room else { return self }
    var taken = 1
    let head = prefix { character in
      taken += character.cells
      return taken <= room
    }
    return head + "…"
  }
}

extension Character {
  /// A character with its marks takes the cells of its first scalar, an emoji two.
  fileprivate var cells: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
    return first.cells
  }
}

extension Unicode.Scalar {
  /// Unicode Standard Annex #11, by blocks: wide and full-width forms take two cells.
  fileprivate var cells: Int {
    if isASCII { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
