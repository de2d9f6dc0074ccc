import XMPPStanza

/// The log lines in a JSON entry of a collector or a logger: journald, Docker, Fluentd,
/// Elasticsearch, Loki, pino, bunyan and others.
enum JSONEntry {
  /// The members that contain the text, in the order in which they are tried.
  static let textNames = [
    "MESSAGE", "message", "msg", "log", "line", "@message", "_raw", "textPayload", "text", "body",
    "event.original", "content",
  ]
  /// The members that contain the time, in the order in which they are tried.
  static let timeNames = [
    "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "@timestamp", "timestamp", "time", "ts",
    "_time", "date", "datetime", "t",
  ]
  /// The members whose objects and arrays contain the entry.
  private static let envelopes = [
    "_source", "streams", "data", "result", "hits", "entries", "events", "logs", "record",
    "jsonPayload", "body", "payload", "event", "fields", "values",
  ]
  private static let maximumNesting = 6

  /// The lines of an entry; nil if the line is not an entry or contains no text.
  ///
  /// The entry may be an element of an array or of a sequence (RFC 7464), a single member on a line
  /// of its own, or only a text.
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
        if !found.isEmpty { found.append(LineWrapper.Line(text: rest, isUnparsed: true)) }
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

  /// An object or an array, also if an enclosing array's brackets are on the same line.
  private static func value(_ text: ArraySlice<UInt8>) -> JSONValue? {
    if text.first == UInt8(ascii: "[") {
      return JSONScanner.scalar(text)
        ?? (try? JSONScanner.object(text.dropFirst())).map { .object($0) }
    }
    if let object = try? JSONScanner.object(text) { return .object(object) }
    guard text.last == UInt8(ascii: "]") else { return nil }
    return (try? JSONScanner.object(text.dropLast())).map { .object($0) }
  }

  /// The complete part of a document that was cut off, and the rest of the text.
  ///
  /// The part ends at the last bracket that closes a value, and the values still open there are
  /// closed.
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
      append(labeled(text, by: object), source, time, isPartial: isPartial(object), &found)
      // Only one of the texts is known to be the line.
      for other in elements where other != text {
        found.append(LineWrapper.Line(text: other[...], source: source, isUnparsed: true))
      }
      return
    }
    var inner: [LineWrapper.Line] = []
    if depth < maximumNesting { collect(within: object, time, depth, &inner) }
    let hasElement = inner.contains { ElementStart.position(in: $0.text) != nil }
    if let text = texts.first, !hasElement {
      return append(text, source, time, isPartial: isPartial(object), &found)
    }
    found += inner
  }

  /// The lines of the first object or array with an element in it; if there is none, those of the
  /// first with any lines.
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

  /// The texts of all members in which an element begins.
  private static func elementTexts(of object: [String: JSONValue]) -> [[UInt8]] {
    object.sorted { $0.key < $1.key }
      .compactMap { $0.value.string.map { Array($0.utf8) } }.filter(holdsElement)
  }

  /// A text with the direction from another member before it, unless it states one itself.
  private static func labeled(_ text: [UInt8], by object: [String: JSONValue]) -> [UInt8] {
    let members = object.sorted { $0.key < $1.key }
    for (name, value) in members {
      guard let word = value.string.map({ Array($0.utf8) }), isDirection(word) else { continue }
      return labeled(text, by: textNames.contains(name) ? genericWord(word) : word)
    }
    let words = members.compactMap { NamedDirection.word($0.key, $0.value) }
    // Members that contradict each other are not about the direction.
    let directions = Set(words.map { DirectionWords.label(in: $0[...])?.direction })
    return labeled(text, by: directions.count == 1 ? words.first : nil)
  }

  /// A generic word of direction for a word in place of a line, because lines of other entries may
  /// contain that word.
  private static func genericWord(_ word: [UInt8]) -> [UInt8] {
    guard let label = DirectionWords.label(in: word[...]), !label.namesEndpoint else { return word }
    return Array((label.direction == .inbound ? "RECV" : "SEND").utf8)
  }

  /// Whether a text is only a word of direction.
  static func isDirection(_ text: [UInt8]) -> Bool {
    text.count <= maximumWord && text.allSatisfy { !$0.isXMLSpace }
      && DirectionWords.label(in: text[...]) != nil
  }

  /// A text with a word of direction before it, unless it states a direction itself.
  static func labeled(_ text: [UInt8], by word: [UInt8]?) -> [UInt8] {
    guard let word, let start = ElementStart.position(in: text[...]),
      DirectionWords.label(in: text[..<start]) == nil
    else { return text }
    return word + ": ".utf8 + text
  }

  private static let maximumWord = 24

  /// Collects the lines of an element of an array: an entry, or Loki's pair of time and line.
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

  /// Whether Docker's driver marks the message as partial.
  private static func isPartial(_ object: [String: JSONValue]) -> Bool {
    object["partial_message"] == .string("true") || object["partial_message"] == .bool(true)
  }

  private static func append(
    _ text: [UInt8], _ source: String, _ time: LogTime?, isPartial: Bool = false,
    _ found: inout [LineWrapper.Line]
  ) {
    var parts = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    for (index, part) in parts.enumerated() {
      let bytes = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
      // Docker splits lines into parts of 16 KiB, or slightly less so as not to split a character.
      let isFull = parts.count == 1 && (16_381...16_384).contains(bytes.count)
      found.append(
        LineWrapper.Line(
          text: bytes, source: source, time: time, isPartial: isPartial, isFull: isFull,
          isContinuation: index > 0))
    }
  }

  /// The bytes of a text, which journald writes as numbers if some of them are not text.
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

  /// A time from a text, or from seconds, milliseconds, microseconds or nanoseconds since 1970,
  /// told apart by their size.
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

