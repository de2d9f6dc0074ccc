import Captures

/// What of a document of conversations is not as expected, by the rules in
/// `Fixtures/conversations/rules/README.md`.
struct ConversationComparison {
  private(set) var differences: [String] = []
  private let document: JSONValue
  /// The codes of the findings in the document.
  private let codes: [String]

  /// Findings that would be false alarms where they are not expected.
  private static let strict = [
    "archive-forged", "carbon-forged", "correction-by-another", "delivered-twice",
    "marker-by-another", "maybe-lost", "receipt-by-another", "retraction-by-another",
  ]

  /// - Parameters:
  ///   - expected: The part of a document that is judged.
  ///   - also: What such a part cannot say; null if there is nothing.
  init(_ document: JSONValue, expected: JSONValue, also: JSONValue = .null) {
    self.document = document
    codes = document["findings"].elements.map { $0["code"].words }
    compareConversations(with: expected["conversations"].elements)
    compareEntries("cards", with: expected["cards"].elements) {
      "\($0["jid"].words) \($0["form"].words)"
    }
    compareEntries("avatars", with: expected["avatars"].elements) { $0["jid"].words }
    compareFindings(
      with: expected["findings"].elements.map(\.words),
      allowed: also["allowed"].elements.map(\.words))
    for (key, value) in also.fields.sorted(by: { $0.key < $1.key }) { check(key, value) }
  }

  /// Notes a difference unless two values are the same, to the byte.
  private mutating func expect(_ found: JSONValue, _ expected: JSONValue, _ place: String) {
    guard !found.isSame(as: expected) else { return }
    differences.append("\(place): expected \(expected.text), found \(found.text)")
  }

  // MARK: Conversations

  private mutating func compareConversations(with expected: [JSONValue]) {
    let expected = Dictionary(expected.map { (Self.key($0), $0) }) { _, last in last }
    let found = Dictionary(document["conversations"].elements.map { (Self.key($0), $0) }) {
      _, last in last
    }
    for key in Set(expected.keys).union(found.keys).sorted() {
      switch (expected[key], found[key]) {
      case (let expected?, let found?): compare(found, with: expected, key)
      case (_?, nil): differences.append("conversation missing: \(key)")
      case (nil, let found):
        // A room without messages may be listed.
        if found?["messages"].elements.isEmpty == false {
          differences.append("conversation that is none: \(key)")
        }
      }
    }
  }

  /// The address and the kind of a conversation. The case of a bare address has no meaning.
  private static func key(_ conversation: JSONValue) -> String {
    let jid = conversation["jid"].words
    let bare = jid.prefix { $0 != "/" }
    return "\(bare.lowercased())\(jid[bare.endIndex...]) \(conversation["kind"].words)"
  }

  private mutating func compare(_ found: JSONValue, with expected: JSONValue, _ key: String) {
    for field in ["unread", "subject", "nick", "contact"] {
      guard let value = expected.fields[field] else { continue }
      expect(found[field], value, "\(key) \(field)")
    }
    let (messages, others) = (found["messages"].elements, expected["messages"].elements)
    let (bodies, otherBodies) = (Self.bodies(of: messages), Self.bodies(of: others))
    guard bodies.isSame(as: otherBodies) else {
      return expect(bodies, otherBodies, "\(key) messages")
    }
    for (index, (message, other)) in zip(messages, others).enumerated() {
      for (field, value) in other.fields.sorted(by: { $0.key < $1.key }) {
        compare(message[field], with: value, field, "\(key) #\(index + 1) \(field)")
      }
    }
  }

  private static func bodies(of messages: [JSONValue]) -> JSONValue {
    JSONValue(messages.map { $0["body"].words })
  }

  /// Compares one member of a message.
  private mutating func compare(
    _ found: JSONValue, with expected: JSONValue, _ field: String, _ place: String
  ) {
    switch field {
    case "archive_id", "origin_id":
      // The capture need not show it.
      if found != .null { expect(found, expected, place) }
    case "time":
      if found != .null, !Self.isNear(found, expected) { expect(found, expected, place) }
    case "error":
      if expected != .null { expect(found, expected, place) }
    case "corrected", "retracted", "read":
      if found.isSet != expected.isSet { expect(found, expected, place) }
    case "reactions":
      expect(found.withSortedLists, expected.withSortedLists, place)
    case "attachments":
      let (files, others) = (found.elements, expected.elements)
      let areSame =
        files.count == others.count
        && zip(files, others).allSatisfy { file, other in
          other.fields.allSatisfy { file[$0.key].isSame(as: $0.value) }
        }
      if !areSame { expect(found, expected, place) }
    default:
      expect(found, expected, place)
    }
  }

