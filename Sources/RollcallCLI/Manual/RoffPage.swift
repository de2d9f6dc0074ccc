/// A manual page in the macros of man(7), which groff and mandoc know alike.
struct RoffPage {
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// A part of a line, in the font that it is to have.
  enum Span {
    case plain(String)
    case bold(String)
    case italic(String)

    fileprivate var written: String {
      switch self {
      case .plain(let text): RoffPage.escaped(text)
      case .bold(let text): "\\fB\(RoffPage.escaped(text))\\fR"
      case .italic(let text): "\\fI\(RoffPage.escaped(text))\\fR"
      }
    }
  }

  mutating func macro(_ name: String, _ arguments: String...) {
    let arguments = arguments.map { " \"\(Self.escaped($0))\"" }
    lines.append(".\(name)" + arguments.joined())
  }

  mutating func line(_ spans: Span...) {
    line(spans)
  }

  mutating func line(_ spans: [Span]) {
    let line = spans.map(\.written).joined()
    // At the start of a line these would be orders to the formatter.
    lines.append(line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line)
  }

  mutating func line(_ text: String) {
    line(.plain(text))
  }

  /// The text such that each character is shown as it is: a formatter makes typographic ones of
  /// some, which nobody could paste into a shell.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\(rs"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      default: result.append(character)
      }
    }
  }
}
