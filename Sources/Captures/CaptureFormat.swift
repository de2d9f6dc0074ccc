/// A format of captures that can be read.
package struct CaptureFormat: Sendable {
  /// The word that names it on a command line.
  package let id: String
  /// What writes it, for a person.
  package let title: String
  /// How to have such a log written, in one line.
  package let howTo: String

  let shape: Shape

  enum Shape: Sendable {
    case native
    case raw
    case lines(LineLog)
  }

  /// Every format, in the order in which a list shows them.
  package static let all: [CaptureFormat] = [
    CaptureFormat(
      id: "native", title: "Rollcall's own capture (JSON Lines)",
      howTo: "rollcall record, or rollcall export LOG", shape: .native),
    CaptureFormat(
      id: "raw-jsonl", title: "bytes of recorded connections (JSON Lines)",
      howTo: "a recording proxy between client and server", shape: .raw),
    CaptureFormat(
      id: "slixmpp", title: "log of a program that uses slixmpp, such as poezio",
      howTo: "logging.basicConfig(level=logging.DEBUG); poezio: poezio --debug FILE",
      shape: .lines(.slixmpp)),
    CaptureFormat(
      id: "profanity", title: "log of profanity",
      howTo: "profanity --log DEBUG; the log is in ~/.local/share/profanity/logs",
      shape: .lines(.profanity)),
    CaptureFormat(
      id: "prosody-debug", title: "debug log of a Prosody server with mod_stanza_debug",
      howTo: "add \"stanza_debug\" to modules_enabled, and log = { debug = \"FILE\" }",
      shape: .lines(.prosody)),
  ]

  /// The format of this name.
  package static func named(_ id: String) -> CaptureFormat? { all.first { $0.id == id } }

  /// The format of a capture by its first bytes, 64 KiB of which are enough; nil where they look
  /// like none that is known.
  ///
  /// What starts with an object of JSON is told by its keys. Of a text log every line is held
  /// against each format, and the one that most lines belong to is it: a single line may be a
  /// message that somebody wrote to deceive.
  package static func detect(_ head: [UInt8]) -> CaptureFormat? {
    var lines: [ArraySlice<UInt8>] = []
    var splitter = LineSplitter(maximumBytes: head.count)
    splitter.read(head) { lines.append($0.bytes ?? []) }
    splitter.finish { lines.append($0.bytes ?? []) }
    guard let first = lines.first(where: { !$0.allSatisfy(\.isBlank) }) else { return nil }
    if first.withoutLeadingSpace.first == UInt8(ascii: "{") { return detectJSON(first) }
    var best: (format: CaptureFormat, count: Int)?
    for format in all {
      guard case .lines(let log) = format.shape else { continue }
      let count = lines.count(where: log.isOwnLine)
      // The later of two is the one that is told by more.
      if count > 0, count >= best?.count ?? 0 { best = (format, count) }
    }
    return best?.format
  }

  /// A first line may be cut off where it is very long; its first keys tell all the same.
  private static func detectJSON(_ line: ArraySlice<UInt8>) -> CaptureFormat? {
    func hasKey(_ key: String) -> Bool {
      let quoted = Array("\"\(key)\"".utf8)
      return line.prefix(1024).position(of: quoted) != nil
    }
    if let object = try? JSONScanner.object(line) {
      if object["rollcall-capture"] != nil { return named("native") }
      let isRaw = object["conn"] != nil && (object["event"] != nil || object["dir"] != nil)
      return isRaw ? named("raw-jsonl") : nil
    }
    if hasKey("rollcall-capture") { return named("native") }
    return hasKey("conn") && hasKey("dir") ? named("raw-jsonl") : nil
  }
}
