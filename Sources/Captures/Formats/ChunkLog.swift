import XMPPStanza

/// What a text log looks like whose records are what one read or one write of the connection had:
/// a stanza may be cut anywhere, and several may be in one record. All that differs from program
/// to program is here; the rest is `ChunkLogReader`'s.
///
/// Logs of whole stanzas too are described so where the XML does not begin after a fixed text
///  on the record's line, which is what `LineLog` asks for.
struct ChunkLog: Sendable {
  /// The line that a record begins with.
  struct Head {
    /// Seen from the client; nil where the log does not say.
    var direction: Direction?
    /// The log's own name for the connection; empty where it has one only.
    var connection = ""
    var time: LogTime?
    /// What the heads of one log have in common; nil where reading the head has checked it all.
    var shape: [UInt8]?
    /// What stands on the line after the head.
    var payload: ArraySlice<UInt8>
    /// How many bytes the chunk has, where the log says so.
    var count: Int?
  }

  /// What a line says that tells of the end of a connection.
  struct Ending {
    let connection: String
    var time: LogTime?
  }

  /// How a payload is written.
  enum Payload: Sendable {
    /// As it is, over as many lines as it has, with a text after its end.
    case verbatim(suffix: String)
    /// As a byte string of a programming language.
    case literal(@Sendable (ArraySlice<UInt8>) -> Literal)
  }

  /// Reads the first line of a record; nil for any other line.
  let head: @Sendable (ArraySlice<UInt8>) -> Head?
  /// Whether a line is the program's own, whatever it says: not part of a payload, and evidence of
  /// who wrote the log.
  let isOwnLine: @Sendable (ArraySlice<UInt8>) -> Bool
  var payload = Payload.verbatim(suffix: "")
  /// Where the payload begins on a line after the head: gives it, or nil where the line stands
  /// between them. Nil where the payload begins on the head's line.
  var lead: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>?)?
  /// The connection that a line says to have gone; nil where it says no such thing.
  var ending: (@Sendable (ArraySlice<UInt8>) -> Ending?)?
  /// Mends a line that a program does not write as it was, or with something after it.
  var mend: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>)?
  /// Whether a record holds whole elements, so that one that ends within an element is broken.
  var isWhole = false
  /// Whether heads name the connection only of what was sent; chunks received say how long they
  /// are.
  var namesSendersOnly = false
  /// Whether one process of the server may receive what another one answers, so that heads have the
  /// names of two for one connection.
  var hasReceivers = false
  /// The connection that a line says the records after it are of, where their heads do not name it.
  var connection: (@Sendable (ArraySlice<UInt8>) -> String?)?
  /// What stands in a payload for what the program left out.
  var omissions: [String] = []
  /// Texts that mark lines whose stanzas are no records of the log, as in `LineLog`.
  var passedOver: [[UInt8]] = []
}

extension ChunkLog {
  /// Whether a line is the head of a record and has its payload's beginning.
  func isRecord(_ line: ArraySlice<UInt8>) -> Bool {
    guard let head = head(line) else { return false }
    return head.payload.contains(UInt8(ascii: "<"))
  }

  /// The head that is a prefix and a marker.
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
