import HashTreeCollections
import XMPPStanza

// The block list (XEP-0191), and what contacts call themselves (XEP-0172, XEP-0054).
extension Roster {
  mutating func block(_ jids: [JID], from: JID?, _ step: inout Step) {
    guard mayPushBlocking(from, &step) else { return }
    for jid in jids { setBlocked(jid, true, &step) }
  }

  mutating func unblock(_ jids: [JID], from: JID?, _ step: inout Step) {
    guard mayPushBlocking(from, &step) else { return }
    for jid in jids.isEmpty ? blocked.sorted() : jids { setBlocked(jid, false, &step) }
  }

  mutating func replaceBlocked(by jids: Set<JID>, _ step: inout Step) {
    for jid in blocked.sorted() where !jids.contains(jid) { setBlocked(jid, false, &step) }
    for jid in jids.sorted() { setBlocked(jid, true, &step) }
  }

  private mutating func setBlocked(_ jid: JID, _ isBlocked: Bool, _ step: inout Step) {
    guard blocked.contains(jid) != isBlocked else { return }
    if isBlocked { blocked.insert(jid) } else { blocked.remove(jid) }
    step.change(.blocking(jid, isBlocked))
  }

  private func mayPushBlocking(_ from: JID?, _ step: inout Step) -> Bool {
    guard let who = foreignness(ofPushFrom: from) else { return true }
    step.find(
      .foreignBlocking, about: from?.bare,
      "A block list push from \(who) was ignored: only our own server may push (XEP-0191 §3.3).")
    return false
  }

  mutating func setNickname(_ nickname: String?, of jid: BareJID?, _ step: inout Step) {
    guard let jid else { return }
    var own = ownNames.find(jid) ?? OwnNames()
    let before = own.nickname
    guard before != nickname else { return }
    own.nickname = nickname
    own.nicknameRecord = step.stamp.record
    ownNames[jid] = own
    step.change(.nickname(jid, before: before, after: nickname))
  }

  mutating func setVCard(_ names: VCardNames, of jid: BareJID?, _ step: inout Step) {
    guard let jid else { return }
    var own = ownNames.find(jid) ?? OwnNames()
    let before = own.vCard
    guard before != names else { return }
    own.vCard = names
    own.vCardRecord = step.stamp.record
    ownNames[jid] = own
    step.change(.vCard(jid, before: before, after: names))
  }
}
