import RawBytes
import XMPPStanza

// Which message a stanza is a copy of (rules 10 to 13 and 30).
extension Conversations {
  /// The known message that a stanza is another copy of; nil if it is a new one.
  mutating func match(_ candidate: Candidate) -> Int? {
    if let known = takeRepeated(candidate) { return known }
    if let known = matchByArchiveID(candidate) { return known }
    if let known = matchByOriginID(candidate) { return known }
    if let known = matchByID(candidate) { return known }
    // What a tombstone said is not known.
    guard !candidate.content.isTombstone else { return nil }
    if let known = matchDelayed(candidate) { return known }
    if candidate.isReflection, let known = matchReflection(candidate) { return known }
    return matchByContent(candidate)
  }

  /// Rule 10a.
  private func matchByArchiveID(_ candidate: Candidate) -> Int? {
    for id in candidate.archiveIDs {
      let known = named(.archive(id), in: candidate.conversation)
        .first { isSender(candidate.envelope.author, of: $0) }
      if let known { return known }
    }
    return nil
  }

  /// Rules 10b and 12.
  private mutating func matchByOriginID(_ candidate: Candidate) -> Int? {
    guard let id = candidate.stanza.originID else { return nil }
    let known = named(.originID(ExactText(id)), in: candidate.conversation)
      .filter { mayHaveSenderAndContent($0, of: candidate) }
    if let same = known.first(where: { !hasOtherArchiveID($0, candidate) }) { return same }
    guard let first = known.first else { return nil }
    report(.deliveredTwice, at: candidate.arrival.position, about: candidate.stanza.from)
    return first
  }

  /// Rules 10c and 10d.
  private func matchByID(_ candidate: Candidate) -> Int? {
    guard let id = candidate.stanza.id else { return nil }
    return named(.id(ExactText(id)), in: candidate.conversation).first { number in
      guard mayHaveSenderAndContent(number, of: candidate), !hasOtherArchiveID(number, candidate)
      else { return false }
      // A resend of ours, or its reflection.
      if candidate.isOurs, candidate.arrival.isWritten || candidate.isReflection { return true }
      return candidate.arrival.isInherentCopy
        || !messages[number].streams.contains(candidate.arrival.stream)
    }
  }

  /// Rule 30: the message that we sent and that the room, or our own server in a note to
  /// ourselves, shows to us.
  private func matchReflection(_ candidate: Candidate) -> Int? {
    let named = awaitedReflections(of: candidate.stanza, in: candidate.conversation)
      .first { messages[$0].archiveIDs.isEmpty }
    return named
      ?? all[candidate.conversation].unreflected.oldest.first {
        messages[$0].archiveIDs.isEmpty && isKnownToHaveContent($0, of: candidate)
      }
  }

  /// The messages that wait for a reflection and have the origin id of a stanza, then those that
  /// have its id.
  func awaitedReflections(of stanza: MessageStanza, in conversation: Int) -> [Int] {
    let byOriginID = stanza.originID.map { id in
      named(.originID(ExactText(id)), in: conversation)
        .filter { messages[$0].originID.hasSameBytes(as: id) }
    }
    let byID = stanza.id.map { id in
      named(.id(ExactText(id)), in: conversation).filter { messages[$0].id.hasSameBytes(as: id) }
    }
    return ((byOriginID ?? []) + (byID ?? [])).filter {
      all[conversation].unreflected.contains($0)
    }
  }

  /// The room or our server shows a message of ours to us.
  mutating func reflectionReceived(of number: Int, _ arrival: Arrival) {
    let isLive = arrival.route == .live && !arrival.isInherentCopy
    all[messages[number].conversation].unreflected.reflected(number, isLive: isLive)
  }

  /// Rule 10e: messages without ids.
  private mutating func matchByContent(_ candidate: Candidate) -> Int? {
    guard candidate.hasNoIDs else { return nil }
    return oldest(candidate, key(of: candidate)) { canBeCopies($0, candidate.arrival) }
  }

