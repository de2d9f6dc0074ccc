import HashTreeCollections
import XMPPStanza

// A contact's stanza and the push that shows its effect come in either order: servers differ
// (§3.1.6, §3.2.3 and §3.3.3 leave it open). Whichever comes second is no surprise.

/// Kinds of subscription stanza.
struct SubscriptionKinds: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let subscribed = Self(rawValue: 1)
  static let unsubscribe = Self(rawValue: 2)
  static let unsubscribed = Self(rawValue: 4)
}

/// What is still to come of what a contact did.
struct Echoes: Hashable, Sendable {
  /// Stanzas whose effect a push has shown already.
  var stanzas: SubscriptionKinds = []
  /// Stanzas that have come and whose effect no push has shown yet.
  var pushes: SubscriptionKinds = []
}

extension Roster {
  /// Whether a push has shown the effect of this stanza already, so that it was to be expected.
  mutating func isEcho(_ kind: SubscriptionKinds, of jid: BareJID) -> Bool {
    guard var echoes = echoes[jid], echoes.stanzas.contains(kind) else { return false }
    echoes.stanzas.remove(kind)
    self.echoes[jid] = echoes == Echoes() ? nil : echoes
    return true
  }

  /// A stanza of the contact, or the counterpart of one of ours, waits for its push.
  mutating func expectPush(showing kind: SubscriptionKinds, of jid: BareJID) {
    echoes[jid, default: Echoes()].pushes.insert(kind)
  }

  /// The server shows a new state: whatever stanza made it so has come already or may still come.
  mutating func noteEffects(from old: RosterItem?, to new: RosterItem, isPush: Bool) {
    // What a whole roster shows for the first time has its story before the log.
    guard isPush || old != nil else { return }
    let before = old?.subscription ?? .none
    var shown: SubscriptionKinds = []
    if new.subscription.includesTo {
      if !before.includesTo { shown.insert(.subscribed) }
    } else if before.includesTo || (old?.isPending == true && !new.isPending) {
      shown.insert(.unsubscribed)
    }
    if before.includesFrom, !new.subscription.includesFrom { shown.insert(.unsubscribe) }
    guard !shown.isEmpty else { return }
    var echoes = self.echoes[new.jid] ?? Echoes()
    echoes.stanzas.formUnion(shown.subtracting(echoes.pushes))
    echoes.pushes.subtract(shown)
    self.echoes[new.jid] = echoes == Echoes() ? nil : echoes
  }
}
