import TestSupport
import XMPPStanza

@testable import ConversationCore

/// A dialogue between a client of alice@example.test and its server, as the rules read it.
struct Dialogue {
  static let account = "alice@example.test"
  static let archive = "urn:xmpp:mam:2"

  /// One step, in the order of a log.
  enum Step {
    /// A stanza from the server or to it, on the present connection.
    case received(String)
    case sent(String)
    /// A stream with a resource of the account is bound on a connection, which becomes the present
    /// one.
    case bound(connection: UInt32)
    /// A connection becomes the present one without a binding.
    case connected(UInt32)
    /// A connection that is still open becomes the present one.
    case back(UInt32)
    /// The connection is lost, or the stream ends in order.
    case lost
    case ended
    /// The clock of the log advances by milliseconds.
    case wait(Int64)
  }

  private(set) var state: Conversations
  private var record: UInt64 = 0
  /// 2026-11-26T12:00:00Z
  private var time: Int64? = 1_795_694_400_000
  private var connection: UInt32 = 1

  init(isOneWay: Bool = false, hasClock: Bool = true, _ steps: [Step] = []) {
    state = Conversations(account: bare(Self.account), isOneWay: isOneWay)
    if !hasClock { time = nil }
    for step in steps { take(step) }
  }

  /// A dialogue that begins with a bound session on connection 1.
  static func online(_ steps: Step...) -> Dialogue { Dialogue([.bound(connection: 1)] + steps) }
  static func online(_ steps: [Step]) -> Dialogue { Dialogue([.bound(connection: 1)] + steps) }

  mutating func take(_ step: Step) {
    switch step {
    case .received(let xml): reduce(ConversationEvent(element(xml), .inbound))
    case .sent(let xml): reduce(ConversationEvent(element(xml), .outbound))
    case .bound(let number):
      connection = number
      reduce(.session(.headerSeen))
      reduce(.session(.bound(address("\(Self.account)/d\(number)"), management: [])))
    case .connected(let number):
      connection = number
      reduce(.session(.headerSeen))
    case .back(let number): connection = number
    case .lost: reduce(.session(.closed))
    case .ended:
      reduce(.session(.ended(.outbound)))
      reduce(.session(.closed))
    case .wait(let milliseconds): time = time.map { $0 + milliseconds }
    }
  }

  private mutating func reduce(_ event: ConversationEvent) {
    record += 1
    time = time.map { $0 + 1 }
    state.reduce(event, at: RecordPosition(record: record, time: time, connection: connection))
  }

  // MARK: What is asked

  /// The messages of a conversation, one line each: direction, body, state or whether it is unread,
  /// and what else is remarkable.
  func lines(_ jid: String = "bob@example.test", _ kind: ConversationKey.Kind = .chat) -> [String] {
    let key = ConversationKey(kind: kind, jid: address(jid))
    guard let conversation = state.conversation(key) else { return [] }
    let unread = Set(state.unread(of: key))
    return conversation.order.map { number in
      let message = state.messages[number]
      var words = [message.isOurs ? "out" : "in", message.body]
      if message.isOurs { words.append(message.state.rawValue) }
      if unread.contains(number) { words.append("unread") }
      if message.retraction != nil { words.append("retracted") }
      let edits = message.versions.dropLast().map(\.content.body)
      if !edits.isEmpty { words.append("was " + edits.joined(separator: ", ")) }
      for set in message.reactions where !set.emojis.isEmpty {
        words.append("\(set.sender) \(set.emojis.joined())")
      }
      return words.joined(separator: " ")
    }
  }

  /// The bodies of the messages of a conversation.
  func bodies(_ jid: String = "bob@example.test", _ kind: ConversationKey.Kind = .chat) -> [String]
  {
    messages(jid, kind).map(\.body)
  }

  func messages(
    _ jid: String = "bob@example.test", _ kind: ConversationKey.Kind = .chat
  ) -> [Message] {
    let key = ConversationKey(kind: kind, jid: address(jid))
    return state.conversation(key)?.order.map { state.messages[$0] } ?? []
  }

  /// The codes of all findings, those about the end of the log last.
  var findings: [String] {
    (state.findings + state.findingsAtEnd).map(\.code.rawValue)
  }

  /// The conversations that have messages, sorted.
  var addresses: [String] {
    state.all.filter { !$0.order.isEmpty }.map { "\($0.key.kind.rawValue) \($0.key.jid)" }.sorted()
  }
}

// MARK: Stanzas

/// A chat message from bob to us.
func fromBob(_ body: String, id: String? = nil, _ more: String = "") -> Dialogue.Step {
  .received(message(from: "bob@example.test/peer", id: id, body, more))
}

/// A chat message from us to bob.
func toBob(_ body: String, id: String? = nil, _ more: String = "") -> Dialogue.Step {
  .sent(message(to: "bob@example.test", id: id, body, more))
}

