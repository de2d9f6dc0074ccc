import Captures
import TestSupport

/// A kept session as a user may have it: written by a program, gathered by a collector, quoted,
/// wrapped, cut and encoded, all determined by a seed.
struct CarriedSession {
  /// The changes that were made to it.
  private(set) var name: String
  let format: String
  /// The lines as the program wrote them, one for each element.
  let lines: [String]
  private(set) var bytes: [UInt8] = []
  private var random: SeededGenerator

  /// The elements of the kept sessions that fit on one line, with an arrow for the direction.
  static let sessions: [(name: String, elements: [String])] = RenderedLogTests.sessions.compactMap {
    name in
    guard let elements = try? Fixture.named(name).reading().elements else { return nil }
    return (name, elements.filter { !$0.contains("\n") && $0.utf8.count < 12_000 })
  }

  /// Programs whose lines state the direction; the words of servers mean the opposite.
  static let programs = CarrierTests.programs + others

  private static let others: [(format: String, write: @Sendable (Bool, String) -> String)] =
    [
      ("slixmpp", { "2026-03-05 08:05:06,700 - DEBUG - \($0 ? "RECV" : "SEND"): \($1)" }),
      ("prosody-debug", { "Mar 05 08:05:06 c2s55d1b0\tdebug\t\($0 ? "SEND" : "RECV"): \($1)" }),
      ("prosody-debug", { "c2s55d1b0           debug\t\($0 ? "SEND" : "RECV"): \($1)" }),
      ("pasted", { "[08:05:06.700] transport \($0 ? "<<" : ">>") \($1)" }),
      ("pasted", { "xmpp stream \($0 ? "incoming" : "outgoing") data: \($1)" }),
    ]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let session = Self.sessions.randomElement(using: &random) ?? ("", [])
    let program = Self.programs.randomElement(using: &random) ?? Self.programs[0]
    // A beginning, or a part from the middle.
    let count = session.elements.count
    let start = Bool.random(using: &random) ? 0 : Int.random(in: 0..<count / 2, using: &random)
    let end = min(count, start + Int.random(in: 8...60, using: &random))
    format = program.format
    name = "\(session.name) \(start)..<\(end), \(program.format)"
    lines = session.elements[start..<end].map {
      program.write($0.hasPrefix("<"), String($0.dropFirst(2)))
    }
    // Text that a collector escaped is seldom wrapped or escaped once more.
    let isCollected = chance(60)
    bytes = encoded(quoted(isCollected ? collected(lines) : wrapped(lines)))
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  // MARK: Collectors

