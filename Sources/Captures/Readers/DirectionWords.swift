import XMPPStanza

/// A word or sign that states the direction of an element.
struct DirectionLabel: Hashable {
  var direction: Direction
  /// Whether the label names the endpoint that the element went to or came from. A label without
  /// one, such as “sent”, means the opposite in a server's log.
  var namesEndpoint = false
  /// The word in lower case; empty for a sign.
  var word = ""
}

/// Finds the words and signs that state the direction of an element, in the text before it.
enum DirectionWords {
  /// The sender and receiver that an element names.
  struct Parties {
    var sender: JID?
    var receiver: JID?
  }

  /// The nearest label in a text before an element; nil if there is none.
  static func label(in text: ArraySlice<UInt8>) -> DirectionLabel? { labels(in: text).first }

  /// The labels in a text before an element, the nearest first.
  ///
  /// - Parameters:
  ///   - isHeadline: Whether the text is a separate line above the element. A sentence there is
  ///     weaker evidence than a word on the element's own line.
  ///   - parties: The addresses in the element, for sentences about their owners.
  static func labels(
    in text: ArraySlice<UInt8>, isHeadline: Bool = false, of parties: Parties = Parties()
  ) -> [DirectionLabel] {
    let text = text.suffix(maximumBytes)
    let tokens = LabelToken.tokens(of: text)
    guard !isHeadline || tokens.count <= maximumHeadlineTokens else { return [] }
    let words = tokens.count { $0.word != nil }
    let isComment = text.position(of: Array("<!--".utf8)) != nil
    var labels: [DirectionLabel] = []
    var index = tokens.endIndex - 1
    while index >= 0 {
      let isFirst = (isComment || words < 3) && !tokens[..<index].contains { $0.word != nil }
      var next = index - 1
      if var label = label(at: index, tokens, isFirst: isFirst, parties) {
        label.word = tokens[index].word?.text ?? ""
        labels.append(label)
        if label.namesEndpoint { next = start(ofPhraseEndingAt: index, tokens) - 1 }
      }
      index = next
    }
    return labels
  }

  /// The index of the first word of a label with an endpoint, such as `sent to the server`, or of
  /// the sign that points to it. None of these words is another label.
  private static func start(ofPhraseEndingAt end: Int, _ tokens: [LabelToken]) -> Int {
    guard end > 0, let last = tokens[end].word else { return end }
    if tokens[end - 1].word == nil { return last.isEnclosed ? end : end - 1 }
    var index = end
    while index > 0, let word = tokens[index].word, !word.startsPhrase { index -= 1 }
    let words = tokens[index..<end].compactMap { $0.word?.text }
    let isWhole = last.text == "by" || words.contains { prepositions.contains($0) }
    return isWhole ? index : end
  }

  /// The number of bytes that are examined, from the end of a text.
  static let maximumBytes = 256
  private static let maximumHeadlineTokens = 24

  private static func label(
    at index: Int, _ tokens: [LabelToken], isFirst: Bool, _ parties: Parties
  ) -> DirectionLabel? {
    switch tokens[index] {
    case .arrow(let arrow), .comparison(let arrow):
      return label(ofArrow: arrow, at: index, tokens)
    case .word(let found):
      if found.text == "by", let actor = actor(after: index, tokens),
        let direction = word(index - 1, tokens).flatMap({ strong[$0.text] })
      {
        return DirectionLabel(
          direction: actor == .outbound ? direction.opposite : direction, namesEndpoint: true)
      }
      if let direction = strong[found.text] ?? embeddedDirection(found.text) {
        return label(ofVerb: direction, at: index, tokens, parties)
      }
      if let direction = weak[found.text] {
        if let label = label(ofParty: direction, at: index, tokens, parties) { return label }
        return label(ofWeak: direction, found, at: index, tokens, isFirst: isFirst)
      }
      guard let target = endpoints[found.text] else { return nil }
      let previous = word(indexBeforeArticles(index - 1, tokens), tokens)?.text
      return label(
        ofEndpoint: target, found, after: previous, word(index - 2, tokens), tokens, index)
    }
  }

  private static func word(_ index: Int, _ tokens: [LabelToken]) -> LabelToken.Word? {
    tokens.indices.contains(index) ? tokens[index].word : nil
  }

