import Captures
import EventStore
import XMPPStanza

/// The bytes of a record, as a report shows them on a click.
struct ReportRecord {
  private let header: RecordHeader
  /// How many bytes are shown.
  private let most: Int
  /// As many as are shown, in lines.
  private let lines: [String]
  /// How many bytes it has, where some are left out.
  private let cutFrom: Int?

  init(_ header: RecordHeader, _ bytes: [UInt8], _ reader: RecordReader, most: Int) {
    self.header = header
    self.most = most
    let lines: [String]
    if header.kind == .element, let node = reader.element(bytes) {
      lines = node.indentedLines
    } else {
      lines = [String(decoding: bytes, as: UTF8.self).visible]
    }
    let kept = Self.beginning(of: lines, most)
    self.lines = kept ?? lines
    cutFrom = kept == nil ? nil : bytes.count
  }

  /// As many lines as are shown; nil where that is all of them.
  private static func beginning(of lines: [String], _ most: Int) -> [String]? {
    var room = most
    for (number, line) in lines.enumerated() {
      guard line.utf8.count <= room else {
        let cut = String(decoding: line.utf8.prefix(room), as: UTF8.self)
        return lines.prefix(number) + [cut + "…"]
      }
      room -= line.utf8.count
    }
    return nil
  }

  /// What it is called where it is opened.
  var word: String { header.kind == .lifecycle ? "record" : "XML" }

  /// Which one of several it is.
  var number: Markup { Tag.p([.class: "of"], Markup("#\(header.sequence)")) }

  /// - Parameter source: What the commands that it names are to read.
  func markup(of source: String) -> Markup {
    let text = Tag.pre([:], Markup(lines: lines))
    guard let cutFrom else { return text }
    return text
      + Tag.p(
        [.class: "note"], Markup("The first \(most >> 10) KiB of \(cutFrom >> 10): "),
        Tag.code([:], Markup("rollcall show \(source) \(header.sequence)")), " shows all.")
  }
}
