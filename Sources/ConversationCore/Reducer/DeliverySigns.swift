import RawBytes
import XMPPStanza

// The state of messages of ours (rules 14 to 17).
extension Conversations {
  /// Raises the state of a message of ours; it never falls. Any sign reverts a failure or a doubt.
  mutating func raise(_ number: Int, to state: DeliveryState) {
    guard messages[number].isOurs else { return }
    switch messages[number].state {
    // The server had it before it failed elsewhere; only the recipient clears a failure.
    case .failed where state.rank < DeliveryState.received.rank: return
    case .failed, .unconfirmed, .sent, .acknowledged, .received, .displayed: break
    }
    guard state.rank > messages[number].state.rank else { return }
    messages[number].state = state
    messages[number].error = nil
  }

  // MARK: Receipts (rule 16)

  mutating func receiptReceived(
    _ id: String, _ stanza: MessageStanza, _ envelope: Envelope, _ arrival: Arrival
  ) {
    let (key, position) = (envelope.key, arrival.position)
    // In rooms, receipts mean nothing.
    guard key.kind != .group else { return }
    guard !envelope.isOurs else {
      if firstReceipts[key.jid.bare] == nil { firstReceipts[key.jid.bare] = position.record }
      return
    }
    if let number = own(.id(ExactText(id)), in: key) { return receipted(number, id) }
    guard let others = ownIDs[ExactText(id)], !others.isEmpty else {
      guard !otherSentIDs.contains(ExactText(id)) else { return }
      report(.receiptOfUnknown, at: position, about: stanza.from)
      all[number(of: key)].pendingSigns.append(
        PendingSign(name: .id(ExactText(id)), marker: nil, record: position.record))
      return
    }
    let isOccupant = others.contains { number in
      let conversation = all[messages[number].conversation].key
      return conversation.kind == .group && conversation.jid.bare == key.jid.bare
    }
    if !isOccupant { report(.receiptByAnother, at: position, about: stanza.from) }
  }

  /// A receipt names one version; that of an earlier one says nothing about a correction.
  private mutating func receipted(_ number: Int, _ id: String) {
    messages[number].hasReceipt = true
    let isCurrent =
      messages[number].versions.count == 1 || messages[number].current.id.hasSameBytes(as: id)
    if isCurrent { raise(number, to: .received) }
  }

  /// Applies receipts and markers that arrived before their message, as they do when an archive is
  /// read backwards.
  mutating func applyPendingSigns(
    to number: Int, in conversation: Int, _ names: Set<MessageName>
  ) {
    for pending in all[conversation].pendingSigns where names.contains(pending.name) {
      if let marker = pending.marker {
        cover(upTo: number, in: conversation, marker)
      } else if messages[number].isOurs, case .id(let id) = pending.name {
        receipted(number, id.text)
        withdraw(.receiptOfUnknown, record: pending.record)
      }
    }
    all[conversation].pendingSigns.removeAll { names.contains($0.name) }
  }

  /// The newest message of ours with a name in a conversation.
  private func own(_ name: MessageName, in key: ConversationKey) -> Int? {
    guard let conversation = byKey[key] else { return nil }
    return named(name, in: conversation).last { messages[$0].isOurs }
  }

  // MARK: Markers (rules 17 and 18)

  mutating func markerReceived(
    _ marker: MessageStanza.Marker, _ stanza: MessageStanza, _ envelope: Envelope,
    _ arrival: Arrival
  ) {
    let (key, position) = (envelope.key, arrival.position)
    if key.kind == .group { return roomMarkerReceived(marker, envelope, position) }
    guard !envelope.isOurs else {
      if marker.kind == .displayed {
        read(.id(ExactText(marker.id)), in: number(of: key), at: position)
      }
      return
    }
    if let conversation = byKey[key],
      let number = named(.id(ExactText(marker.id)), in: conversation).last
        ?? named(.originID(ExactText(marker.id)), in: conversation).last
    {
      cover(upTo: number, in: conversation, marker.kind)
      return
    }
    guard let others = ownIDs[ExactText(marker.id)], !others.isEmpty else {
      all[number(of: key)].pendingSigns.append(
        PendingSign(
          name: .id(ExactText(marker.id)), marker: marker.kind, record: position.record))
      return
    }
    let isOccupant = others.contains { number in
      let conversation = all[messages[number].conversation].key
      return conversation.kind == .group && conversation.jid.bare == key.jid.bare
    }
    if !isOccupant { report(.markerByAnother, at: position, about: stanza.from) }
  }

