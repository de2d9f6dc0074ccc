/// The other party of a conversation in the simulation.
enum Peer: Hashable, CaseIterable {
  case bob, carol
  /// Bob's occupant, in private.
  case whisper
  case room
  /// Mallory, who is no contact.
  case stranger

  static let roomAddress = "room@rooms.example.test"

  /// The address that names the conversation.
  var address: String {
    switch self {
    case .bob: "bob@example.test"
    case .carol: "carol@other.test"
    case .whisper: Self.roomAddress + "/bob"
    case .room: Self.roomAddress
    case .stranger: "mallory@evil.test"
    }
  }

  /// The address that a stanza of the other party comes from, outside of rooms.
  var sender: String {
    switch self {
    case .bob, .carol, .stranger: address + "/peer"
    case .whisper, .room: address
    }
  }
}

/// Who sent a stanza.
enum Sender: Hashable {
  /// A device of ours, by its index.
  case us(Int)
  /// The other party of a chat.
  case peer
  /// An occupant of the room, by nick, or the room itself.
  case occupant(String)
  case theRoom

  var isUs: Bool { if case .us = self { true } else { false } }

  /// Whether rule 10 takes both for the same sender.
  func isSame(as other: Sender) -> Bool { isUs && other.isUs || self == other }
}

/// A stanza that was sent, as it really was.
struct SimulatedStanza {
  enum Meaning {
    case text
    /// Corrects the first stanza, and names the second, which is it or an earlier correction of it.
    case correction(of: Int, naming: Int)
    /// An attempt to correct another's message.
    case foreignCorrection(of: Int)
    case retraction(of: Int)
    /// An attempt to retract another's message.
    case foreignRetraction(of: Int)
    case moderation(of: Int)
    case reactions(to: Int, [String])
    case receipt(of: Int)
    /// A marker that names a stanza.
    case received(Int)
    case displayed(Int)
    /// A read position by XEP-0490.
    case published(Int)

    /// Whether it makes an entry or a version of one.
    var hasContent: Bool {
      switch self {
      case .text, .correction, .foreignCorrection: true
      case .retraction, .foreignRetraction, .moderation, .reactions, .receipt, .received,
        .displayed, .published:
        false
      }
    }
  }

  var peer: Peer
  var sender: Sender
  var meaning: Meaning
  var body = ""
  var id: String?
  var originID: String?
  /// When the sender wrote it, and when the server processed it; nil if it never did.
  var written: Int64
  var processed: Int64?
  /// The ids that the archive gave it: a second one if it was sent again.
  var archiveIDs: [String] = []
  /// When a recorded device wrote it last, and the number of lines in the log then.
  var lastWritten = Int64.min
  var writtenLine = 0
  /// Whether another text of its second is the same in all that the log shows.
  var isTwin = false
  /// Whether the server answers with an error.
  var bounces = false
  /// Whether other messages may name it: its id is not used twice.
  var canBeNamed: Bool { id != nil && id != SimulatedStanza.reusedID }

  static let reusedID = "ab36a"

  /// What the stanza says, without addresses.
  func content(naming stanzas: [SimulatedStanza]) -> String {
    func name(_ number: Int) -> String {
      let named = stanzas[number]
      return (peer == .room ? named.archiveIDs.first : named.id) ?? ""
    }
    var parts: [String] = []
    switch meaning {
    case .text: parts = ["<body>\(body)</body>"]
    case .correction(_, let number), .foreignCorrection(let number):
      parts = ["<body>\(body)</body>", replaces(stanzas[number].id ?? "")]
    case .retraction(let number), .foreignRetraction(let number):
      parts = [
        "<body>(retracts a message)</body>",
        "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:message-retract:1'/>",
        retracts(name(number)),
      ]
    case .moderation(let number):
      parts = [
        "<retract xmlns='urn:xmpp:message-retract:1' id='\(name(number))'>"
          + "<moderated xmlns='urn:xmpp:message-moderate:1'/></retract>"
      ]
    case .reactions(let number, let emojis):
      parts = [
        "<reactions xmlns='urn:xmpp:reactions:0' id='\(name(number))'>"
          + emojis.map { "<reaction>\($0)</reaction>" }.joined() + "</reactions>"
      ]
    case .receipt(let number): parts = [receipt(name(number))]
    case .received(let number):
      parts = ["<received xmlns='urn:xmpp:chat-markers:0' id='\(name(number))'/>"]
    case .displayed(let number), .published(let number): parts = [displayed(name(number))]
    }
    if let originID { parts.append(ConversationCoreTests.originID(originID)) }
    if peer == .whisper { parts.append("<x xmlns='http://jabber.org/protocol/muc#user'/>") }
    return parts.joined()
  }
}