  /// The label of an arrow, which points from one endpoint to the other. A word in brackets is not
  /// an endpoint.
  private static func label(
    ofArrow arrow: Direction, at index: Int, _ tokens: [LabelToken]
  ) -> DirectionLabel {
    func endpoint(_ index: Int) -> Direction? {
      word(index, tokens).flatMap { $0.isEnclosed ? nil : endpoints[$0.text] }
    }
    if let target = endpoint(index + 1) {
      return DirectionLabel(
        direction: arrow == .outbound ? target : target.opposite, namesEndpoint: true)
    }
    if let source = endpoint(index - 1) {
      return DirectionLabel(
        direction: arrow == .outbound ? source.opposite : source, namesEndpoint: true)
    }
    return DirectionLabel(direction: arrow)
  }

  /// The label of a verb, which depends on its subject and its recipient.
  private static func label(
    ofVerb direction: Direction, at index: Int, _ tokens: [LabelToken], _ parties: Parties
  ) -> DirectionLabel {
    if let label = label(ofParty: direction, at: index, tokens, parties) { return label }
    if direction == .outbound, isToUs(after: index, tokens) {
      return DirectionLabel(direction: .inbound, namesEndpoint: true)
    }
    guard let actor = actor(before: index, tokens) else {
      return DirectionLabel(direction: direction)
    }
    return DirectionLabel(
      direction: actor == .outbound ? direction.opposite : direction, namesEndpoint: true)
  }

  /// The label of a verb whose subject is a contact: `bob sends` before an element from Bob means
  /// the opposite.
  private static func label(
    ofParty direction: Direction, at index: Int, _ tokens: [LabelToken], _ parties: Parties
  ) -> DirectionLabel? {
    guard let party = direction == .outbound ? parties.sender : parties.receiver,
      let verb = tokens[index].word, !verb.startsPhrase,
      let subject = word(index - 1, tokens), !subject.isMarked,
      [party.bare.local, party.bare.description, party.description].contains(subject.name)
    else { return nil }
    return DirectionLabel(direction: direction.opposite)
  }

  /// Whether the recipient is the author of the text, as in `sent us` or `sent it to me`.
  private static func isToUs(after index: Int, _ tokens: [LabelToken]) -> Bool {
    let rest = tokens[(index + 1)...].prefix { $0.word?.startsPhrase == false }
    guard let first = rest.first?.word?.text else { return false }
    let words = rest.compactMap { $0.word?.text }
    return objectPronouns.contains(first)
      || zip(words, words.dropFirst()).contains { $0 == "to" && objectPronouns.contains($1) }
  }

  /// The label of a word that also has other meanings.
  ///
  /// It is a label only if it is alone, or after only the name of a program or a subject:
  /// `xmpp in:`, `I got`. A noun may occur in any sentence and is a label only together with an
  /// endpoint: `server request`.
  private static func label(
    ofWeak direction: Direction, _ found: LabelToken.Word, at index: Int, _ tokens: [LabelToken],
    isFirst: Bool
  ) -> DirectionLabel? {
    guard found.isUppercase || found.isMarked || found.isLast || isFirst else { return nil }
    guard !found.startsPhrase, let previous = word(index - 1, tokens) else {
      return DirectionLabel(direction: direction)
    }
    if !previous.isEnclosed, spoken.contains(found.text), let end = actors[previous.text] {
      return DirectionLabel(direction: end.opposite, namesEndpoint: true)
    }
    let isDistinct = found.isUppercase && !previous.isUppercase
    let isAfterOne = previous.startsPhrase || subjectPronouns.contains(previous.text)
    let isNoun = nouns.contains(found.text)
    return isDistinct || isAfterOne && !isNoun ? DirectionLabel(direction: direction) : nil
  }

  /// The label of an endpoint: `to server` and `from client` name it, and in `S: <iq/>` it is the
  /// speaker.
  private static func label(
    ofEndpoint target: Direction, _ end: LabelToken.Word, after previous: String?,
    _ source: LabelToken.Word?, _ tokens: [LabelToken], _ index: Int
  ) -> DirectionLabel? {
    if previous == "to" { return DirectionLabel(direction: target, namesEndpoint: true) }
    if previous == "from" { return DirectionLabel(direction: target.opposite, namesEndpoint: true) }
    guard previous != "by", end.isAlone, end.isMarked else { return nil }
    if index > 1, tokens[index - 1].word == nil, let source, endpoints[source.text] != nil {
      return nil
    }
    return DirectionLabel(direction: target.opposite, namesEndpoint: true)
  }