  /// Rule 10e for a message that an archive has shown, and that was delivered late without its
  /// archive id: the history of a room shows it again, or our server kept it for one of our
  /// devices while another one read the archive.
  ///
  /// The stamp of a delayed delivery is the time at which the server had the stanza (XEP-0203 §3),
  /// and so is the stamp of an archive result (XEP-0313 §4.1.1). If the server of the archive has
  /// made both, the clock is one, and different times are those of different messages. Equal times
  /// alone would not make them one (rule 11): no stream delivers a message twice, and no list of
  /// messages shows one twice, so each message is taken once for each of them. What a resumed
  /// session delivers again is found before, by its order.
  private func matchDelayed(_ candidate: Candidate) -> Int? {
    let arrival = candidate.arrival
    guard candidate.hasNoIDs, candidate.archiveIDs.isEmpty, let stamp = arrival.archiveStamp else {
      return nil
    }
    var key = key(of: candidate)
    key.second = stamp.inSeconds(whole: true)
    return oldest(candidate, key) { group in
      guard arrival.route == .history || !group.streams.contains(arrival.stream) else {
        return false
      }
      return arrival.list.map { !group.lists.contains($0) } ?? true
    }
  }

  private func key(of candidate: Candidate) -> TextsWithoutIDs.Key {
    TextsWithoutIDs.Key(
      conversation: candidate.conversation, text: candidate.content.identity,
      isOurs: candidate.isOurs, nick: candidate.envelope.occupant?.nick)
  }

  /// The oldest message of some groups that says the same as a stanza without ids.
  private func oldest(
    _ candidate: Candidate, _ key: TextsWithoutIDs.Key,
    where isAllowed: (TextsWithoutIDs.Group) -> Bool
  ) -> Int? {
    textsWithoutIDs.groups(key).filter(isAllowed)
      .compactMap { group in
        group.waiting.first {
          mayHaveSenderAndContent($0, of: candidate) && isKnownToHaveContent($0, of: candidate)
        }
      }
      .min()
  }

  /// Where a message without ids waits for copies; nil if it has ids, or only an archive id.
  private func key(of number: Int) -> TextsWithoutIDs.Key? {
    let message = messages[number]
    guard message.id == nil, message.originID == nil,
      message.archiveIDs.isEmpty || message.archiveTime != nil,
      !message.versions[0].content.isLeftOut
    else { return nil }
    return TextsWithoutIDs.Key(
      conversation: message.conversation, text: message.versions[0].content.identity,
      isOurs: message.isOurs, nick: message.occupant?.nick,
      second: message.archiveTime?.inSeconds(whole: true))
  }

  /// Lets a message without ids wait for its copies.
  mutating func awaitCopies(of number: Int) {
    guard let key = key(of: number) else { return }
    textsWithoutIDs.insert(
      number, key, streams: messages[number].streams, lists: messages[number].lists,
      isCopy: messages[number].isCopy)
  }

  /// Ends the wait of a message for its copies.
  mutating func awaitNoCopies(of number: Int) {
    guard let key = key(of: number) else { return }
    textsWithoutIDs.remove(
      number, key, streams: messages[number].streams, lists: messages[number].lists,
      isCopy: messages[number].isCopy)
  }

  /// Adds the route, the record and the archive ids of a copy.
  mutating func noteArrival(_ arrival: Arrival, of number: Int, _ archiveIDs: [ArchiveID]) {
    awaitNoCopies(of: number)
    messages[number].noteArrival(arrival)
    addArchiveIDs(archiveIDs, to: number)
    awaitCopies(of: number)
  }

  /// Whether a message has neither an id nor an origin id.
  func hasNoIDs(_ number: Int) -> Bool {
    messages[number].id == nil && messages[number].originID == nil
  }

  /// The message that we or the server send again on a resumed stream (rules 10c and 10d).
  private mutating func takeRepeated(_ candidate: Candidate) -> Int? {
    guard let list = Self.repetitions(candidate.arrival),
      let session = sessions[candidate.arrival.position.connection],
      let index = session[keyPath: list].firstIndex(where: { isRepeated($0, candidate) })
    else { return nil }
    // What is before it was not sent again, because the order is kept.
    return withSession(candidate.arrival.position.connection) { session in
      defer { session[keyPath: list].removeFirst(index + 1) }
      return session[keyPath: list][index]
    }
  }

