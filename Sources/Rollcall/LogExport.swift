import Captures
package import EventLog
package import XMPPStanza

/// Writes a log in a form that can be given away.
package struct LogExport {
  private let log: EventLog

  package init(_ log: EventLog) {
    self.log = log
  }

  /// What a native capture of the log is not the same in, once it is imported again.
  package enum Difference: Hashable, Sendable {
    /// Nothing: the records and their digests are equal.
    case none
    /// A native capture begins with a header, and the log does not: it has one record more.
    case addedHeader
  }

  /// The records of the log as a native capture, line by line, each with its line feed.
  ///
  /// Memory is bounded whatever the log's length.
  package func writeNative(_ write: ([UInt8]) throws -> Void) throws -> Difference {
    try writeNative({ $0 }, write)
  }

  /// The same with stand-ins for everything that says who somebody is or what they wrote.
  ///
  /// Memory is linear in the different addresses, names and texts.
  /// - Parameter letter: The letter that a name is filed under, A to Z or `#`.
  package func writeRedacted(
    letter: @escaping (String) -> Character, _ write: ([UInt8]) throws -> Void
  ) throws -> Difference {
    var redactor = Redactor(try plan(), letter: letter)
    let reader = RecordReader()
    return try writeNative({ Self.redacted($0, by: &redactor, reader) }, write)
  }

  /// A record as an export sees it.
  private struct Line {
    var kind: RecordKind
    /// Nil for what is no element but a word about the stream.
    var direction: Direction?
    var bytes: [UInt8]
  }

  private func writeNative(
    _ edit: (Line) throws -> Line?, _ write: ([UInt8]) throws -> Void
  ) throws -> Difference {
    var difference = Difference.none
    try log.read { transaction in
      let account = try transaction.meta.account
      try transaction.forEachRecord(in: 1...UInt64.max) { header, span in
        let line = Line(
          kind: header.kind, direction: Direction(header.direction),
          bytes: span.withUnsafeBytes { Array($0) })
        if header.sequence == 1, !Self.isHeader(header.kind, line.bytes) {
          let jid = try account.map { try JID(parsing: $0) }
          let first = Lifecycle.header(account: jid, inboundOnly: false)
          let added = Line(kind: .lifecycle, direction: nil, bytes: first.bytes)
          if let added = try edit(added) { try Self.write(added, time: nil, write) }
          difference = .addedHeader
        }
        guard let edited = try edit(line) else { return }
        try Self.write(edited, time: header.sourceTime ?? header.time, write)
      }
    }
    return difference
  }

  private static func write(
    _ line: Line, time: Int64?, _ write: ([UInt8]) throws -> Void
  ) throws {
    if let direction = line.direction {
      try write(NativeWriter.line(time: time, direction, xml: line.bytes) + [0x0A])
    } else {
      try write(NativeWriter.line(time: time, object: line.bytes) + [0x0A])
    }
  }

  // MARK: Redaction

  /// What has to be known of all records before the first can be redacted.
  private func plan() throws -> RedactionPlan {
    var plan = RedactionPlan()
    let reader = RecordReader()
    try log.read { transaction in
      if let account = try transaction.meta.account { plan.note(try JID(parsing: account)) }
      try transaction.forEachRecord(in: 1...UInt64.max) { header, span in
        let bytes = span.withUnsafeBytes { Array($0) }
        switch header.kind {
        case .element:
          if let node = reader.element(bytes) { plan.note(node) }
        case .lifecycle:
          if let jid = Lifecycle(bytes)?.jid { plan.note(jid) }
        default: break
        }
      }
    }
    return plan
  }

  /// A record with stand-ins; nil for one that cannot be read, for who knows what it says.
  private static func redacted(
    _ line: Line, by redactor: inout Redactor, _ reader: RecordReader
  ) -> Line? {
    var line = line
    switch line.kind {
    case .element:
      guard let node = reader.element(line.bytes) else { return nil }
      line.bytes = redactor.redacted(node).serialized()
    case .streamHeader: line.bytes = Array(root.utf8)
    case .streamEnd: break
    case .lifecycle:
      guard let lifecycle = Lifecycle(line.bytes) else { return nil }
      line.bytes = lifecycle.mapped { redactor.redacted($0) }.bytes
    case .annotation:
      guard let bookmark = Bookmark(line.bytes) else { return nil }
      let name = redactor.redacted(bookmark: bookmark.name)
      line.bytes = Bookmark(name: name, back: bookmark.back).bytes
    default: return nil
    }
    return line
  }

  private static func isHeader(_ kind: RecordKind, _ bytes: [UInt8]) -> Bool {
    guard kind == .lifecycle, case .header = Lifecycle(bytes) else { return false }
    return true
  }

  /// The elements that went one way, as one XML document: a stream with a line for each.
  package func writeXML(_ direction: Direction, _ write: ([UInt8]) throws -> Void) throws {
    try log.read { transaction in
      try write(Self.header(direction, account: try transaction.meta.account))
      try transaction.forEachRecord(in: 1...UInt64.max) { header, span in
        guard header.kind == .element, Direction(header.direction) == direction else { return }
        try write(span.withUnsafeBytes { Array($0) } + [0x0A])
      }
    }
    try write(Array("</stream:stream>\n".utf8))
  }

  /// The header says who speaks: only the server's has an id (RFC 6120 §4.7.3).
  private static func header(_ direction: Direction, account: String?) -> [UInt8] {
    let domain = account?.split(separator: "@").last.map(String.init) ?? ""
    var tag = Array("<?xml version='1.0'?>\n\(root.dropLast())".utf8)
    let attributes = direction == .inbound ? ["id": "rollcall", "from": domain] : ["to": domain]
    for (name, value) in attributes.sorted(by: <) where !value.isEmpty {
      tag += " \(name)='".utf8
      tag.appendEscaped(value, inAttribute: true)
      tag += "'".utf8
    }
    return tag + ">\n".utf8
  }

  private static let root = """
    <stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)' version='1.0'>
    """
}
