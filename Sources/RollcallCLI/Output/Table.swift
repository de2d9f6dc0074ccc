import Captures
import Rollcall

/// Lines in columns, aligned correctly for characters that are two cells wide.
struct Table {
  private var rows: [[String]] = []
  private var widths: [Int]
  private var hasHeading = true
  /// Whether the last column is cut at the edge of the terminal.
  private let isCutToFit: Bool

  /// A table with a heading.
  ///
  /// - Parameter widths: The minimum widths of the columns, for tables whose first rows are printed
  ///   before all rows are known.
  init(_ heading: [String], widths: [Int] = [], isCutToFit: Bool = false) {
    self.widths = widths
    self.isCutToFit = isCutToFit
    rows = [heading]
  }

  /// Adds a row; line breaks and other control characters in a cell are made visible.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map(\.visible))
  }

  /// Removes the added rows and returns them as lines, with two spaces between columns and none at
  /// the ends. The first call also returns the heading.
  mutating func takeLines() -> [String] {
    for row in rows {
      // The last column needs no alignment.
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
  /// The width of the text in terminal cells: two for each wide character.
  var cells: Int {
    utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.cells }
  }
}

extension String {
  /// The text cut to fit on a terminal line after `cellsBefore` cells, but never to fewer than 20
  /// cells; the whole text if there is no terminal.
  fileprivate func cut(toFit cellsBefore: Int) -> String {
    guard let columns = Terminal.columns else { return self }
    let available = max(columns - cellsBefore, 20)
    guard cells > available else { return self }
    var used = 1
    let head = prefix { character in
      used += character.cells
      return used <= available
    }
    return head + "…"
  }
}

extension Character {
  /// The width in cells: that of the first scalar, or two for an emoji.
  fileprivate var cells: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
    return first.cells
  }
}

extension Unicode.Scalar {
  /// The width in cells by Unicode Standard Annex #11: two for wide and full-width forms.
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
