import XMPPStanza

/// The word or sign by which a person or a program says which way an element went.
struct DirectionLabel: Equatable {
  var direction: Direction
  /// Whether the label names the end that the element went to or came from. One that does not,
  /// such as “sent”, means the opposite in a server's log.
  var namesEnd = false
}

/// Finds the nearest word or sign that says which way an element went, in the text before it.
enum DirectionWords {
  /// The label at the end of a text that stands before an element; nil if there is none.
  ///
  /// - Parameter isHeadline: Whether the text is a line of its own above the element. A sentence
  ///   above an element says less than a word on its line.
  static func label(in text: ArraySlice<UInt8>, isHeadline: Bool = false) -> DirectionLabel? {
    let text = text.suffix(maximumBytes)
    let tokens = LabelToken.tokens(of: text)
    guard !isHeadline || tokens.count <= maximumHeadlineTokens else { return nil }
    let words = tokens.count { $0.word != nil }
    let isComment = text.position(of: Array("<!--".utf8)) != nil
    for index in tokens.indices.reversed() {
      let isFirst = (isComment || words < 3) && !tokens[..<index].contains { $0.word != nil }
      if let label = label(at: index, tokens, isFirst: isFirst) { return label }
    }
    return nil
  }

  /// How much of a text is looked at, from its end.
  static let maximumBytes = 256
  private static let maximumHeadlineTokens = 24

  private static func label(
    at index: Int, _ tokens: [LabelToken], isFirst: Bool
  ) -> DirectionLabel? {
    func word(_ place: Int) -> LabelToken.Word? {
      tokens.indices.contains(place) ? tokens[place].word : nil
    }
    switch tokens[index] {
    case .arrow(let arrow):
      if let target = word(index + 1).flatMap({ ends[$0.text] }) {
        return DirectionLabel(
          direction: arrow == .outbound ? target : target.opposite, namesEnd: true)
      }
      if let source = word(index - 1).flatMap({ ends[$0.text] }) {
        return DirectionLabel(
          direction: arrow == .outbound ? source.opposite : source, namesEnd: true)
      }
      return DirectionLabel(direction: arrow)
    case .word(let found):
      if found.text == "by", let actor = actor(after: index, tokens), let verb = word(index - 1),
        let direction = strong[verb.text]
      {
        return DirectionLabel(
          direction: actor == .outbound ? direction.opposite : direction, namesEnd: true)
      }
      if let direction = strong[found.text] ?? foreign(found.text) {
        guard let actor = actor(before: index, tokens) else {
          return DirectionLabel(direction: direction)
        }
        return DirectionLabel(
          direction: actor == .outbound ? direction.opposite : direction, namesEnd: true)
      }
      if let direction = weak[found.text] {
        // Elsewhere these are words of a sentence.
        let isLabel = found.isUppercase || found.isMarked || found.isLast || isFirst
        return isLabel ? DirectionLabel(direction: direction) : nil
      }
      guard let target = ends[found.text] else { return nil }
      let place = indexBeforeArticles(index - 1, tokens)
      return label(
        ofEnd: target, found, after: word(place)?.text, word(index - 2), tokens, index)
    }
  }

  /// `to server` and `from client` name the end; in `S: <iq/>` the end is who speaks.
  private static func label(
    ofEnd target: Direction, _ end: LabelToken.Word, after previous: String?,
    _ source: LabelToken.Word?, _ tokens: [LabelToken], _ index: Int
  ) -> DirectionLabel? {
    if previous == "to" { return DirectionLabel(direction: target, namesEnd: true) }
    if previous == "from" { return DirectionLabel(direction: target.opposite, namesEnd: true) }
    guard previous != "by", end.isAlone, end.isMarked else { return nil }
    if index > 1, tokens[index - 1].word == nil, let source, ends[source.text] != nil { return nil }
    return DirectionLabel(direction: target.opposite, namesEnd: true)
  }

  /// Who did what a verb says, in `the server sent`: the direction of what goes to that end.
  private static func actor(before index: Int, _ tokens: [LabelToken]) -> Direction? {
    // A name with a colon is the program's that writes the line.
    guard index > 0, let name = tokens[index - 1].word, !name.isMarked,
      let end = actors[name.text]
    else { return nil }
    // In `from server received` the verb is another's.
    let place = indexBeforeArticles(index - 2, tokens)
    let previous = tokens.indices.contains(place) ? tokens[place].word?.text : nil
    return ["to", "from", "by"].contains(previous) ? nil : end
  }

  /// The same in `sent by the server`, whose `by` is at the index.
  private static func actor(after index: Int, _ tokens: [LabelToken]) -> Direction? {
    let next = tokens[(index + 1)...].first { !articles.contains($0.word?.text ?? "") }
    return next?.word.flatMap { actors[$0.text] }
  }

  /// The place of the first word before any articles.
  private static func indexBeforeArticles(_ index: Int, _ tokens: [LabelToken]) -> Int {
    var index = index
    while tokens.indices.contains(index), articles.contains(tokens[index].word?.text ?? "") {
      index -= 1
    }
    return index
  }

  // MARK: Words

  private static let articles: Set<String> = ["the", "a", "my", "our", "your", "their"]

  private static let actors: [String: Direction] = [
    "server": .outbound, "srv": .outbound, "client": .inbound,
  ]

  /// The direction of what goes to an end.
  private static let ends: [String: Direction] = [
    "s": .outbound, "server": .outbound, "srv": .outbound, "c": .inbound, "client": .inbound,
  ]