  /// The subject of a verb, as in `the server sent`, as the direction toward that endpoint.
  private static func actor(before index: Int, _ tokens: [LabelToken]) -> Direction? {
    // A name with a colon is that of the program that writes the line.
    guard index > 0, let name = tokens[index - 1].word, !name.isMarked,
      let end = actors[name.text]
    else { return nil }
    // In `from server received`, the server is not the subject of the verb.
    let previous = word(indexBeforeArticles(index - 2, tokens), tokens)?.text
    return previous.map(prepositions.contains) == true ? nil : end
  }

  /// The subject of a verb in the passive, as in `sent by the server`, with `by` at the index.
  private static func actor(after index: Int, _ tokens: [LabelToken]) -> Direction? {
    let next = tokens[(index + 1)...].first { !articles.contains($0.word?.text ?? "") }
    return next?.word.flatMap { actors[$0.text] }
  }

  /// The index of the first word before any articles.
  private static func indexBeforeArticles(_ index: Int, _ tokens: [LabelToken]) -> Int {
    var index = index
    while tokens.indices.contains(index), articles.contains(tokens[index].word?.text ?? "") {
      index -= 1
    }
    return index
  }

  // MARK: Words

  private static let prepositions: Set<String> = ["to", "from", "by"]
  private static let subjectPronouns: Set<String> = ["i", "we"]
  private static let objectPronouns: Set<String> = ["me", "us"]
  private static let articles: Set<String> = ["the", "a", "my", "our", "your", "their"]

  private static let actors: [String: Direction] = [
    "server": .outbound, "srv": .outbound, "client": .inbound,
  ]

