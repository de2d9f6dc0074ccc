import Rollcall
import XMPPStanza

extension OpenedSource {
  /// The contact that a command line names: by its address, a part of it, its name, a part of that
  /// or its pinyin. Whom another text than the address has found is said.
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

/// What the help says of an argument or option that names a contact.
let contactHelp = "by address, name or pinyin, or a part of one"
