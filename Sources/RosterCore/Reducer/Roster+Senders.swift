import HashTreeCollections
import XMPPStanza

// Who may say what.
extension Roster {
  /// Whether an answer about our own account comes from our server: from no address, from our
  /// bare address, or, as old servers do, from our full address or our domain.
  func isOwnServer(_ from: JID?) -> Bool {
    guard let from else { return true }
    guard let account else { return false }
    if from.bare == account {
      return from.resource == nil || resource == nil || from.resource == resource
    }
    return from.resource == nil && from.bare.text == account.domain
  }

  /// Whether a request of ours goes to our own account: to nobody or to our bare address.
  func isOwnAccount(_ to: JID?) -> Bool {
    guard let to else { return true }
    return to.bare == account && to.resource == nil
  }

  /// What is wrong with the sender of a push, nil where it may push (§2.1.6; CVE-2015-8688).
  func foreignness(ofPushFrom from: JID?) -> String? {
    guard let from else { return nil }
    guard let account else { return "\(from), while the account is not known" }
    if from.bare == account {
      guard let resource = from.resource else { return nil }
      return resource == self.resource ? "our own full address" : "another resource, \(from)"
    }
    return from.description == account.domain ? "our domain, \(from)" : "the stranger \(from)"
  }
}
