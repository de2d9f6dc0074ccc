import XMPPStanza

@testable import ConversationCore

/// What the log of a simulated world must show, by the rules and by what really happened. It knows
/// nothing of the reducer.
struct Oracle {
  /// A message as it must be shown. What the rules leave open is nil.
  struct Entry {
    /// The stanzas that it was said in, the original or the first that the log has of it first.
    var stanzas: [Int]
    var isOurs: Bool
    /// When it happened.
    var time: Int64
    /// Whether it was written again later, so that its place is between two times.
    var isAdrift = false
    /// Whether another entry is the same in all that the log shows.
    var isTwin = false
    var body: String
    var edits: [String]?
    var state: DeliveryState?
    var isRetracted = false
    var isUnread: Bool?
    var reactions: [String: [String]] = [:]
    var routes: Set<Route>
    var archiveIDs: Set<String>
  }

  let world: SimulatedWorld

  /// What the log shows of a stanza; nil if it does not show it.
  private func seen(_ number: Int) -> Sighting? { world.sightings[number] }

  /// Whether the log shows which of two times is earlier: some servers stamp in whole seconds.
  private func areClear(_ a: Int64, _ b: Int64) -> Bool {
    world.habits.stampsExactly || a / 1000 != b / 1000
  }

  /// Whether the log shows a stanza, and the name by which it refers to another one: in a room, and
  /// by XEP-0490, that is an archive id.
  private func seen(_ number: Int, naming named: Int) -> Bool {
    guard seen(number) != nil, let target = seen(named) else { return false }
    let stanza = world.stanzas[number]
    let isPublished = if case .published = stanza.meaning { true } else { false }
    guard stanza.peer == .room || isPublished else { return true }
    return world.stanzas[named].archiveIDs.first.map { target.archiveIDs.contains($0) } ?? false
  }

  // MARK: Entries

  /// The entries of a conversation in their order.
  func entries(of peer: Peer) -> [Entry] {
    let numbers = world.stanzas.indices.filter { number in
      world.stanzas[number].peer == peer && world.stanzas[number].meaning.hasContent
        && seen(number) != nil
    }
    let groups = Dictionary(grouping: numbers, by: root)
    var entries = groups.map { root, members in entry(root, members) }
      .sorted { ($0.time, $0.stanzas[0]) < ($1.time, $1.stanzas[0]) }
    judgeStates(of: &entries, peer)
    judgeReading(of: &entries, peer)
    return entries
  }

  /// The first stanza of the entry that a stanza belongs to (rule 20): a correction belongs to what
  /// it names, if the log has that.
  private func root(_ number: Int) -> Int {
    guard case .correction(_, let named) = world.stanzas[number].meaning, seen(named) != nil else {
      return number
    }
    return root(named)
  }

  private func entry(_ root: Int, _ members: [Int]) -> Entry {
    let versions = members.sorted { world.stanzas[$0].written < world.stanzas[$1].written }
    let bodies = versions.map { world.stanzas[$0].body }
    let (stanza, sighting) = (world.stanzas[root], seen(root) ?? Sighting())
    let isRetracted =
      sighting.isBuried
      || world.stanzas.indices.contains { number in
        world.stanzas[number].retracted == root && seen(number, naming: root)
      }
    var entry = Entry(
      stanzas: versions, isOurs: stanza.sender.isUs,
      time: sighting.isWritten ? stanza.written : world.instant(of: root),
      body: isRetracted ? "" : bodies[bodies.count - 1],
      edits: isRetracted ? nil : Array(bodies.dropLast()), isRetracted: isRetracted,
      reactions: reactions(to: root), routes: sighting.routes,
      archiveIDs: Set(stanza.archiveIDs))
    entry.isTwin = stanza.isTwin
    entry.isAdrift = versions.contains { seen($0)?.isResent == true || isLate($0) }
    return entry
  }

  /// Whether the server had it at another time than its sender.
  private func isLate(_ number: Int) -> Bool {
    let stanza = world.stanzas[number]
    return stanza.archiveIDs.count > 1 || stanza.processed.map { $0 != stanza.written } ?? false
  }

  /// The newest set of each sender, in the order of the archive (rule 22): a set that was sent
  /// again is as new as what the server received.
  private func reactions(to root: Int) -> [String: [String]] {
    var newest: [String: [String]] = [:]
    for number in happened {
      guard case .reactions(to: root, let emojis) = world.stanzas[number].meaning,
        seen(number, naming: root)
      else { continue }
      newest[reactor(of: world.stanzas[number])] = emojis
    }
    return newest.filter { !$0.value.isEmpty }
  }

  /// All stanzas in the order in which they happened. What the server never had is as new as it was
  /// written last, because the log does not show that it was lost.
  private var happened: [Int] {
    func time(_ number: Int) -> Int64 {
      let stanza = world.stanzas[number]
      return stanza.processed ?? Swift.max(stanza.written, stanza.lastWritten)
    }
    return world.stanzas.indices.sorted { (time($0), $0) < (time($1), $1) }
  }

