import Captures
import EventStore
import XMPPStanza

/// The content of a record, which a report shows on a click.
struct ReportRecord {
  private let header: RecordHeader
  /// The maximum number of bytes to show.
  private let byteLimit: Int
  /// The lines to show.
  private let lines: [String]
  /// The number of bytes of the record if some are left out; otherwise nil.
  private let uncutBytes: Int?

  /// - Parameter mask: Replaces what people wrote to each other; nil to show it.
  init(
    _ header: RecordHeader, _ bytes: [UInt8], _ reader: RecordReader, byteLimit: Int,
    mask: inout MessageMask?
  ) {
    self.header = header
    self.byteLimit = byteLimit
    let lines: [String]
    if header.kind == .element, let node = reader.element(bytes) {
      lines = (mask?.masked(node) ?? node).indentedLines
    } else {
      lines = [String(decoding: bytes, as: UTF8.self).visible]
    }
    let beginning = Self.beginning(of: lines, byteLimit)
    self.lines = beginning ?? lines
    uncutBytes = beginning == nil ? nil : bytes.count
  }

  /// The beginning of the lines that is within the limit; nil if that is all of them.
  private static func beginning(of lines: [String], _ byteLimit: Int) -> [String]? {
    var room = byteLimit
    for (number, line) in lines.enumerated() {
      guard line.utf8.count <= room else {
        let cut = String(decoding: line.utf8.prefix(room), as: UTF8.self)
        return lines.prefix(number) + [cut + "…"]
      }
      room -= line.utf8.count
    }
    return nil
  }

  /// The label of the button that shows the record.
  var label: String {
    header.kind == .lifecycle || header.kind == .policy ? "record" : "XML"
  }

  /// The number of the record, as a heading if several are shown.
  var number: Markup { Tag.p([.class: "of"], Markup("#\(header.sequence)")) }

  /// The content as markup.
  ///
  /// - Parameter source: The source in the command that shows a record that was cut.
  func markup(of source: String) -> Markup {
    let text = Tag.pre([:], Markup(lines: lines))
    guard let uncutBytes else { return text }
    return text
      + Tag.p(
        [.class: "note"], Markup("The first \(byteLimit >> 10) KiB of \(uncutBytes >> 10): "),
        Tag.code([:], Markup("rollcall show \(source) \(header.sequence)")), " shows all.")
  }
}
