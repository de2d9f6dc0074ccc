import RawBytes
import XMPPStanza

/// What became of a correction.
enum CorrectionOutcome {
  /// It is a version of a known message.
  case version(MessageVersionID)
  /// It is an entry of its own; `isStray` if it may be folded into its message later.
  case entry(isStray: Bool)
}

// Corrections (rule 20).
extension Conversations {
  /// Reduces a stanza that corrects another message.
  mutating func correctionArrived(of id: String, _ candidate: Candidate) -> CorrectionOutcome {
    let position = candidate.arrival.position
    // A copy of an entry is found by its own names.
    guard !isKnownEntry(candidate) else { return .entry(isStray: false) }
    guard !candidate.stanza.id.hasSameBytes(as: id) else {
      report(.correctionOfUnknown, at: position, about: candidate.stanza.from)
      return .entry(isStray: false)
    }
    let named = corrected(id, candidate)
    let own = named.filter { isSender(candidate.envelope.author, of: $0) }
    guard !own.isEmpty else {
      // Across our leaving, it is not known whose correction it is.
      let isAnother =
        !named.isEmpty && !named.contains { mayBeSender(candidate.envelope.author, of: $0) }
      let code: ConversationFinding.Code =
        isAnother ? .correctionByAnother : .correctionOfUnknown
      report(code, at: position, about: candidate.stanza.from)
      return .entry(isStray: named.isEmpty)
    }
    for number in own {
      guard let version = knownVersion(of: number, candidate) else { continue }
      correctionRepeated(number, version, candidate)
      return .version(
        MessageVersionID(message: number, record: messages[number].versions[version].record))
    }
    guard let number = own.last(where: { isCorrectable($0, by: candidate) }) else {
      report(.correctionOfUnknown, at: position, about: candidate.stanza.from)
      return .entry(isStray: false)
    }
    guard messages[number].retraction == nil else {
      report(.correctionOfRetracted, at: position, about: candidate.stanza.from)
      // Others may correct it in turn.
      let ids = [candidate.stanza.id, candidate.stanza.originID].compactMap { $0 }
      if let id = candidate.stanza.id { register(id: id, of: number) }
      foldStrayCorrections(naming: ids, into: number)
      return .version(original(of: number))
    }
    guard candidate.content.encryption != nil || messages[number].current.content.encryption == nil
    else {
      report(.correctionUnencrypted, at: position, about: candidate.stanza.from)
      return .entry(isStray: false)
    }
    correct(number, candidate)
    return .version(MessageVersionID(message: number, record: position.record))
  }

  /// Whether the stanza is a copy of a correction that became an entry of its own.
  private func isKnownEntry(_ candidate: Candidate) -> Bool {
    var found: [Int] = []
    for id in candidate.archiveIDs {
      found += named(.archive(id), in: candidate.conversation)
    }
    if let id = candidate.stanza.id {
      found += named(.id(ExactText(id)), in: candidate.conversation)
    }
    return found.contains { number in
      let message = messages[number]
      return message.isCorrectionEntry && isSender(candidate.envelope.author, of: number)
        && message.versions[0].content.mayEqual(candidate.content)
    }
  }

  /// The messages that an id names: by the id of any version, else by an origin id.
  private func corrected(_ id: String, _ candidate: Candidate) -> [Int] {
    let byID = named(.id(ExactText(id)), in: candidate.conversation)
    return byID.isEmpty ? named(.originID(ExactText(id)), in: candidate.conversation) : byID
  }

  /// Whether a sender may correct a message: the type is the same, and in a room it is certainly
  /// the same occupant.
  private func isCorrectable(_ number: Int, by candidate: Candidate) -> Bool {
    let message = messages[number]
    guard message.type == candidate.stanza.type else { return false }
    guard case .occupant(let occupant) = candidate.envelope.author else { return true }
    return message.occupant.map { $0.isCertainly(occupant) } ?? false
  }

