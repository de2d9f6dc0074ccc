import XMPPStanza

/// The lines of a log in an entry that a collector or a logger wrote as JSON: journald, Docker,
/// Fluentd, Elasticsearch, Loki, pino, bunyan and others.
enum JSONEntry {
  /// The members that hold the text, in the order in which they are looked for.
  static let textNames = [
    "MESSAGE", "message", "msg", "log", "line", "@message", "_raw", "textPayload", "text", "body",
    "event.original", "content",
  ]
  /// The members that hold the time.
  static let timeNames = [
    "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "@timestamp", "timestamp", "time", "ts",
    "_time", "date", "datetime", "t",
  ]
  /// The members whose objects and arrays hold the entry.
  private static let envelopes = [
    "_source", "streams", "data", "result", "hits", "entries", "events", "logs", "record",
    "jsonPayload", "body", "payload", "event", "fields", "values",
  ]
  private static let maximumNesting = 6

  /// The lines of an entry, which may be one of an array or of a sequence (RFC 7464), one member of
  /// an entry on a line of its own, or a text alone; nil if a line is none or holds no text.
  static func lines(_ line: ArraySlice<UInt8>) -> [LineWrapper.Line]? {
    var text = line.drop { $0.isXMLSpace || $0 == 0x1E }
    if text.starts(with: "data: ".utf8) { text = text.dropFirst(6) }
    text = text.prefix(text.count - text.reversed().prefix(while: \.isXMLSpace).count)
    if text.last == UInt8(ascii: ",") { text = text.dropLast() }
    guard let first = text.first else { return nil }
    var found: [LineWrapper.Line] = []
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if let value = value(text) {
        collect(document: value, &found)
      } else if let (value, rest) = beginning(of: text) {
        collect(document: value, &found)
        if !found.isEmpty { found.append(LineWrapper.Line(text: rest, isRest: true)) }
      }
    case UInt8(ascii: "\""):
      let member: [UInt8] = [UInt8(ascii: "{")] + text + [UInt8(ascii: "}")]
      if let object = try? JSONScanner.object(member[...]) {
        collect(object, nil, 0, &found)
      } else if let string = JSONScanner.scalar(text)?.string {
        append(Array(string.utf8), "", nil, &found)
      }
    default: return nil
    }
    return found.isEmpty ? nil : found
  }

  /// An object or an array, also one of an array whose brackets are on lines with its entries.
  private static func value(_ text: ArraySlice<UInt8>) -> JSONValue? {
    if text.first == UInt8(ascii: "[") {
      return JSONScanner.scalar(text)
        ?? (try? JSONScanner.object(text.dropFirst())).map { .object($0) }
    }
    if let object = try? JSONScanner.object(text) { return .object(object) }
    guard text.last == UInt8(ascii: "]") else { return nil }
    return (try? JSONScanner.object(text.dropLast())).map { .object($0) }
  }

  /// What is whole of a document that was cut off: it goes up to the last bracket that closes one,
  /// and what is open there is closed. Then what follows.
  private static func beginning(
    of text: ArraySlice<UInt8>
  ) -> (value: JSONValue, rest: ArraySlice<UInt8>)? {
    var open: [UInt8] = []
    var whole: (end: Int, open: [UInt8])?
    var (isInString, isEscaped) = (false, false)
    for index in text.indices {
      let byte = text[index]
      if isInString {
        if byte == UInt8(ascii: "\"") && !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
      case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard open.popLast() == byte else { return nil }
        whole = (index + 1, open)
      default: break
      }
      guard open.count <= JSONScanner.maximumDepth else { return nil }
    }
    guard let whole, !whole.open.isEmpty,
      let value = JSONScanner.scalar((text[..<whole.end] + whole.open.reversed())[...])
    else { return nil }
    return (value, text[whole.end...])
  }

  private static func collect(document: JSONValue, _ found: inout [LineWrapper.Line]) {
    switch document {
    case .object(let object): collect(object, nil, 0, &found)
    case .array(let values): for value in values { collect(value, nil, 0, &found) }
    case .null, .bool, .integer, .decimal, .string: return
    }
  }

  private static func collect(
    _ object: [String: JSONValue], _ time: LogTime?, _ depth: Int,
    _ found: inout [LineWrapper.Line]
  ) {
    let time = timeNames.lazy.compactMap { object[$0].flatMap(Self.time) }.first ?? time
    let source = object["SYSLOG_IDENTIFIER"]?.string ?? ""
    let texts = textNames.lazy.compactMap { object[$0].flatMap(bytes) }
    let elements = elementTexts(of: object)
    if let text = texts.first(where: holdsElement) ?? elements.first {
      append(labeled(text, by: object), source, time, isPart: isPart(object), &found)
      // Which one is the line is known of one only.
      for other in elements where other != text {
        found.append(LineWrapper.Line(text: other[...], source: source, isRest: true))
      }
      return
    }
    var inner: [LineWrapper.Line] = []
    if depth < maximumNesting { collect(within: object, time, depth, &inner) }
    let hasElement = inner.contains { ElementStart.position(in: $0.text) != nil }
    if let text = texts.first, !hasElement {
      return append(text, source, time, isPart: isPart(object), &found)
    }
    found += inner
  }

  /// The lines of the first member with an element that is an object or an array; where there is
  /// none, those of the first with any.
  private static func collect(
    within object: [String: JSONValue], _ time: LogTime?, _ depth: Int,
    _ found: inout [LineWrapper.Line]
  ) {
    for name in envelopes + object.keys.filter({ !envelopes.contains($0) }).sorted() {
      var lines: [LineWrapper.Line] = []
      switch object[name] {
      case .object(let inner): collect(inner, time, depth + 1, &lines)
      case .array(let values):
        for value in values { collect(value, time, depth + 1, &lines) }
      case nil, .null, .bool, .integer, .decimal, .string: continue
      }
      if lines.contains(where: { ElementStart.position(in: $0.text) != nil }) {
        found = lines
        return
      }
      if found.isEmpty { found = lines }
    }
  }

  private static func holdsElement(_ text: [UInt8]) -> Bool {
    ElementStart.position(in: text[...]) != nil
  }

  /// The members of any name in which an element begins.
  private static func elementTexts(of object: [String: JSONValue]) -> [[UInt8]] {
    object.sorted { $0.key < $1.key }
      .compactMap { $0.value.string.map { Array($0.utf8) } }.filter(holdsElement)
  }

  /// A text with the direction before it that another member says, unless it says one itself.
  private static func labeled(_ text: [UInt8], by object: [String: JSONValue]) -> [UInt8] {
    let members = object.sorted { $0.key < $1.key }
    for (name, value) in members {
      guard let word = value.string.map({ Array($0.utf8) }), isDirection(word) else { continue }
      return labeled(text, by: textNames.contains(name) ? usual(word) : word)
    }
    let said = members.compactMap { NamedDirection.word($0.key, $0.value) }
    // Where members contradict each other, they count something else.
    let ways = Set(said.map { DirectionWords.label(in: $0[...])?.direction })
    return labeled(text, by: ways.count == 1 ? said.first : nil)
  }

  /// The usual word for what stands in place of a line: other entries may have lines with it.
  private static func usual(_ word: [UInt8]) -> [UInt8] {
    guard let label = DirectionWords.label(in: word[...]), !label.namesEnd else { return word }
    return Array((label.direction == .inbound ? "RECV" : "SEND").utf8)
  }

  /// Whether a text is nothing but a word that says a direction.
  static func isDirection(_ text: [UInt8]) -> Bool {
    text.count <= maximumWord && text.allSatisfy { !$0.isXMLSpace }
      && DirectionWords.label(in: text[...]) != nil
  }

  /// A text with a word of direction before it, unless it says a direction itself.
  static func labeled(_ text: [UInt8], by word: [UInt8]?) -> [UInt8] {
    guard let word, let start = ElementStart.position(in: text[...]),
      DirectionWords.label(in: text[..<start]) == nil
    else { return text }
    return word + ": ".utf8 + text
  }

  private static let maximumWord = 24

  /// An element of an array: an entry, or Loki's time and line.
  private static func collect(
    _ value: JSONValue, _ time: LogTime?, _ depth: Int, _ found: inout [LineWrapper.Line]
  ) {
    switch value {
    case .object(let inner): collect(inner, time, depth, &found)
    case .array(let pair):
      guard pair.count >= 2, let text = pair[1].string else { return }
      append(Array(text.utf8), "", Self.time(pair[0]) ?? time, &found)
    case .null, .bool, .integer, .decimal, .string: return
    }
  }

  /// Whether Docker's driver says that another part of the message follows.
  private static func isPart(_ object: [String: JSONValue]) -> Bool {
    object["partial_message"] == .string("true") || object["partial_message"] == .bool(true)
  }

  private static func append(
    _ text: [UInt8], _ source: String, _ time: LogTime?, isPart: Bool = false,
    _ found: inout [LineWrapper.Line]
  ) {
    var parts = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    for (index, part) in parts.enumerated() {
      let bytes = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      // Docker keeps 16 KiB of a line at a time, or less where a character would be cut.
      let isFull = parts.count == 1 && (16_381...16_384).contains(bytes.count)
      found.append(
        LineWrapper.Line(
          text: bytes, source: source, time: time, goesOn: isPart, isFull: isFull,
          isContinuation: index > 0))
    }
  }

  /// A text, which journald writes as numbers if it has bytes that are no text.
  private static func bytes(_ value: JSONValue) -> [UInt8]? {
    switch value {
    case .string(let text): return Array(text.utf8)
    case .array(let values):
      let bytes = values.compactMap { value -> UInt8? in
        guard case .integer(let number) = value else { return nil }
        return UInt8(exactly: number)
      }
      return !bytes.isEmpty && bytes.count == values.count ? bytes : nil
    case .null, .bool, .integer, .decimal, .object: return nil
    }
  }

  /// A time as text, or as seconds, milliseconds, microseconds or nanoseconds since 1970, whichever
  /// gives a year of this century.
  static func time(_ value: JSONValue) -> LogTime? {
    switch value {
    case .string(let text):
      if let number = Int64(text) { return time(.integer(number)) }
      return LogTime.isoTime(in: Array(text.utf8)[...])
    case .integer(let number):
      switch number {
      case 1_000_000_000..<100_000_000_000: return .complete(number * 1000)
      case 1_000_000_000_000..<100_000_000_000_000: return .complete(number)
      case 1_000_000_000_000_000..<100_000_000_000_000_000: return .complete(number / 1000)
      case 1_000_000_000_000_000_000...: return .complete(number / 1_000_000)
      default: return nil
      }
    case .decimal(let seconds):
      guard (1e9..<1e11).contains(seconds) else { return nil }
      return LogClock.milliseconds(exactly: seconds * 1000).map { .complete($0) }
    case .null, .bool, .array, .object: return nil
    }
  }
}

