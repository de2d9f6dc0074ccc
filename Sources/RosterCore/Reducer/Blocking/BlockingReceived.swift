import XMPPStanza

// The block list: XEP-0191.
extension Reduction {
  mutating func blockPushReceived(_ jids: [JID], from: JID?) {
    guard mayPushBlocking(from) else { return }
    for jid in jids {
      noteOrigin(ofBlocking: jid, true)
      setBlocked(jid, true)
    }
  }

  /// An empty list unblocks everybody (§3.5).
  mutating func unblockPushReceived(_ jids: [JID], from: JID?) {
    guard mayPushBlocking(from) else { return }
    for jid in jids.isEmpty ? roster.blocked.sorted() : jids {
      noteOrigin(ofBlocking: jid, false)
      setBlocked(jid, false)
    }
  }

  /// The whole list.
  mutating func blockListReceived(_ jids: [JID]) {
    let listed = Set(jids)
    for jid in roster.blocked.sorted() where !listed.contains(jid) { setBlocked(jid, false) }
    for jid in listed.sorted() { setBlocked(jid, true) }
    guard !roster.isBlockListKnown else { return }
    roster.isBlockListKnown = true
    changed(.blockedKnown) { _ in .blockedKnown(before: false, after: true) }
  }

  mutating func setBlocked(_ jid: JID, _ isBlocked: Bool) {
    guard roster.blocked.contains(jid) != isBlocked else { return }
    if isBlocked { roster.blocked.insert(jid) } else { roster.blocked.remove(jid) }
    blockingChanged(of: jid, isBlocked)
  }

  private mutating func mayPushBlocking(_ from: JID?) -> Bool {
    guard let refusal = refusal(ofPushFrom: from) else {
      if !roster.isInboundOnly { session.unansweredBlockPushes &+= 1 }
      return true
    }
    unknownRequestReceived()
    report(.foreignBlocking(refusal), about: from?.bare)
    return false
  }
}
