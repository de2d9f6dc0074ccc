import Foundation
import Rollcall

/// A line below all others on a terminal that says how things stand, drawn anew as they change.
///
/// It stands on standard error, and only where that is a terminal. Whoever prints something else
/// takes it away first.
package struct StatusLine {
  private var shown: String?
  private let isPossible: Bool

  package init() {
    isPossible =
      Terminal.showsProgress && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Draws the line, where it is another than the one that stands there.
  package mutating func show(_ text: String) {
    guard isPossible, text != shown else { return }
    shown = text
    Terminal.show(Self.drawing(text, columns: Terminal.columns(of: STDERR_FILENO)))
  }

  /// Takes the line away.
  package mutating func clear() {
    guard shown != nil else { return }
    shown = nil
    Terminal.show("\r\u{1B}[K")
  }

  /// What draws a line over the one that stands there: of a line that is longer than the terminal
  /// is wide, the rest could not be taken away again.
  package static func drawing(_ text: String, columns: Int?) -> String {
    let fitting = columns.map { String(text.visible.prefix(max(0, $0 - 1))) } ?? text.visible
    return "\r\(fitting)\u{1B}[K"
  }
}
