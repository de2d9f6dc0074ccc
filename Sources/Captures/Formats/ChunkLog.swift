import XMPPStanza

/// The description of a text log whose records hold what one read or write transferred.
///
/// A stanza may be cut anywhere, and one record may hold several. The description has everything
/// that differs between programs; `ChunkLogReader` does the rest. It also fits logs of whole
/// stanzas in which the XML does not begin after a fixed text on the record's line, as `LineLog`
/// requires.
struct ChunkLog: Sendable {
  /// The first line of a record.
  struct Head {
    /// The direction as the client sees it; nil if the log does not say.
    var direction: Direction?
    /// The log's own name for the connection; empty if it has only one.
    var connection = ""
    var time: LogTime?
    /// The pattern that all heads of one log share; nil if reading the head checked everything.
    var shape: [UInt8]?
    /// The rest of the line, after the head.
    var payload: ArraySlice<UInt8>
    /// The size of the chunk in bytes, if the log gives it.
    var count: Int?
  }

  /// The end of a connection, as a line reports it.
  struct Ending {
    let connection: String
    var time: LogTime?
    /// The reason; nil if the line gives none.
    var reason: String?
  }

  /// How a payload is written.
  enum Payload: Sendable {
    /// As it is, on one or more lines, with `suffix` after its end.
    case verbatim(suffix: String)
    /// As a byte string literal of a programming language.
    case literal(@Sendable (ArraySlice<UInt8>) -> Literal)
  }

  /// Reads the first line of a record; returns nil for any other line.
  let head: @Sendable (ArraySlice<UInt8>) -> Head?
  /// Whether a line has the program's own form, whatever its message.
  ///
  /// Such a line is not part of a payload, and is evidence of which program wrote the log.
  let isOwnLine: @Sendable (ArraySlice<UInt8>) -> Bool
  var payload = Payload.verbatim(suffix: "")
  /// Returns the beginning of the payload on a line below the head, or nil if it begins later.
  ///
  /// Nil itself if the payload begins on the line of the head.
  var lead: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>?)?
  /// Returns the end of a connection if a line reports one.
  var ending: (@Sendable (ArraySlice<UInt8>) -> Ending?)?
  /// Restores the XML of a line that the program writes changed, or with text after it.
  var mend: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>)?
  /// Whether records hold whole elements, so that a record that ends inside one is broken.
  var isWhole = false
  /// Whether heads name the connection only for sent chunks; for received ones they give the size.
  var namesSendersOnly = false
  /// Whether one process of the server may receive what another one answers, so that the heads of
  /// one connection name two processes.
  var hasReceivers = false
  /// Returns the connection of the records after a line, if it names that instead of their heads.
  var connection: (@Sendable (ArraySlice<UInt8>) -> String?)?
  /// The texts with which the program marks an omission in a payload.
  var omissions: [String] = []
  /// Texts that mark lines whose stanzas are not records of the log, such as repetitions.
  var passedOver: [[UInt8]] = []
}

extension ChunkLog {
  /// Whether a line is the head of a record and has the beginning of its payload.
  func isRecord(_ line: ArraySlice<UInt8>) -> Bool {
    guard let head = head(line) else { return false }
    return head.payload.contains(UInt8(ascii: "<"))
  }

  /// Returns a reader of heads that consist of a prefix and a marker.
  static func head(
    _ markers: [LineLog.Marker], prefix: @escaping @Sendable (ArraySlice<UInt8>) -> LineLog.Prefix?
  ) -> @Sendable (ArraySlice<UInt8>) -> Head? {
    { line in
      for marker in markers {
        guard let start = line.position(of: marker.text), let prefix = prefix(line[..<start])
        else { continue }
        return Head(
          direction: marker.direction, connection: prefix.connection, time: prefix.time,
          shape: prefix.shape, payload: line[(start + marker.text.count)...])
      }
      return nil
    }
  }
}
