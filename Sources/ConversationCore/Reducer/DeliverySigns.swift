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
    note(.state(state), of: number)
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
    let others = ownIDs[ExactText(id)]?.numbers ?? []
    guard !others.isEmpty else {
      guard !otherSentIDs.contains(ExactText(id)) else { return }
      report(.receiptOfUnknown, at: position, about: stanza.from)
      all[number(of: key)].pendingSigns[.id(ExactText(id)), default: []].append(
        PendingSign(kind: .receipt, position: position, time: arrival.time, sender: stanza.from))
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

  /// Applies receipts, markers and errors that arrived before their message, as they do when an
  /// archive is read backwards. What the log shows live first was sent after them.
  mutating func applyPendingSigns(to number: Int, in conversation: Int) {
    // The other party may count its ids as we do; its signs are for what we sent.
    guard messages[number].isOurs else { return }
    for version in messages[number].versions where version.isCopy {
      guard let id = version.id,
        let signs = all[conversation].pendingSigns.removeValue(forKey: .id(ExactText(id)))
      else { continue }
      var (receipts, errors): (Set<UInt64>, Set<UInt64>) = ([], [])
      for sign in signs {
        switch sign.kind {
        case .receipt:
          receipts.insert(sign.position.record)
          receipted(number, id)
        case .marker(let marker): cover(upTo: number, in: conversation, marker, at: sign.time)
        case .error(let condition):
          errors.insert(sign.position.record)
          failed(number, id, condition, at: sign.position, sign.sender)
        }
      }
      withdraw(.receiptOfUnknown, records: receipts)
      withdraw(.errorOfUnknown, records: errors)
    }
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
    if let conversation = byKey[key], let number = marked(marker.id, in: conversation) {
      cover(upTo: number, in: conversation, marker.kind, at: arrival.time)
      return
    }
    let others = ownIDs[ExactText(marker.id)]?.numbers ?? []
    guard !others.isEmpty else {
      all[number(of: key)].pendingSigns[.id(ExactText(marker.id)), default: []].append(
        PendingSign(
          kind: .marker(marker.kind), position: position, time: arrival.time, sender: stanza.from))
      return
    }
    let isOccupant = others.contains { number in
      let conversation = all[messages[number].conversation].key
      return conversation.kind == .group && conversation.jid.bare == key.jid.bare
    }
    if !isOccupant { report(.markerByAnother, at: position, about: stanza.from) }
  }

  /// The newest message that a marker of the other party names: of ours, if one has the id.
  private func marked(_ id: String, in conversation: Int) -> Int? {
    let known = known(
      by: [.id(ExactText(id)), .originID(ExactText(id))], in: conversation)
    return known.last { messages[$0].isOurs } ?? known.last
  }

  /// A marker covers the message that it names, and all of ours before it. It says nothing about a
  /// correction that was written after it.
  private mutating func cover(
    upTo number: Int, in conversation: Int, _ kind: MessageStanza.Marker.Kind, at time: Int64?
  ) {
    let shown = all[conversation]
    guard let last = shown.index(of: number) else { return }
    let marks = kind.marks
    // An earlier marker has covered what is before its message, if it was not corrected since.
    var covered = shown[keyPath: marks].corrected.sorted().filter { number in
      shown.index(of: number).map { $0 <= last } ?? false
    }
    let first = shown[keyPath: marks].marks.compactMap { shown.index(of: $0.message) }.max()
    if let first, first > last {
      covered.append(number)
    } else {
      covered += shown.order[(first ?? 0)...last]
    }
    let mark = Marks.Mark(message: number, time: time, mayMove: messages[number].isSentAgain)
    all[conversation][keyPath: marks].insert(mark) { shown.index(of: $0) }
    for other in covered where messages[other].isOurs {
      // A failed message was not among those that arrived, unless the marker names it.
      if other != number, messages[other].state == .failed { continue }
      if let time, messages[other].isCorrected(after: time) {
        all[conversation][keyPath: marks].corrected.insert(other)
      } else {
        all[conversation][keyPath: marks].corrected.remove(other)
        raise(other, to: kind.state)
      }
    }
  }

  /// A message of ours was corrected, or a late copy shows it first: the markers that cover its
  /// place count if they are not older than its correction.
  mutating func raiseByMarkers(_ number: Int) {
    let conversation = messages[number].conversation
    let shown = all[conversation]
    guard messages[number].isOurs, let index = shown.index(of: number) else { return }
    for kind in [MessageStanza.Marker.Kind.received, .displayed] {
      let covering = shown[keyPath: kind.marks].marks.filter { mark in
        shown.index(of: mark.message).map { $0 >= index } ?? false
      }
      guard !covering.isEmpty else { continue }
      // A failed message was not among those that arrived, unless a marker names it.
      let isFailed = messages[number].state == .failed
      if isFailed, !covering.contains(where: { $0.message == number }) { continue }
      if covering.contains(where: { !messages[number].isCorrected(after: $0.time) }) {
        raise(number, to: kind.state)
      } else {
        all[conversation][keyPath: kind.marks].corrected.insert(number)
      }
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
    let number = ownIDs[text]?.numbers.last { number in
      errorCounts(from: stanza.from, for: all[messages[number].conversation].key)
    }
    let condition = stanza.error ?? "undefined-condition"
    if let number { return failed(number, id, condition, at: arrival.position, stanza.from) }
    guard !otherSentIDs.contains(text) else { return }
    report(.errorOfUnknown, at: arrival.position, about: stanza.from)
    guard let conversation = byKey[envelope.key] else { return }
    all[conversation].pendingSigns[.id(text), default: []].append(
      PendingSign(
        kind: .error(condition), position: arrival.position, time: arrival.time,
        sender: stanza.from))
  }

  /// An error says that a stanza of a message failed.
  private mutating func failed(
    _ number: Int, _ id: String, _ condition: String, at position: RecordPosition, _ sender: JID?
  ) {
    // An error of an earlier version says nothing about the one that replaced it.
    guard messages[number].versions.count == 1 || messages[number].current.id.hasSameBytes(as: id)
    else { return }
    switch messages[number].state {
    case .received, .displayed: report(.errorAfterDelivery, at: position, about: sender)
    case .sent, .acknowledged, .unconfirmed:
      messages[number].state = .failed
      messages[number].error = condition
      note(.state(.failed), of: number)
    case .failed: break
    }
    if messages[number].records.last != position.record {
      messages[number].records.append(position.record)
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

extension MessageStanza.Marker.Kind {
  fileprivate var state: DeliveryState {
    switch self {
    case .received: .received
    case .displayed: .displayed
    }
  }

  fileprivate var marks: WritableKeyPath<Conversation, Marks> {
    switch self {
    case .received: \.markedReceived
    case .displayed: \.markedDisplayed
    }
  }
}

extension Message {
  /// Whether its current version is a correction from after a time. A time that is not known is
  /// before any correction.
  fileprivate func isCorrected(after time: Int64?) -> Bool {
    guard versions.count > 1 else { return false }
    guard let time else { return true }
    return current.time.map { Conversations.isBefore(time, $0) } ?? false
  }
}
