import RawBytes
package import XMPPStanza

extension SessionOwner {
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

  /// Why a push from an address is ignored in the application's own session; nil if that address
  /// may push.
  package func refusal(ofPushFrom from: JID?) -> PushRefusal? {
    SessionOwner(account: account, resource: current?.resource)
      .refusal(ofPushFrom: from)
  }
}
