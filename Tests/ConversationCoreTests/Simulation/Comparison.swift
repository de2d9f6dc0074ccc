import TestSupport
import XMPPStanza

@testable import ConversationCore

/// Compares what the reducer makes of a log with what the oracle says.
struct Comparison {
  let oracle: Oracle
  let found: Conversations

  init(_ world: SimulatedWorld) {
    oracle = Oracle(world: world)
    found = world.log.conversations
  }

  /// What differs, a line each.
  var differences: [String] {
    Peer.allCases.flatMap { conversation($0) } + strangers + findings
  }

  // MARK: One conversation

  private func conversation(_ peer: Peer) -> [String] {
    let wanted = oracle.entries(of: peer)
    let key = key(of: peer)
    let numbers = found.conversation(key)?.order ?? []
    let messages = numbers.map { found.messages[$0] }
    let names = wanted.map { name($0) }
    guard names.sorted() == messages.map({ name($0) }).sorted() else {
      return ["\(peer): wanted \(names), got \(messages.map { name($0) })"]
    }
    let pairs = pairs(wanted, messages)
    var differences = order(of: pairs, messages, peer)
    let unread = Set(found.unread(of: key))
    for pair in pairs {
      differences += compare(
        pair.entry, messages[pair.index], isUnread: unread.contains(numbers[pair.index]), peer)
    }
    return differences
  }

  /// An entry, and the index of the message that shows it.
  private typealias Pair = (entry: Oracle.Entry, index: Int)

  /// Pairs entries with messages of the same names. Archive ids distinguish equal texts.
  private func pairs(_ wanted: [Oracle.Entry], _ messages: [Message]) -> [Pair] {
    var waiting = Array(messages.enumerated())
    return wanted.compactMap { entry in
      let index =
        waiting.firstIndex { _, message in
          name(entry) == name(message)
            && (entry.isTwin || message.archiveIDs.isEmpty
              || message.archiveIDs.contains { entry.archiveIDs.contains($0.id.text) })
        } ?? waiting.firstIndex { name(entry) == name($0.element) }
      return index.map { (entry, waiting.remove(at: $0).offset) }
    }
  }

  private func key(of peer: Peer) -> ConversationKey {
    let jid = address(peer.address)
    return switch peer {
    case .room: .group(jid.bare)
    case .whisper: .private(jid)
    case .bob, .carol, .stranger: .chat(jid.bare)
    }
  }

  /// What says which entry it is: all that it ever said, if that is known.
  private func name(_ entry: Oracle.Entry) -> String {
    let side = entry.isOurs ? "out" : "in"
    guard !entry.isRetracted else { return side + " retracted" }
    return "\(side) \(entry.body)"
  }

  private func name(_ message: Message) -> String {
    let side = message.isOurs ? "out" : "in"
    guard message.retraction == nil else { return side + " retracted" }
    return "\(side) \(message.body)"
  }

  /// Rule 34. If a server stamps in whole seconds, the messages of one may be in any order; and
  /// what was sent again is between two times.
  private func order(of pairs: [Pair], _ messages: [Message], _ peer: Peer) -> [String] {
    // Without archive ids, one name may be that of what was sent again or of another entry.
    let doubtful = Set(
      pairs.filter { $0.entry.isAdrift && messages[$0.index].archiveIDs.isEmpty }
        .map { name($0.entry) })
    let steady = pairs.filter { pair in
      !pair.entry.isAdrift
        && !(messages[pair.index].archiveIDs.isEmpty && doubtful.contains(name(pair.entry)))
    }
    let isExact = oracle.world.habits.stampsExactly
    let places = Self.seconds(of: steady).flatMap { group in
      isExact ? group.map(\.index) : group.map(\.index).sorted()
    }
    guard places != places.sorted() else { return [] }
    return [
      "\(peer): wanted the order \(steady.map { name($0.entry) }), "
        + "got \(messages.map { name($0) })"
    ]
  }

  private static func seconds(of pairs: [Pair]) -> [[Pair]] {
    var groups: [[Pair]] = []
    for pair in pairs {
      if let last = groups.last?.last, last.entry.time / 1000 == pair.entry.time / 1000 {
        groups[groups.count - 1].append(pair)
      } else {
        groups.append([pair])
      }
    }
    return groups
  }

  private func compare(
    _ entry: Oracle.Entry, _ message: Message, isUnread: Bool, _ peer: Peer
  ) -> [String] {
    var differences: [String] = []
    func check<Value: Equatable>(_ what: String, _ wanted: Value?, _ got: Value) {
      guard let wanted, wanted != got else { return }
      differences.append("\(peer) \(name(entry)) \(what): wanted \(wanted), got \(got)")
    }
    check("state", entry.state, message.state)
    check("unread", entry.isUnread, isUnread)
    check("edits", entry.edits, message.versions.dropLast().map(\.content.body))
    // Equal texts of one conversation cannot always be told apart by what they show.
    guard entry.body != "ok", !entry.isTwin, !entry.isRetracted else { return differences }
    check("routes", entry.routes, Set(message.routes))
    check(
      "reactions", entry.reactions,
      Dictionary(
        message.reactions.filter { !$0.emojis.isEmpty }.map { ($0.sender, $0.emojis) },
        uniquingKeysWith: { _, last in last }))
    let foreign = message.archiveIDs.map(\.id.text).filter { !entry.archiveIDs.contains($0) }
    check("archive ids that are not its own", [], foreign)
    if !entry.isAdrift { check("second", entry.time / 1000, (message.time ?? 0) / 1000) }
    return differences
  }

  // MARK: The rest

  /// Conversations with other people, who did not write.
  private var strangers: [String] {
    let known = Set(Peer.allCases.map { key(of: $0) })
    return found.all.filter { !known.contains($0.key) && !$0.order.isEmpty }
      .map { "a conversation with \($0.key.jid)" }
  }

  /// The findings that must be there exactly if something of their kind happened.
  private var findings: [String] {
    let judged: Set<ConversationFinding.Code> = [
      .carbonForged, .archiveForged, .receiptByAnother, .markerByAnother, .correctionByAnother,
      .retractionByAnother, .deliveredTwice,
    ]
    let wanted = oracle.world.wanted
    let got = Set((found.findings + found.findingsAtEnd).map(\.code)).intersection(judged)
    guard wanted != got else { return lost }
    return lost + [
      "findings: wanted \(wanted.map(\.rawValue).sorted()), got \(got.map(\.rawValue).sorted())"
    ]
  }

  /// The messages that may be lost must be reported, and no others.
  private var lost: [String] {
    let records = found.findingsAtEnd.filter { $0.code == .maybeLost }.map(\.record)
    let got = Set(
      found.messages.filter { $0.isOurs && records.contains($0.current.record) }
        .map(\.current.content.body))
    let (certain, open) = oracle.lost
    guard !certain.isSubset(of: got) || !got.isSubset(of: certain.union(open)) else { return [] }
    return ["lost: wanted \(certain.sorted()), perhaps \(open.sorted()), got \(got.sorted())"]
  }
}