  /// A marker covers the message that it names, and all of ours before it.
  private mutating func cover(
    upTo number: Int, in conversation: Int, _ kind: MessageStanza.Marker.Kind
  ) {
    guard let last = all[conversation].index(of: number) else { return }
    let state: DeliveryState
    let earlier: Int?
    switch kind {
    case .received: (state, earlier) = (.received, all[conversation].markedReceived)
    case .displayed: (state, earlier) = (.displayed, all[conversation].markedDisplayed)
    }
    // An earlier marker has covered what is before its message.
    let first = earlier.flatMap { all[conversation].index(of: $0) } ?? 0
    if first <= last {
      for covered in all[conversation].order[first...last] where messages[covered].isOurs {
        // A failed message was not among those that arrived, unless the marker names it.
        if covered != number, messages[covered].state == .failed { continue }
        raise(covered, to: state)
      }
      switch kind {
      case .received: all[conversation].markedReceived = number
      case .displayed: all[conversation].markedDisplayed = number
      }
    } else {
      raise(number, to: state)
    }
  }

  /// A message of ours that a late copy shows first may be before what was marked.
  mutating func raiseByEarlierMarkers(_ number: Int) {
    let conversation = all[messages[number].conversation]
    guard let index = conversation.index(of: number), index < conversation.order.count - 1 else {
      return
    }
    if let marked = conversation.markedReceived.flatMap({ conversation.index(of: $0) }),
      index < marked
    {
      raise(number, to: .received)
    }
    if let marked = conversation.markedDisplayed.flatMap({ conversation.index(of: $0) }),
      index < marked
    {
      raise(number, to: .displayed)
    }
  }

  private mutating func roomMarkerReceived(
    _ marker: MessageStanza.Marker, _ envelope: Envelope, _ position: RecordPosition
  ) {
    guard marker.kind == .displayed else { return }
    let conversation = number(of: envelope.key)
    // What another occupant displayed changes no state.
    guard envelope.isOurs else { return }
    let names: [MessageName] = [
      .archive(ArchiveID(marker.id, in: envelope.key.jid.bare)), .id(ExactText(marker.id)),
      .originID(ExactText(marker.id)),
    ]
    if let known = newest(named: names, in: conversation) {
      read(upTo: known, in: conversation, at: position)
    } else {
      read(names[0], in: conversation, at: position)
    }
  }

  // MARK: Errors (rule 15)

  mutating func errorReceived(
    _ stanza: MessageStanza, _ envelope: Envelope, _ arrival: Arrival
  ) {
    guard let id = stanza.id else { return }
    let text = ExactText(id)
    let failed = (ownIDs[text] ?? []).last { number in
      errorCounts(from: stanza.from, for: all[messages[number].conversation].key)
    }
    guard let failed else {
      if !otherSentIDs.contains(text) {
        report(.errorOfUnknown, at: arrival.position, about: stanza.from)
      }
      return
    }
    // An error of an earlier version says nothing about the one that replaced it.
    guard messages[failed].versions.count == 1 || messages[failed].current.id.hasSameBytes(as: id)
    else { return }
    switch messages[failed].state {
    case .received, .displayed:
      report(.errorAfterDelivery, at: arrival.position, about: stanza.from)
    case .sent, .acknowledged, .unconfirmed:
      messages[failed].state = .failed
      messages[failed].error = stanza.error ?? "undefined-condition"
    case .failed: break
    }
    if messages[failed].records.last != arrival.position.record {
      messages[failed].records.append(arrival.position.record)
    }
  }

  /// Whether an address may say that a message to a conversation failed: the one that it went to,
  /// our server, or the room.
  private func errorCounts(from: JID?, for key: ConversationKey) -> Bool {
    guard let from else { return true }
    if isOwnBare(from) || isOwnServer(from) { return true }
    if key.kind == .private, from.resource != nil { return from == key.jid }
    return from.bare == key.jid.bare
  }
}