  private static func repetitions(_ arrival: Arrival) -> WritableKeyPath<StreamSession, [Int]>? {
    switch arrival.route {
    case .live, .carbon, .history: arrival.isWritten ? \.resends : \.redeliveries
    case .archive: nil
    }
  }

  /// Whether a stanza can be a message once more, byte for byte: with the same ids, and from the
  /// same address. In a room, it is of the stay that it was of, not of the present one.
  private func isRepeated(_ number: Int, _ candidate: Candidate) -> Bool {
    let (message, stanza) = (messages[number], candidate.stanza)
    return message.conversation == candidate.conversation
      && (message.from == stanza.from || isSender(candidate.envelope.author, of: number))
      && message.id.hasSameBytes(as: stanza.id)
      && message.originID.hasSameBytes(as: stanza.originID)
      && candidate.archiveIDs.allSatisfy { message.archiveIDs.contains($0) }
      && (candidate.hasNoIDs
        ? isKnownToHaveContent(number, of: candidate) : mayHave(candidate.content, number))
  }

  /// A new message on a stream ends what its sender sends again there.
  mutating func endRepetitions(before arrival: Arrival) {
    guard let list = Self.repetitions(arrival) else { return }
    withSession(arrival.position.connection) { session in
      if !session[keyPath: list].isEmpty { session[keyPath: list] = [] }
    }
  }

  /// Whether a message without ids and an arrival can be copies of each other: one of them is an
  /// inherent copy, and they did not both arrive live on one stream, or in one list. The next
  /// session's live message with the same text is another message.
  private func canBeCopies(_ known: TextsWithoutIDs.Group, _ arrival: Arrival) -> Bool {
    if let list = arrival.list, known.lists.contains(list) { return false }
    if arrival.route != .live { return true }
    guard !known.streams.contains(arrival.stream) else { return false }
    if known.isCopy || arrival.isInherentCopy { return true }
    // Both devices receive what goes to the bare address, if both sessions are open.
    return !arrival.isWritten
      && known.streams.contains { stream in
        sessions[stream.connection].map { $0.stream == stream && $0.isAlive } ?? false
      }
  }

  // MARK: Comparing

  /// Whether a message can be a copy of a stanza by its sender and its content (rule 10).
  private func mayHaveSenderAndContent(_ number: Int, of candidate: Candidate) -> Bool {
    isSender(candidate.envelope.author, of: number) && mayHave(candidate.content, number)
  }

  /// Whether one of the versions of a message has a content, or may have it.
  private func mayHave(_ content: MessageContent, _ number: Int) -> Bool {
    messages[number].versions.contains { $0.content.mayEqual(content) }
  }

  /// Whether a message is known to have the content of a stanza, which has no ids that show it. If
  /// what they say was left out, both are messages of their own.
  private func isKnownToHaveContent(_ number: Int, of candidate: Candidate) -> Bool {
    !candidate.content.isLeftOut && !messages[number].versions[0].content.isLeftOut
      && mayHave(candidate.content, number)
  }

  /// Whether a message can be from a sender (rule 10).
  func isSender(_ author: Author, of number: Int) -> Bool {
    let message = messages[number]
    return switch author {
    case .us: message.isOurs
    case .them: !message.isOurs
    case .room: !message.isOurs && message.occupant == nil
    case .occupant(let occupant): message.occupant.map { $0.canBe(occupant) } ?? false
    }
  }

  /// Whether nothing shows that a sender did not send a message (rules 20 and 21).
  func mayBeSender(_ author: Author, of number: Int) -> Bool {
    guard case .occupant(let occupant) = author else { return isSender(author, of: number) }
    return messages[number].occupant.map { $0.mayBe(occupant) } ?? false
  }