  /// The direction toward an endpoint.
  fileprivate static let endpoints: [String: Direction] = [
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

  /// The weak words that are nouns, and the nouns for messages to the other endpoint.
  private static let nouns = spoken.union(["input", "output"])
  private static let spoken: Set<String> = ["request", "response"]

  /// The direction of a word in a language that joins words or inflects them.
  private static func embeddedDirection(_ word: String) -> Direction? {
    guard word.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
    return embeddedWords.first { word.contains($0.word) }?.direction
  }

  private static let embeddedWords: [(word: String, direction: Direction)] = [
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
  /// A sign that is an arrow only between the two endpoints of a connection.
  case comparison(Direction)

  struct Word {
    /// The word in lower case.
    let text: String
    let isUppercase: Bool
    /// Whether a colon or a closing bracket follows.
    let isMarked: Bool
    /// Whether no other word follows.
    let isLast: Bool
    /// Whether it is not part of a longer name, such as `c2s`.
    let isAlone: Bool
    /// Whether it is the only text in brackets.
    let isEnclosed: Bool
    /// Whether more than a space separates it from the word before, or there is no such word.
    let startsPhrase: Bool
    /// The text that contains it, and its range there.
    fileprivate let line: ArraySlice<UInt8>
    fileprivate let range: Range<Int>

    /// The text between the spaces around it, without signs at its ends, in lower case.
    var name: String {
      let before = line[..<range.lowerBound].lastIndex(where: \.isXMLSpace).map { $0 + 1 }
      let after = line[range.upperBound...].firstIndex(where: \.isXMLSpace)
      let whole = line[(before ?? line.startIndex)..<(after ?? line.endIndex)]
      let isPart: (UInt8) -> Bool = { LabelToken.isLetter($0) || $0.isDigit }
      guard let first = whole.firstIndex(where: isPart), let last = whole.lastIndex(where: isPart)
      else { return "" }
      return String(decoding: whole[first...last], as: UTF8.self).lowercased()
    }
  }

  var word: Word? { if case .word(let word) = self { word } else { nil } }

  /// Splits a text at every character that is not a letter, and inside names such as
  /// `didReceiveIQ`.
  static func tokens(of text: ArraySlice<UInt8>) -> [LabelToken] {
    var tokens: [LabelToken] = []
    var index = text.startIndex
    while index < text.endIndex {
      let rest = text[index...]
      if let (arrow, count) = arrow(at: rest, after: text[..<index].last) {
        if let arrow { tokens.append(arrow) }
        index += count
      } else if isLetter(rest[index]) {
        let end = rest.indices.first { !isLetter(rest[$0]) || isSign(at: rest[$0...]) }
        let run = rest[..<(end ?? rest.endIndex)]
        tokens += words(of: run, in: text)
        index = run.endIndex
      } else {
        index += 1
      }
    }
    return withoutComparisons(tokens)
  }

  private static func withoutComparisons(_ tokens: [LabelToken]) -> [LabelToken] {
    func isEndpoint(_ index: Int) -> Bool {
      guard tokens.indices.contains(index), let word = tokens[index].word else { return false }
      return word.isAlone && DirectionWords.endpoints[word.text] != nil
    }
    return tokens.enumerated().compactMap { index, token in
      guard case .comparison(let direction) = token else { return token }
      return isEndpoint(index - 1) && isEndpoint(index + 1) ? .arrow(direction) : nil
    }
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
    of run: ArraySlice<UInt8>, in line: ArraySlice<UInt8>
  ) -> [LabelToken] {
    let (text, rest) = (line[..<run.startIndex], line[run.endIndex...])
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
    let isAlone = parts.count == 1 && text.last?.isDigit != true && rest.first?.isDigit != true
    let isEnclosed =
      text.last.map("[(".utf8.contains) == true && rest.first.map("])".utf8.contains) == true
    let startsPhrase = startsPhrase(after: text)
    return parts.enumerated().map { index, part in
      let isWhole = index == parts.count - 1
      return .word(
        Word(
          text: String(decoding: part, as: UTF8.self).lowercased(),
          isUppercase: part.count > 1 && part.allSatisfy(isUppercase),
          isMarked: isWhole && isMarked, isLast: isWhole && isLast, isAlone: isAlone,
          isEnclosed: isEnclosed && isAlone, startsPhrase: index == 0 && startsPhrase, line: line,
          range: run.startIndex..<run.endIndex))
    }
  }

  /// Whether the next word begins a phrase. White space, and signs that join the parts of a name,
  /// do not separate phrases.
  private static func startsPhrase(after text: ArraySlice<UInt8>) -> Bool {
    guard let last = text.lastIndex(where: isLetter) else { return true }
    let gap = text[(last + 1)...]
    let isJoint = gap.count == 1 && gap.allSatisfy { "_-'.@".utf8.contains($0) }
    return !isJoint && !gap.allSatisfy(\.isXMLSpace)
  }

  /// Reads an arrow, or a sign that is one only between two endpoints. Returns no token for a run
  /// of other signs, such as the marks of a comment and of Erlang's byte strings.
  private static func arrow(
    at text: ArraySlice<UInt8>, after previous: UInt8?
  ) -> (LabelToken?, count: Int)? {
    guard let first = text.first else { return nil }
    guard first < 0x80 else {
      return signs.first { text.starts(with: $0.sign.utf8) }.map {
        (.arrow($0.direction), $0.sign.utf8.count)
      }
    }
    guard !text.starts(with: "<!--".utf8) else { return (nil, 4) }
    let run = text.prefix { "<>-=".utf8.contains($0) }
    guard !run.isEmpty else { return nil }
    let quote = UInt8(ascii: "\"")
    let isQuoted = text.dropFirst(run.count).first == quote || previous == quote
    let isOther = ["-->", "=>", "<=", ">", "<"].contains { run.elementsEqual($0.utf8) }
    let (left, right) = (run.contains(UInt8(ascii: "<")), run.contains(UInt8(ascii: ">")))
    guard left != right, !isQuoted, !run.elementsEqual(">=".utf8) else { return (nil, run.count) }
    let direction = right ? Direction.outbound : .inbound
    return (isOther ? .comparison(direction) : .arrow(direction), run.count)
  }

  private static let signs: [(sign: String, direction: Direction)] = [
    ("⮊", .outbound), ("→", .outbound), ("⇒", .outbound), ("➡", .outbound), ("⟶", .outbound),
    ("▶", .outbound), ("►", .outbound), ("»", .outbound), ("↑", .outbound), ("⬆", .outbound),
    ("⮈", .inbound), ("←", .inbound), ("⇐", .inbound), ("⬅", .inbound), ("⟵", .inbound),
    ("◀", .inbound), ("◄", .inbound), ("«", .inbound), ("↓", .inbound), ("⬇", .inbound),
  ]
}