/// The direction that the name of a member or a column states together with its value.
enum NamedDirection {
  /// The label that a name and a value stand for; nil if none.
  ///
  /// `"sent": false` and `"isOutgoing": false` mean received, and `"from": "server"` means from the
  /// server.
  static func word(_ name: String, _ value: JSONValue) -> [UInt8]? {
    let label: DirectionLabel?
    switch value {
    case .bool(let isTrue): label = flag(name, isTrue)
    case .integer(let number): label = (0...1).contains(number) ? flag(name, number == 1) : nil
    case .string(let text):
      switch text.lowercased() {
      case "true", "1": label = flag(name, true)
      case "false", "0": label = flag(name, false)
      case let text: label = endpoint(name, text)
      }
    case .null, .decimal, .array, .object: label = nil
    }
    return label.map { label in
      let isInbound = label.direction == .inbound
      guard label.namesEndpoint else { return Array((isInbound ? "received" : "sent").utf8) }
      return Array((isInbound ? "from server" : "to server").utf8)
    }
  }

  /// The direction of a name such as `sent`, `is_incoming`, `fromServer` or `sentByClient` if its
  /// value is true, and the opposite if it is false.
  private static func flag(_ name: String, _ isTrue: Bool) -> DirectionLabel? {
    var words = words(of: name)
    if words.count == 1, words[0].hasPrefix("is") { words[0].removeFirst(2) }
    if let first = words.first, ["is", "was", "has", ""].contains(first) { words.removeFirst() }
    let statesDirection =
      switch words.count {
      case 1: true
      case 2: wordsBeforeDirection.contains(words[0])
      case 3: words[1] == "by"
      default: false
      }
    guard statesDirection, let last = words.last, !states.contains(last),
      var label = DirectionWords.label(in: Array(words.joined(separator: " ").utf8)[...])
    else { return nil }
    if !isTrue { label.direction = label.direction.opposite }
    return label
  }

  /// The direction of `client` or `server` in a member or a column for the sender or the recipient.
  private static func endpoint(_ name: String, _ value: String) -> DirectionLabel? {
    let words = words(of: name)
    guard words.count == 1, ["client", "server"].contains(value) else { return nil }
    let preposition =
      senders.contains(words[0]) ? "from" : recipients.contains(words[0]) ? "to" : nil
    return preposition.flatMap { DirectionWords.label(in: Array("\($0) \(value)".utf8)[...]) }
  }

  private static func words(of name: String) -> [String] {
    guard name.utf8.count <= maximumName else { return [] }
    return LabelToken.tokens(of: Array(name.utf8)[...]).compactMap { $0.word?.text }
  }

  private static let maximumName = 40
  private static let wordsBeforeDirection: Set<String> = [
    "from", "to", "message", "packet", "stanza", "xml",
  ]
  private static let senders: Set<String> = ["from", "source", "src", "sender", "origin"]
  private static let recipients: Set<String> = [
    "to", "destination", "dest", "dst", "target", "recipient", "receiver",
  ]
  /// Words for the state of a message, which says nothing about its direction.
  private static let states: Set<String> = [
    "read", "reads", "write", "writes", "delivered", "delivering", "sending", "request",
    "response",
  ]
}
