import HashTreeCollections
import XMPPStanza

// Subscription stanzas of contacts: §3. Requests stand beside the items: None + Pending In is no
// item (Appendix A).
extension Reduction {
  mutating func subscriptionReceived(_ stanza: SubscriptionStanza) {
    guard stanza.contact != roster.account else {
      report(.subscription(.own(stanza.kind, .inbound)), about: stanza.contact)
      return
    }
    let number = roster.contacts.insert(stanza.contact)
    switch stanza.kind {
    case .subscribe: requestReceived(stanza, number)
    case .subscribed: acceptanceReceived(number)
    case .unsubscribe: withdrawalReceived(number)
    case .unsubscribed: denialReceived(number)
    }
  }

  private mutating func requestReceived(_ stanza: SubscriptionStanza, _ number: ContactNumber) {
    let jid = stanza.contact
    guard !seesUs(number) else {
      report(.subscription(.needlessRequest(.inbound)), about: jid)
      return
    }
    let known = roster.contacts.request(of: number)?.request
    var request = known ?? IncomingRequest(since: stamp, last: stamp, count: 0)
    request.last = stamp
    request.count += 1
    // Servers that send a request again often leave out its text.
    request.status = stanza.status ?? request.status
    request.nickname = stanza.nickname ?? request.nickname
    roster.contacts.updateDetails(of: number) { $0.request = .open(request) }
    if known == nil {
      changed(.requestOpened(jid, request))
      expectPerson()
    } else {
      changed(.requestRepeated(jid, request))
    }
  }

  private mutating func acceptanceReceived(_ number: ContactNumber) {
    let isExpected = isExpected(.subscribed, of: number)
    if endOutgoing(number, .accepted) {
      if !isExpected { expectPush(showing: .subscribed, of: number) }
    } else if !isExpected {
      report(.subscription(.unsolicitedSubscribed), about: roster.contacts.address(of: number))
    }
  }

  private mutating func withdrawalReceived(_ number: ContactNumber) {
    let isExpected = isExpected(.unsubscribe, of: number)
    let hadAsked = endIncoming(number, .withdrawn)
    if seesUs(number) {
      if !isExpected { expectPush(showing: .unsubscribe, of: number) }
    } else if !isExpected, !hadAsked {
      report(.subscription(.unsolicitedUnsubscribe), about: roster.contacts.address(of: number))
    }
  }

  private mutating func denialReceived(_ number: ContactNumber) {
    let isExpected = isExpected(.unsubscribed, of: number)
    let hadAsked = endOutgoing(number, .refused)
    if isSeen(number) || isAsked(number) {
      if !isExpected { expectPush(showing: .unsubscribed, of: number) }
    } else if !isExpected, !hadAsked {
      report(.subscription(.unsolicitedUnsubscribed), about: roster.contacts.address(of: number))
    }
  }

  // MARK: What the item says

  func seesUs(_ number: ContactNumber) -> Bool {
    roster.contacts.item(of: number)?.subscription.includesFrom ?? false
  }

  func isSeen(_ number: ContactNumber) -> Bool {
    roster.contacts.item(of: number)?.subscription.includesTo ?? false
  }

  func isAsked(_ number: ContactNumber) -> Bool {
    roster.contacts.item(of: number)?.isPending ?? false
  }
}