  private func reactor(of stanza: SimulatedStanza) -> String {
    switch (stanza.sender, stanza.peer) {
    case (.us, .room): "alice"
    case (.us, _): Dialogue.account
    case (.peer, .whisper): "bob"
    case (.peer, _): stanza.peer.address
    case (.occupant(let nick), _): nick
    case (.theRoom, _): Peer.roomAddress
    }
  }

  // MARK: States (rules 14 to 17)

  private func judgeStates(of entries: inout [Entry], _ peer: Peer) {
    let times = times(of: entries)
    let ends = ends(of: entries)
    for index in entries.indices where entries[index].isOurs {
      let entry = entries[index]
      let version = entry.stanzas[entry.stanzas.count - 1]
      var level = DeliveryState.sent
      var isOpen = entry.isAdrift && entry.stanzas.count > 1
      if seen(version)?.isAcknowledged == true { level = .acknowledged }
      for number in world.stanzas.indices where seen(number) != nil {
        let sign = world.stanzas[number]
        guard sign.peer == peer, !sign.sender.isUs, peer != .room else { continue }
        switch sign.meaning {
        case .receipt(let named):
          if named == version { level = max(level, .received) }
        case .received(let named), .displayed(let named):
          guard var last = times[named] else { continue }
          // By rule 34, what is between two times of what was sent again is before it if the log
          // shows both in one archive, else after it.
          if isBetween(entry, last, ends[named]) {
            if let end = ends[named], isInArchive(entry), isInArchive(named),
              areClear(end, entry.time), !entry.isAdrift
            {
              last = end
            } else if isArchived(entry), isArchived(named) {
              isOpen = true
            }
          }
          if last != entry.time, !areClear(last, entry.time) { isOpen = true }
          guard last >= entry.time else {
            // A correction was an entry of its own before the log had its text.
            if world.stanzas[named].corrected != nil, entry.time <= world.instant(of: named) {
              isOpen = true
            }
            continue
          }
          // A marker says nothing of a version that was written after it.
          if entry.stanzas.count > 1, sign.written < world.stanzas[version].written {
            if hasCertainTime(number), hasCertainTime(version),
              areClear(sign.written, world.stanzas[version].written)
            {
              continue
            }
            isOpen = true
          }
          // What was sent again may be before or after what was marked since.
          if entry.isAdrift, !isAfter(last, entry) { isOpen = true }
          if case .displayed = sign.meaning {
            level = .displayed
          } else {
            level = max(level, .received)
          }
        case .text, .correction, .foreignCorrection, .retraction, .foreignRetraction, .moderation,
          .reactions, .published:
          break
        }
      }
      if level == .sent, seen(version)?.isUnconfirmed == true { level = .unconfirmed }
      if seen(version)?.isFailed == true, !isReceipted(version) { level = .failed }
      // What a retracted message had become before is not shown.
      entries[index].state = isOpen || entry.isRetracted ? nil : level
    }
  }

  /// The times of the entries, by the stanzas that they were said in.
  private func times(of entries: [Entry]) -> [Int: Int64] {
    Dictionary(
      entries.flatMap { entry in entry.stanzas.map { ($0, entry.time) } }, uniquingKeysWith: min)
  }

  /// When the server had the entries, by the stanzas that they were said in.
  private func ends(of entries: [Entry]) -> [Int: Int64] {
    Dictionary(
      entries.flatMap { entry in
        entry.stanzas.map { ($0, world.instant(of: entry.stanzas[0])) }
      }, uniquingKeysWith: Swift.max)
  }

  /// Whether an entry is between the two times of one that was sent again. By rule 34 it is before
  /// that if the log shows both in one archive, else after it; whether it shows them there in time
  /// is not known here.
  private func isBetween(_ entry: Entry, _ start: Int64, _ end: Int64?) -> Bool {
    guard let end, start < entry.time else { return false }
    return entry.time <= end || !areClear(entry.time, end)
  }

  private func isArchived(_ entry: Entry) -> Bool { entry.stanzas.contains(where: isArchived) }

  /// Whether an archive has shown an entry, in the order of the archive.
  private func isInArchive(_ entry: Entry) -> Bool { isInArchive(entry.stanzas[0]) }

  private func isInArchive(_ number: Int) -> Bool {
    let first = world.stanzas[number].corrected ?? number
    return seen(first)?.routes.contains(.archive) == true
  }

  private func isArchived(_ number: Int) -> Bool { seen(number)?.archiveIDs.isEmpty == false }

  /// Whether a time is after both times of an entry that was sent again.
  private func isAfter(_ time: Int64, _ entry: Entry) -> Bool {
    let end = world.instant(of: entry.stanzas[0])
    return entry.stanzas.count == 1 && end < time && areClear(end, time)
  }