/// A message with a body; an empty body is left out.
func message(
  from: String? = nil, to: String? = nil, type: String? = "chat", id: String? = nil,
  _ body: String = "", _ more: String = ""
) -> String {
  let attributes = [("from", from), ("to", to), ("type", type), ("id", id)].compactMap {
    name, value in
    value.map { " \(name)='\($0)'" }
  }.joined()
  let text = body.isEmpty ? "" : "<body>\(body)</body>"
  return "<message xmlns='jabber:client'\(attributes)>\(text)\(more)</message>"
}

func forwarded(_ message: String, stamp: String? = nil) -> String {
  let delay = stamp.map { "<delay xmlns='urn:xmpp:delay' stamp='\($0)'/>" } ?? ""
  return "<forwarded xmlns='urn:xmpp:forward:0'>\(delay)\(message)</forwarded>"
}

/// A carbon of a message (XEP-0280).
func carbon(
  _ kind: String, _ inner: String, from: String? = Dialogue.account, _ more: String = ""
) -> Dialogue.Step {
  .received(
    message(
      from: from,
      "", more + "<\(kind) xmlns='urn:xmpp:carbons:2'>\(forwarded(inner))</\(kind)>"))
}

/// A query of an archive, and its end.
func query(
  _ id: String, to: String? = nil, _ set: String = "", queryID: String? = "f"
) -> Dialogue.Step {
  let to = to.map { " to='\($0)'" } ?? ""
  let queryID = queryID.map { " queryid='\($0)'" } ?? ""
  return .sent(
    "<iq xmlns='jabber:client' type='set' id='\(id)'\(to)>"
      + "<query xmlns='\(Dialogue.archive)'\(queryID)>"
      + "<set xmlns='http://jabber.org/protocol/rsm'>\(set)</set></query></iq>")
}

func fin(_ id: String, from: String? = nil, complete: Bool = true) -> Dialogue.Step {
  let from = from.map { " from='\($0)'" } ?? ""
  return .received(
    "<iq xmlns='jabber:client' type='result' id='\(id)'\(from)>"
      + "<fin xmlns='\(Dialogue.archive)' complete='\(complete)'/></iq>")
}

/// A result of an archive.
func result(
  _ id: String, _ inner: String, stamp: String, from: String? = nil, queryID: String = "f"
) -> Dialogue.Step {
  .received(
    message(
      from: from, type: nil, "",
      "<result xmlns='\(Dialogue.archive)' queryid='\(queryID)' id='\(id)'>"
        + "\(forwarded(inner, stamp: stamp))</result>"))
}

func stanzaID(_ id: String, by: String = Dialogue.account) -> String {
  "<stanza-id xmlns='urn:xmpp:sid:0' by='\(by)' id='\(id)'/>"
}

func originID(_ id: String) -> String { "<origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/>" }

func delay(_ stamp: String, from: String? = nil) -> String {
  let from = from.map { " from='\($0)'" } ?? ""
  return "<delay xmlns='urn:xmpp:delay' stamp='\(stamp)'\(from)/>"
}

func receipt(_ id: String) -> String { "<received xmlns='urn:xmpp:receipts' id='\(id)'/>" }

func displayed(_ id: String) -> String { "<displayed xmlns='urn:xmpp:chat-markers:0' id='\(id)'/>" }

func replaces(_ id: String) -> String { "<replace xmlns='urn:xmpp:message-correct:0' id='\(id)'/>" }

func retracts(_ id: String) -> String { "<retract xmlns='urn:xmpp:message-retract:1' id='\(id)'/>" }

func reacts(_ id: String, _ emojis: String...) -> String {
  "<reactions xmlns='urn:xmpp:reactions:0' id='\(id)'>"
    + emojis.map { "<reaction>\($0)</reaction>" }.joined() + "</reactions>"
}

/// A message of an occupant of the room.
func fromRoom(
  _ nick: String?, _ body: String, id: String? = nil, _ more: String = ""
) -> Dialogue.Step {
  .received(
    message(
      from: "room@rooms.example.test" + (nick.map { "/" + $0 } ?? ""), type: "groupchat", id: id,
      body, more))
}

func toRoom(_ body: String, id: String? = nil, _ more: String = "") -> Dialogue.Step {
  .sent(message(to: "room@rooms.example.test", type: "groupchat", id: id, body, more))
}

/// We enter the room as alice, and its answer.
func enter(occupantID: String? = nil) -> [Dialogue.Step] {
  let id = occupantID.map { "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='\($0)'/>" } ?? ""
  return [
    .sent(
      "<presence xmlns='jabber:client' to='room@rooms.example.test/alice'>"
        + "<x xmlns='http://jabber.org/protocol/muc'/></presence>"),
    .received(
      "<presence xmlns='jabber:client' from='room@rooms.example.test/alice'>\(id)"
        + "<x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></presence>"),
  ]
}

func roomPresence(_ nick: String, type: String? = nil, _ inRoom: String = "") -> Dialogue.Step {
  let type = type.map { " type='\($0)'" } ?? ""
  return .received(
    "<presence xmlns='jabber:client' from='room@rooms.example.test/\(nick)'\(type)>"
      + "<x xmlns='http://jabber.org/protocol/muc#user'>\(inRoom)</x></presence>")
}
