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
  /// Asks the log: the name of a command of `rollcall` that reads one, and what follows the log.
  case question(String, [String])
  /// Asks who is online, or on which devices a contact is.
  case who(BareJID?)
  /// The help about all orders, or about one.
  case help(OrderForm?)
  case quit

  /// - Parameter naming: Finds the contact that a text names.
  /// - Throws: `OrderError`, or the error that `naming` throws.
  init(_ line: String, naming: (String) throws -> BareJID) throws {
    var words = try OrderWords(line)
    guard let verb = words.next() else { throw OrderError.empty }
    guard let form = OrderForm.named(verb) else { throw OrderError.unknown(verb) }
    words.verb = form.name
    self = try form.read(&words, naming)
    if let extra = words.next() { throw OrderError.unexpected(extra) }
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
    case .unknown(let verb):
      Self.unknown(verb, EditDistance.hint(for: verb, among: OrderForm.all.map(\.name)))
    case .missingContact(let verb): Self.needs(verb, "a contact")
    case .missingText(let verb): Self.needs(verb, "a text")
    case .missingFile(let verb): Self.needs(verb, "a file")
    case .notAFile(let path): "\(path) is not a regular file"
    case .tooLarge(let path, let limit): "\(path) has more than \(limit) bytes"
    case .unexpected(let word):
      "“\(word)” is not expected there"
        + (word.hasSuffix("'") ? "; \"quotes\" hold words together" : "")
    case .noMessage(let jid, isOurs: true): "the log has no message to \(jid) that can be corrected"
    case .noMessage(let jid, isOurs: false): "the log has no message from \(jid) that has an id"
    case .openQuote: "a quotation mark, or the character after a backslash, is missing"
    }
  }

  private static func unknown(_ verb: String, _ hint: String) -> String {
    "“\(verb)” is not an order" + (hint.isEmpty ? "; help lists them" : hint)
  }

  private static func needs(_ verb: String, _ what: String) -> String {
    "\(verb) needs \(what): \(OrderForm.named(verb)?.usage ?? verb)"
  }
}

extension JID {
  init(_ bare: BareJID) {
    self.init(prepared: bare, resource: nil)
  }
}
