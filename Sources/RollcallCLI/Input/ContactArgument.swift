import ConversationCore
import Rollcall
import XMPPStanza

extension OpenedSource {
  /// The contact that a command line names: by its address or name, a part of either, or the pinyin
  /// of its name. Prints a note with the contact unless the text is its address.
  func contact(_ text: String) throws -> BareJID {
    let found = try naming {
      do {
        return try whole.contact(named: text)
      } catch let error as ContactError {
        switch error {
        case .unknown: throw NothingFound(sentence: "\(error)")
        case .ambiguous: throw Failure("\(error)")
        }
      }
    }
    if found.jid.text != text { Terminal.note("“\(text)” is \(found.words)") }
    return found.jid
  }

  /// The conversations that a command line names: by the address of a contact, a room or an
  /// occupant, or as a contact.
  func conversations(_ text: String, in view: ConversationView) throws -> [Conversation] {
    func having(_ jid: JID) -> [Conversation] { view.shown.filter { $0.key.jid == jid } }
    let exact = (try? JID(parsing: text)).map(having) ?? []
    if !exact.isEmpty { return exact }
    let contact = try self.contact(text)
    let found = having(JID(prepared: contact, resource: nil))
    if found.isEmpty { throw NothingFound(sentence: "there is no conversation with \(contact)") }
    return found
  }
}

/// The help for an argument or option that names a contact.
let contactHelp = "by address, name or pinyin, or a part of one"
