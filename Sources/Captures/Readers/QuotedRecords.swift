import XMPPStanza

/// The lines of received texts that look like records.
///
/// Programs print messages in addition to the received XML: the body of a chat message, unescaped,
/// on its own lines. A contact can write a body whose lines look like records of the log. A line
/// that occurred in an earlier text of the log is therefore an echo of it and not a record.
struct QuotedRecords {
  private var lines: [[UInt8]] = []

  static let message = "the line occurs in a text that was received: it is an echo of it"

  /// The maximum number of lines that are kept. Echoes follow soon, so older lines are dropped.
  static let maximumLines = 64

  /// Notes the lines that look like records in the texts of an element.
  mutating func note(_ node: XMPPElement, isRecord: (ArraySlice<UInt8>) -> Bool) {
    for attribute in node.attributes { note(attribute.value, isRecord) }
    for content in node.content {
      switch content {
      case .text(let text): note(text, isRecord)
      case .element(let child): note(child, isRecord: isRecord)
      }
    }
  }

  /// Whether no text had a line that looks like a record.
  var isEmpty: Bool { lines.isEmpty }

  /// Whether a line occurred in a text, ignoring the program's suffix after a text.
  ///
  /// A line that only begins like one does not count: otherwise an attacker who knows how a record
  /// begins could hide it.
  func contains(_ line: ArraySlice<UInt8>, suffix: [UInt8] = []) -> Bool {
    lines.contains { quoted in
      line.elementsEqual(quoted)
        || (line.count == quoted.count + suffix.count && line.starts(with: quoted)
          && line.ends(with: suffix))
    }
  }

  /// Notes an escaped line, unescaped, if it looks like a record.
  mutating func note(line: ArraySlice<UInt8>, isRecord: (ArraySlice<UInt8>) -> Bool) {
    guard line.contains(UInt8(ascii: "&")) else { return }
    var text = String(decoding: line, as: UTF8.self)
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&quot;", "\""), ("&amp;", "&"),
    ] {
      text = text.replacing(entity, with: character)
    }
    note(text, isRecord)
  }

  private mutating func note(_ text: String, _ isRecord: (ArraySlice<UInt8>) -> Bool) {
    guard text.utf8.contains(UInt8(ascii: "<")) else { return }
    for line in Array(text.utf8).split(separator: UInt8(ascii: "\n")) where isRecord(line) {
      lines.append(Array(line))
    }
    if lines.count > Self.maximumLines { lines.removeFirst(lines.count - Self.maximumLines) }
  }
}
