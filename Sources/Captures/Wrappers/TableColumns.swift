import XMPPStanza

/// The columns of an exported table (RFC 4180) that hold the lines of a log and their times, by the
/// names in its first line.
package struct TableColumns: Hashable, Sendable {
  let separator: UInt8
  let text: Int
  let time: Int?

  /// Looks at the first line of a file; nil if it names no column that holds lines.
  init?(header line: ArraySlice<UInt8>) {
    for separator in ",;\t".utf8 {
      let names = Self.fields(line, separator).map {
        String(decoding: $0, as: UTF8.self).lowercased()
      }
      guard names.count > 1, let text = Self.index(of: JSONEntry.textNames, in: names) else {
        continue
      }
      self.init(separator, text: text, time: Self.index(of: JSONEntry.timeNames, in: names))
      return
    }
    return nil
  }

  private init(_ separator: UInt8, text: Int, time: Int?) {
    (self.separator, self.text, self.time) = (separator, text, time)
  }

  private static func index(of wanted: [String], in names: [String]) -> Int? {
    for name in wanted {
      if let index = names.firstIndex(of: name.lowercased()) { return index }
    }
    return nil
  }

  /// The fields of a record, without their quotes.
  static func fields(_ record: ArraySlice<UInt8>, _ separator: UInt8) -> [[UInt8]] {
    var fields: [[UInt8]] = []
    var rest = record
    while true {
      var field: [UInt8] = []
      if rest.first == UInt8(ascii: "\"") {
        rest = rest.dropFirst()
        while let end = rest.position(of: UInt8(ascii: "\"")) {
          field += rest[..<end]
          rest = rest[end...].dropFirst()
          guard rest.first == UInt8(ascii: "\"") else { break }
          field.append(UInt8(ascii: "\""))
          rest = rest.dropFirst()
        }
      }
      let end = rest.position(of: separator) ?? rest.endIndex
      fields.append(field + rest[..<end])
      guard end < rest.endIndex else { return fields }
      rest = rest[end...].dropFirst()
    }
  }
}

/// Takes the lines of a log out of a table.
final class TableStep: LineStep {
  private let columns: TableColumns
  private let maximumBytes: Int
  /// A record whose quote has not been closed.
  private var carry: CarriedLine?
  private var isInQuote = false
  private var isHeader = true

  init(_ columns: TableColumns, _ maximumBytes: Int) {
    (self.columns, self.maximumBytes) = (columns, maximumBytes)
  }

  func take(_ line: CarriedLine, _ give: Give) throws {
    if isHeader, !line.bytes.isEmpty {
      isHeader = false
      return
    }
    if line.bytes.count(where: { $0 == UInt8(ascii: "\"") }) % 2 == 1 { isInQuote.toggle() }
    var record = carry ?? CarriedLine(bytes: [], number: line.number)
    let isContinued = carry != nil
    // Cleared first, so that what is appended copies nothing.
    carry = nil
    if isContinued { record.bytes.append(UInt8(ascii: "\n")) }
    record.bytes += line.bytes
    if isInQuote, record.bytes.count <= maximumBytes { return carry = record }
    isInQuote = false
    try giveLines(of: record, give)
  }

  func finish(_ give: Give) throws {
    if let carry { try giveLines(of: carry, give) }
    carry = nil
  }

  private func giveLines(of record: CarriedLine, _ give: Give) throws {
    let fields = TableColumns.fields(record.bytes, columns.separator)
    guard fields.count > columns.text else { return }
    let time = columns.time.flatMap { fields.count > $0 ? fields[$0] : nil }
      .flatMap { JSONEntry.time(.string(String(decoding: $0, as: UTF8.self))) }
    let text = fields[columns.text]
    let parts = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let bytes = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      try give(
        CarriedLine(bytes: bytes, number: record.number, time: time, isContinuation: index > 0))
    }
  }
}
