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
  }

  let markers: [Marker]
  /// Reads what stands before a marker or an ending; nil where the program writes no such thing.
  let prefix: @Sendable (ArraySlice<UInt8>) -> Prefix?
  /// The messages that say that a connection has gone.
  let endings: [[UInt8]]
  /// Whether a line looks like this program's, by which a log is recognised.
  let isOwnLine: @Sendable (ArraySlice<UInt8>) -> Bool
  /// Mends XML that the program writes wrongly.
  var mend: (@Sendable (ArraySlice<UInt8>) -> ArraySlice<UInt8>)?
  /// Whether text may follow the XML on its last line.
  var hasSuffix = false
  var hint: Hint?

  /// Whether a line looks like the first of a record.
  func isHead(_ line: ArraySlice<UInt8>) -> Bool {
    guard let start = line.position(of: UInt8(ascii: "<")) else { return false }
    return markers.contains { line[..<start].ends(with: $0.text) }
  }
}

extension LineLog {
  /// Python's `logging` under slixmpp; the application chooses what stands before the message.
  static let slixmpp = LineLog(
    markers: [
      Marker("RECV: ", .inbound), Marker("SEND: ", .outbound), Marker("SEND (IMMED): ", .outbound),
    ],
    prefix: LogPrefix.formatter,
    endings: [Array("connection_lost: ".utf8)],
    isOwnLine: { line in
      let own = ["RECV: <", "SEND: <", "Loaded Plugin: ", "Event triggered: "]
      return own.contains { line.prefix(256).position(of: Array($0.utf8)) != nil }
    },
    mend: withoutDoubledPrefixes,
    hasSuffix: true)

  /// The log of profanity, whose XML is libstrophe's.
  static let profanity = LineLog(
    markers: [
      Marker(": xmpp: DBG: RECV: ", .inbound), Marker(": conn: DBG: SENT: ", .outbound),
    ],
    prefix: { text in
      guard !text.isEmpty, text.count <= 40, text.allSatisfy(clockBytes.contains) else {
        return nil
      }
      return Prefix(time: LogTime.isoTime(in: text))
    },
    endings: [Array(": prof: DBG: Connection handler: XMPP_CONN_DISCONNECT".utf8)],
    isOwnLine: { line in
      guard line.first?.isDigit == true else { return false }
      let areas = [": prof: ", ": xmpp: ", ": conn: "].map { Array($0.utf8) }
      return areas.contains { line.prefix(64).position(of: $0) != nil }
    })

  /// The debug log of Prosody with mod_stanza_debug: its RECV is what the client sent.
  static let prosody = LineLog(
    markers: [Marker("\tdebug\tRECV: ", .outbound), Marker("\tdebug\tSEND: ", .inbound)],
    prefix: { text in
      // `Nov 21 07:02:24 c2s56226dc4bbc0`; the other sessions are those of servers.
      let words = text.split(separator: UInt8(ascii: " "))
      guard let session = words.last, session.starts(with: "c2s".utf8), words.count <= 4 else {
        return nil
      }
      return Prefix(
        connection: String(decoding: session, as: UTF8.self),
        time: LogTime.monthTime(text) ?? LogTime.isoTime(in: text))
    },
    endings: [Array("\tinfo\tClient disconnected".utf8)],
    isOwnLine: { line in
      let columns = line.prefix(128).split(
        separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
      guard columns.count == 3 else { return false }
      return ["debug", "info", "warn", "error"].contains { columns[1].elementsEqual($0.utf8) }
    },
    hint: Hint(
      markers: [Array("Received[c2s".utf8), Array("Sending[c2s".utf8)],
      message: """
        this log has only the head tags of stanzas, from which no roster can be had; load \
        mod_stanza_debug in Prosody's modules_enabled and record again
        """))

  /// All that a time is written with.
  static let clockBytes = Array("0123456789-/.:+TZ ".utf8)

  /// slixmpp 1.17 writes `<stream:stream:features>`: a prefix that stands twice goes once.
  private static func withoutDoubledPrefixes(_ xml: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var output: [UInt8] = []
    var rest = xml
    while let tag = rest.position(of: UInt8(ascii: "<")) {
      var start = tag + 1
      if start < rest.endIndex, rest[start] == UInt8(ascii: "/") { start += 1 }
      let prefix = rest[start...].prefix {
        $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
      }
      let twice = Array(prefix) + [UInt8(ascii: ":")]
      if !prefix.isEmpty, rest[start...].starts(with: twice + twice) {
        output += rest[..<start]
        rest = rest[(start + twice.count)...]
      } else {
        output += rest[..<start]
        rest = rest[start...]
      }
    }
    return output.isEmpty ? xml : (output + rest)[...]
  }
}
