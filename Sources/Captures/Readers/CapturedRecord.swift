package import XMPPStanza

/// A record of a capture.
package struct CapturedRecord: Hashable, Sendable {
  /// The source's name for the connection; empty if it has only one connection.
  package var connection: String
  /// The number of the connection, from 1, if the source numbers connections.
  package var connectionNumber: UInt32?
  /// Milliseconds since 1970 in UTC; nil if the source does not give a time.
  package var time: Int64?
  /// The number, from 1, of the line on which the record begins.
  package var line: Int
  /// The content of the record.
  package var content: Content
  /// The full address of the connection's session, if the source gives it outside the XML.
  var owner: JID?
  /// The account of the record, if the source names it with each record.
  package internal(set) var account: BareJID?

  /// Creates a record.
  package init(
    connection: String, connectionNumber: UInt32? = nil, time: Int64?, line: Int, content: Content
  ) {
    self.connection = connection
    self.connectionNumber = connectionNumber
    self.time = time
    self.line = line
    self.content = content
  }

  /// The content of a record. Directions are those that the client sees, even in a server's log.
  package enum Content: Hashable, Sendable {
    /// An event of the capture or of its stream, outside the XML.
    case lifecycle(Lifecycle)
    /// The start tag of a stream: its attributes without content, and its bytes.
    case streamHeader(Direction, XMPPElement, bytes: [UInt8])
    /// The end tag of a stream.
    case streamEnd(Direction)
    /// An annotation from the log that the capture was exported from.
    case annotation(AnnotationLine)
    /// Bytes that the recorder could not read and kept.
    case unreadable(UnreadableBytes)
    /// A top-level element, with credentials removed, and its bytes.
    case element(Direction, XMPPElement, bytes: [UInt8])
  }
}

/// The data of a record except its element. It copies nothing of the element, for callers that only
/// examine it.
package struct CapturedHead: ~Copyable {
  /// The properties of the `CapturedRecord`.
  package let connection: String
  package let connectionNumber: UInt32
  package let time: Int64?
  package let line: Int
  package let direction: Direction

  /// Returns the record of an element, which may be borrowed. The record's bytes are the element's
  /// `treeBytes`.
  func record(of node: XMPPElement) -> CapturedRecord {
    CapturedRecord(
      connection: connection, connectionNumber: connectionNumber, time: time, line: line,
      content: .element(direction, node.owned, bytes: node.treeBytes))
  }
}

/// A part of a capture that could not be read and was skipped. The text around it was read.
package struct CaptureProblem: Hashable, Sendable {
  /// The number, from 1, of the line on which the part begins.
  package var line: Int
  /// The problem as a clause for the user. It does not quote the capture.
  package var message: String

  /// Creates a problem.
  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}

/// An output of a reader.
package enum CaptureOutput: Hashable, Sendable {
  case record(CapturedRecord)
  case problem(CaptureProblem)
}

/// The reason why a capture cannot be read at all.
package enum CaptureError: Error, Hashable, Sendable {
  /// The first line of a native capture is not a header; the clause says why.
  case badHeader(line: Int, String)
  /// The header names a version of the format that this reader does not know.
  case unknownVersion(line: Int, Int64)
  /// The log's direction is wrong for the element on `line` if it is right for the one on `other`;
  /// if `other` is nil, for the elements before it.
  case contradictoryDirections(line: Int, other: Int?)
  /// The elements before the one on this line were passed on with the wrong directions.
  case shownWithWrongDirections(line: Int)
  /// The log begins with its newest entry and is too long to be reversed in memory.
  case tooLongToReverse(line: Int)
}

extension CaptureError: CustomStringConvertible {
  /// The number, from 1, of the line with the error.
  package var line: Int {
    switch self {
    case .badHeader(let line, _), .unknownVersion(let line, _),
      .contradictoryDirections(let line, _), .shownWithWrongDirections(let line),
      .tooLongToReverse(let line):
      line
    }
  }

  /// The reason as a sentence without its final period.
  package var description: String {
    switch self {
    case .badHeader(_, let reason): "the capture's header cannot be read: \(reason)"
    case .unknownVersion(_, let version):
      "the capture has version \(version) of the format; this program reads version 1"
    case .contradictoryDirections(_, let other):
      """
      the log contradicts itself about directions: by its own words this went the other way than \
      \(other.map { "the element on line \($0)" } ?? "the elements before it"), although only one \
      side of a stream sends both; if the file joins logs of both sides, import each by itself
      """
    case .shownWithWrongDirections:
      """
      only this line shows that the log is the other side's, and the records before it were shown \
      with the wrong directions: read the log again, with this line in it
      """
    case .tooLongToReverse:
      """
      the log begins with its newest entry and is too long to be turned around while it is read; \
      turn it around first: tac FILE | rollcall import - -o LOG
      """
    }
  }
}
