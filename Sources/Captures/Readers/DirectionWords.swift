import XMPPStanza

/// The word or sign by which a person or a program says which way an element went.
struct DirectionLabel: Hashable {
  var direction: Direction
  /// Whether the label names the end that the element went to or came from. One that does not,
  /// such as “sent”, means the opposite in a server's log.
  var namesEnd = false
  /// The word itself, in lower case; empty for a sign.
  var word = ""
}

/// Finds the words and signs that say which way an element went, in the text before it.
enum DirectionWords {
  /// Whom an element names as its sender and receiver.
  struct Parties {
    var sender: JID?
    var receiver: JID?
  }

  /// The nearest label in a text that stands before an element; nil if there is none.
  static func label(in text: ArraySlice<UInt8>) -> DirectionLabel? { labels(in: text).first }

  /// The labels in a text that stands before an element, the nearest first.
  ///
  /// - Parameters:
  ///   - isHeadline: Whether the text is a line of its own above the element. A sentence above an
  ///     element says less than a word on its line.
  ///   - parties: Whom the element names, for sentences that say what these did.
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
        if label.namesEnd { next = start(ofPhraseEndingAt: index, tokens) - 1 }
      }
      index = next
    }
    return labels
  }

  /// Where the words begin that a label with an end is made of, such as `sent to the server`, or
  /// the sign that points to it: none of them is another label.
  private static func start(ofPhraseEndingAt end: Int, _ tokens: [LabelToken]) -> Int {
    guard end > 0, let last = tokens[end].word else { return end }
    if tokens[end - 1].word == nil { return last.isEnclosed ? end : end - 1 }
    var index = end
    while index > 0, let word = tokens[index].word, !word.startsPhrase { index -= 1 }
    let words = tokens[index..<end].compactMap { $0.word?.text }
    let isWhole = last.text == "by" || words.contains { prepositions.contains($0) }
    return isWhole ? index : end
  }

  /// How much of a text is looked at, from its end.
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
          direction: actor == .outbound ? direction.opposite : direction, namesEnd: true)
      }
      if let direction = strong[found.text] ?? foreign(found.text) {
        return label(ofVerb: direction, at: index, tokens, parties)
      }
      if let direction = weak[found.text] {
        if let label = label(ofParty: direction, at: index, tokens, parties) { return label }
        return label(ofWeak: direction, found, at: index, tokens, isFirst: isFirst)
      }
      guard let target = ends[found.text] else { return nil }
      let previous = word(indexBeforeArticles(index - 1, tokens), tokens)?.text
      return label(ofEnd: target, found, after: previous, word(index - 2, tokens), tokens, index)
    }
  }

  private static func word(_ place: Int, _ tokens: [LabelToken]) -> LabelToken.Word? {
    tokens.indices.contains(place) ? tokens[place].word : nil
  }

  /// An arrow points from one end to the other. What brackets enclose is no end of it.
  private static func label(
    ofArrow arrow: Direction, at index: Int, _ tokens: [LabelToken]
  ) -> DirectionLabel {
    func end(_ place: Int) -> Direction? {
      word(place, tokens).flatMap { $0.isEnclosed ? nil : ends[$0.text] }
    }
    if let target = end(index + 1) {
      return DirectionLabel(
        direction: arrow == .outbound ? target : target.opposite, namesEnd: true)
    }
    if let source = end(index - 1) {
      return DirectionLabel(
        direction: arrow == .outbound ? source.opposite : source, namesEnd: true)
    }
    return DirectionLabel(direction: arrow)
  }

  /// What a verb says depends on who did it, and to whom.
  private static func label(
    ofVerb direction: Direction, at index: Int, _ tokens: [LabelToken], _ parties: Parties
  ) -> DirectionLabel {
    if let label = label(ofParty: direction, at: index, tokens, parties) { return label }
    if direction == .outbound, isToUs(after: index, tokens) {
      return DirectionLabel(direction: .inbound, namesEnd: true)
    }
    guard let actor = actor(before: index, tokens) else {
      return DirectionLabel(direction: direction)
    }
    return DirectionLabel(
      direction: actor == .outbound ? direction.opposite : direction, namesEnd: true)
  }

  /// In `bob sends` before an element from Bob the verb is another's, and means the opposite.
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

  /// Whether what was sent came to whoever writes, as in `sent us` or `sent it to me`.
  private static func isToUs(after index: Int, _ tokens: [LabelToken]) -> Bool {
    let rest = tokens[(index + 1)...].prefix { $0.word?.startsPhrase == false }
    guard let first = rest.first?.word?.text else { return false }
    let words = rest.compactMap { $0.word?.text }
    return us.contains(first)
      || zip(words, words.dropFirst()).contains { $0 == "to" && us.contains($1) }
  }

  /// Words that have other meanings, too, are a label only if they stand alone, but for the name of
  /// a program or for who did it: `xmpp in:`, `I got`. Nouns stand in any sentence, and say
  /// something with an end: `server request`.
  private static func label(
    ofWeak direction: Direction, _ found: LabelToken.Word, at index: Int, _ tokens: [LabelToken],
    isFirst: Bool
  ) -> DirectionLabel? {
    guard found.isUppercase || found.isMarked || found.isLast || isFirst else { return nil }
    guard !found.startsPhrase, let previous = word(index - 1, tokens) else {
      return DirectionLabel(direction: direction)
    }
    if !previous.isEnclosed, spoken.contains(found.text), let end = actors[previous.text] {
      return DirectionLabel(direction: end.opposite, namesEnd: true)
    }
    let isDistinct = found.isUppercase && !previous.isUppercase
    let isAfterOne = previous.startsPhrase || we.contains(previous.text)
    let isNoun = nouns.contains(found.text)
    return isDistinct || isAfterOne && !isNoun ? DirectionLabel(direction: direction) : nil
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
    return previous.map(prepositions.contains) == true ? nil : end
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

  private static let prepositions: Set<String> = ["to", "from", "by"]
  private static let we: Set<String> = ["i", "we"]
  private static let us: Set<String> = ["me", "us"]
  private static let articles: Set<String> = ["the", "a", "my", "our", "your", "their"]

  private static let actors: [String: Direction] = [
    "server": .outbound, "srv": .outbound, "client": .inbound,
  ]

  /// The direction of what goes to an end.
  fileprivate static let ends: [String: Direction] = [
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

  /// Those of them that are nouns, and those that name what somebody says to the other end.
  private static let nouns = spoken.union(["input", "output"])
  private static let spoken: Set<String> = ["request", "response"]

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
  /// A sign that is an arrow only between the two ends of a connection.
  case comparison(Direction)

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
    /// Whether brackets enclose it and nothing else.
    let isEnclosed: Bool
    /// Whether more than a space stands between it and the word before, or there is none.
    let startsPhrase: Bool
    /// The text in which it stands, and where.
    fileprivate let line: ArraySlice<UInt8>
    fileprivate let place: Range<Int>

    /// The whole of what stands between spaces, but for signs around it, in lower case.
    var name: String {
      let before = line[..<place.lowerBound].lastIndex(where: \.isXMLSpace).map { $0 + 1 }
      let after = line[place.upperBound...].firstIndex(where: \.isXMLSpace)
      let whole = line[(before ?? line.startIndex)..<(after ?? line.endIndex)]
      let isPart: (UInt8) -> Bool = { LabelToken.isLetter($0) || $0.isDigit }
      guard let first = whole.firstIndex(where: isPart), let last = whole.lastIndex(where: isPart)
      else { return "" }
      return String(decoding: whole[first...last], as: UTF8.self).lowercased()
    }
  }

  var word: Word? { if case .word(let word) = self { word } else { nil } }

  /// Splits a text at everything that is no letter, and inside names such as `didReceiveIQ`.
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
    func isEnd(_ place: Int) -> Bool {
      guard tokens.indices.contains(place), let word = tokens[place].word else { return false }
      return word.isAlone && DirectionWords.ends[word.text] != nil
    }
    return tokens.enumerated().compactMap { place, token in
      guard case .comparison(let direction) = token else { return token }
      return isEnd(place - 1) && isEnd(place + 1) ? .arrow(direction) : nil
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
    return parts.enumerated().map { place, part in
      let isWhole = place == parts.count - 1
      return .word(
        Word(
          text: String(decoding: part, as: UTF8.self).lowercased(),
          isUppercase: part.count > 1 && part.allSatisfy(isUppercase),
          isMarked: isWhole && isMarked, isLast: isWhole && isLast, isAlone: isAlone,
          isEnclosed: isEnclosed && isAlone, startsPhrase: place == 0 && startsPhrase, line: line,
          place: run.startIndex..<run.endIndex))
    }
  }

  /// Whether what comes next is in no phrase with the word before: spaces and the signs that join
  /// the parts of a name separate no phrases.
  private static func startsPhrase(after text: ArraySlice<UInt8>) -> Bool {
    guard let last = text.lastIndex(where: isLetter) else { return true }
    let gap = text[(last + 1)...]
    let isJoint = gap.count == 1 && gap.allSatisfy { "_-'.@".utf8.contains($0) }
    return !isJoint && !gap.allSatisfy(\.isXMLSpace)
  }

  /// An arrow, or what may be one between two ends, or a run of signs that is none: the marks of
  /// a comment and of Erlang's byte strings.
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
