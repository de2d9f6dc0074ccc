import Rollcall
import RosterCore
import XMPPStanza

extension StateDiff.Item {
  /// The differences by contact, as a diff of code goes by file.
  static func lines(_ items: [StateDiff.Item]) -> [String] {
    guard !items.isEmpty else { return ["no difference"] }
    var lines: [String] = []
    var contact: BareJID??
    for item in items {
      if contact != .some(item.difference.contact) {
        contact = .some(item.difference.contact)
        let title = item.difference.contact?.text ?? "account"
        lines += ["", Style.bold(title.visible)]
      }
      lines.append("  " + item.line)
    }
    return lines
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
