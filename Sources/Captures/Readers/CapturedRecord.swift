package import XMPPStanza

/// One thing that a capture tells, in the order of the capture.
package struct CapturedRecord: Hashable, Sendable {
  /// The source's own name for the connection; empty where it has one connection only.
  package var connection: String
  /// The connection's number, from 1, where the source numbers them itself.
  package var connectionNumber: UInt32?
  /// Milliseconds since 1970 in UTC, nil where the source does not say.
  package var time: Int64?
  /// The number of the line that it begins on, from 1.
  package var line: Int
  /// What happened.
  package var content: Content
  /// The full address of the connection's session, where the source says it beside the XML.
  var owner: JID?

  /// A record from its parts.
  package init(
    connection: String, connectionNumber: UInt32? = nil, time: Int64?, line: Int, content: Content
  ) {
    self.connection = connection
    self.connectionNumber = connectionNumber
    self.time = time
    self.line = line
    self.content = content
  }

  /// What a capture tells of a connection. Directions are the client's, whoever wrote it.
  package enum Content: Hashable, Sendable {
    /// The source says something about the capture or its stream beside the XML.
    case lifecycle(Lifecycle)
    /// The start tag of a stream: its attributes without content, and its bytes.
    case streamHeader(Direction, XMPPElement, bytes: [UInt8])
    /// The end tag of a stream.
    case streamEnd(Direction)
    /// Somebody noted something in the log that the capture is of.
    case annotation(AnnotationLine)
    /// The capture keeps what nobody could read.
    case unreadable(UnreadableBytes)
    /// A top-level element, credentials taken out, and its bytes.
    case element(Direction, XMPPElement, bytes: [UInt8])
  }
}

/// What a capture says of an element beside it, before both are a record: nothing of the element is
/// copied for who only looks at it.
package struct CapturedHead: ~Copyable {
  /// As a `CapturedRecord` has them.
  package let connection: String
  package let connectionNumber: UInt32
  package let time: Int64?
  package let line: Int
  package let direction: Direction

  /// The record of the element, which may be borrowed, and whose bytes are its `treeBytes`.
  func record(of node: XMPPElement) -> CapturedRecord {
    CapturedRecord(
      connection: connection, connectionNumber: connectionNumber, time: time, line: line,
      content: .element(direction, node.owned, bytes: node.treeBytes))
  }
}

/// A part of a capture that could not be read. It was skipped, and what stands around it was not.
package struct CaptureProblem: Hashable, Sendable {
  /// The number of the line, from 1, that the part begins on.
  package var line: Int
  /// What is wrong, as a clause for a person; it quotes nothing of the capture.
  package var message: String

  /// A problem from its parts.
  package init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}

/// What a reader gives.
package enum CaptureOutput: Hashable, Sendable {
  case record(CapturedRecord)
  case problem(CaptureProblem)
}

/// Why a capture cannot be read at all.
package enum CaptureError: Error, Hashable, Sendable {
  /// The first line of a native capture is no header; the clause says why.
  case badHeader(line: Int, String)
  /// The header names a version of the format that this reader does not know.
  case unknownVersion(line: Int, Int64)
  /// The element on a line went the other way than the log says, if the one on another line, where
  /// there is one, went as it says.
  case contradictoryDirections(line: Int, other: Int?)
  /// What came before the element on a line was given with its directions the wrong way.
  case shownTheWrongWay(line: Int)
  /// The log begins with its newest entry, and is more than can be held to turn it around.
  case tooLongToTurnAround(line: Int)
}

extension CaptureError: CustomStringConvertible {
  /// The number of the line that is wrong, from 1.
  package var line: Int {
    switch self {
    case .badHeader(let line, _), .unknownVersion(let line, _),
      .contradictoryDirections(let line, _), .shownTheWrongWay(let line),
      .tooLongToTurnAround(let line):
      line
    }
  }

  /// The reason as a sentence without its full stop.
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
    case .shownTheWrongWay:
      """
      only this line tells that the log is the other side's, and what came before it was shown \
      with its directions the wrong way: read the log again, with this line in it
      """
    case .tooLongToTurnAround:
      """
      the log begins with its newest entry and is too long to be turned around while it is read; \
      turn it around first: tac FILE | rollcall import - -o LOG
      """
    }
  }
}
