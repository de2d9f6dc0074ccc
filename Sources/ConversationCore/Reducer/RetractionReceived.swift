import RawBytes
import XMPPStanza

// Retractions and further sources (rules 21 and 26).
extension Conversations {
  /// Reduces a retraction by a sender, or a moderation by a room.
  mutating func retractionReceived(
    _ request: MessageStanza.RetractionRequest, _ stanza: MessageStanza, _ envelope: Envelope,
    _ arrival: Arrival
  ) {
    let conversation = number(of: envelope.key)
    let names = names(request.id, in: envelope.key)
    let position = arrival.position
    let retraction = Retraction(
      record: position.record, by: request.isModeration ? request.by : nil,
      reason: request.isModeration ? request.reason : nil)
    if envelope.isOurs, !isCopy(["retraction", request.id], stanza, envelope, arrival) {
      read(before: arrival, in: conversation)
    }
    let known = known(by: names, in: conversation)
    // Only the room itself moderates.
    let isMisused = request.isModeration && !isRoom(envelope.author)
    guard !known.isEmpty else {
      report(.retractionOfUnknown, at: position, about: stanza.from)
      guard !isMisused else { return }
      for name in names {
        all[conversation].pendingRetractions[name, default: []].append(
          PendingRetraction(author: envelope.author, retraction: retraction))
      }
      return
    }
    guard !isMisused, let number = known.last(where: { isRetractable($0, by: envelope.author) })
    else {
      report(.retractionByAnother, at: position, about: stanza.from)
      return
    }
    retract(number, retraction)
  }

  private func isRoom(_ author: Author) -> Bool {
    if case .room = author { true } else { false }
  }

  /// The names by which changes refer to a message: the room's archive id in a room, else the id or
  /// the origin id.
  func names(_ id: String, in key: ConversationKey) -> [MessageName] {
    switch key.kind {
    case .group: [.archive(ArchiveID(id, in: key.jid.bare))]
    case .chat, .private: [.id(ExactText(id)), .originID(ExactText(id))]
    }
  }

  /// Whether an author may retract a message: its sender, as far as anything shows, or the room.
  func isRetractable(_ number: Int, by author: Author) -> Bool {
    isRoom(author) || mayBeSender(author, of: number)
  }

  /// Retracts a message; the first retraction counts.
  mutating func retract(_ number: Int, _ retraction: Retraction) {
    if messages[number].retraction == nil {
      messages[number].retraction = retraction
      note(.retracted, of: number)
    }
    if messages[number].records.last != retraction.record {
      messages[number].records.append(retraction.record)
    }
  }

  /// Reduces what an archive keeps instead of a retracted message: a retracted entry.
  mutating func tombstoneReceived(
    _ request: MessageStanza.RetractionRequest, _ stanza: MessageStanza, _ envelope: Envelope,
    _ arrival: Arrival
  ) -> MessageVersionID {
    var content = MessageContent()
    content.isTombstone = true
    var stanza = stanza
    stanza.correctedID = nil
    let retraction = Retraction(
      record: arrival.position.record, by: request.isModeration ? request.by : nil,
      reason: request.isModeration ? request.reason : nil)
    let number = contentArrived(content, stanza, envelope, arrival)
    retract(number.message, retraction)
    return number
  }

  // MARK: Further sources (rule 26)

  mutating func sourcesReceived(_ sources: MessageStanza.FurtherSources, _ envelope: Envelope) {
    guard let conversation = byKey[envelope.key] else { return }
    // In a room, too, a sender may name the stanza's own id.
    let id = ExactText(sources.message)
    let names = names(sources.message, in: envelope.key) + [.id(id), .originID(id)]
    let known = first(named: names, in: conversation, by: envelope.author)
    guard let known else { return }
    let version = messages[known].versions.count - 1
    let attachments = messages[known].versions[version].content.attachments
    let file: Int? =
      if let id = sources.file {
        attachments.firstIndex { $0.id.hasSameBytes(as: id) }
      } else {
        // Sources that name no file belong to the only one.
        attachments.count == 1 ? 0 : nil
      }
    guard let file else { return }
    var attachment = attachments[file]
    attachment.isURLAttached = attachment.isURLAttached || attachment.url == nil
    attachment.add(sources.urls)
    messages[known].versions[version].content.attachments[file] = attachment
  }
}
