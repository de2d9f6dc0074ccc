import XMPPStanza

/// The text between the elements of a pasted text, as far as the next element needs it.
struct PastedText {
  /// The words and signs for an element's direction.
  struct Label {
    /// The words and signs, the nearest first.
    let labels: [DirectionLabel]
    /// Whether it comes after the previous element on that element's line, so that it may belong to
    /// that one.
    let isAfterAnother: Bool
    /// Whether it is only the label of the previous element.
    var isInherited = false
  }

  /// The part of the current line that has been read since the last element.
  private var line: [UInt8] = []
  /// The last line above, since the last element, that is not blank.
  private var headline: [UInt8] = []
  /// Whether that line is the rest of the line on which the last element ended.
  private var isHeadlineAfterElement = false
  /// The number of line ends since the last element, if there is one.
  private var lineEnds = 0
  private var hasElement = false
  /// The label of the last element.
  private var last: Label?

  private static let maximumBytes = 512

  /// Appends a part of a line.
  mutating func append(_ part: ArraySlice<UInt8>) {
    line += part.suffix(Self.maximumBytes)
    if line.count > Self.maximumBytes { line.removeFirst(line.count - Self.maximumBytes) }
  }

  /// Ends the line, without an open element.
  mutating func endLine() {
    let isAfterElement = followsElement
    lineEnds += 1
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.allSatisfy(\.isXMLSpace) else { return }
    headline = line
    isHeadlineAfterElement = isAfterElement
  }

  /// Ends an element. An element that was abandoned has no label.
  mutating func endElement(label: Label?, isWhole: Bool = true) {
    line.removeAll(keepingCapacity: true)
    headline.removeAll(keepingCapacity: true)
    lineEnds = 0
    hasElement = isWhole
    last = label
  }

  /// Whether the last element ended on the current line.
  var followsElement: Bool { hasElement && lineEnds == 0 }

  /// The label in the text after the last element on its line.
  var trailingLabel: DirectionLabel? { DirectionWords.label(in: line[...]) }

  /// The label for an element: the nearest word or sign before it on its line, then on the line
  /// above. An element that directly follows another inherits its label.
  ///
  /// - Parameter element: The beginning of the element.
  func label(of element: ArraySlice<UInt8>) -> Label? {
    let parties = DirectionWords.Parties(
      sender: Self.address("from", in: element), receiver: Self.address("to", in: element))
    let labels = DirectionWords.labels(in: line[...], of: parties)
    if !labels.isEmpty { return Label(labels: labels, isAfterAnother: false) }
    let above = DirectionWords.labels(in: headline[...], isHeadline: true, of: parties)
    if !above.isEmpty { return Label(labels: above, isAfterAnother: isHeadlineAfterElement) }
    let isBlank = headline.isEmpty && line.allSatisfy(\.isXMLSpace)
    guard isBlank && lineEnds < 2, var inherited = last else { return nil }
    inherited.isInherited = true
    return inherited
  }

  /// The address in an attribute of the first tag.
  private static func address(_ name: String, in element: ArraySlice<UInt8>) -> JID? {
    let tag = element.prefix(maximumBytes).prefix { $0 != UInt8(ascii: ">") }
    guard let start = tag.position(of: Array(" \(name)=".utf8)) else { return nil }
    let isQuote: (UInt8) -> Bool = { "\"'\\".utf8.contains($0) }
    let value = tag[(start + name.utf8.count + 2)...].drop(while: isQuote).prefix { !isQuote($0) }
    return try? JID(parsing: String(decoding: value, as: UTF8.self))
  }

  /// The time before an element.
  var time: LogTime? { LogTime.isoTime(in: line[...]) ?? LogTime.isoTime(in: headline[...]) }

  // MARK: Where elements begin

  /// The namespaces that tell streams apart from other documents with the same names.
  private static let namespaces = [
    Namespace.streams, Namespace.client, "urn:ietf:params:xml:ns:xmpp-", "urn:xmpp:",
    "http://jabber.org/protocol/httpbind",
  ].map { Array($0.utf8) }

  private static let otherNames: Set<String> = [
    "body", "open", "close", "iq", "message", "presence",
  ]

  /// The index of the first element of a stream, or start of a stream; nil if there is none.
  static func start(in text: ArraySlice<UInt8>) -> Int? {
    var rest = text
    while let start = rest.position(of: UInt8(ascii: "<")) {
      rest = rest[start...]
      if isBeginning(rest) { return start }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Whether the quotes of the first tag are escaped: `<iq type=\"get\">`.
  static func isEscaped(_ text: ArraySlice<UInt8>) -> Bool {
    let tag = text.prefix(maximumBytes).prefix { $0 != UInt8(ascii: ">") }
    return tag.position(of: Array("=\\\"".utf8)) != nil
      || tag.position(of: Array("=\\'".utf8)) != nil
  }

  /// The unescaped part of a string: by the rules of JSON if it follows them, or else without the
  /// backslashes.
  static func unescaped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.contains(UInt8(ascii: "\\")) else { return text }
    let quote = [UInt8(ascii: "\"")]
    if let string = JSONScanner.scalar((quote + text + quote)[...])?.string {
      return Array(string.utf8)[...]
    }
    var output: [UInt8] = []
    var isEscaping = false
    for byte in text {
      isEscaping = byte == UInt8(ascii: "\\") && !isEscaping
      if !isEscaping { output.append(byte) }
    }
    return output[...]
  }

  /// Whether the text begins with an element of a stream, or the end of a stream.
  static func isBeginning(_ text: ArraySlice<UInt8>) -> Bool {
    if TopLevel.isStanza(text) { return true }
    guard let next = text.dropFirst().first, next.isLetter || next == UInt8(ascii: "/") else {
      return false
    }
    if text.starts(with: "<stream:".utf8) || text.starts(with: "</stream:stream".utf8) {
      return true
    }
    guard TopLevel.isElement(text) || otherNames.contains(TopLevel.localName(text)) else {
      return false
    }
    let tag = text.prefix(maximumBytes).prefix { $0 != UInt8(ascii: ">") }
    return tag.position(of: Array("xmlns".utf8)) != nil
      && namespaces.contains { tag.position(of: $0) != nil }
  }
}

/// The unescaped texts of the elements of a pasted text. They may contain elements that a person
/// wrote, and a program that prints the text of a message prints these too.
struct PastedEchoes {
  private var texts: [[UInt8]] = []
  private var bytes = 0

  private static let maximumBytes = 16 << 10

  /// Whether an element occurs in a text of an earlier element.
  func contain(_ element: ArraySlice<UInt8>) -> Bool {
    texts.contains { $0[...].position(of: Array(element)) != nil }
  }

  /// Notes the texts of an element that look like XML.
  mutating func note(_ node: XMPPElement) {
    for attribute in node.attributes { note(attribute.value) }
    for content in node.content {
      switch content {
      case .text(let text): note(text)
      case .element(let child): note(child)
      }
    }
  }

  private mutating func note(_ text: String) {
    guard text.utf8.contains(UInt8(ascii: "<")) else { return }
    texts.append(Array(text.utf8.prefix(Self.maximumBytes)))
    bytes += texts.last?.count ?? 0
    while bytes > Self.maximumBytes, texts.count > 1 { bytes -= texts.removeFirst().count }
  }
}