  private mutating func collected(_ lines: [String]) -> [String] {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return chance(50) ? prefixed(lines) : wrapped(prefixed(lines))
    case 1: return entries(lines)
    case 2: return split(lines)
    default: return table(lines)
    }
  }

  private static let prefixes = [
    "<135>1 2026-03-05T08:05:06.700+00:00 h1 bot 4321 XMPP [o ip=\"192.0.2.7\"] ",
    "<14>1 2026-03-05T08:05:06Z h1 bot - - - ",
    "Mar 05 08:05:06 h1 bot[7]: ", "Mar  5 08:05:06 h1 bot: ",
    "Mar 05 08:05:06.123456 h1 bot[7]: ", "2026-03-05T08:05:06+0000 h1 bot[7]: ",
    "2026-03-05T08:05:06.123456+00:00 h1 bot[7]: ", "Thu 2026-03-05 08:05:06 UTC h1 bot[7]: ",
    "1772697906.123456 h1 bot[7]: ", "[  123.456789] h1 bot[7]: ", "3月 05 08:05:06 h1 bot[7]: ",
    "Mär 05 08:05:06 h1 bot[7]: ", "févr. 05 08:05:06 h1 bot[7]: ",
    "[pod/xmpp-0/bot] ", "xmpp-6d4cf56db6-x7k2p bot ", "bot-1  | ",
    "2026-03-05T08:05:06.123456789Z ",
  ]

  private mutating func prefixed(_ lines: [String]) -> [String] {
    let prefix = pick(Self.prefixes)
    name += ", after \(prefix)"
    return lines.map { "\(prefix)\($0)" }
  }

  private mutating func entries(_ lines: [String]) -> [String] {
    let member = pick(["MESSAGE", "log", "line", "msg", "message"])
    let before = pick(["", "\"level\":20,", "\"ts\":1772697906.7,\"tags\":[\"a\",{\"b\":1}],"])
    let after = pick(["", ",\"stream\":\"stdout\"", ",\"host\":{\"name\":\"h1\"}"])
    let entries = lines.map { "{\(before)\"\(member)\":\(CarrierTests.json($0))\(after)}" }
    name += ", JSON of \(member)"
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      name += " in a sequence"
      return entries.map { "\u{1E}\($0)" }
    case 1:
      name += " in an array"
      return ["["] + entries.dropLast().map { "  \($0)," } + ["  \(entries.last ?? "")", "]"]
    case 2:
      name += " in an envelope"
      return entries.map { "{\"_index\":\"f\",\"_source\":\($0)}" }
    default: return entries
    }
  }

  /// Splits long lines as Kubernetes, Docker's file and logcat do.
  private mutating func split(_ lines: [String]) -> [String] {
    let kind = Int.random(in: 0..<3, using: &random)
    name += ", \(["in Kubernetes", "in Docker's file", "in logcat"][kind])"
    let size = [Int.random(in: 60...300, using: &random), 16 << 10, 4000][kind]
    return lines.flatMap { line in
      let parts = Self.parts(line, size)
      return parts.enumerated().map { index, part in
        let isLast = index == parts.count - 1
        switch kind {
        case 0: return "2026-03-05T08:05:06.123456789Z stdout \(isLast ? "F" : "P") \(part)"
        case 1:
          let text = CarrierTests.json(isLast ? "\(part)\n" : part)
          return
            "{\"log\":\(text),\"stream\":\"stdout\",\"time\":\"2026-03-05T08:05:06.123456789Z\"}"
        default: return "03-05 08:05:06.700  1234  5678 D XMPP    : \(part)"
        }
      }
    }
  }

  /// The line in parts of `size` bytes, or fewer so as not to split a character.
  static func parts(_ line: String, _ size: Int) -> [String] {
    var parts: [String] = []
    var part = ""
    var count = 0
    for scalar in line.unicodeScalars {
      let bytes = UTF8.width(scalar)
      if count + bytes > size {
        parts.append(part)
        (part, count) = ("", 0)
      }
      part.unicodeScalars.append(scalar)
      count += bytes
    }
    return parts + [part]
  }

  private mutating func table(_ lines: [String]) -> [String] {
    let separator = pick([",", ";", "\t"])
    let column = pick(["message", "Message", "log", "_raw", "line"])
    name += ", a table of \(column) by \(separator == "\t" ? "tab" : separator)"
    let rows = lines.enumerated().map { number, line in
      let time = 1_772_697_906_700 + number
      return "\(time)\(separator)\"\(line.replacing("\"", with: "\"\""))\"\(separator)debug"
    }
    return ["timestamp\(separator)\(column)\(separator)level"] + rows
  }

  // MARK: Texts

  private mutating func wrapped(_ lines: [String]) -> [String] {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      let width = Int.random(in: 64...180, using: &random)
      name += ", wrapped at \(width)"
      return CarrierTests.cut(lines, width).split(separator: "\n").map(String.init)
    case 2:
      name += ", escaped for HTML"
      return lines.map(CarrierTests.html)
    case 3:
      name += ", quoted-printable"
      return lines.flatMap {
        CarrierTests.quotedPrintable($0).split(separator: "\n").map(String.init)
      }
    default: return lines
    }
  }

  private mutating func quoted(_ lines: [String]) -> [String] {
    var text = lines
    if chance(20) {
      let indent = pick(["    ", "  ", "\t"])
      name += ", indented by \(indent.utf8.count)"
      text = text.map { "\(indent)\($0)" }
    }
    if chance(30) {
      name += ", in a fence"
      text = ["It logs this:", "", "```xml"] + text + ["```", "", "Thank you!"]
    }
    if chance(20) {
      let mark = pick(["> ", ">", "> > ", ">> "])
      name += ", quoted by \(mark)"
      text = text.map { "\(mark)\($0)" }
      if chance(50) { text = ["On Friday somebody wrote:", ""] + text + ["", "Me, too."] }
    }
    return text
  }

  // MARK: Bytes

  private mutating func encoded(_ lines: [String]) -> [UInt8] {
    var text = lines.joined(separator: "\n")
    if chance(80) { text += "\n" }
    if chance(15) {
      name += ", colored"
      text = lines.map { "\u{1B}[36m\($0)\u{1B}[0m\n" }.joined()
    }
    if chance(25) {
      name += ", with CRLF"
      text = text.replacing("\n", with: "\r\n")
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      name += ", UTF-16"
      return CarrierTests.utf16(text, isLittle: true)
    case 1:
      name += ", UTF-16 big"
      return CarrierTests.utf16(text, isLittle: false)
    case 2:
      name += ", with a mark"
      return Array("\u{FEFF}\(text)".utf8)
    default: return Array(text.utf8)
    }
  }
}
