import Captures
import ConversationCore
import Rollcall

/// Some messages of some conversations, as `chat` and a search print them.
struct MessageList {
  /// A conversation, and the numbers of the messages to show, in order.
  typealias Part = (conversation: Conversation, numbers: [Int])

  let view: ConversationView
  let found: [Part]
  let zone: Zone

  func say(asJSON: Bool) throws {
    guard !asJSON else {
      let shown = found.map { ($0.conversation.key, Set($0.numbers)) }
      return try Terminal.say(JSONValue(view, showing: Dictionary(uniqueKeysWithValues: shown)))
    }
    for (index, part) in found.enumerated() {
      let lines = ChatLines(part.conversation, in: view, zone: zone)
      try Terminal.say((index == 0 ? [] : [""]) + [lines.heading])
      try lines.forEach(part.numbers) { try Terminal.say($0) }
    }
  }
}
