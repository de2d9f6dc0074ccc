/// The address that a server assigns when a client logs in: the result of resource binding (RFC
/// 6120 §7.6.1), or success in SASL 2 (XEP-0388 §2.5), which may include resumption and binding.
package struct LoginResult: Hashable, Sendable {
  /// The state of the login after this result.
  package enum Step: Hashable, Sendable {
    /// The account is known, but no resource is bound yet.
    case authenticated
    /// A resource is bound.
    case bound
    /// An earlier session was resumed (XEP-0198).
    case resumed
  }

  package var step: Step
  /// The address of the client; nil if the element contains none that can be prepared.
  package var jid: JID?

  /// Reads an element from a server; nil if it is not a login result.
  package init?(_ node: XMPPElement) {
    let address: XMPPElement?
    if node.is("success", in: Namespace.sasl2) {
      address = node.child("authorization-identifier", in: Namespace.sasl2)
      let isResumed = node.child("resumed", in: Namespace.streamManagement) != nil
      let isBound = node.child("bound", in: Namespace.bind2) != nil
      step = isResumed ? .resumed : isBound ? .bound : .authenticated
    } else if node.is("iq", in: Namespace.client), node.attribute("type") == "result",
      let bind = node.child("bind", in: Namespace.bind)
    {
      address = bind.child("jid", in: Namespace.bind)
      step = .bound
    } else {
      return nil
    }
    jid = address.flatMap { try? JID(parsing: $0.text.trimmedOfXMLSpace) }
  }
}
