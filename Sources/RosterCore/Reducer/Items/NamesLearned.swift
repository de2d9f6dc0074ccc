import RawBytes
import XMPPStanza

// What contacts call themselves: XEP-0172, XEP-0054, XEP-0292.
extension Reduction {
  mutating func nicknameLearned(_ nickname: RawSpan?, of number: ContactNumber) {
    let before = roster.contacts.names(of: number)?.nickname
    guard !before.hasBytes(nickname) else { return }
    let after = String?(decoding: nickname)
    namesChanged(number) { names, record in
      names.nickname = after
      names.nicknameRecord = record
    }
    changed(.nickname, of: number) { _ in .nickname(before: before, after: after) }
  }

  mutating func vCardLearned(_ card: VCardNames, of number: ContactNumber) {
    let before = roster.contacts.names(of: number)?.vCard
    guard before != card else { return }
    namesChanged(number) { names, record in
      names.vCard = card
      names.vCardRecord = record
    }
    changed(.vCard, of: number) { _ in .vCard(before: before, after: card) }
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
