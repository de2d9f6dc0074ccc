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
}

/// The help for an argument or option that names a contact.
let contactHelp = "by address, name or pinyin, or a part of one"
