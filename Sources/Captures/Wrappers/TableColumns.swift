import XMPPStanza

/// The columns of an exported table (RFC 4180) with the lines of a log, their times and their
/// directions.
///
/// They are found by the names in the first line, or by their content.
package struct TableColumns: Hashable, Sendable {
  let separator: UInt8
  let text: Int
  let time: Int?
  let direction: Int?
  /// The name of the column with the directions, which may state one together with its value.
  let directionName: String
  /// The record that names the columns and begins the table; nil for a table without one, which
  /// begins with the file.
  let header: [UInt8]?

  /// Finds the columns in the first lines of a file; nil if they are not a table with a column of
  /// lines.
  ///
  /// Other lines may come before a table whose header names such a column.
  init?(_ lines: [ArraySlice<UInt8>]) {
    for (index, line) in lines.enumerated() {
      guard index == 0 || Self.mayBeHeader(line) else { continue }
      for separator in ",;\t".utf8 where line.contains(separator) {
        guard let found = Self.columns(lines[index...], separator, isFirst: index == 0) else {
          continue
        }
        self = found
        return
      }
    }
    return nil
  }

  private init(
    _ separator: UInt8, text: Int, time: Int?, direction: (index: Int, name: String)?,
    header: [UInt8]?
  ) {
    (self.separator, self.text, self.time) = (separator, text, time)
    (self.direction, self.header) = (direction?.index, header)
    directionName = direction?.name ?? ""
  }

  /// Whether a line after others may be a header.
  private static func mayBeHeader(_ line: ArraySlice<UInt8>) -> Bool {
    line.count <= 512 && !line.contains(UInt8(ascii: "<"))
  }

  private static func columns(
    _ lines: ArraySlice<ArraySlice<UInt8>>, _ separator: UInt8, isFirst: Bool
  ) -> TableColumns? {
    guard isFirst || namesText(lines[lines.startIndex], separator) else { return nil }
    let records = records(of: lines)
    guard let first = records.first else { return nil }
    let written = fields(first, separator).map { String(decoding: $0, as: UTF8.self) }
    let names = written.map { $0.lowercased() }
    guard names.count > 1 else { return nil }
    let known = index(of: JSONEntry.textNames, in: names)
    let isHeader = known != nil || names.allSatisfy(isName)
    let rows = records.dropFirst(isHeader ? 1 : 0).map { fields($0, separator) }
    // Without a header, it is a table only if all records are alike and quote their texts.
    let isTable =
      !rows.isEmpty && rows.allSatisfy { $0.count == names.count }
      && (isHeader || quoteFields(records, separator))
    guard isTable || known != nil else { return nil }
    let holding = names.indices.max { left, right in
      elements(in: left, rows) < elements(in: right, rows)
    }.flatMap { elements(in: $0, rows) > 0 ? $0 : nil }
    guard let text = holding ?? known else { return nil }
    let times = isHeader ? index(of: JSONEntry.timeNames, in: names) : nil
    return TableColumns(
      separator, text: text,
      time: times
        ?? column(rows) { JSONEntry.time(.string(String(decoding: $1, as: UTF8.self))) != nil },
      direction: direction(rows, isHeader ? written : written.map { _ in "" }),
      header: isHeader ? Array(first) : nil)
  }

  /// The first column whose field fits in every row.
  private static func column(
    _ rows: [[[UInt8]]], where fits: (Int, [UInt8]) -> Bool
  ) -> Int? {
    rows.first?.indices.first { index in
      rows.allSatisfy { index < $0.count && fits(index, $0[index]) }
    }
  }

  /// The column whose fields are words of direction, or state one together with its name.
  private static func direction(
    _ rows: [[[UInt8]]], _ names: [String]
  ) -> (index: Int, name: String)? {
    let found =
      column(rows) { JSONEntry.isDirection($1) }
      ?? column(rows) { index, field in
        index < names.count && word(names[index], field) != nil
      }
    return found.map { ($0, $0 < names.count ? names[$0] : "") }
  }

  /// The word of direction of a field, by itself or together with the name of its column.
  static func word(_ name: String, _ field: [UInt8]) -> [UInt8]? {
    guard !JSONEntry.isDirection(field) else { return field }
    return NamedDirection.word(name, .string(String(decoding: field, as: UTF8.self)))
  }

  /// Whether a line is a list of names, one of which is usual for a column of lines.
  private static func namesText(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> Bool {
    let names = fields(line, separator).map { String(decoding: $0, as: UTF8.self).lowercased() }
    return names.count > 1 && names.allSatisfy(isName)
      && index(of: JSONEntry.textNames, in: names) != nil
  }

  private static func elements(in column: Int, _ rows: [[[UInt8]]]) -> Int {
    rows.count { column < $0.count && ElementStart.position(in: $0[column][...]) != nil }
  }

  /// The number of records that are examined to find the columns.
  private static let sampleSize = 50

  /// The first records, which may have line ends in quotes; the last may be cut off.
  private static func records(
    of lines: ArraySlice<ArraySlice<UInt8>>
  ) -> [ArraySlice<UInt8>] {
    var records: [ArraySlice<UInt8>] = []
    var open: [UInt8] = []
    var isInQuote = false
    for line in lines where isInQuote || !line.isEmpty {
      if isInQuote { open.append(UInt8(ascii: "\n")) }
      open += line
      if line.count(where: { $0 == UInt8(ascii: "\"") }) % 2 == 1 { isInQuote.toggle() }
      guard !isInQuote else { continue }
      records.append(open[...])
      open = []
      if records.count > sampleSize { break }
    }
    return records
  }

  /// Whether a text may be the name of a column.
  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first.isLetter || "@_#".utf8.contains(first) else {
      return false
    }
    return text.utf8.count <= 40
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || " _-.@#()".utf8.contains($0) }
  }

  /// Whether records have quotes, and only around fields. Some of the records may have none.
  private static func quoteFields(
    _ records: [ArraySlice<UInt8>], _ separator: UInt8
  ) -> Bool {
    records.contains { $0.contains(UInt8(ascii: "\"")) }
      && records.allSatisfy { quotesFields($0, separator) }
  }

  /// Whether a record has quotes only around fields.
  private static func quotesFields(_ record: ArraySlice<UInt8>, _ separator: UInt8) -> Bool {
    let quote = UInt8(ascii: "\"")
    var isInQuote = false
    var previous = separator
    for byte in record {
      if isInQuote {
        if byte == quote { isInQuote = false }
      } else if byte == quote {
        // Two quotes in a row are an escaped quote.
        guard previous == separator || previous == quote else { return false }
        isInQuote = true
      } else if previous == quote, byte != separator {
        return false
      }
      previous = byte
    }
    return !isInQuote
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

/// Extracts the lines of a log from a table.
final class TableStep: LineStep {
  private let columns: TableColumns
  private let maximumBytes: Int
  /// A record whose last quote is still open.
  private var carry: CarriedLine?
  private var isInQuote = false
  /// Whether the table has begun.
  private var isInTable: Bool
  private(set) var unread = UnreadLines()

  init(_ columns: TableColumns, _ maximumBytes: Int) {
    (self.columns, self.maximumBytes) = (columns, maximumBytes)
    isInTable = columns.header == nil
  }

  func process(_ line: CarriedLine, _ emit: Emit) throws {
    guard isInTable else {
      isInTable = columns.header.map { line.bytes.elementsEqual($0) } ?? true
      return isInTable ? () : try emit(line)
    }
    if line.bytes.count(where: { $0 == UInt8(ascii: "\"") }) % 2 == 1 { isInQuote.toggle() }
    var record = carry ?? line.cleared
    let isContinued = carry != nil
    // Cleared first, so that appending does not copy.
    carry = nil
    if isContinued { record.bytes.append(UInt8(ascii: "\n")) }
    record.bytes += line.bytes
    if isInQuote, record.bytes.count <= maximumBytes { return carry = record }
    isInQuote = false
    try emitLines(of: record, emit)
  }

  func finish(_ emit: Emit) throws {
    if let carry { try emitLines(of: carry, emit) }
    carry = nil
  }

  private func emitLines(of record: CarriedLine, _ emit: Emit) throws {
    let fields = TableColumns.fields(record.bytes, columns.separator)
    guard fields.count > columns.text else {
      return unread.note(record.bytes, number: record.number)
    }
    let time = columns.time.flatMap { fields.count > $0 ? fields[$0] : nil }
      .flatMap { JSONEntry.time(.string(String(decoding: $0, as: UTF8.self))) }
    for field in fields where field != fields[columns.text] {
      unread.note(field[...], number: record.number)
    }
    let text = labeledText(of: fields)
    let parts = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      var line = record.cleared
      line.bytes = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      line.time = time ?? record.time
      line.isContinuation = index > 0 || record.isContinuation
      try emit(line)
    }
  }

  /// The text of a record with its direction before it: a word from the column of directions or, if
  /// there is no such column, the fields before the text.
  private func labeledText(of fields: [[UInt8]]) -> [UInt8] {
    let text = fields[columns.text]
    if let direction = columns.direction {
      let word =
        fields.count > direction ? TableColumns.word(columns.directionName, fields[direction]) : nil
      return JSONEntry.labeled(text, by: word)
    }
    guard ElementStart.position(in: text[...]) == 0 else { return text }
    let before = fields[..<columns.text].filter { field in
      !field.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "\n") }
    }
    return Array(before.joined(separator: [columns.separator])) + [columns.separator] + text
  }
}
