import ConversationCore
import Rollcall
import XMPPStanza

/// A service that takes files (XEP-0363 §4).
struct UploadService: Hashable, Sendable {
  /// Its address.
  var address: String
  /// The most bytes of a file; nil if it does not say.
  var byteLimit: Int?

  /// The maximum number of services of a server that are asked what they do.
  static let candidateLimit = 32

  /// Reads the answer to `disco#info` (XEP-0030); nil if the service takes no files.
  init?(_ address: String, info iq: XMPPElement) {
    guard let query = iq.child("query", in: Namespace.discoInfo),
      query.children.contains(where: {
        $0.is("feature", in: Namespace.discoInfo) && $0.attribute("var") == Namespace.upload
      })
    else { return nil }
    self.address = address
    // XEP-0128: the form whose type is the feature's name.
    let form = query.children.first {
      $0.is("x", in: Namespace.dataForms) && $0.value(ofField: "FORM_TYPE") == Namespace.upload
    }
    byteLimit = form?.value(ofField: "max-file-size").flatMap { Int($0) }
  }

  /// The addresses in an answer to `disco#items`, at most `candidateLimit`.
  static func candidates(in iq: XMPPElement) -> [String] {
    guard let query = iq.child("query", in: Namespace.discoItems) else { return [] }
    let addresses = query.children.compactMap { item -> String? in
      guard item.is("item", in: Namespace.discoItems), item.attribute("node") == nil else {
        return nil
      }
      return item.attribute("jid").flatMap { try? JID(parsing: $0).description }
    }
    return Array(addresses.prefix(candidateLimit))
  }
}

extension XMPPElement {
  /// The first value of a field of a form (XEP-0004).
  fileprivate func value(ofField name: String) -> String? {
    children.first { $0.is("field", in: Namespace.dataForms) && $0.attribute("var") == name }?
      .child("value", in: Namespace.dataForms)?.text
  }
}

extension Namespace {
  /// XEP-0030.
  static let discoInfo = "http://jabber.org/protocol/disco#info"
  static let discoItems = "http://jabber.org/protocol/disco#items"
}
