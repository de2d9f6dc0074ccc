import HashTreeCollections
import XMPPStanza

// Presence (§4). It is kept by bare address and resource, whether or not the roster has come.
extension Reduction {
  mutating func availableReceived(from: JID, _ availability: Availability) {
    if let malformed = availability.malformed {
      report(.presence(.malformed(malformed)), about: from.bare)
    }
    let name = from.resource ?? ""
    guard from.bare != roster.account else {
      ownPresenceReceived(availability, by: name)
      return
    }
    let number = roster.contacts.insert(from.bare)
    let row = roster.contacts.row(of: availability, by: name, since: stamp)
    let before = replacePresence(by: row, of: number)
    if before == nil { reportUninvited(from, number) }
    changed(
      .presence(
        from.bare, resource: name, before: before.map { roster.contacts.value(of: $0) },
        after: ResourcePresence(availability: availability, since: stamp)))
  }

  private mutating func ownPresenceReceived(_ availability: Availability, by name: String) {
    // Our own resource sees its own presence come back.
    guard !session.resource.hasSameBytes(as: name) else { return }
    let row = roster.contacts.row(of: availability, by: name, since: stamp)
    let before = roster.ownPresence.updateValue(row, forKey: row.resource)
    changed(
      .ownPresence(
        resource: name, before: before.map { roster.contacts.value(of: $0) },
        after: ResourcePresence(availability: availability, since: stamp)))
  }

  /// - Returns: What the resource said before.
  private mutating func replacePresence(
    by row: PresenceRow, of number: ContactNumber
  ) -> PresenceRow? {
    // Most contacts have one resource.
    if let before = roster.contacts.replacePresence(by: row, of: number) { return before }
    guard roster.contacts.presence(of: number) != nil else {
      roster.contacts.setPresence(row, of: number)
      return nil
    }
    return roster.contacts.updateDetails(of: number) { details in
      details.furtherResources.updateValue(row, forKey: row.resource)
    }
  }

  private mutating func reportUninvited(_ from: JID, _ number: ContactNumber) {
    guard roster.completeness == .complete else { return }
    // The push may still be on its way while the contact's presence is here already.
    guard !isSeen(number), !isAsked(number) else { return }
    report(.presence(.uninvited(from: from)), about: from.bare)
  }

  /// `unavailable` ends one resource; from a bare address it ends all of them (§4.5).
  mutating func unavailableReceived(from: JID) {
    guard from.bare != roster.account else {
      ownUnavailableReceived(from: from.resource)
      return
    }
    guard let number = roster.contacts.number(of: from.bare) else { return }
    guard let name = from.resource else {
      voidPresence(of: number)
      return
    }
    guard let before = removePresence(of: number, by: name) else { return }
    changed(
      .presence(
        from.bare, resource: name, before: roster.contacts.value(of: before), after: nil))
  }

  private mutating func ownUnavailableReceived(from name: String?) {
    guard let name else {
      voidOwnPresence()
      return
    }
    guard let resource = roster.contacts.number(of: name),
      let before = roster.ownPresence.removeValue(forKey: resource)
    else { return }
    changed(
      .ownPresence(resource: name, before: roster.contacts.value(of: before), after: nil))
  }

  /// - Returns: What the resource said before; nil where it was not available.
  private mutating func removePresence(
    of number: ContactNumber, by name: String
  ) -> PresenceRow? {
    guard let first = roster.contacts.presence(of: number),
      let resource = roster.contacts.number(of: name)
    else { return nil }
    let further = roster.contacts.furtherResources(of: number)
    guard first.resource == resource else {
      guard further[resource] != nil else { return nil }
      return roster.contacts.updateDetails(of: number) { details in
        details.furtherResources.removeValue(forKey: resource)
      }
    }
    // Another one takes its place.
    let next = further.values.first
    roster.contacts.setPresence(next, of: number)
    if let next {
      roster.contacts.updateDetails(of: number) { details in
        details.furtherResources[next.resource] = nil
      }
    }
    return first
  }

  // MARK: What voids presence

  /// Forgets a contact's presence, because we no longer receive it.
  mutating func voidPresence(of number: ContactNumber) {
    guard let first = roster.contacts.presence(of: number) else { return }
    let jid = roster.contacts.address(of: number)
    let further = roster.contacts.furtherResources(of: number)
    roster.contacts.setPresence(nil, of: number)
    guard !further.isEmpty else {
      let name = roster.contacts.text(first.resource) ?? ""
      changed(
        .presence(
          jid, resource: name, before: roster.contacts.value(of: first), after: nil))
      return
    }
    roster.contacts.updateDetails(of: number) { $0.furtherResources = [:] }
    for (name, before) in roster.contacts.resources([first] + further.values) {
      changed(.presence(jid, resource: name, before: before, after: nil))
    }
  }

  private mutating func voidOwnPresence() {
    let resources = roster.contacts.resources(roster.ownPresence.values)
    roster.ownPresence = [:]
    for (name, before) in resources {
      changed(.ownPresence(resource: name, before: before, after: nil))
    }
  }

  /// Forgets all presence: nothing tells us any more whether it holds.
  mutating func voidAllPresence() {
    let available = roster.contacts.numbers.filter { roster.contacts.presence(of: $0) != nil }
    let numbers = roster.contacts.sorted(available)
    expectChanges(numbers.count)
    for number in numbers { voidPresence(of: number) }
    voidOwnPresence()
  }

  /// Our own undirected presence: the first one of a session starts it (§4.2), an unavailable
  /// one ends what we hear of others (§4.5).
  mutating func presenceBroadcast(isAvailable: Bool) {
    guard isAvailable else {
      voidAllPresence()
      return
    }
    guard !session.sentInitialPresence else { return }
    session.sentInitialPresence = true
    doubtOldRequests()
  }
}
