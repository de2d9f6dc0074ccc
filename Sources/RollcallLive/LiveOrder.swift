import Rollcall
import RosterClient

/// An order to a session, in words: `add bob@example.test name=Bob group=Friends`.
enum LiveOrder {
  case command(RosterCommand)
  case presence(show: Show, status: String?)
  case message(String, to: JID)
  /// Replaces the text of our last message to a contact.
  case correction(String, to: BareJID)
  /// The user has seen the messages of a contact.
  case displayed(BareJID)
  /// Sends the file at a path, with a text that may be empty.
  case file(String, text: String, to: JID)
  /// Changes the names on the own card; nil leaves a name.
  case card(fullName: String?, nickname: String?)
  /// Publishes the picture at a path as the own avatar; nil removes the avatar.
  case avatar(String?)
  case help
  case quit

  /// The help about orders.
  static let guide = """
    add WHO [name=NAME] [group=GROUP]...   accept WHO   reject WHO
    rename WHO [NAME]                      cancel WHO   remove WHO
    group WHO [GROUP]...                   block WHO    unblock WHO
    presence [away|chat|dnd|xa] [WORDS]    fetch        quit
    message WHO WORDS                      correct WHO WORDS
    send WHO FILE [WORDS]                  read WHO
    card [name=NAME] [nick=NAME]           avatar FILE|none

    WHO is an address, a name, its pinyin, or a part of one; "quotes" hold
    words together. "correct" replaces the text of the last message to WHO,
    "read" says that the messages of WHO were displayed. "send" uploads a
    picture, a recording or any other file, "card" and "avatar" change your own.
    """

  /// - Parameter naming: Finds the contact that a text names.
  /// - Throws: `OrderError`, or the error that `naming` throws.
  init(_ line: String, naming: (String) throws -> BareJID) throws {
    var words = try Self.words(line)
    guard let verb = words.first else { throw OrderError.empty }
    words.removeFirst()
    func contact() throws -> BareJID {
      guard let name = words.first else { throw OrderError.missingContact(verb) }
      words.removeFirst()
      return try naming(name)
    }
    switch verb {
    case "add":
      // A contact to add need not be known yet.
      let jid = try Self.newContact(&words, naming)
      self = .command(try Self.adding(jid, words))
      words = []
    case "accept": self = .command(.accept(try contact()))
    case "reject": self = .command(.reject(try contact()))
    case "cancel": self = .command(.cancel(try contact()))
    case "remove": self = .command(.remove(try contact()))
    case "block": self = .command(.block(JID(try contact())))
    case "unblock": self = .command(.unblock(JID(try contact())))
    case "fetch": self = .command(.fetch)
    case "rename":
      let jid = try contact()
      self = .command(.rename(jid, to: words.isEmpty ? nil : words.joined(separator: " ")))
      words = []
    case "group":
      self = .command(.setGroups(try contact(), words))
      words = []
    case "presence":
      let show = words.first.flatMap { Show(rawValue: $0) }
      let status = words.dropFirst(show == nil ? 0 : 1).joined(separator: " ")
      self = .presence(show: show ?? .available, status: status.isEmpty ? nil : status)
      words = []
    case "message":
      let jid = try contact()
      guard !words.isEmpty else { throw OrderError.missingText(verb) }
      self = .message(words.joined(separator: " "), to: JID(jid))
      words = []
    case "correct":
      let jid = try contact()
      guard !words.isEmpty else { throw OrderError.missingText(verb) }
      self = .correction(words.joined(separator: " "), to: jid)
      words = []
    case "read": self = .displayed(try contact())
    case "send":
      let jid = try contact()
      guard let path = words.first else { throw OrderError.missingFile(verb) }
      let text = words.dropFirst().joined(separator: " ")
      self = .file(path, text: text, to: JID(jid))
      words = []
    case "card":
      guard !words.isEmpty else { throw OrderError.missingText(verb) }
      self = try Self.card(words)
      words = []
    case "avatar":
      guard let path = words.first else { throw OrderError.missingFile(verb) }
      words.removeFirst()
      self = .avatar(path == "none" ? nil : path)
    case "help", "?": self = .help
    case "quit", "exit": self = .quit
    default: throw OrderError.unknown(verb)
    }
    if let extra = words.first { throw OrderError.unexpected(extra) }
  }

  private static func newContact(
    _ words: inout [String], _ naming: (String) throws -> BareJID
  ) throws -> BareJID {
    guard let text = words.first else { throw OrderError.missingContact("add") }
    words.removeFirst()
    if text.contains("@"), let jid = try? BareJID(parsing: text) { return jid }
    return try naming(text)
  }

  private static func adding(_ jid: BareJID, _ words: [String]) throws -> RosterCommand {
    var name: String?
    var groups: [String] = []
    for word in words {
      if word.hasPrefix("name="), name == nil {
        name = String(word.dropFirst("name=".count))
      } else if word.hasPrefix("group=") {
        groups.append(String(word.dropFirst("group=".count)))
      } else {
        throw OrderError.unexpected(word)
      }
    }
    return .add(jid, name: name, groups: groups)
  }

  private static func card(_ words: [String]) throws -> LiveOrder {
    var names: [String: String] = [:]
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(parts[0])
      guard parts.count == 2, ["name", "nick"].contains(key), names[key] == nil else {
        throw OrderError.unexpected(word)
      }
      names[key] = String(parts[1])
    }
    return .card(fullName: names["name"], nickname: names["nick"])
  }

  /// Splits a line into words; white space in quotes or after a backslash is part of a word.
  private static func words(_ line: String) throws -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else { throw OrderError.openQuote }
    return words + [word].compactMap { $0 }
  }
}

/// The reason why words are not an order, as a sentence.
enum OrderError: Error, Hashable, CustomStringConvertible {
  case empty
  case unknown(String)
  case missingContact(String)
  case missingText(String)
  case missingFile(String)
  case unexpected(String)
  case openQuote
  case notAFile(String)
  case tooLarge(String, limit: Int)
  case noMessage(BareJID, isOurs: Bool)

  var description: String {
    switch self {
    case .empty: "no order was given; help lists them"
    case .unknown(let verb): "“\(verb)” is not an order; help lists them"
    case .missingContact(let verb): "\(verb) needs a contact"
    case .missingText(let verb): "\(verb) needs a text"
    case .missingFile(let verb): "\(verb) needs a file"
    case .notAFile(let path): "\(path) is not a regular file"
    case .tooLarge(let path, let limit): "\(path) has more than \(limit) bytes"
    case .unexpected(let word): "“\(word)” is not expected there"
    case .noMessage(let jid, isOurs: true): "the log has no message to \(jid) that can be corrected"
    case .noMessage(let jid, isOurs: false): "the log has no message from \(jid) that has an id"
    case .openQuote: "a quotation mark, or the character after a backslash, is missing"
    }
  }
}

extension JID {
  init(_ bare: BareJID) {
    self.init(prepared: bare, resource: nil)
  }
}
