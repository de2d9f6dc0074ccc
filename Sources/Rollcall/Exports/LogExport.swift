import Captures
import ContactSections
import ConversationCore
package import EventStore
import RawBytes
import RosterCore
package import SessionCore
package import XMPPStanza

/// Writes a log in a form that can be passed on.
package struct LogExport {
  private let log: EventLog
  /// The only connection that is written; nil for all.
  private let connection: ConnectionID?

  /// - Parameter connection: The only connection to write, nil for all. The header of a capture is
  ///   written with any connection.
  package init(_ log: EventLog, narrowedTo connection: ConnectionID? = nil) {
    self.log = log
    self.connection = connection
  }

  private func includes(_ header: RecordHeader, _ bytes: RawSpan) -> Bool {
    guard let connection, header.connection != connection.number else { return true }
    return header.kind.isCaptureHeader(bytes)
  }

  /// How an import of the native capture differs from the log.
  package enum Difference: Hashable, Sendable {
    /// Not at all: the records and their digests are equal.
    case none
    /// It has one more record, because a native capture begins with a header and the log does not.
    case addedHeader
  }

  /// Writes the records of the log as a native capture, in pieces that end with a line.
  ///
  /// Memory is bounded, whatever the length of the log.
  package func writeNative(_ write: ([UInt8]) throws -> Void) throws -> Difference {
    try writeNative(write) { _, bytes, add in try add(bytes) }
  }

  /// Writes the records as a native capture in which stand-ins replace everything that identifies
  /// people or that they wrote.
  ///
  /// Memory is linear in the number of distinct addresses, names and texts.
  package func writeRedacted(_ write: ([UInt8]) throws -> Void) throws -> Difference {
    var redactor = Redactor(try plan()) { name in
      let key = SortKey(PinyinReader.reading(of: name))
      return FiledName(letter: key.section.title.first ?? "#", order: key.bytes)
    } signature: { bytes in
      MediaDescription(of: bytes.span.bytes).map { Self.signature(of: $0.format.kind) } ?? []
    }
    let reader = RecordReader()
    // The name of a connection may be an address, and its number identifies the connection too.
    return try writeNative(write, names: { _ in [:] }) { kind, bytes, add in
      let bytes = [UInt8](bytes)
      guard let redacted = Self.redacted(kind, bytes, by: &redactor, reader) else { return }
      try add(redacted.span.bytes)
    }
  }

  /// - Parameters:
  ///   - names: Returns the names of the connections to write, given those in the log.
  ///   - edit: Receives the kind and the bytes of a record, and passes the bytes to write to `add`.
  ///     Leaves a record out by not calling `add`.
  private func writeNative(
    _ write: ([UInt8]) throws -> Void,
    names: ([UInt32: String]) -> [UInt32: String] = { $0 },
    _ edit: (RecordKind, RawSpan, _ add: (RawSpan) throws -> Void) throws -> Void
  ) throws -> Difference {
    var difference = Difference.none
    var lines: [UInt8] = []
    let meta = try log.meta
    var unwrittenNames = names(meta.connections)
    var isFirst = true
    func addHeader(on connection: NativeConnection) throws {
      let jid = try meta.account.map { try JID(parsing: $0) }
      let added = Lifecycle.header(account: jid, inboundOnly: false).bytes
      try edit(.lifecycle, added.span.bytes) {
        NativeWriter.append(time: nil, on: connection, object: $0, to: &lines)
      }
      difference = .addedHeader
    }
    try log.forEachRecord(in: 1...UInt64.max) { header, bytes in
      guard includes(header, bytes) else { return }
      defer { isFirst = false }
      if isFirst, !header.kind.isCaptureHeader(bytes) {
        try addHeader(on: NativeConnection(number: header.connection))
      }
      let time = header.ownTime
      try edit(header.kind, bytes) { bytes in
        var connection = NativeConnection(number: header.connection)
        // The first line of a capture has only its header.
        if !isFirst || difference != .none {
          connection.name = unwrittenNames.removeValue(forKey: header.connection)
        }
        if header.kind != .unreadable, let direction = Direction(header.direction) {
          NativeWriter.append(time: time, on: connection, direction, xml: bytes, to: &lines)
        } else {
          NativeWriter.append(time: time, on: connection, object: bytes, to: &lines)
        }
      }
    } between: {
      guard lines.count >= EventLog.pieceBytes else { return }
      try write(lines)
      lines.removeAll(keepingCapacity: true)
    }
    // Without a header, the export of an empty log would not be a capture.
    if isFirst { try addHeader(on: NativeConnection(number: ConnectionID.first.number)) }
    if !lines.isEmpty { try write(lines) }
    return difference
  }

  // MARK: Redaction

  /// The shortest bytes that are recognized as a picture, a recording or a video.
  private static func signature(of kind: MediaKind) -> [UInt8] {
    switch kind {
    case .picture: [0x89] + "PNG\r\n".utf8 + [0x1A, 0x0A]
    case .voice: Array("#!AMR\n".utf8)
    case .video: [0, 0, 0, 16] + "ftypisom".utf8 + [0, 0, 0, 0]
    case .file: []
    }
  }

  /// What must be known about all records before the first one can be redacted.
  private func plan() throws -> RedactionPlan {
    var plan = RedactionPlan()
    let reader = RecordReader()
    if let account = try log.meta.account { plan.note(try JID(parsing: account)) }
    try log.forEachRecord(in: 1...UInt64.max) { header, span in
      let bytes = [UInt8](span)
      switch header.kind {
      case .element:
        if let node = reader.element(bytes) { plan.note(node) }
      case .lifecycle:
        if let jid = Lifecycle(bytes)?.jid { plan.note(jid) }
      case .annotation:
        if let line = AnnotationLine(bytes) { plan.note(line) }
      default: break
      }
    }
    return plan
  }

  /// The bytes of a record with stand-ins; nil if it cannot be read, because it could say anything.
  private static func redacted(
    _ kind: RecordKind, _ bytes: [UInt8], by redactor: inout Redactor, _ reader: RecordReader
  ) -> [UInt8]? {
    switch kind {
    case .element:
      guard let node = reader.element(bytes) else { return nil }
      return redactor.redacted(node).serialized()
    case .streamHeader: return Array(root.utf8)
    case .streamEnd: return Array("</stream:stream>".utf8)
    case .lifecycle, .policy:
      guard let lifecycle = Lifecycle(bytes) else { return nil }
      return lifecycle.mapped { redactor.redacted($0) }.bytes
    case .annotation:
      return AnnotationLine(bytes).map { redactor.redacted($0).bytes }
    case .unreadable:
      // The bytes may say anything.
      return UnreadableBytes(line: bytes)?.withheld.line
    default: return nil
    }
  }

  /// Writes the elements of one direction as an XML document: a stream with one line per element.
  package func writeXML(_ direction: Direction, _ write: ([UInt8]) throws -> Void) throws {
    try write(Self.header(direction, account: try log.meta.account))
    var lines: [UInt8] = []
    try log.forEachRecord(in: 1...UInt64.max) { header, span in
      guard header.kind == .element, Direction(header.direction) == direction,
        includes(header, span)
      else { return }
      lines += [UInt8](span) + [0x0A]
    } between: {
      try write(lines)
      lines.removeAll(keepingCapacity: true)
    }
    try write(Array("</stream:stream>\n".utf8))
  }

  /// The header of the stream, which identifies its sender: only a server's header has an id (RFC
  /// 6120 §4.7.3).
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