  /// Whether an archive gave both different ids.
  private func hasOtherArchiveID(_ number: Int, _ candidate: Candidate) -> Bool {
    candidate.archiveIDs.contains { id in
      let own = messages[number].archiveIDs.filter { $0.archive == id.archive }
      return !own.isEmpty && !own.contains(id)
    }
  }

  // MARK: Adding a copy (rule 13)

  /// Adds what a copy shows to its message.
  mutating func copyArrived(of number: Int, _ candidate: Candidate) {
    let arrival = candidate.arrival
    let isNewReflection = candidate.isReflection && !messages[number].isReflected
    note(.copied(arrival.route), of: number)
    // The state is that of the last version; this is a copy of the first one.
    let isCurrent = messages[number].versions.count == 1
    if arrival.isWritten { messages[number].versions[0].lastWritten = arrival.position.stamp }
    if arrival.isWritten, isCurrent { writtenAgain(number, candidate) }
    noteArrival(arrival, of: number, candidate.archiveIDs)
    if let id = candidate.stanza.id { register(id: id, of: number) }
    if let id = candidate.stanza.originID { register(.originID(ExactText(id)), of: number) }
    if !candidate.forgedIDs.isEmpty, messages[number].forgedArchiveIDs.isEmpty,
      arrival.archived == nil
    {
      messages[number].forgedArchiveIDs = candidate.forgedIDs
      report(.archiveIDForged, at: arrival.position, about: candidate.stanza.from)
    }
    if messages[number].time == nil, let time = arrival.stamp {
      messages[number].time = time
      messages[number].isStamped = true
    }
    if candidate.isOurs, !arrival.isWritten, isCurrent { raise(number, to: .acknowledged) }
    if isNewReflection { reflected(number, arrival) }
    if arrival.archived != nil { placeCopy(number, arrival) }
    applyPending(to: number, arrival)
  }

  /// Rule 30: the message takes the time of its reflection, and its place.
  private mutating func reflected(_ number: Int, _ arrival: Arrival) {
    messages[number].isReflected = true
    reflectionReceived(of: number, arrival)
    guard all[messages[number].conversation].key.kind == .group, arrival.archived == nil,
      let time = arrival.time
    else { return }
    messages[number].time = time
    messages[number].isStamped = arrival.stamp != nil
    place(number, arrival)
  }

  /// A resend: the state begins again, unless a sign above it was seen (rule 14).
  private mutating func writtenAgain(_ number: Int, _ candidate: Candidate) {
    let arrival = candidate.arrival
    switch messages[number].state {
    case .unconfirmed, .failed: sentAgain(number)
    case .sent, .acknowledged, .received, .displayed: break
    }
    let written = messages[number].writtenStreams
    guard !written.isEmpty, !written.contains(arrival.stream) else { return }
    report(.sentAgain, at: arrival.position, about: candidate.stanza.to)
  }
}

extension Conversations {
  /// A message of ours that failed or is in doubt is on its way again (rule 14).
  mutating func sentAgain(_ number: Int) {
    messages[number].state = .sent
    messages[number].error = nil
    note(.state(.sent), of: number)
  }
}

extension Message {
  /// Notes a list that shows it. A session never goes back to an earlier history.
  mutating func add(_ list: MessageList?) {
    guard let list, !lists.contains(list) else { return }
    lists.removeAll { list.follows($0) }
    lists.append(list)
  }

  /// Adds the route and the record of a copy.
  fileprivate mutating func noteArrival(_ arrival: Arrival) {
    if !routes.contains(arrival.route) { routes.append(arrival.route) }
    if arrival.route == .live, !streams.contains(arrival.stream) { streams.append(arrival.stream) }
    add(arrival.list)
    if arrival.isWritten, !writtenStreams.contains(arrival.stream) {
      writtenStreams.append(arrival.stream)
    }
    if records.last != arrival.position.record { records.append(arrival.position.record) }
    if arrival.archived != nil { archiveTime = archiveTime ?? arrival.stamp }
    if arrivals.last != arrival.position.record { arrivals.append(arrival.position.record) }
  }
}