  /// The version that a copy of a correction shows again; nil for a new correction.
  private func knownVersion(of number: Int, _ candidate: Candidate) -> Int? {
    let versions = messages[number].versions
    return versions.indices.dropFirst().first { index in
      let version = versions[index]
      if version.archiveIDs.contains(where: { candidate.archiveIDs.contains($0) }) { return true }
      guard version.content.mayEqual(candidate.content) else { return false }
      if candidate.isReflection, index == versions.count - 1,
        isReflection(candidate, of: version)
      {
        return true
      }
      if let id = candidate.stanza.id { return version.id.hasSameBytes(as: id) }
      return version.id == nil && candidate.arrival.isInherentCopy
    }
  }

  /// Whether a reflection may be of a version in spite of its id, which a room may change. If what
  /// they say was left out, only one that we wrote and that still waits for it may be.
  private func isReflection(_ candidate: Candidate, of version: MessageVersion) -> Bool {
    guard version.content.isLeftOut || candidate.content.isLeftOut else { return true }
    return version.lastWritten != nil && !version.isReflected
  }

  private mutating func correctionRepeated(_ number: Int, _ version: Int, _ candidate: Candidate) {
    note(.copied(candidate.arrival.route), of: number)
    messages[number].versions[version].add(candidate.archiveIDs)
    for id in candidate.archiveIDs { register(.archive(id), of: number) }
    if messages[number].records.last != candidate.arrival.position.record {
      messages[number].records.append(candidate.arrival.position.record)
    }
    if candidate.arrival.isWritten {
      messages[number].versions[version].lastWritten = candidate.arrival.position.stamp
    }
    if candidate.isOurs, version == messages[number].versions.count - 1 {
      if candidate.arrival.isWritten {
        switch messages[number].state {
        case .unconfirmed, .failed: sentAgain(number)
        case .sent, .acknowledged, .received, .displayed: break
        }
      } else {
        raise(number, to: .acknowledged)
      }
    }
    if candidate.isReflection {
      messages[number].versions[version].isReflected = true
      reflectionReceived(of: number, candidate.arrival)
    }
    applyPending(to: number, candidate.arrival)
  }

  /// Adds a new version in the order of the versions' times.
  private mutating func correct(_ number: Int, _ candidate: Candidate) {
    let arrival = candidate.arrival
    var version = MessageVersion(
      record: arrival.position.record, time: arrival.time, id: candidate.stanza.id,
      originID: candidate.stanza.originID, content: candidate.content,
      isCopy: arrival.isInherentCopy,
      lastWritten: arrival.isWritten ? arrival.position.stamp : nil)
    version.isReflected = candidate.isReflection
    version.add(candidate.archiveIDs)
    let index = insert(version, into: number)
    note(.corrected, of: number)
    register(version, of: number)
    for id in candidate.archiveIDs { register(.archive(id), of: number) }
    messages[number].records.append(arrival.position.record)
    if index == messages[number].versions.count - 1 {
      if candidate.stanza.reply != nil { messages[number].reply = candidate.stanza.reply }
      if candidate.isOurs {
        messages[number].state = arrival.isWritten ? .sent : .acknowledged
        messages[number].error = nil
      }
      messages[number].requestsReceipt = candidate.stanza.requestsReceipt
      messages[number].hasReceipt = false
    }
    if candidate.isOurs { read(before: arrival, in: candidate.conversation) }
    applyPending(to: number, arrival)
    raiseByMarkers(number)
  }

  /// Inserts a version after those that are not later; the original is always the first.
  private mutating func insert(_ version: MessageVersion, into number: Int) -> Int {
    let versions = messages[number].versions
    var index = versions.count
    if let time = version.time {
      while index > 1, let other = versions[index - 1].time, Self.isBefore(time, other) {
        index -= 1
      }
    }
    messages[number].versions.insert(version, at: index)
    return index
  }

