import RawBytes
import XMPPStanza

extension RosterEvent {
  /// Whether an event comes from a contact, goes to it or names it. The contact is given by its
  /// prepared bare address.
  ///
  /// - Parameter event: The event's canonical bytes, for which a checksum vouches.
  /// - Returns: Nil if the event does not say: events about the stream and rejected stanzas do not
  ///   keep the address that they came from or went to.
  package static func concerns(
    _ contact: String, stored event: RawSpan
  ) throws(CodecError) -> Bool? {
    var input = CanonicalInput(event)
    input.isSound = true
    switch try StoredEvent(from: &input) {
    case .session: return nil
    case .stanza(let stanza): return stanza.concerns(contact)
    case .annotation(let annotation):
      return annotation.contacts.contains { contact.hasSameBytes(as: $0.text) }
    }
  }
}

extension StoredStanza {
  fileprivate func concerns(_ contact: String) -> Bool? {
    switch self {
    case .querySent(let query): return (query.to?.bare.text).hasSameBytes(as: contact)
    case .setSent(let set), .pushReceived(let set):
      return set.head.peer.isOf(contact) || set.query.names(contact)
    case .answerReceived(let answer):
      return answer.head.peer.isOf(contact) || answer.payload.names(contact)
    case .answerSent(_, let to, _), .presenceSent(let to, _): return to.isOf(contact)
    case .subscriptionReceived(let stanza), .subscriptionSent(let stanza):
      return contact.hasBytes(stanza.contact)
    case .presenceReceived(let presence): return contact.hasBytes(presence.from.bare)
    case .presenceErrorReceived(let from, _): return contact.hasBytes(from.bare)
    case .blocked(let from, let jids), .unblocked(let from, let jids):
      return (from?.bare.text).hasSameBytes(as: contact)
        || jids.contains { contact.hasSameBytes(as: $0.bare.text) }
    case .blockingSent(let request):
      return (request.to?.bare.text).hasSameBytes(as: contact)
        || request.jids.contains { contact.hasSameBytes(as: $0.bare.text) }
    case .nicknamePublished(let address, _): return contact.hasBytes(address)
    case .vCardPublished(let address, _): return contact.hasBytes(address)
    case .rejected: return nil
    }
  }
}

extension StoredAnswer.Payload {
  fileprivate func names(_ contact: String) -> Bool {
    switch self {
    case .roster(let query): query.names(contact)
    case .blockList(let jids): jids.contains { contact.hasSameBytes(as: $0.bare.text) }
    case .nothing, .other, .vCard, .nickname, .error: false
    }
  }
}

extension StoredQuery {
  fileprivate func names(_ contact: String) -> Bool {
    var isNamed = false
    forEach { if contact.hasBytes($0.address) { isNamed = true } }
    return isNamed
  }
}

extension StoredJID? {
  fileprivate func isOf(_ contact: String) -> Bool {
    guard let self else { return false }
    return contact.hasBytes(self.bare)
  }
}
