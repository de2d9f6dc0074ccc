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
    note(.read, of: number)
  }

  /// Moves the read position to a message that a sign names, or does so once it is known.
  mutating func read(_ name: MessageName, in conversation: Int, at position: RecordPosition) {
    // A reused id names the newest message, and what we read is of others.
    let known = named(name, in: conversation)
    if let number = known.last(where: { !messages[$0].isOurs }) ?? known.last {
      read(upTo: number, in: conversation, at: position)
    } else {
      if all[conversation].pendingReads[name] == nil {
        all[conversation].pendingReads[name] = position.record
      }
    }
  }

  /// Something of ours that is not a message reads everything before it, such as a correction.
  mutating func read(before arrival: Arrival, in conversation: Int) {
    readThrough(arrival.time, in: conversation, at: arrival.position.record)
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

  /// Everything up to a time is read, also what arrives later.
  mutating func readThrough(_ time: Int64?, in conversation: Int, at record: UInt64) {
    guard let time, time > all[conversation].readThrough?.time ?? .min else { return }
    all[conversation].readThrough = ReadTime(time: time, record: record)
  }

  /// Applies what named a message before it was known: reads, retractions and reactions.
  mutating func applyPending(to number: Int, _ arrival: Arrival) {
    let conversation = messages[number].conversation
    // Most conversations wait for nothing.
    guard all[conversation].awaitsMessages else { return }
    let message = messages[number]
    var names: Set<MessageName> = Set(message.archiveIDs.map { .archive($0) })
    for version in message.versions {
      names.formUnion(version.archiveIDs.map { .archive($0) })
      if let id = version.id { names.insert(.id(ExactText(id))) }
      if let id = version.originID { names.insert(.originID(ExactText(id))) }
    }
    applyPendingReads(to: number, in: conversation, names)
    applyPendingSigns(to: number, in: conversation)
    applyPendingChanges(to: number, in: conversation, names)
    foldStrayCorrections(of: number, arrival)
  }

  private mutating func applyPendingReads(
    to number: Int, in conversation: Int, _ names: Set<MessageName>
  ) {
    // What we read is of others; only an archive id says whose message it names.
    let readable = names.filter { name in
      if case .archive = name { true } else { !messages[number].isOurs }
    }
    let records = readable.compactMap { all[conversation].pendingReads.removeValue(forKey: $0) }
    guard let record = records.min() else { return }
    var position = last
    position.record = record
    read(upTo: number, in: conversation, at: position)
  }

  private mutating func applyPendingChanges(
    to number: Int, in conversation: Int, _ names: Set<MessageName>
  ) {
    var retractions: [Retraction] = []
    for name in names {
      guard let pending = all[conversation].pendingRetractions[name] else { continue }
      let own = pending.filter { isRetractable(number, by: $0.author) }
      guard !own.isEmpty else { continue }
      all[conversation].pendingRetractions[name] = nil
      retractions += own.map(\.retraction)
    }
    // The names are a set, in no order.
    for retraction in retractions.sorted(by: { $0.record < $1.record }) {
      retract(number, retraction)
    }
    if !retractions.isEmpty {
      withdraw(.retractionOfUnknown, records: Set(retractions.map(\.record)))
    }
    let reactions = names.flatMap {
      all[conversation].pendingReactions.removeValue(forKey: $0) ?? []
    }
    for set in reactions.sorted(by: { $0.record < $1.record }) {
      react(to: number, set)
    }
  }

  /// Takes back findings of some records that a later record explains.
  ///
  /// Complexity: linear in the findings since the first of them.
  mutating func withdraw(_ code: ConversationFinding.Code, records: Set<UInt64>) {
    var waiting = records
    var start = findings.count
    while start > 0, !waiting.isEmpty {
      start -= 1
      if findings[start].code == code { waiting.remove(findings[start].record) }
    }
    let kept = findings[start...].filter { $0.code != code || !records.contains($0.record) }
    findings.replaceSubrange(start..., with: kept)
  }
}
