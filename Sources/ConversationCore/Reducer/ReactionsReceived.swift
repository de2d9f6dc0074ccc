import RawBytes
import XMPPStanza

// Reactions (rule 22).
extension Conversations {
  mutating func reactionsReceived(
    _ id: String, _ emojis: [String], _ stanza: MessageStanza, _ envelope: Envelope,
    _ arrival: Arrival
  ) {
    let conversation = number(of: envelope.key)
    if envelope.isOurs { read(before: arrival, in: conversation) }
    let sender: String =
      switch envelope.author {
      case .us: envelope.key.kind == .group ? envelope.nick ?? "" : account?.text ?? ""
      case .them: envelope.key.kind == .private ? envelope.nick ?? "" : envelope.key.jid.bare.text
      case .occupant(let occupant): occupant.nick.text
      case .room: envelope.key.jid.bare.text
      }
    let set = ReactionSet(
      sender: sender, isOurs: envelope.isOurs, occupant: envelope.occupant, emojis: emojis,
      record: arrival.position.record, time: arrival.time, id: stanza.id,
      archiveIDs: archiveIDs(of: stanza, envelope.key, arrival).own, arrival: arrival)
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

  /// Replaces the reactions of a sender, unless they are newer or the set is a copy of a known one.
  mutating func react(to number: Int, _ set: ReactionSet) {
    guard !messages[number].noteCopy(of: set) else { return }
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
}

/// A stanza with reactions that a message has received: what identifies it (rules 10a and 10c).
struct SeenReactions: Sendable {
  enum Name: Hashable, Sendable {
    case archive(ArchiveID)
    case id(ExactText, sender: ExactText, emojis: [ExactText])
  }

  /// The stream on which it arrived first.
  var stream: StreamID
  var archiveIDs: [ArchiveID]
}

extension Message {
  /// Notes a stanza with reactions.
  ///
  /// - Returns: Whether it is a copy of one that the message has received. What we write counts
  ///   whenever the server receives it, so that it is no copy, and has none.
  fileprivate mutating func noteCopy(of set: ReactionSet) -> Bool {
    guard !set.arrival.isWritten else { return false }
    let isKnown = set.archiveIDs.contains { seenReactions[.archive($0)] != nil }
    let seen = SeenReactions(stream: set.arrival.stream, archiveIDs: set.archiveIDs)
    for id in set.archiveIDs where !isKnown { seenReactions[.archive(id)] = seen }
    guard let id = set.id, !isKnown else { return isKnown }
    let name = SeenReactions.Name.id(
      ExactText(id), sender: ExactText(set.sender), emojis: set.emojis.map { ExactText($0) })
    if let known = seenReactions[name], set.arrival.isInherentCopy || known.stream != seen.stream,
      known.archiveIDs.isEmpty || seen.archiveIDs.isEmpty
    {
      seenReactions[name]?.archiveIDs += seen.archiveIDs
      return true
    }
    seenReactions[name] = seen
    return false
  }
}
