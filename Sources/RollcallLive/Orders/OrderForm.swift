import Rollcall
import RosterClient

/// One kind of order: its words, what it does, and how it is read.
struct OrderForm: Sendable {
  typealias Naming = (String) throws -> BareJID

  let name: String
  /// What follows the name, as in a manual.
  let arguments: String
  /// What it does, in a sentence.
  let purpose: String
  /// Reads what follows the name.
  let read: @Sendable (inout OrderWords, Naming) throws -> LiveOrder

  init(
    _ name: String, _ arguments: String, _ purpose: String,
    _ read: @escaping @Sendable (inout OrderWords, Naming) throws -> LiveOrder
  ) {
    (self.name, self.arguments, self.purpose, self.read) = (name, arguments, purpose, read)
  }

  /// The name with what follows it.
  var usage: String { arguments.isEmpty ? name : "\(name) \(arguments)" }

  /// The orders by what they are about.
  static let groups: [(title: String, forms: [OrderForm])] = [
    ("friends", friends), ("messages", messages), ("yourself", yourself),
    ("questions", questions), ("session", session),
  ]

  /// All orders.
  static var all: [OrderForm] { groups.flatMap(\.forms) }

  /// The order of a name, or of another word for it.
  static func named(_ verb: String) -> OrderForm? {
    let name = ["?": "help", "exit": "quit"][verb] ?? verb
    return all.first { $0.name == name }
  }

  // MARK: Forms

  private static let friends = [
    OrderForm(
      "add", "WHO [name=NAME] [group=GROUP]... [message=WORDS]",
      "Adds a contact and asks to see its presence; it reads the message. If it has asked, too, "
        + "its request is accepted."
    ) { words, naming in
      let jid = try words.newContact(naming)
      let (values, groups) = try words.values(["name", "message"], repeated: "group")
      return .command(
        .add(jid, name: values["name"], groups: groups, message: values["message"]))
    },
    OrderForm(
      "list", "WHO [name=NAME] [group=GROUP]...",
      "Adds a contact, or changes its name and groups, and asks it for nothing."
    ) { words, naming in
      let jid = try words.newContact(naming)
      let (values, groups) = try words.values(["name"], repeated: "group")
      return .command(.add(jid, name: values["name"], groups: groups, subscribes: false))
    },
    OrderForm(
      "accept", "WHO",
      "Lets a contact that asks see your presence, and asks to see its presence unless you do or "
        + "have asked already."
    ) { .command(.accept(try $0.contact($1))) },
    OrderForm("reject", "WHO", "Refuses the request of a contact.") {
      .command(.reject(try $0.contact($1)))
    },
    OrderForm("cancel", "WHO", "Withdraws your own request.") {
      .command(.cancel(try $0.contact($1)))
    },
    OrderForm("rename", "WHO [NAME]", "Gives a contact another name, or none.") { words, naming in
      let jid = try words.contact(naming)
      let name = words.text()
      return .command(.rename(jid, to: name.isEmpty ? nil : name))
    },
    OrderForm("group", "WHO [GROUP]...", "Puts a contact into these groups and no others.") {
      .command(.setGroups(try $0.contact($1), $0.rest()))
    },
    OrderForm("remove", "WHO", "Removes a contact; neither sees the other's presence any more.") {
      .command(.remove(try $0.contact($1)))
    },
    OrderForm("unsubscribe", "WHO", "Stops seeing a contact's presence; it stays in the roster.") {
      .command(.unsubscribe(try $0.contact($1)))
    },
    OrderForm("revoke", "WHO", "Hides your presence from a contact; it stays in the roster.") {
      .command(.revoke(try $0.contact($1)))
    },
    OrderForm("block", "WHO", "Blocks an address (XEP-0191).") {
      .command(.block(JID(try $0.newContact($1))))
    },
    OrderForm("unblock", "WHO", "Unblocks an address.") {
      .command(.unblock(JID(try $0.newContact($1))))
    },
  ]

