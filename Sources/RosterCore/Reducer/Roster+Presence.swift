import HashTreeCollections
import XMPPStanza

// Presence (§4). It is kept by bare address and resource, whether or not the roster has come.
extension Roster {
  mutating func receive(_ availability: Availability, _ from: JID, _ step: inout Step) {
    if let oddity = availability.oddity {
      step.find(
        .malformedPresence, about: from.bare, "The presence is odd: \(oddity) (RFC 6121 §4.7.2).")
    }
    let after = ResourcePresence(availability: availability, since: step.stamp)
    let name = from.resource ?? ""
    if from.bare == account {
      // Our own resource sees its own presence come back.
      guard from.resource != resource else { return }
      let before = ownPresences.resources.updateValue(after, forKey: name)
      step.change(.ownPresence(resource: name, before: before, after: after))
      return
    }
    let before = put(after, from.bare, name)
    if before == nil { reportUninvited(from, &step) }
    step.change(.presence(from.bare, resource: name, before: before, after: after))
  }

  /// - Returns: what the resource said before.
  private mutating func put(
    _ presence: ResourcePresence, _ jid: BareJID, _ name: String
  ) -> ResourcePresence? {
    // Most contacts have one resource: it is replaced without looking for it first.
    let one = ContactPresence(name, presence)
    guard var others = presences.updateValue(one, forKey: jid) else { return nil }
    if let before = others.resources.only(name) { return before }
    let before = others.resources.updateValue(presence, forKey: name)
    presences[jid] = others
    return before
  }

  private func reportUninvited(_ from: JID, _ step: inout Step) {
    guard completeness == .complete, let item = entries[from.bare]?.item else {
      if completeness == .complete { reportStranger(from, &step) }
      return
    }
    // The push may still be on its way while the contact's presence is here already.
    if !item.subscription.includesTo, !item.isPending { reportStranger(from, &step) }
  }

  private func reportStranger(_ from: JID, _ step: inout Step) {
    step.find(
      .uninvitedPresence, about: from.bare,
      "\(from) sends us its presence, though we do not subscribe to it: sent to us alone "
        + "(RFC 6121 §4.6), or the server's roster is another than ours.")
  }

  /// `unavailable` ends one resource; from a bare address it ends all of them (§4.5).
  mutating func receiveUnavailable(_ from: JID, _ step: inout Step) {
    if from.bare == account {
      guard let name = from.resource else {
        voidOwnPresence(&step)
        return
      }
      guard let before = ownPresences.resources.removeValue(forKey: name) else { return }
      step.change(.ownPresence(resource: name, before: before, after: nil))
      return
    }
    guard let name = from.resource else {
      voidPresence(of: from.bare, &step)
      return
    }
    guard var presence = presences[from.bare],
      let before = presence.resources.removeValue(forKey: name)
    else { return }
    presences[from.bare] = presence.resources.isEmpty ? nil : presence
    step.change(.presence(from.bare, resource: name, before: before, after: nil))
  }

  /// Forgets a contact's presence, because we no longer receive it.
  mutating func voidPresence(of jid: BareJID, _ step: inout Step) {
    guard !presences.isEmpty, let presence = presences.removeValue(forKey: jid) else { return }
    reportVoid(jid, presence, &step)
  }

  private func reportVoid(_ jid: BareJID, _ presence: ContactPresence, _ step: inout Step) {
    presence.resources.forEachInOrder { name, before in
      step.change(.presence(jid, resource: name, before: before, after: nil))
    }
  }

  private mutating func voidOwnPresence(_ step: inout Step) {
    let resources = ownPresences.resources
    ownPresences = ContactPresence()
    resources.forEachInOrder { name, before in
      step.change(.ownPresence(resource: name, before: before, after: nil))
    }
  }

  /// Forgets all presence: nothing tells us any more whether it holds.
  mutating func voidAllPresence(_ step: inout Step) {
    let all = Array(presences)
    presences = [:]
    step.expectChanges(all.count)
    for rank in ByteRank.order(of: all.map(\.key.text)) {
      let (jid, presence) = all[rank.index]
      reportVoid(jid, presence, &step)
    }
    voidOwnPresence(&step)
  }

  /// Our own undirected presence: the first one of a session starts it (§4.2), an unavailable
  /// one ends what we hear of others (§4.5).
  mutating func broadcast(isAvailable: Bool, _ step: inout Step) {
    guard isAvailable else {
      voidAllPresence(&step)
      return
    }
    guard !stream.sentInitialPresence else { return }
    stream.sentInitialPresence = true
    doubtOldRequests(&step)
  }
}
