import Rollcall
import RosterCore
import XMPPStanza

extension StateDiff.Item {
  /// The differences grouped by contact, like a diff of code by file. An added or removed contact
  /// is its own heading.
  static func lines(_ items: [StateDiff.Item]) -> [String] {
    guard !items.isEmpty else { return ["no difference"] }
    var lines: [String] = []
    var wasOneLine = false
    for group in items.chunked(by: \.difference.contact) {
      guard let first = group.first else { continue }
      let titled = first.difference.field == .item
      let title = first.difference.contact?.text ?? "account"
      let head = titled ? first.line : Style.bold(title.visible)
      let rest = group.dropFirst(titled ? 1 : 0).map { "  " + $0.line }
      // Consecutive additions and removals form a list without blank lines.
      if !(wasOneLine && rest.isEmpty) { lines.append("") }
      lines += [head] + rest
      wasOneLine = rest.isEmpty
    }
    return lines
  }

  /// The difference with its mark, in the color of the mark, and the record that caused it.
  fileprivate var line: String {
    let edited = last.map { ", last changed by #\($0)" } ?? ""
    let cause = cause.map { " (#\($0.record)\(edited))" } ?? ""
    return difference.line + Style.dim(cause)
  }
}

extension ConversationDifference {
  /// The difference with its mark, in the color of the mark, and the record that caused it.
  var line: String {
    Style.marked(mark, clause) + Style.dim(cause.map { " (#\($0.record))" } ?? "")
  }
}

extension FieldDifference {
  /// The difference with its mark, in the color of the mark.
  var line: String { Style.marked(mark, clause) }
}

extension [StateDiff.Item] {
  /// The runs of adjacent elements with equal keys.
  fileprivate func chunked<Key: Equatable>(by key: (Element) -> Key) -> [ArraySlice<Element>] {
    var runs: [ArraySlice<Element>] = []
    for index in indices {
      if let run = runs.last, let first = run.first, key(first) == key(self[index]) {
        runs[runs.count - 1] = self[run.startIndex...index]
      } else {
        runs.append(self[index...index])
      }
    }
    return runs
  }
}
