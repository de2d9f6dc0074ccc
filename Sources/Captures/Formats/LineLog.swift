import XMPPStanza

/// What a program's text log looks like: all that differs from program to program.
///
/// A record begins on a line whose first `<` stands after one of the `markers`, and what stands
/// before the marker is the program's own (`prefix`). Everything else, how a record goes on over
/// several lines and what happens to a broken one, is the same for all (`LineLogReader`).
struct LineLog: Sendable {
  /// What stands right before the XML, and which way that XML went, seen from the client.
  struct Marker: Sendable {
    let text: [UInt8]
    let direction: Direction

    init(_ text: String, _ direction: Direction) {
      self.text = Array(text.utf8)
      self.direction = direction
    }
  }

  /// What stands before a marker or a message.
  struct Prefix {
    /// The log's own name for the connection; empty where it has one only.
    var connection = ""
    var time: LogTime?
    /// What the prefixes of one log have in common; nil where `prefix` has checked it all.
    var shape: [UInt8]?
  }

  /// A line that is no record, and what follows from it.
  struct Hint: Sendable {
    let markers: [[UInt8]]
    /// What to tell the user of a log that has such lines and no record of what was received.
    let message: String
    /// Whether to tell it of a log with such records, too.
    var isAlways = false
  }

  let markers: [Marker]
  /// Reads what stands before a marker or an ending; nil where the program writes no such thing.
  let prefix: @Sendable (ArraySlice<UInt8>) -> Prefix?
  /// The messages that say that a connection has gone.
  let endings: [[UInt8]]
  /// The messages that say that the server has closed a stream in order, where its end tag is no
  /// record.
  var streamEnds: [[UInt8]] = []
  /// Whether a line looks like this program's, by which a log is recognised.
  let isOwnLine: @Sendable (ArraySlice<UInt8>) -> Bool
  /// Mends XML that the program writes wrongly.
  var mend: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>)?
  /// Whether text may follow the XML on its last line.
  var hasSuffix = false
  var hint: Hint?

  /// Whether a number may follow the word of a marker, before its colon: `RECV4: `.
  var hasNumbers = false
  /// Texts that mark lines whose stanzas are no records of the log: the program repeats a record
  /// there, or they belong to a session between servers.
  var passedOver: [[UInt8]] = []
  /// Which elements after a marker are records of the log; nil where all are.
  var isTaken: (@Sendable (ArraySlice<UInt8>) -> Bool)?
  /// What stands before the full address of a session, on a line that says whose it is.
  var binding: [UInt8]?

  /// Whether a line looks like the first of a record.
  func isHead(_ line: ArraySlice<UInt8>) -> Bool {
    guard let start = line.position(of: UInt8(ascii: "<")),
      let (_, before) = marker(endingIn: line[..<start]), isTaken?(line[start...]) ?? true
    else { return false }
    return prefix(before) != nil
  }

  /// The marker at the end of a text, and what stands before it.
  func marker(
    endingIn text: ArraySlice<UInt8>
  ) -> (marker: Marker, before: ArraySlice<UInt8>)? {
    if let marker = markers.first(where: { text.ends(with: $0.text) }) {
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