  /// Whether the log has the time of a stanza, however late it shows it.
  private func hasCertainTime(_ number: Int) -> Bool {
    world.habits.stampsRedeliveries && !isLate(number) && seen(number)?.isResent != true
  }

  private func isReceipted(_ number: Int) -> Bool {
    world.stanzas.indices.contains {
      if case .receipt(of: number) = world.stanzas[$0].meaning { seen($0) != nil } else { false }
    }
  }

  private func max(_ a: DeliveryState, _ b: DeliveryState) -> DeliveryState {
    let order: [DeliveryState] = [.unconfirmed, .sent, .acknowledged, .received, .displayed]
    return order.lastIndex { $0 == a || $0 == b }.map { order[$0] } ?? a
  }

  // MARK: Reading (rules 18 and 19)

  private func judgeReading(of entries: inout [Entry], _ peer: Peer) {
    let times = times(of: entries)
    let adrift = Set(entries.filter(\.isAdrift).flatMap(\.stanzas))
    var position = Int64.min
    // More may be read: up to a correction that was an entry before the log had its text.
    var openPosition = Int64.min
    var isOpen = entries.contains { $0.isOurs && $0.isAdrift }
    for number in world.stanzas.indices where seen(number) != nil {
      let stanza = world.stanzas[number]
      guard stanza.peer == peer, stanza.sender.isUs else { continue }
      switch stanza.meaning {
      case .text: position = Swift.max(position, times[number] ?? .min)
      case .correction, .foreignCorrection, .retraction, .foreignRetraction, .moderation,
        .reactions:
        position = Swift.max(position, stanza.written)
        if isLate(number) || seen(number)?.isResent == true { isOpen = true }
      case .displayed(let named), .published(let named):
        // In a room, our marker counts as it is reflected.
        guard seen(number, naming: named) else { continue }
        if adrift.contains(named) { isOpen = true }
        position = Swift.max(position, times[named] ?? .min)
        openPosition = Swift.max(openPosition, world.instant(of: named))
      case .receipt, .received: break
      }
    }
    for index in entries.indices where !entries[index].isOurs && !isOpen {
      let entry = entries[index]
      // A correction whose text the log does not have is an entry, but rule 19 excepts corrections.
      guard world.stanzas[entry.stanzas[0]].isText, !entry.isAdrift,
        entry.time <= position || entry.time > openPosition, areClear(entry.time, position),
        // Nor does a stamp say whether it is from before a join within its second.
        world.firstJoin.map({ entry.time / 1000 != $0 / 1000 }) ?? true
      else { continue }
      entries[index].isUnread =
        entry.time > position && !entry.isRetracted && !isFromBeforeJoin(entry, peer)
    }
  }

  /// Rule 19: what only the room's history or archive brings from before our first join.
  private func isFromBeforeJoin(_ entry: Entry, _ peer: Peer) -> Bool {
    guard peer == .room, !entry.routes.contains(.live) else { return false }
    return world.firstJoin.map { entry.time <= $0 } ?? true
  }

  // MARK: Lost messages (rule 35)

  /// The messages of ours that the log must show to be missing from an archive that would have
  /// them, and those for which the stamps of the archive, or an open state, leave that open; by
  /// what they say.
  var lost: (certain: Set<String>, open: Set<String>) {
    var (certain, open): (Set<String>, Set<String>) = ([], [])
    for peer in Peer.allCases {
      for entry in entries(of: peer) where entry.isOurs {
        // A state that is open may be in doubt, too.
        guard entry.state == .unconfirmed || entry.state == nil, let number = entry.stanzas.last,
          seen(number)?.isUnconfirmed == true
        else { continue }
        // What was written twice may have arrived either time.
        let stanza = world.stanzas[number]
        guard let first = isCovered(stanza.written, of: number, in: peer),
          let last = isCovered(stanza.lastWritten, of: number, in: peer)
        else { continue }
        if first, last, entry.state != nil {
          certain.insert(stanza.body)
        } else {
          open.insert(stanza.body)
        }
      }
    }
    return (certain, open)
  }

  /// Whether queries after a message of ours was written covered a time for certain; nil if none
  /// did.
  private func isCovered(_ time: Int64, of number: Int, in peer: Peer) -> Bool? {
    let spans = world.spans.filter { span in
      span.isRoom == (peer == .room) && span.peer.map({ $0 == peer }) ?? true
        && world.stanzas[number].writtenLine < span.answered
    }
    let covering = spans.compactMap { span -> Bool? in
      guard areClear(span.start, time), areClear(span.end, time) else { return false }
      return span.start <= time && time <= span.end ? true : nil
    }
    return covering.contains(true) ? true : covering.isEmpty ? nil : false
  }
}
