import RawBytes
import XMPPStanza

/// A stanza with content that may be a copy of a known message.
struct Candidate: Sendable {
  var conversation: Int
  var envelope: Envelope
  var stanza: MessageStanza
  var content: MessageContent
  var arrival: Arrival
  /// The archive ids that count (rule 8).
  var archiveIDs: [ArchiveID] = []
  /// Ids that claim to be from our archive, before another one.
  var forgedIDs: [String] = []

  var isOurs: Bool { envelope.isOurs }
  var hasNoIDs: Bool { stanza.id == nil && stanza.originID == nil }

  /// Whether the room or our server shows a message of ours to us.
  var isReflection: Bool {
    guard isOurs, !arrival.isWritten else { return false }
    switch arrival.route {
    case .live, .history: return true
    case .carbon: return false
    case .archive: return envelope.key.kind == .group
    }
  }
}

extension Conversations {
  /// Reduces a stanza with content: a correction, a copy, or a new message.
  mutating func contentArrived(
    _ content: MessageContent, _ stanza: MessageStanza, _ envelope: Envelope, _ arrival: Arrival
  ) -> MessageVersionID {
    let conversation = number(of: envelope.key)
    var candidate = Candidate(
      conversation: conversation, envelope: envelope, stanza: stanza, content: content,
      arrival: arrival)
    candidate.content.complete(with: slots, bits, record: arrival.position.record)
    (candidate.archiveIDs, candidate.forgedIDs) = archiveIDs(of: stanza, envelope.key, arrival)
    var isStrayCorrection = false
    if let corrected = stanza.correctedID {
      switch correctionArrived(of: corrected, candidate) {
      case .version(let version): return version
      case .entry(let isStray): isStrayCorrection = isStray
      }
    }
    if let known = match(candidate) {
      copyArrived(of: known, candidate)
      return original(of: known)
    }
    let number = begin(candidate, isStrayCorrection: isStrayCorrection)
    return original(of: number)
  }

  /// The first version of a message.
  func original(of number: Int) -> MessageVersionID {
    MessageVersionID(message: number, record: messages[number].versions[0].record)
  }

  /// The number of a conversation, which is begun if it is new.
  mutating func number(of key: ConversationKey) -> Int {
    if let known = byKey[key] { return known }
    all.append(Conversation(key: key))
    byKey[key] = all.count - 1
    return all.count - 1
  }

  // MARK: Archive ids (rule 8)

  /// The archive ids of a stanza that count, and those that claim to be from the same archive.
  func archiveIDs(
    of stanza: MessageStanza, _ key: ConversationKey, _ arrival: Arrival
  ) -> (own: [ArchiveID], forged: [String]) {
    // A server adds ids to what it passes on, not to what we write.
    guard !arrival.isWritten else { return ([], []) }
    let archive = key.kind == .group ? key.jid.bare : account
    let trusted = stanza.stanzaIDs.filter { $0.archive == archive }
    guard let place = arrival.archived else {
      guard let last = trusted.last else { return ([], []) }
      return ([last], trusted.filter { $0 != last }.map(\.id.text))
    }
    // The archive's own id is the right one, whatever the message has inside.
    guard place.id.archive == archive else {
      return ([place.id] + (trusted.last.map { [$0] } ?? []), [])
    }
    return ([place.id], trusted.filter { $0 != place.id }.map(\.id.text))
  }

  // MARK: A new message

  private mutating func begin(_ candidate: Candidate, isStrayCorrection: Bool) -> Int {
    let (stanza, arrival, envelope) = (candidate.stanza, candidate.arrival, candidate.envelope)
    endRepetitions(before: arrival)
    reportReusedID(candidate)
    if !candidate.forgedIDs.isEmpty {
      report(.archiveIDForged, at: arrival.position, about: stanza.from)
    }
    let version = MessageVersion(
      record: arrival.position.record, time: arrival.time, id: stanza.id,
      originID: stanza.originID, content: candidate.content, isCopy: arrival.isInherentCopy,
      lastWritten: arrival.isWritten ? arrival.position.stamp : nil)
    var message = Message(
      conversation: candidate.conversation, record: arrival.position.record,
      isOurs: candidate.isOurs, from: stanza.from, occupant: envelope.occupant,
      nick: envelope.nick, type: stanza.type, isInvitation: stanza.invitation != nil,
      versions: [version], subject: stanza.subject, thread: stanza.thread, time: arrival.time,
      isStamped: arrival.stamp != nil, records: [arrival.position.record],
      arrivals: [arrival.position.record])
    message.archiveTime = arrival.archived == nil ? nil : arrival.stamp
    message.forgedArchiveIDs = candidate.forgedIDs
    message.routes = [arrival.route]
    if arrival.route == .live { message.streams = [arrival.stream] }
    message.add(arrival.list)
    if arrival.isWritten { message.writtenStreams = [arrival.stream] }
    message.state = arrival.isWritten ? .sent : .acknowledged
    message.isReflected = candidate.isReflection
    message.requestsReceipt = stanza.requestsReceipt
    message.isUnstored = stanza.isUnstored
    message.reply = stanza.reply
    message.isCorrectionEntry = stanza.correctedID != nil
    message.isFromBeforeJoin = isFromBeforeJoin(candidate)
    messages.append(message)
    let number = messages.count - 1
    note(.began, of: number)
    addArchiveIDs(candidate.archiveIDs, to: number)
    register(version, of: number)
    awaitCopies(of: number)
    if arrival.isWritten, isShownAgain(envelope.key) {
      all[candidate.conversation].unreflected.append(number)
    }
    place(number, arrival)
    applyPending(to: number, arrival)
    if isStrayCorrection, let corrects = stanza.correctedID {
      all[candidate.conversation].strayCorrections[ExactText(corrects), default: []].append(number)
    }
    if candidate.isOurs {
      if number != all[candidate.conversation].order.last { raiseByMarkers(number) }
      read(upTo: number, in: candidate.conversation, at: arrival.position)
    }
    return number
  }

