import Rollcall
import RosterCore
import XMPPStanza

extension StateDiff.Item {
  /// The differences by contact, as a diff of code goes by file. A contact that came or went is its
  /// own title.
  static func lines(_ items: [StateDiff.Item]) -> [String] {
    guard !items.isEmpty else { return ["no difference"] }
    var lines: [String] = []
    var wasOneLine = false
    for group in items.chunked(by: \.difference.contact) {
      guard let first = group.first else { continue }
      let titled = first.isWholeContact
      let title = first.difference.contact?.text ?? "account"
      let head = titled ? first.line : Style.bold(title.visible)
      let rest = group.dropFirst(titled ? 1 : 0).map { "  " + $0.line }
      // Many that came or went at once are a list.
      if !(wasOneLine && rest.isEmpty) { lines.append("") }
      lines += [head] + rest
      wasOneLine = rest.isEmpty
    }
    return lines
  }

  /// Whether it is that a contact came or went.
  private var isWholeContact: Bool {
    switch difference.change {
    case .item: true
    case .account, .connected, .completeness, .version, .itemField, .request, .outgoing, .presence,
      .ownPresence, .blocked, .nickname, .vCard, .annotation:
      false
    }
  }

  /// The difference with its mark, coloured by it, and the record that caused it.
  fileprivate var line: String {
    let edited = last.map { ", last changed by #\($0)" } ?? ""
    let cause = cause.map { " (#\($0.record)\(edited))" } ?? ""
    return difference.line + Style.dim(cause)
  }
}

extension FieldDifference {
  /// The difference with its mark, coloured by it.
  var line: String { Style.marked(mark, clause) }
}

extension [StateDiff.Item] {
  /// The runs of neighbours that have the same of something.
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
