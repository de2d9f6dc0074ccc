/// Lines in columns, aligned for characters that are two cells wide.
struct Table {
  private var rows: [[String]] = []

  /// A table with a heading.
  init(_ heading: [String]) {
    rows = [heading]
  }

  /// Adds a row; a line break or another control character in a cell is shown, not obeyed.
  mutating func add(_ cells: [String]) {
    rows.append(cells.map(\.visible))
  }

  /// The rows, two spaces between columns, none at the ends of lines.
  var lines: [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.cells)
      }
    }
    return rows.enumerated().map { number, row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column < row.count - 1 {
          line += String(repeating: " ", count: widths[column] - cell.cells + 2)
        }
      }
      while line.last == " " { line.removeLast() }
      return number == 0 ? Style.dim(line) : line
    }
  }
}

extension String {
  /// The text with control and bidirectional control characters made visible: what a contact
  /// wrote must not move the cursor or turn the line round.
  var visible: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: text += scalar.escaped(asASCII: true)
      case .format where scalar.properties.isBidiControl: text += scalar.escaped(asASCII: true)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// How many cells of a terminal the text takes: two for each wide character.
  var cells: Int { reduce(0) { $0 + $1.cells } }
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
