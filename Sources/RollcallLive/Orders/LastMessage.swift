import ConversationCore
import Rollcall
import XMPPStanza

extension Timeline {
  /// The id of the last message with a contact that has one: of its first version, which
  /// corrections and markers name.
  ///
  /// - Parameter isOurs: Whether to look for a message of our account or for one of the contact.
  /// - Throws: `OrderError.noMessage` if the log has none.
  ///
  /// Complexity: linear in the log.
  func lastMessage(with jid: BareJID, isOurs: Bool) throws -> String {
    let conversations = try conversations(upTo: record(at: .head(minus: 0)))
    for number in conversations.conversation(.chat(jid))?.order.reversed() ?? [] {
      let message = conversations.messages[number]
      guard message.isOurs == isOurs, message.retraction == nil, let id = message.id else {
        continue
      }
      return id
    }
    throw OrderError.noMessage(jid, isOurs: isOurs)
  }
}
