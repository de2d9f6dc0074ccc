import Foundation
import Rollcall

/// A status line below all others on a terminal, redrawn as the status changes.
///
/// It is on standard error, and is shown only if that is a terminal. Clear it before printing other
/// lines.
package struct StatusLine {
  private var shown: String?
  private let isPossible: Bool

  package init() {
    isPossible =
      Terminal.showsProgress && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Draws the line if its text has changed.
  package mutating func show(_ text: String) {
    guard isPossible, text != shown else { return }
    shown = text
    Terminal.show(Self.drawing(text, columns: Terminal.columns(of: STDERR_FILENO)))
  }

  /// Clears the line.
  package mutating func clear() {
    guard shown != nil else { return }
    shown = nil
    Terminal.show("\r\u{1B}[K")
  }

  /// The characters that draw a line over the previous one, cut to the width of the terminal: the
  /// rest of a longer line could not be cleared.
  package static func drawing(_ text: String, columns: Int?) -> String {
    let fitting = columns.map { String(text.visible.prefix(max(0, $0 - 1))) } ?? text.visible
    return "\r\(fitting)\u{1B}[K"
  }
}
