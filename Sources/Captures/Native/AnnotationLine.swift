package import XMPPStanza

/// A user's annotation in a log, as a line of the native format.
///
/// One key of the line, besides `jid` and `back`, gives the kind of the annotation:
///
///     {"back":3,"bookmark":"before-the-rename"}
///     {"jid":"bob@example.test","starred":true}
///     {"jid":"bob@example.test","reading":"zeng xian"}
///     {"jid":"bob@example.test","note":null}
///     {"requestsSeen":["bob@example.test"]}
package enum AnnotationLine: Hashable, Sendable {
  /// A name for the moment `back` records before this one.
  case bookmark(name: String, back: UInt64)
  /// The user starred a contact, or removed the star.
  case starred(BareJID, Bool)
  /// The user's reading of a contact's name; null to derive it from the name.
  case reading(BareJID, String?)
  /// The user's note about a contact; null for none.
  case note(BareJID, String?)
  /// The user has seen these contacts' requests.
  case requestsSeen([BareJID])

  /// The key that gives the kind of a line.
  private enum Key: String, CaseIterable {
    case bookmark, starred, reading, note, requestsSeen
  }

  /// The keys of annotations; a line has one of them.
  static var keys: [String] { Key.allCases.map(\.rawValue) }

  /// Whether a line lacks the member without which an annotation's key in it means nothing.
  static func isIncomplete(_ key: String, of object: [String: JSONValue]) -> Bool {
    switch Key(rawValue: key) {
    case .starred, .reading, .note: (object["jid"] ?? .null) == .null
    case .bookmark: (object["back"] ?? .null) == .null
    case .requestsSeen, nil: false
    }
  }

  /// The addresses that it names.
  package var contacts: [BareJID] {
    switch self {
    case .bookmark: []
    case .starred(let jid, _), .reading(let jid, _), .note(let jid, _): [jid]
    case .requestsSeen(let jids): jids
    }
  }

  // MARK: Writing

  /// The line, without its time and without a line feed.
  package var bytes: [UInt8] {
    let members: [String: JSONValue]
    switch self {
    case .bookmark(let name, let back):
      members = [Key.bookmark.rawValue: .string(name), "back": JSONValue(back)]
    case .starred(let jid, let isStarred): members = Self.members(.starred, .bool(isStarred), jid)
    case .reading(let jid, let text): members = Self.members(.reading, JSONValue(text), jid)
    case .note(let jid, let text): members = Self.members(.note, JSONValue(text), jid)
    case .requestsSeen(let jids):
      members = [Key.requestsSeen.rawValue: JSONValue(jids.map(\.text))]
    }
    return Array(JSONValue.object(members).text.utf8)
  }

  private static func members(
    _ key: Key, _ value: JSONValue, _ jid: BareJID
  ) -> [String: JSONValue] {
    [key.rawValue: value, "jid": .string(jid.text)]
  }

  // MARK: Reading

  /// Reads a line that `bytes` wrote; nil for any other.
  package init?(_ bytes: [UInt8]) {
    guard let object = try? JSONScanner.object(bytes[...]), let line = try? Self(in: object) else {
      return nil
    }
    self = line
  }

  /// Reads the members of a line; nil if it is not an annotation.
  init?(in object: [String: JSONValue]) throws(LineProblem) {
    let found = Key.allCases.filter { object.keys.contains($0.rawValue) }
    let complete = found.first { !Self.isIncomplete($0.rawValue, of: object) }
    guard let key = complete ?? found.first, let value = object[key.rawValue] else { return nil }
    switch key {
    case .bookmark:
      guard let name = value.string else { throw LineProblem("\"bookmark\" is not a string") }
      guard case .integer(let count)? = object["back"], let back = UInt64(exactly: count) else {
        throw LineProblem("\"back\" is not a number of records")
      }
      self = .bookmark(name: name, back: back)
    case .starred:
      guard case .bool(let isStarred) = value else {
        throw LineProblem("\"starred\" is neither true nor false")
      }
      self = .starred(try Self.address(object["jid"]), isStarred)
    case .reading: self = .reading(try Self.address(object["jid"]), try Self.text(value, key))
    case .note: self = .note(try Self.address(object["jid"]), try Self.text(value, key))
    case .requestsSeen:
      guard case .array(let values) = value else {
        throw LineProblem("\"requestsSeen\" is not a list of addresses")
      }
      var jids: [BareJID] = []
      for value in values { jids.append(try Self.address(value)) }
      self = .requestsSeen(jids)
    }
  }

  private static func text(_ value: JSONValue, _ key: Key) throws(LineProblem) -> String? {
    if case .null = value { return nil }
    guard let text = value.string else {
      throw LineProblem("\"\(key.rawValue)\" is neither a string nor null")
    }
    return text
  }

  private static func address(_ value: JSONValue?) throws(LineProblem) -> BareJID {
    guard let text = value?.string, let jid = try? JID(parsing: text) else {
      throw LineProblem("an annotation names no address that can be prepared")
    }
    return jid.bare
  }
}
