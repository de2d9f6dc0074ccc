/// What a server says of whose a stream is when it lets a client in: the result of binding a
/// resource (RFC 6120 §7.6.1), or success in SASL 2 (XEP-0388 §2.5), of which resumption and
/// binding may be parts.
package struct LoginResult: Hashable, Sendable {
  /// How far the login has come with it.
  package enum Step: Hashable, Sendable {
    /// The account is known; a resource has still to be bound.
    case authenticated
    /// A resource is bound.
    case bound
    /// An earlier session goes on (XEP-0198).
    case resumed
  }

  package var step: Step
  /// Whose the stream is; nil where the element names no address that can be prepared.
  package var jid: JID?

  /// Reads an element that a server sent; nil where it is none of these.
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
