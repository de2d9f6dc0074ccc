import RawBytes
package import XMPPStanza

/// Whose a session is, which says who may say what in it.
struct SessionOwner {
  /// The account; nil where the log does not say it yet.
  let account: BareJID?
  /// The resource that the server bound.
  let resource: String?

  /// Whether an answer about our own account comes from our server: from no address, from our
  /// bare address, or, as old servers do, from our full address or our domain.
  func isOwnServer(_ from: JID?) -> Bool {
    guard let from else { return true }
    guard let account else { return false }
    if from.bare == account {
      return from.resource == nil || resource == nil || from.resource.hasSameBytes(as: resource)
    }
    return from.isServer(of: account)
  }

  /// Whether a request of ours goes to our own account: to nobody or to our bare address.
  func isOwnAccount(_ to: JID?) -> Bool {
    guard let to else { return true }
    return to.bare == account && to.resource == nil
  }

  /// Why a push counts for nothing, nil where its sender may push (§2.1.6; CVE-2015-8688).
  func refusal(ofPushFrom from: JID?) -> PushRefusal? {
    guard let from else { return nil }
    guard let account else { return .unknownAccount(from) }
    if from.bare == account {
      guard from.resource != nil else { return nil }
      return from.resource.hasSameBytes(as: resource) ? .ownFullAddress : .otherResource(from)
    }
    return from.isServer(of: account) ? .ownDomain(from) : .stranger(from)
  }
}

extension Reduction {
  /// Whose the session of the record is.
  var owner: SessionOwner {
    SessionOwner(account: roster.account, resource: session.resource)
  }

  /// Why a push counts for nothing; nil if its sender may push. A contact is told apart from a
  /// stranger.
  func refusal(ofPushFrom from: JID?) -> PushRefusal? {
    let refusal = owner.refusal(ofPushFrom: from)
    guard case .stranger(let jid)? = refusal, let number = roster.contacts.number(of: jid.bare),
      isSeen(number) || seesUs(number)
    else { return refusal }
    return .contact(jid)
  }
}

extension Roster {
  /// Whether an answer about our own account comes from our server, in the session that an
  /// application has.
  package func isOwnServer(_ from: JID?) -> Bool {
    SessionOwner(account: account, resource: current?.resource).isOwnServer(from)
  }

  /// Why a push of somebody counts for nothing in the session that an application has, nil where
  /// its sender may push.
  package func refusal(ofPushFrom from: JID?) -> PushRefusal? {
    SessionOwner(account: account, resource: current?.resource)
      .refusal(ofPushFrom: from)
  }
}

extension JID {
  /// Whether this is the address of the server of an account.
  func isServer(of account: BareJID) -> Bool {
    resource == nil && bare.text.hasSameBytes(as: account.domain)
  }
}
