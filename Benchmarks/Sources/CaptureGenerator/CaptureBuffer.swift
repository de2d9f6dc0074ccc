/// The direction of a stanza, from the view of the account's client.
enum Direction {
  case inbound, outbound
}

/// The growing bytes of a capture: the lines of the file and, separately, the bare stanzas.
///
/// Markup is written with `put`; text and attribute values are written with `escape`.
struct CaptureBuffer {
  private(set) var file: [UInt8] = []
  private(set) var stanzas: [UInt8] = []
  private(set) var ends: [Int] = []
  /// The number of lines in the file.
  private(set) var records = 0
  /// Milliseconds since 1970.
  var time = 1_763_600_000_000
  private var start = 0

  init(stanzas count: Int) {
    file.reserveCapacity(count * 430)
    stanzas.reserveCapacity(count * 370)
    ends.reserveCapacity(count)
  }

  /// Appends markup as it is.
  mutating func put(_ markup: String) {
    stanzas.append(contentsOf: markup.utf8)
  }

  mutating func put(_ bytes: [UInt8]) {
    stanzas.append(contentsOf: bytes)
  }

  /// Appends text, or an attribute value in apostrophes, with its special characters escaped.
  mutating func escape(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): put("&amp;")
      case UInt8(ascii: "<"): put("&lt;")
      case UInt8(ascii: ">"): put("&gt;")
      case UInt8(ascii: "'"): put("&apos;")
      case UInt8(ascii: "\""): put("&quot;")
      default: stanzas.append(byte)
      }
    }
  }

  /// Ends the element that was put since the previous one, and writes it as a line.
  mutating func end(_ direction: Direction) {
    begin()
    let head: StaticString =
      direction == .inbound ? #","dir":"in","xml":""# : #","dir":"out","xml":""#
    append(head)
    for index in start..<stanzas.count {
      let byte = stanzas[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        file.append(UInt8(ascii: "\\"))
        file.append(byte)
      } else if byte == UInt8(ascii: "\n") {
        append("\\n")
      } else {
        file.append(byte)
      }
    }
    append("\"}\n")
    start = stanzas.count
    ends.append(start)
    records += 1
  }

  /// Writes the first line.
  mutating func header(account: String) {
    file.append(contentsOf: #"{"rollcall-capture":1,"account":"\#(account)"}\#n"#.utf8)
    records += 1
  }

  /// Writes a line about the stream; `jid` is nil for a closed stream.
  mutating func stream(_ word: String, jid: String?) {
    begin()
    file.append(contentsOf: #","stream":"\#(word)""#.utf8)
    if let jid { file.append(contentsOf: #","jid":"\#(jid)""#.utf8) }
    append("}\n")
    records += 1
  }

  private mutating func begin() {
    append(#"{"t":"#)
    file.append(contentsOf: String(time).utf8)
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { file.append(contentsOf: $0) }
  }
}