  private static let messages = [
    OrderForm("message", "WHO WORDS", "Sends a message.") {
      let jid = try $0.newContact($1)
      return .message(try $0.requiredText(), to: JID(jid))
    },
    OrderForm("correct", "WHO WORDS", "Replaces the text of your last message to a contact.") {
      let jid = try $0.contact($1)
      return .correction(try $0.requiredText(), to: jid)
    },
    OrderForm(
      "send", "WHO FILE [WORDS]",
      "Uploads a picture, a recording or any other file, and sends it with a text."
    ) {
      let jid = try $0.contact($1)
      let path = try $0.file()
      return .file(path, text: $0.text(), to: JID(jid))
    },
    OrderForm("read", "WHO", "Tells a contact that its messages were displayed.") {
      .displayed(try $0.contact($1))
    },
  ]

  private static let yourself = [
    OrderForm(
      "presence", "[away|chat|dnd|xa] [WORDS]", "Says how available you are, with a status text."
    ) { words, _ in
      let all = words.rest()
      let show = all.first.flatMap { Show(rawValue: $0) }
      let status = all.dropFirst(show == nil ? 0 : 1).joined(separator: " ")
      return .presence(show: show ?? .available, status: status.isEmpty ? nil : status)
    },
    OrderForm("card", "[name=NAME] [nick=NAME]", "Changes the names on your card.") { words, _ in
      let names = try words.values(["name", "nick"]).single
      guard !names.isEmpty else { throw OrderError.missingText("card") }
      return .card(fullName: names["name"], nickname: names["nick"])
    },
    OrderForm("avatar", "FILE|none", "Changes or removes your picture.") { words, _ in
      let path = try words.file()
      return .avatar(path == "none" ? nil : path)
    },
  ]

  private static let questions = [
    OrderForm("contacts", "[--search TEXT]", "Shows requests and friends, from A to Z.") {
      words, _ in .question("sections", words.rest())
    },
    OrderForm("requests", "", "Lists the requests of contacts, and yours.") { _, _ in
      .question("requests", [])
    },
    OrderForm("who", "[WHO]", "Lists who is online, or the devices of one contact.") {
      words, naming in .who(try words.next().map(naming))
    },
    OrderForm("why", "WHO", "Explains why a contact is as it is, with the records that say so.") {
      words, _ in .question("why", try words.named())
    },
    OrderForm("history", "WHO", "Tells everything that happened to a contact.") {
      words, _ in .question("history", try words.named())
    },
    OrderForm("chat", "WHO", "Shows the conversation with a contact.") {
      words, _ in .question("chat", try words.named())
    },
    OrderForm("findings", "", "Lists what is odd.") { _, _ in .question("findings", []) },
  ]

  private static let session = [
    OrderForm("fetch", "", "Asks the server for the roster.") { _, _ in .command(.fetch) },
    OrderForm("help", "[ORDER]", "Explains an order, or lists all.") { words, _ in
      guard let verb = words.next() else { return .help(nil) }
      guard let form = named(verb) else { throw OrderError.unknown(verb) }
      return .help(form)
    },
    OrderForm("quit", "", "Closes the stream and ends.") { _, _ in .quit },
  ]
}

extension OrderWords {
  /// Takes what a command of `rollcall` needs to find a contact, and its options.
  fileprivate mutating func named() throws(OrderError) -> [String] {
    let words = rest()
    guard !words.isEmpty else { throw .missingContact(verb) }
    return words
  }
}

// MARK: Help

extension OrderForm {
  /// The help about the order.
  var help: String { "\(usage)\n\(purpose)" }

  /// The maximum width of the help about all orders, in characters.
  private static let width = 60

  /// The help about all orders.
  static var guide: String {
    let titles = groups.map(\.title.count).max() ?? 0
    let lines = groups.flatMap { title, forms in
      var lines = [title + String(repeating: " ", count: titles - title.count) + "  "]
      for (index, form) in forms.enumerated() {
        let word = form.name + (index + 1 < forms.count ? ", " : "")
        if lines[lines.count - 1].count + word.count > width {
          lines.append(String(repeating: " ", count: titles + 2))
        }
        lines[lines.count - 1] += word
      }
      return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }
    return
      (lines + [
        "", "WHO is an address, a name, its pinyin, or a part of one;",
        "\"quotes\" hold words together. “help ORDER” explains one.",
      ]).joined(separator: "\n")
  }
}
