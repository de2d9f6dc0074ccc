import RawBytes
import XMPPStanza

// Reactions (rule 22), and copies of what changes messages.
extension Conversations {
  /// Reduces a set of reactions.
  ///
  /// - Parameter emojis: The reactions; nil if the recorder has left them out. Ours read in either
  ///   case (rule 18), but only those that are known replace others: an unknown set is not empty.
  mutating func reactionsReceived(
    _ id: String, _ emojis: [String]?, _ stanza: MessageStanza, _ envelope: Envelope,
    _ arrival: Arrival
  ) {
    let conversation = number(of: envelope.key)
    guard !isCopy(["reactions", id] + (emojis ?? []), stanza, envelope, arrival) else { return }
    if envelope.isOurs { read(before: arrival, in: conversation) }
    guard let emojis else { return }
    let set = ReactionSet(
      sender: senderName(envelope), isOurs: envelope.isOurs, occupant: envelope.occupant,
      emojis: emojis, record: arrival.position.record, time: arrival.time)
    let names = names(id, in: envelope.key)
    let known = newest(named: names, in: conversation)
    if let known {
      react(to: known, set)
    } else {
      for name in names {
        all[conversation].pendingReactions[name, default: []].append(set)
      }
    }
  }

  private func senderName(_ envelope: Envelope) -> String {
    switch envelope.author {
    case .us: envelope.key.kind == .group ? envelope.nick ?? "" : account?.text ?? ""
    case .them: envelope.key.kind == .private ? envelope.nick ?? "" : envelope.key.jid.bare.text
    case .occupant(let occupant): occupant.nick.text
    case .room: envelope.key.jid.bare.text
    }
  }

  /// Replaces the reactions of a sender, unless they are newer.
  mutating func react(to number: Int, _ set: ReactionSet) {
    let known = messages[number].reactions.firstIndex { other in
      if set.isOurs || other.isOurs { return set.isOurs == other.isOurs }
      if let mine = set.occupant, let theirs = other.occupant { return mine.canBe(theirs) }
      return ExactText(set.sender) == ExactText(other.sender)
    }
    guard let known else {
      messages[number].reactions.append(set)
      note(.reacted(by: set.sender, emojis: set.emojis), of: number)
      return
    }
    if let time = set.time, let other = messages[number].reactions[known].time,
      Self.isBefore(time, other)
    {
      return
    }
    messages[number].reactions[known] = set
    note(.reacted(by: set.sender, emojis: set.emojis), of: number)
  }

  /// Whether a stanza that changes a message is a copy of one that has arrived, such as an earlier
  /// one that a resumed session delivers again without a stamp (rules 10a and 10c). What we write
  /// counts whenever the server has it: it is no copy, and has none.
  ///
  /// - Parameters:
  ///   - content: What it says.
  ///   - stanza: The stanza.
  ///   - envelope: Its conversation and its sender.
  ///   - arrival: How it arrived.
  mutating func isCopy(
    _ content: [String], _ stanza: MessageStanza, _ envelope: Envelope, _ arrival: Arrival
  ) -> Bool {
    guard !arrival.isWritten else { return false }
    let conversation = number(of: envelope.key)
    let archiveIDs = archiveIDs(of: stanza, envelope.key, arrival).own
    let seen = SeenSign(stream: arrival.stream, archiveIDs: archiveIDs)
    let isKnown = archiveIDs.contains { all[conversation].seenSigns[.archive($0)] != nil }
    for id in archiveIDs { all[conversation].seenSigns.update(.archive(id), seen) }
    guard let id = stanza.id, !isKnown else { return isKnown }
    let name = SeenSign.Name.id(
      ExactText(id), sender: ExactText(senderName(envelope)),
      content: content.map { ExactText($0) })
    if var known = all[conversation].seenSigns[name],
      arrival.isInherentCopy || known.stream != seen.stream,
      known.archiveIDs.isEmpty || archiveIDs.isEmpty
    {
      known.archiveIDs += archiveIDs
      all[conversation].seenSigns.update(name, known)
      return true
    }
    all[conversation].seenSigns.update(name, seen)
    return false
  }
}

/// A stanza that changed a message: what identifies it (rules 10a and 10c).
struct SeenSign: Sendable {
  enum Name: Hashable, Sendable {
    case archive(ArchiveID)
    case id(ExactText, sender: ExactText, content: [ExactText])
  }

  /// The stream on which it arrived first.
  var stream: StreamID
  var archiveIDs: [ArchiveID]
}