  /// Whether two times are at most three seconds apart.
  private static func isNear(_ a: JSONValue, _ b: JSONValue) -> Bool {
    guard let a = Timestamp.parse(a.words), let b = Timestamp.parse(b.words) else { return false }
    return abs(a / 1000 - b / 1000) <= 3
  }

  // MARK: Cards, avatars and findings

  private mutating func compareEntries(
    _ list: String, with expected: [JSONValue], by key: (JSONValue) -> String
  ) {
    for entry in expected {
      let place = "\(list) \(key(entry))"
      guard let found = document[list].elements.last(where: { key($0) == key(entry) }) else {
        differences.append("\(place): missing")
        continue
      }
      for (field, value) in entry.fields.sorted(by: { $0.key < $1.key }) {
        if field == "photo", value != .null {
          for (part, value) in value.fields.sorted(by: { $0.key < $1.key }) {
            expect(found[field][part], value, "\(place) photo \(part)")
          }
        } else {
          expect(found[field], value, "\(place) \(field)")
        }
      }
    }
  }

  private func count(of code: String) -> Int { codes.count(where: { $0 == code }) }

  private mutating func compareFindings(with expected: [String], allowed: [String]) {
    for code in Set(expected).sorted() {
      let wanted = expected.count(where: { $0 == code })
      if count(of: code) < wanted {
        differences.append("finding \(code): expected \(wanted), found \(count(of: code))")
      }
    }
    for code in Self.strict where codes.contains(code) {
      guard !expected.contains(code), !allowed.contains(code) else { continue }
      differences.append("finding that is none: \(code)")
    }
  }

  // MARK: What a part of a document cannot say

  private mutating func check(_ key: String, _ value: JSONValue) {
    switch key {
    case "complete", "unread": expect(document[key], value, key)
    case "allowed": break  // Considered with the expected findings.
    case "absent":
      for code in value.elements.map(\.words) where codes.contains(code) {
        differences.append("finding that is none: \(code)")
      }
    case "atMost":
      for (code, most) in value.fields where count(of: code) > most.number {
        differences.append("finding \(code): at most \(most.text), found \(count(of: code))")
      }
    case "someFinding":
      if value.isSet, codes.allSatisfy({ $0 == "message-from-stranger" }) {
        differences.append("no finding at all")
      }
    case "nowhere":
      let text = document.text
      for part in value.elements.map(\.words) where text.contains(part) {
        differences.append("occurs in the document: \(part)")
      }
    case "reactionSets":
      for entry in value.elements { checkReactions(entry.elements) }
    case "recordCounts": checkCounts(of: "records", value)
    case "attachmentCounts": checkCounts(of: "attachments", value)
    case "noCard", "cardNames": checkCards(key, value)
    case "noAvatar":
      for jid in value.elements.map(\.words)
      where entries("avatars", of: jid).contains(where: { $0["sha1"].isSet }) {
        differences.append("avatar that is none: \(jid)")
      }
    case "avatarCount":
      expect(.integer(Int64(document["avatars"].elements.count)), value, "number of avatars")
    default: differences.append("a sequence may not have the key \(key)")
    }
  }

  /// The conversations, cards or avatars of an address.
  private func entries(_ list: String, of jid: String) -> [JSONValue] {
    document[list].elements.filter { $0["jid"].words == jid }
  }

  private func messages(with jid: String) -> [JSONValue] {
    entries("conversations", of: jid).last?["messages"].elements ?? []
  }

  /// - Parameter entry: An address, the index of a message, and the sets of reactions to it.
  private mutating func checkReactions(_ entry: [JSONValue]) {
    guard entry.count == 3 else {
      differences.append("reactionSets: an entry has an address, an index and sets")
      return
    }
    let (messages, index) = (messages(with: entry[0].words), entry[1].number)
    let reactions = messages.indices.contains(index) ? messages[index]["reactions"] : .null
    expect(
      .sortedSets(Array(reactions.fields.values)), .sortedSets(entry[2].elements),
      "reaction sets of \(entry[0].words) #\(index + 1)")
  }

  private mutating func checkCounts(of list: String, _ expected: JSONValue) {
    for (jid, counts) in expected.fields {
      let found = messages(with: jid).map { JSONValue.integer(Int64($0[list].elements.count)) }
      expect(.array(found), counts, "number of \(list) of \(jid)")
    }
  }

  private mutating func checkCards(_ key: String, _ value: JSONValue) {
    for jid in value.elements.map(\.words)
    where entries("cards", of: jid).contains(where: { $0["fn"].isSet || $0["photo"].isSet }) {
      differences.append("card that is none: \(jid)")
    }
    for (jid, names) in value.fields {
      let found = entries("cards", of: jid).map { $0["fn"].words }.sorted()
      expect(JSONValue(found), JSONValue(names.elements.map(\.words).sorted()), "cards of \(jid)")
    }
  }
}
