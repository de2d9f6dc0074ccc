import Foundation

/// What a command writes: results on standard output, everything else on standard error.
enum Terminal {
  /// Writes a line of the result.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Writes lines of the result in one go.
  static func say(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    say(lines.joined(separator: "\n"))
  }

  /// Says what went wrong.
  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("rollcall: \(message)\n".utf8))
  }

  /// Says something beside the result that a person should know.
  static func note(_ message: String) {
    FileHandle.standardError.write(Data("note: \(message)\n".utf8))
  }

  /// Whether standard output is a terminal that wants colour (no-color.org).
  static let isColoured =
    isatty(STDOUT_FILENO) == 1
    && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    && ProcessInfo.processInfo.environment["TERM"] != "dumb"

  /// Whether progress can be shown.
  static let showsProgress = isatty(STDERR_FILENO) == 1
}

/// A few colours, left out where nobody would see them.
enum Style: String {
  case dim = "2"
  case bold = "1"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  /// The text in this style.
  func callAsFunction(_ text: String) -> String {
    Terminal.isColoured ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// A bar on standard error for work that takes long, on a terminal only.
struct Progress {
  private let total: Int
  private var shown = -1

  /// - Parameter total: how much there is to do; 0 where nobody knows.
  init(total: Int) {
    self.total = total
  }

  /// Shows how much is done.
  mutating func show(_ done: Int) {
    guard Terminal.showsProgress, total > 0 else { return }
    let percent = min(100, done * 100 / total)
    guard percent != shown else { return }
    shown = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: 30 - filled)
    FileHandle.standardError.write(Data("\r[\(bar)] \(percent) %".utf8))
  }

  /// Takes the bar away.
  func finish() {
    guard shown >= 0 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}