/// The direction that the name of a member or a column says together with its value.
enum NamedDirection {
  /// A label: for `"sent": false` and `"isOutgoing": false` one of what was received, for
  /// `"from": "server"` that.
  static func word(_ name: String, _ value: JSONValue) -> [UInt8]? {
    let label: DirectionLabel?
    switch value {
    case .bool(let isTrue): label = flag(name, isTrue)
    case .integer(let number): label = (0...1).contains(number) ? flag(name, number == 1) : nil
    case .string(let text):
      switch text.lowercased() {
      case "true", "1": label = flag(name, true)
      case "false", "0": label = flag(name, false)
      case let text: label = end(name, text)
      }
    case .null, .decimal, .array, .object: label = nil
    }
    return label.map { label in
      let isInbound = label.direction == .inbound
      guard label.namesEnd else { return Array((isInbound ? "received" : "sent").utf8) }
      return Array((isInbound ? "from server" : "to server").utf8)
    }
  }

  /// What a name such as `sent`, `is_incoming`, `fromServer` or `sentByClient` says where it is
  /// true; the opposite where it is not.
  private static func flag(_ name: String, _ isTrue: Bool) -> DirectionLabel? {
    var words = words(of: name)
    if words.count == 1, words[0].hasPrefix("is") { words[0].removeFirst(2) }
    if let first = words.first, ["is", "was", "has", ""].contains(first) { words.removeFirst() }
    let isWay =
      switch words.count {
      case 1: true
      case 2: beforeWays.contains(words[0])
      case 3: words[1] == "by"
      default: false
      }
    guard isWay, let last = words.last, !states.contains(last),
      var label = DirectionWords.label(in: Array(words.joined(separator: " ").utf8)[...])
    else { return nil }
    if !isTrue { label.direction = label.direction.opposite }
    return label
  }

  /// What `client` or `server` says in a member or a column for the sender or the recipient.
  private static func end(_ name: String, _ value: String) -> DirectionLabel? {
    let words = words(of: name)
    guard words.count == 1, ["client", "server"].contains(value) else { return nil }
    let way = senders.contains(words[0]) ? "from" : recipients.contains(words[0]) ? "to" : nil
    return way.flatMap { DirectionWords.label(in: Array("\($0) \(value)".utf8)[...]) }
  }

  private static func words(of name: String) -> [String] {
    guard name.utf8.count <= maximumName else { return [] }
    return LabelToken.tokens(of: Array(name.utf8)[...]).compactMap { $0.word?.text }
  }

  private static let maximumName = 40
  private static let beforeWays: Set<String> = ["from", "to", "message", "packet", "stanza", "xml"]
  private static let senders: Set<String> = ["from", "source", "src", "sender", "origin"]
  private static let recipients: Set<String> = [
    "to", "destination", "dest", "dst", "target", "recipient", "receiver",
  ]
  /// What a message may be in whichever way it went, or what may be done with it.
  private static let states: Set<String> = [
    "read", "reads", "write", "writes", "delivered", "delivering", "sending", "request",
    "response",
  ]
}