  /// Folds corrections that arrived before the message that they correct, as they do when an
  /// archive is read backwards.
  mutating func foldStrayCorrections(of number: Int, _ arrival: Arrival) {
    // What arrives live and at once is later than the correction.
    guard arrival.isInherentCopy else { return }
    let ids = messages[number].versions.flatMap { [$0.id, $0.originID] }.compactMap { $0 }
    foldStrayCorrections(naming: ids, into: number)
  }

  private mutating func foldStrayCorrections(naming ids: [String], into number: Int) {
    let conversation = messages[number].conversation
    let strays = Set(ids.map { ExactText($0) }).flatMap { id in
      all[conversation].strayCorrections[id, default: []].map { (number: $0, corrected: id) }
    }
    // Their numbers rise in the order in which they arrived.
    let folded = strays.sorted(by: { $0.number < $1.number }).filter { stray in
      fold(stray.number, of: stray.corrected, into: number)
    }
    // Others may name the corrections that were folded now.
    let next = folded.flatMap { messages[$0.number].versions }
      .flatMap { [$0.id, $0.originID] }.compactMap { $0 }
    if !folded.isEmpty { foldStrayCorrections(naming: next, into: number) }
  }

  /// Makes an entry a version of the message that it corrects.
  ///
  /// - Returns: Whether it may be one: both have the same sender, and what is encrypted stays so.
  private mutating func fold(_ stray: Int, of id: ExactText, into number: Int) -> Bool {
    let (message, original) = (messages[stray], messages[number])
    let isSameSender =
      message.isOurs == original.isOurs && message.type == original.type
      && (message.occupant.map { mine in original.occupant.map { mine.isCertainly($0) } ?? false }
        ?? (original.occupant == nil))
    guard isSameSender, stray != number else { return false }
    let conversation = message.conversation
    all[conversation].strayCorrections[id]?.removeAll { $0 == stray }
    if all[conversation].strayCorrections[id] == [] {
      all[conversation].strayCorrections[id] = nil
    }
    // What anyone on the way could have written does not replace what is encrypted.
    let isPlain = message.versions.contains { $0.content.encryption == nil }
    guard !isPlain || original.current.content.encryption == nil else {
      withdraw(.correctionOfUnknown, records: [message.record])
      findings.append(
        ConversationFinding(
          .correctionUnencrypted, record: message.record, contact: message.from))
      return false
    }
    all[conversation].remove(stray)
    withdraw(.correctionOfUnknown, records: [message.record])
    note(.corrected, of: number)
    // It may have been corrected itself before its message was known.
    var versions = message.versions
    versions[0].add(message.archiveIDs)
    for version in versions {
      if message.isOurs { readThrough(version.time, in: conversation, at: version.record) }
      let index = insert(version, into: number)
      register(version, of: number)
      for id in version.archiveIDs { register(.archive(id), of: number) }
      guard index == messages[number].versions.count - 1 else { continue }
      messages[number].requestsReceipt = message.requestsReceipt
      messages[number].hasReceipt = message.hasReceipt
      if message.isOurs {
        messages[number].state = message.state
        messages[number].error = message.error
      }
    }
    messages[number].records.append(contentsOf: message.records)
    messages[number].records.sort()
    raiseByMarkers(number)
    forget(stray)
    messages[stray].foldedInto = number
    return true
  }

  /// Removes an entry that was folded from the index of names.
  private mutating func forget(_ number: Int) {
    let conversation = messages[number].conversation
    awaitNoCopies(of: number)
    for name in messages[number].entryNames {
      names[NameInConversation(conversation: conversation, name: name)]?.remove(number)
      if case .id(let id) = name { ownIDs[id]?.remove(number) }
    }
  }
}

extension MessageVersion {
  mutating func add(_ ids: [ArchiveID]) {
    for id in ids where !archiveIDs.contains(id) { archiveIDs.append(id) }
  }
}
