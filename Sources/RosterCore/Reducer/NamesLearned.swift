import XMPPStanza

// What contacts call themselves: XEP-0172, XEP-0054, XEP-0292.
extension Reduction {
  mutating func nicknameLearned(_ nickname: String?, of jid: BareJID?) {
    guard let jid else { return }
    let number = roster.contacts.insert(jid)
    let before = roster.contacts.names(of: number)
    guard !(before?.nickname).hasSameBytes(as: nickname) else { return }
    namesChanged(number) { names, record in
      names.nickname = nickname
      names.nicknameRecord = record
    }
    changed(.nickname(jid, before: before?.nickname, after: nickname))
  }

  mutating func vCardLearned(_ card: VCardNames, of jid: BareJID?) {
    guard let jid else { return }
    let number = roster.contacts.insert(jid)
    let before = roster.contacts.names(of: number)
    guard before?.vCard != card else { return }
    namesChanged(number) { names, record in
      names.vCard = card
      names.vCardRecord = record
    }
    changed(.vCard(jid, before: before?.vCard, after: card))
  }

  private mutating func namesChanged(
    _ number: ContactNumber, _ change: (inout OwnNames, UInt64) -> Void
  ) {
    let record = stamp.record
    roster.contacts.updateDetails(of: number) { details in
      var names = details.names ?? OwnNames()
      change(&names, record)
      details.names = names
    }
  }
}
