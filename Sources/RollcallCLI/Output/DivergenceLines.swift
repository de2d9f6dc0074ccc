import EventStore
import Rollcall
import RosterCore
import XMPPStanza

extension SourceDifference {
  /// The differences grouped by contact, each with the records that set the two values.
  static func lines(_ differences: [SourceDifference]) -> [String] {
    var lines: [String] = []
    var contact: BareJID?
    for item in differences {
      if contact != item.difference.contact {
        contact = item.difference.contact
        lines += ["", Style.bold((contact?.text ?? "account").visible)]
      }
      let records = [item.recordBefore, item.cause?.record].map { record in
        record.map { "#\($0)" } ?? "–"
      }
      lines.append("  " + item.difference.line + Style.dim(" (\(records[0]) | \(records[1]))"))
    }
    return lines
  }
}

extension TimelineDivergence {
  /// The point up to which two sources agree, and the first moments that differ.
  func lines(_ first: String, _ second: String, _ isDifferent: Bool) -> [String] {
    guard let agreed else {
      return ["", "the two never show the same contacts"]
    }
    var lines = [
      "",
      "they "
        + (isDifferent ? "last agree " : "agree ")
        + "after #\(agreed.first) of \(first) and #\(agreed.second) of \(second)",
    ]
    for (path, moment) in [(first, parted.first), (second, parted.second)] {
      guard isDifferent else { break }
      if let moment {
        lines += ["", "then in \(path):"] + moment.lines
      } else {
        lines += ["", "\(path) has no further changes to contacts"]
      }
    }
    return lines
  }
}