  /// Rule 12: two live messages on one stream with one id.
  private mutating func reportReusedID(_ candidate: Candidate) {
    let (stanza, arrival) = (candidate.stanza, candidate.arrival)
    guard let id = stanza.id, stanza.originID == nil, arrival.route == .live,
      !arrival.isInherentCopy
    else { return }
    let isReused = named(.id(ExactText(id)), in: candidate.conversation).contains { number in
      let known = messages[number]
      return known.streams.contains(arrival.stream) && known.originID == nil
        && isSender(candidate.envelope.author, of: number)
    }
    if isReused { report(.idReused, at: arrival.position, about: stanza.from) }
  }

  /// Rule 19: whether only the room's history or archive brings a message from before our first
  /// join in this log.
  private func isFromBeforeJoin(_ candidate: Candidate) -> Bool {
    guard candidate.envelope.key.kind == .group else { return false }
    switch candidate.arrival.route {
    case .live, .carbon: return false
    case .history, .archive: break
    }
    guard let room = rooms[candidate.envelope.key.jid.bare], let join = room.firstJoin else {
      return true
    }
    if let time = candidate.arrival.stamp, let joined = join.time {
      return time.inSeconds(whole: true) <= joined.inSeconds(whole: true)
    }
    return room.joins <= 1
  }

  // MARK: The index of names

  /// The messages of a conversation that have a name, oldest first.
  func named(_ name: MessageName, in conversation: Int) -> [Int] {
    names[NameInConversation(conversation: conversation, name: name)]?.numbers ?? []
  }

  /// The messages with the first of several names that any has.
  func known(by names: [MessageName], in conversation: Int) -> [Int] {
    for name in names {
      let known = named(name, in: conversation)
      if !known.isEmpty { return known }
    }
    return []
  }

  /// The newest message with the first of several names that any has.
  func newest(named names: [MessageName], in conversation: Int) -> Int? {
    known(by: names, in: conversation).last
  }

  /// The first message of a sender that has one of several names.
  func first(named names: [MessageName], in conversation: Int, by author: Author) -> Int? {
    for name in names {
      let known = named(name, in: conversation).first { isSender(author, of: $0) }
      if let known { return known }
    }
    return nil
  }

  mutating func register(_ name: MessageName, of number: Int) {
    let key = NameInConversation(conversation: messages[number].conversation, name: name)
    names[key, default: NamedMessages()].insert(number)
    if messages[number].isCorrectionEntry { messages[number].entryNames.insert(name) }
  }

  /// Adds the ids of a version to the index, and the bytes that it lacks.
  mutating func register(_ version: MessageVersion, of number: Int) {
    if let id = version.id { register(id: id, of: number) }
    if let id = version.originID { register(.originID(ExactText(id)), of: number) }
    for attachment in version.content.attachments where !attachment.isInLog {
      guard let contentID = attachment.contentID else { continue }
      lackingBits[ExactText(contentID), default: NamedMessages()].insert(number)
    }
  }

  /// Whether the server shows what we write to a conversation to us: a room does, and so does our
  /// own account.
  private func isShownAgain(_ key: ConversationKey) -> Bool {
    switch key.kind {
    case .group: true
    case .chat: key.jid.bare == account
    case .private: false
    }
  }

  mutating func register(id: String, of number: Int) {
    register(.id(ExactText(id)), of: number)
    guard messages[number].isOurs else { return }
    ownIDs[ExactText(id), default: NamedMessages()].insert(number)
  }

  /// Adds archive ids that count to a message.
  mutating func addArchiveIDs(_ ids: [ArchiveID], to number: Int) {
    for id in ids where !messages[number].archiveIDs.contains(id) {
      messages[number].archiveIDs.append(id)
      register(.archive(id), of: number)
    }
  }
}

extension Int64 {
  /// The time in milliseconds, or cut to whole seconds for a comparison with a stamp that has only
  /// those.
  func inSeconds(whole: Bool) -> Int64 { whole ? self - (self % 1000 + 1000) % 1000 : self }

  /// Whether the time has no fraction of a second.
  var isWholeSecond: Bool { self % 1000 == 0 }
}

extension MessageContent {
  /// Adds to files what our upload slots and answers about bytes say (rules 26 and 27).
  mutating func complete(
    with slots: [ExactText: UploadSlot], _ bits: [ExactText: Attachment], record: UInt64
  ) {
    for index in attachments.indices {
      if let id = attachments[index].contentID, !attachments[index].isInLog,
        let known = bits[ExactText(id)]
      {
        attachments[index] = known
        continue
      }
      if attachments[index].isInLog { attachments[index].record = record }
      guard let url = attachments[index].url, let slot = slots[ExactText(url)] else { continue }
      attachments[index].add(slot)
    }
  }
}

extension Attachment {
  /// Adds what the request for the slot said, where the message says nothing.
  mutating func add(_ slot: UploadSlot) {
    name = name ?? slot.name
    size = size ?? slot.size
    guard mediaType == nil, let type = slot.mediaType else { return }
    mediaType = type
    kind = MediaKind(ofMediaType: type)
  }
}
