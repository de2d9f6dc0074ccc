import XMPPStanza

/// The description of a program's text log: everything that differs between programs.
///
/// A record begins on a line whose first `<` comes right after one of the `markers`, and before the
/// marker the line has the program's own `prefix`. How a record continues over several lines and
/// what happens to a broken one is the same for all programs (`LineLogReader`).
struct LineLog: Sendable {
  /// The text right before the XML, and the direction of that XML as the client sees it.
  struct Marker: Sendable {
    let text: [UInt8]
    let direction: Direction

    init(_ text: String, _ direction: Direction) {
      self.text = Array(text.utf8)
      self.direction = direction
    }
  }

  /// The text before a marker or a message.
  struct Prefix {
    /// The log's own name for the connection; empty if it has only one.
    var connection = ""
    var time: LogTime?
    /// The pattern that all prefixes of one log share; nil if `prefix` checked everything.
    var shape: [UInt8]?
  }

  /// Advice for a log that has certain lines instead of records.
  struct Hint: Sendable {
    let markers: [[UInt8]]
    /// The advice if the log has such lines and no record of a received element.
    let message: String
    /// Whether the advice also applies to a log that has such records.
    var isAlways = false
    /// The texts of lines that the advice would add to the log. It does not apply if the log has
    /// such lines and they cannot be read.
    var advised: [[UInt8]] = []
  }

  /// The reason of an end, as a line before the end reports it.
  struct EarlierReason {
    let connection: String
    let reason: String
  }

  let markers: [Marker]
  /// Messages with an element that is not a record elsewhere, and that contain a `<` themselves.
  var announcements: [Marker] = []
  /// Reads the text before a marker or an ending; returns nil if the program never writes it.
  let prefix: @Sendable (ArraySlice<UInt8>) -> Prefix?
  /// The messages that report the end of a connection.
  let endings: [[UInt8]]
  /// Returns the reason that follows such a message; nil if the program never gives one there.
  var endReason: (@Sendable (ArraySlice<UInt8>) -> String?)?
  /// Returns the reason for which the server ends a connection if a line before the message of the
  /// end reports it.
  var reason: (@Sendable (ArraySlice<UInt8>) -> EarlierReason?)?
  /// The messages that report the proper end of one direction of a stream, if its end tag is not a
  /// record.
  var streamEnds: [Marker] = []
  /// Whether a line looks like this program's, which identifies its logs.
  let isOwnLine: @Sendable (ArraySlice<UInt8>) -> Bool
  /// Repairs XML that the program writes wrongly.
  var mend: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>)?
  /// Whether text may follow the XML on its last line.
  var hasSuffix = false
  var hint: Hint?

  /// Whether a number may follow the word of a marker, before its colon: `RECV4: `.
  var hasNumbers = false
  /// Texts that mark lines whose stanzas are not records of the log: the program repeats a record
  /// there, or they belong to a session between servers.
  var passedOver: [[UInt8]] = []
  /// Which elements after a marker are records of the log; nil if all are.
  var isTaken: (@Sendable (ArraySlice<UInt8>) -> Bool)?
  /// The text before the full address of a session, on the line that reports its binding.
  var binding: [UInt8]?

  /// Whether a line looks like the first line of a record.
  func isHead(_ line: ArraySlice<UInt8>) -> Bool {
    guard let start = payload(in: line),
      let (_, before) = marker(endingIn: line[..<start]), isTaken?(line[start...]) ?? true
    else { return false }
    return prefix(before) != nil
  }

  /// The index of the XML on a line, if the line has any: of its first `<` that is not part of an
  /// announcement.
  func payload(in line: ArraySlice<UInt8>) -> Int? {
    guard let start = line.position(of: UInt8(ascii: "<")) else { return nil }
    for announcement in announcements {
      guard let offset = announcement.text.firstIndex(of: UInt8(ascii: "<")),
        start - line.startIndex >= offset, line[(start - offset)...].starts(with: announcement.text)
      else { continue }
      // Older versions announce only the reason, as text.
      let end = start - offset + announcement.text.count
      guard end < line.endIndex, line[end] == UInt8(ascii: "<") else { continue }
      return end
    }
    return start
  }

  /// Returns the marker at the end of a text, and the text before it.
  func marker(
    endingIn text: ArraySlice<UInt8>
  ) -> (marker: Marker, before: ArraySlice<UInt8>)? {
    let marker =
      markers.first { text.ends(with: $0.text) } ?? announcements.first { text.ends(with: $0.text) }
    if let marker {
      return (marker, text.dropLast(marker.text.count))
    }
    let colon = Array(": ".utf8)
    guard hasNumbers, text.ends(with: colon) else { return nil }
    let digits = text.dropLast(colon.count).reversed().prefix(4).prefix(while: \.isDigit).count
    let word = text.dropLast(colon.count + digits)
    return markers.first { word.ends(with: Array($0.text.dropLast(colon.count))) }.map {
      ($0, word.dropLast($0.text.count - colon.count))
    }
  }
}
