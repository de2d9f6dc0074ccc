import XMPPStanza

/// The lines of received texts that look like records.
///
/// Programs print what they understood beside what they received: the body of a chat, unescaped,
/// on lines of its own. Somebody can write a body whose lines look like records of the log, so a
/// line that stands in a text which the log has shown is an echo of it and no record.
struct QuotedRecords {
  private var lines: [[UInt8]] = []

  static let message = "the line stands in a text that was received: it is an echo of it"

  /// How many lines are kept, the latest: what is echoed is echoed soon.
  static let maximumLines = 64

  /// Looks through the texts of an element for lines that look like records.
  mutating func note(_ node: XMPPElement, isRecord: (ArraySlice<UInt8>) -> Bool) {
    for attribute in node.attributes { note(attribute.value, isRecord) }
    for content in node.content {
      switch content {
      case .text(let text): note(text, isRecord)
      case .element(let child): note(child, isRecord: isRecord)
      }
    }
  }

  /// Whether no text had such a line.
  var isEmpty: Bool { lines.isEmpty }

  /// Whether the line is one that stood in a text, apart from what the program puts after a text.
  ///
  /// A line that merely begins like one does not count: else somebody could have records left out
  /// whose beginning he knows.
  func contains(_ line: ArraySlice<UInt8>, suffix: [UInt8] = []) -> Bool {
    lines.contains { quoted in
      line.elementsEqual(quoted)
        || (line.count == quoted.count + suffix.count && line.starts(with: quoted)
          && line.ends(with: suffix))
    }
  }

  /// Notes what an escaped line stands for, where that looks like a record.
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
