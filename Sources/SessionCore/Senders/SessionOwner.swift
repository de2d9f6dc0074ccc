import RawBytes
package import XMPPStanza

/// Whose a session is, and therefore who may say what in it (RFC 6120 §8.1.2.1, §8.2.3 and §10.1).
package struct SessionOwner: Sendable {
  /// The account; nil if the log does not name it yet.
  package let account: BareJID?
  /// The resource that the server bound; nil if the log does not show it.
  package let resource: String?

  package init(account: BareJID?, resource: String?) {
    self.account = account
    self.resource = resource
  }

  /// Whether an answer about our own account comes from our server: from no address, from our
  /// bare address, or, as old servers do, from our full address or our domain.
  package func isOwnServer(_ from: JID?) -> Bool {
    guard let from else { return true }
    guard let account else { return false }
    if from.bare == account {
      return from.resource == nil || resource == nil || from.resource.hasSameBytes(as: resource)
    }
    return from.isServer(of: account)
  }

  /// Whether a request of ours goes to our own account: to no address or to our bare address.
  package func isOwnAccount(_ to: JID?) -> Bool {
    guard let to else { return true }
    return to.bare == account && to.resource == nil
  }

  /// Whether an address is the one that the server bound.
  private func isOwnResource(_ jid: JID) -> Bool {
    jid.bare == account && jid.resource != nil && jid.resource.hasSameBytes(as: resource)
  }

  /// Whether our own server answers what is sent to an address: our account, this session, or the
  /// server itself.
  private func isAnsweredByOwnServer(_ to: JID) -> Bool {
    isOwnAccount(to) || isOwnResource(to) || account.map(to.isServer) == true
  }

  /// Whether an answer may come from an address, for every request of ours that is not about our
  /// roster (whose rule is `isOwnServer`, RFC 6121 §2.1.6).
  ///
  /// An answer comes from the address that was asked (RFC 6120 §8.1.2.1, §8.2.3). The server of
  /// that address answers in its place from the bare address: no client can send an iq from there,
  /// because its server stamps the full address on what it sends. Our own server answers for our
  /// account (§10.3.3), for this session and for itself, and may then leave its address out: what
  /// has none is from our account on the server (§8.1.2.1). All other resources of the account
  /// answer for themselves.
  ///
  /// - Parameters:
  ///   - from: The sender of the answer; nil if it names none.
  ///   - to: The address that the request went to; nil if it named none.
  package func mayAnswer(_ from: JID?, to: JID?) -> Bool {
    guard let to, !isAnsweredByOwnServer(to) else { return isOwnServer(from) }
    return from == to || from == JID(prepared: to.bare, resource: nil)
  }
}

extension JID {
  /// Whether this is the address of the server of an account.
  package func isServer(of account: BareJID) -> Bool {
    resource == nil && bare.text.hasSameBytes(as: account.domain)
  }
}