  private static let strong: [String: Direction] = table([
    .inbound: [
      "recv", "rcv", "rcvd", "recvd", "receive", "received", "receiving", "receives", "recieved",
      "incoming", "inbound", "rx", "recibido", "empfangen", "ricevuto", "recebido", "odebrano",
    ],
    .outbound: [
      "sent", "send", "snd", "snt", "sending", "sends", "outgoing", "outbound", "tx", "delivered",
      "delivering", "wrote", "enviado", "gesendet", "inviato", "odesłano",
    ],
  ])

  private static let weak: [String: Direction] = table([
    .inbound: ["in", "got", "read", "reading", "reads", "input", "response"],
    .outbound: ["out", "write", "writing", "writes", "output", "request"],
  ])

  /// The same words in languages whose words are joined to others.
  private static func foreign(_ word: String) -> Direction? {
    guard word.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    return joined.first { word.contains($0.word) }?.direction
  }

  private static let joined: [(word: String, direction: Direction)] = [
    ("收到", .inbound), ("接收", .inbound), ("受信", .inbound), ("получено", .inbound),
    ("reçu", .inbound), ("发送", .outbound), ("發送", .outbound), ("发出", .outbound),
    ("送信", .outbound), ("отправлено", .outbound), ("envoyé", .outbound),
  ]

  private static func table(_ lists: [Direction: [String]]) -> [String: Direction] {
    var table: [String: Direction] = [:]
    for (direction, list) in lists {
      for word in list { table[word] = direction }
    }
    return table
  }
}

/// A word or an arrow of a text before an element.
enum LabelToken {
  case word(Word)
  case arrow(Direction)

  struct Word {
    /// In lower case.
    let text: String
    let isUppercase: Bool
    /// Whether a colon or a closing bracket follows.
    let isMarked: Bool
    /// Whether no other word follows.
    let isLast: Bool
    /// Whether it is no part of a longer name, such as `c2s`.
    let isAlone: Bool
  }

  var word: Word? { if case .word(let word) = self { word } else { nil } }

  /// Splits a text at everything that is no letter, and inside names such as `didReceiveIQ`.
  static func tokens(of text: ArraySlice<UInt8>) -> [LabelToken] {
    var tokens: [LabelToken] = []
    var index = text.startIndex
    while index < text.endIndex {
      let rest = text[index...]
      if let (arrow, count) = arrow(at: rest, after: text[..<index].last) {
        if let arrow { tokens.append(.arrow(arrow)) }
        index += count
      } else if isLetter(rest[index]) {
        let end = rest.indices.first { !isLetter(rest[$0]) || isSign(at: rest[$0...]) }
        let run = rest[..<(end ?? rest.endIndex)]
        tokens += words(of: run, after: text[..<index].last, before: text[run.endIndex...])
        index = run.endIndex
      } else {
        index += 1
      }
    }
    return tokens
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte.isLetter || byte >= 0x80 }

  private static func isSign(at text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, first >= 0x80 else { return false }
    return signs.contains { text.starts(with: $0.sign.utf8) }
  }

  private static func isUppercase(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
  }

  private static func words(
    of run: ArraySlice<UInt8>, after previous: UInt8?, before rest: ArraySlice<UInt8>
  ) -> [LabelToken] {
    var parts: [ArraySlice<UInt8>] = []
    var start = run.startIndex
    for index in run.indices.dropFirst()
    where isUppercase(run[index]) && !isUppercase(run[index - 1]) {
      parts.append(run[start..<index])
      start = index
    }
    parts.append(run[start...])
    let next = rest.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    let isMarked = next == UInt8(ascii: ":") || next == UInt8(ascii: "]")
    let isLast = !rest.contains(where: isLetter)
    let isAlone = parts.count == 1 && previous?.isDigit != true && rest.first?.isDigit != true
    return parts.enumerated().map { place, part in
      let isWhole = place == parts.count - 1
      return .word(
        Word(
          text: String(decoding: part, as: UTF8.self).lowercased(),
          isUppercase: part.count > 1 && part.allSatisfy(isUppercase),
          isMarked: isWhole && isMarked, isLast: isWhole && isLast, isAlone: isAlone))
    }
  }

  /// An arrow, or a run of signs that is none: the marks of a comment, of a comparison, and of
  /// Erlang's byte strings.
  private static func arrow(
    at text: ArraySlice<UInt8>, after previous: UInt8?
  ) -> (Direction?, count: Int)? {
    guard let first = text.first else { return nil }
    guard first < 0x80 else {
      return signs.first { text.starts(with: $0.sign.utf8) }.map {
        ($0.direction, $0.sign.utf8.count)
      }
    }
    guard !text.starts(with: "<!--".utf8) else { return (nil, 4) }
    let run = text.prefix { "<>-=".utf8.contains($0) }
    guard run.count > 1 else { return nil }
    let quote = UInt8(ascii: "\"")
    let isQuoted = text.dropFirst(run.count).first == quote || previous == quote
    let isOther = ["-->", "=>", "<=", ">="].contains { run.elementsEqual($0.utf8) }
    let (left, right) = (run.contains(UInt8(ascii: "<")), run.contains(UInt8(ascii: ">")))
    guard left != right, !isOther, !isQuoted else { return (nil, run.count) }
    return (right ? .outbound : .inbound, run.count)
  }

  private static let signs: [(sign: String, direction: Direction)] = [
    ("⮊", .outbound), ("→", .outbound), ("⇒", .outbound), ("➡", .outbound), ("⟶", .outbound),
    ("▶", .outbound), ("►", .outbound), ("»", .outbound), ("↑", .outbound), ("⬆", .outbound),
    ("⮈", .inbound), ("←", .inbound), ("⇐", .inbound), ("⬅", .inbound), ("⟵", .inbound),
    ("◀", .inbound), ("◄", .inbound), ("«", .inbound), ("↓", .inbound), ("⬇", .inbound),
  ]
}
