package import XMPPStanza

// Who may say what to a session.
extension Roster {
  /// Whether an answer about our own account comes from our server: from no address, from our
  /// bare address, or, as old servers do, from our full address or our domain.
  func isOwnServer(_ from: JID?, in session: borrowing Session) -> Bool {
    guard let from else { return true }
    guard let account else { return false }
    if from.bare == account {
      return from.resource == nil || session.resource == nil
        || from.resource.hasSameBytes(as: session.resource)
    }
    return from.isServer(of: account)
  }

  /// Whether a request of ours goes to our own account: to nobody or to our bare address.
  func isOwnAccount(_ to: JID?) -> Bool {
    guard let to else { return true }
    return to.bare == account && to.resource == nil
  }

  /// Why a push counts for nothing, nil where its sender may push (§2.1.6; CVE-2015-8688).
  func refusal(ofPushFrom from: JID?, in session: borrowing Session) -> PushRefusal? {
    guard let from else { return nil }
    guard let account else { return .unknownAccount(from) }
    if from.bare == account {
      guard let resource = from.resource else { return nil }
      return resource.hasSameBytes(as: session.resource) ? .ownFullAddress : .otherResource(from)
    }
    return from.isServer(of: account) ? .ownDomain(from) : .stranger(from)
  }

  /// The same for whatever session the account has, the first.
  package func refusal(ofPushFrom from: JID?) -> PushRefusal? {
    refusal(ofPushFrom: from, in: sessions.all.first ?? Session(connection: .first))
  }
}

extension JID {
  /// Whether this is the address of the server of an account.
  func isServer(of account: BareJID) -> Bool {
    resource == nil && bare.text.hasSameBytes(as: account.domain)
  }
}

extension String {
  /// Whether an optional text is there and has the same bytes.
  fileprivate func hasSameBytes(as other: String?) -> Bool { String?(self).hasSameBytes(as: other) }
}
