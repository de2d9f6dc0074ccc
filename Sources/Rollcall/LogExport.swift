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
    var difference = Difference.none
    try log.read { transaction in
      let account = try transaction.meta.account
      try transaction.forEachRecord(in: 1...UInt64.max) { header, span in
        let bytes = span.withUnsafeBytes { Array($0) }
        if header.sequence == 1, !Self.isHeader(header.kind, bytes) {
          let jid = try account.map { try JID(parsing: $0) }
          let first = Lifecycle.header(account: jid, inboundOnly: false)
          try write(NativeWriter.line(time: nil, object: try first.bytes) + [0x0A])
          difference = .addedHeader
        }
        let time = header.sourceTime ?? header.time
        if let direction = Direction(header.direction) {
          try write(NativeWriter.line(time: time, direction, xml: bytes) + [0x0A])
        } else {
          try write(NativeWriter.line(time: time, object: bytes) + [0x0A])
        }
      }
    }
    return difference
  }

  private static func isHeader(_ kind: RecordKind, _ bytes: [UInt8]) -> Bool {
    guard kind == .lifecycle, case .header = Lifecycle(bytes) else { return false }
    return true
  }

  /// The elements that went one way, as one XML document: a stream with a line for each.
  package func writeXML(_ direction: Direction, _ write: ([UInt8]) throws -> Void) throws {
    try write(Array("<?xml version='1.0'?>\n\(Self.root)\n".utf8))
    try log.read { transaction in
      try transaction.forEachRecord(in: 1...UInt64.max) { header, span in
        guard header.kind == .element, Direction(header.direction) == direction else { return }
        try write(span.withUnsafeBytes { Array($0) } + [0x0A])
      }
    }
    try write(Array("</stream:stream>\n".utf8))
  }

  private static let root = """
    <stream:stream xmlns='\(Namespace.client)' xmlns:stream='\(Namespace.streams)' version='1.0'>
    """
}
