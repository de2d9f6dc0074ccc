import ArgumentParser
import EventLog
import Rollcall
import RosterCore
import XMPPStanza

/// Which way a record went, as an option.
enum DirectionOption: String, ExpressibleByArgument, CaseIterable {
  case `in`, out, none
}

/// What a record is, as an option.
enum KindOption: String, ExpressibleByArgument, CaseIterable {
  case iq, presence, message, stream, other
}

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Lists the records, all of them or some.",
    discussion: """
      Examples:
        rollcall log alice.rollcall --contact bob@example.test
        rollcall log alice.rollcall --direction in --kind presence --range 100-200
        rollcall log debug.log --kind stream
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @Option(help: "Only records that concern this contact.")
  var contact: String?

  @Option(help: "Only records that came from the server, went to it, or neither.")
  var direction: DirectionOption?

  @Option(help: "Only stanzas of this kind, what belongs to the stream, or other elements.")
  var kind: KindOption?

  @Option(help: "Only these records, such as 100-200, 100- or -200.")
  var range: RecordRange = RecordRange()

  func run() throws {
    let opened = try source.open()
    var rows: [Row] = []
    do {
      rows = try opened.log.read { transaction in try collect(transaction, opened.log) }
    } catch {
      throw Failure(error, in: source.source)
    }
    if output.json {
      Terminal.say(
        try JSONValue.object(["records": .array(rows.map(\.document))]).text())
    } else {
      var table = Table(["record", "time", "", "kind", "element"])
      for row in rows { table.add(row.cells) }
      Terminal.say(rows.isEmpty ? [] : table.lines)
    }
    guard !rows.isEmpty else { throw NothingFound(sentence: "no record is of that kind") }
  }

  private func collect(_ transaction: borrowing ReadTransaction, _ log: EventLog) throws -> [Row] {
    let last = try Timeline(log).resolve(source.point, in: transaction)
    let bounds = range.bounds(upTo: last)
    guard let bounds else { return [] }
    let reader = RecordReader()
    var rows: [Row] = []
    let wanted = try contactRecords(transaction, bounds)
    try transaction.forEachRecord(in: bounds) { header, span in
      guard direction == nil || direction?.rawValue == header.direction.name else { return }
      if let wanted, !wanted.contains(header.sequence) { return }
      let bytes = span.withUnsafeBytes { Array($0) }
      let node = header.kind == .element ? reader.element(bytes) : nil
      guard kind == nil || kind == KindOption(header, node) else { return }
      rows.append(Row(header: header, bytes: bytes, kind: KindOption(header, node)))
    }
    return rows
  }

  private func contactRecords(
    _ transaction: borrowing ReadTransaction, _ bounds: ClosedRange<UInt64>
  ) throws -> Set<UInt64>? {
    guard let contact else { return nil }
    do {
      let jid = try JID(parsing: contact).bare
      return Set(try transaction.sequences(concerning: jid.text, in: bounds))
    } catch let error as JIDError {
      throw Failure("--contact “\(contact)” is no address: \(error)")
    }
  }

  private struct Row {
    let header: RecordHeader
    let bytes: [UInt8]
    let kind: KindOption

    var cells: [String] {
      [
        "#\(header.sequence)", header.time.map(Timestamp.text) ?? "–",
        header.direction.name == "in" ? "←" : header.direction.name == "out" ? "→" : "·",
        kind.rawValue, Self.head(of: bytes),
      ]
    }

    var document: JSONValue {
      .object([
        "record": JSONValue(header.sequence), "time": JSONValue(time: header.time),
        "direction": .string(header.direction.name), "kind": .string(kind.rawValue),
        "xml": .string(String(decoding: bytes, as: UTF8.self)),
        "digest": .string("\(header.digest)"),
      ])
    }

    /// The beginning of the element, on one line.
    private static func head(of bytes: [UInt8]) -> String {
      let text = String(decoding: bytes, as: UTF8.self)
      return text.count > 100 ? text.prefix(99) + "…" : text
    }
  }
}

extension KindOption {
  init(_ header: RecordHeader, _ node: XMLNode?) {
    guard header.kind == .element else {
      self = .stream
      return
    }
    guard let node, node.name.namespace == Namespace.client else {
      self = node?.name.namespace == Namespace.streams ? .stream : .other
      return
    }
    self = KindOption(rawValue: node.name.local) ?? .other
  }
}

/// A range of record numbers as an option: `100-200`, `100-`, `-200` or `100`.
struct RecordRange: ExpressibleByArgument {
  private var first: UInt64 = 1
  private var last: UInt64 = .max

  /// All records.
  init() {}

  init?(argument: String) {
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
    switch parts.count {
    case 1:
      guard let number = UInt64(parts[0]) else { return nil }
      (first, last) = (number, number)
    case 2:
      guard let first = parts[0].isEmpty ? 1 : UInt64(parts[0]),
        let last = parts[1].isEmpty ? UInt64.max : UInt64(parts[1]), first <= last
      else { return nil }
      (self.first, self.last) = (first, last)
    default: return nil
    }
  }

  var defaultValueDescription: String { "all" }

  /// The part of the range that a log up to a record has, nil where it has none.
  func bounds(upTo head: UInt64) -> ClosedRange<UInt64>? {
    let low = max(1, first)
    let high = min(last, head)
    return low <= high ? low...high : nil
  }
}
