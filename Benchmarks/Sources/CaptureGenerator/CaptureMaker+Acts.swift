// The choice of the next action.
extension CaptureMaker {
  /// Performs a random action of one or a few stanzas.
  mutating func act() {
    switch chance.below(1000) {
    case ..<410: changePresence()
    case ..<710: chat()
    case ..<775: type()
    case ..<800: ping()
    case ..<820: countStanzas()
    case ..<839: discover()
    case ..<850: fetchCard()
    case ..<860: publishNick()
    case ..<862: forgePush()
    case ..<863: block()
    case ..<930: edit()
    default: manageSubscription()
    }
  }

  private mutating func edit() {
    guard let contact = listed.any(&chance) else { return }
    switch chance.below(100) {
    case ..<70: rename(contact, byUs: chance.perMille(600))
    case ..<80:
      // Removals and additions balance each other.
      if listed.count > shape.contacts * 19 / 20 { remove(contact) }
    default:
      if let stranger = stranger(), listed.count < shape.contacts * 21 / 20 { add(stranger) }
    }
  }

  private mutating func manageSubscription() {
    switch chance.below(100) {
    case ..<25:
      if let contact = anyContact(where: { !$0.subscription.seesUs }) {
        receiveRequest(of: contact)
      }
    case ..<50:
      guard let contact = incoming.any(&chance) ?? unconfirmed.any(&chance) else { return }
      answerRequest(of: contact, accept: chance.perMille(700), elsewhere: chance.perMille(200))
    case ..<55:
      if let contact = incoming.any(&chance) { withdraw(contact) }
    case ..<65:
      if let contact = listedContact(where: { !$0.subscription.seesThem }) {
        subscribe(to: contact)
      }
    case ..<85:
      if let contact = outgoing.any(&chance) { settle(contact, accepted: chance.perMille(750)) }
    case ..<95:
      if let contact = listed.any(&chance) { part(contact) }
    default:
      let contact = listedContact { !$0.subscription.seesUs && !$0.approved }
      if let contact, !incoming.contains(contact), !unconfirmed.contains(contact) {
        approve(contact)
      }
    }
  }

  /// A contact that is not in the roster; nil if a few random picks find none.
  private mutating func stranger() -> Int? {
    anyContact { !$0.isListed }
  }

  /// A contact, in the roster or not; nil if a few random picks find none that is wanted.
  private mutating func anyContact(where isWanted: (Contact) -> Bool) -> Int? {
    for _ in 0..<20 {
      let contact = chance.below(contacts.count)
      if isWanted(contacts[contact]) { return contact }
    }
    return nil
  }
}
