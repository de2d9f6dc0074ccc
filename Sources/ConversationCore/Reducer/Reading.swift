import RawBytes
import XMPPStanza

// The read position of a conversation (rules 18 and 19).
extension Conversations {
  /// Moves the read position forward to a message; it never moves back.
  mutating func read(upTo number: Int, in conversation: Int, at position: RecordPosition) {
    guard let index = all[conversation].index(of: number) else { return }
    if let known = all[conversation].readTo,
      let current = all[conversation].index(of: known.message), current >= index
    {
      return
    }
    all[conversation].readTo = ReadPosition(message: number, record: position.record)
  }

  /// Moves the read position to a message that a sign names, or does so once it is known.
  mutating func read(_ name: MessageName, in conversation: Int, at position: RecordPosition) {
    // A reused id names the newest message.
    if let number = named(name, in: conversation).last {
      read(upTo: number, in: conversation, at: position)
    } else {
      all[conversation].pendingReads.append(
        PendingRead(name: name, record: position.record))
    }
  }

  /// Something of ours that is not a message reads everything before it, such as a correction.
  mutating func read(before arrival: Arrival, in conversation: Int) {
    let order = all[conversation].order
    let last: Int?
    if let time = arrival.stamp {
      last = order.last { number in
        guard let other = messages[number].time else { return false }
        return !Self.isBefore(time, other)
      }
    } else {
      last = order.last
    }
    guard let last else { return }
    read(upTo: last, in: conversation, at: arrival.position)
  }

  /// Applies what named a message before it was known: reads, retractions and reactions.
  mutating func applyPending(to number: Int, _ arrival: Arrival) {
    let conversation = messages[number].conversation
    // Most conversations wait for nothing.
    guard all[conversation].awaitsMessages else { return }
    let message = messages[number]
    var names: Set<MessageName> = Set(message.archiveIDs.map { .archive($0) })
    for version in message.versions {
      if let id = version.id { names.insert(.id(ExactText(id))) }
      if let id = version.originID { names.insert(.originID(ExactText(id))) }
    }
    applyPendingReads(to: number, in: conversation, names)
    applyPendingSigns(to: number, in: conversation, names)
    applyPendingChanges(to: number, in: conversation, names)
    foldStrayCorrections(of: number, arrival)
  }

  private mutating func applyPendingReads(
    to number: Int, in conversation: Int, _ names: Set<MessageName>
  ) {
    let pending = all[conversation].pendingReads
    guard let sign = pending.first(where: { names.contains($0.name) }) else { return }
    all[conversation].pendingReads.removeAll { names.contains($0.name) }
    var position = last
    position.record = sign.record
    read(upTo: number, in: conversation, at: position)
  }

  private mutating func applyPendingChanges(
    to number: Int, in conversation: Int, _ names: Set<MessageName>
  ) {
    for pending in all[conversation].pendingRetractions where names.contains(pending.name) {
      guard isRetractable(number, by: pending.author) else { continue }
      retract(number, pending.retraction)
      withdraw(.retractionOfUnknown, record: pending.retraction.record)
    }
    all[conversation].pendingRetractions.removeAll { names.contains($0.name) }
    for pending in all[conversation].pendingReactions where names.contains(pending.name) {
      react(to: number, pending.set)
    }
    all[conversation].pendingReactions.removeAll { names.contains($0.name) }
  }

  /// Takes back a finding that a later record explains.
  mutating func withdraw(_ code: ConversationFinding.Code, record: UInt64) {
    findings.removeAll { $0.code == code && $0.record == record }
  }
}
