/// A manual page with the macros of man(7), which both groff and mandoc support.
struct RoffPage {
  private var lines: [String] = []

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// A part of a line in a font.
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
    // At the start of a line, these characters would begin a request to the formatter.
    lines.append(line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line)
  }

  mutating func line(_ text: String) {
    line(.plain(text))
  }

  /// Escapes a text so that each character is printed as it is. Formatters replace some characters
  /// by typographic ones, which cannot be pasted into a shell.
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
