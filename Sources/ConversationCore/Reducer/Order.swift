import XMPPStanza

// The order of the messages of a conversation (rule 34).
extension Conversations {
  /// Puts a message into the order of its conversation, or moves it to the place of its new time.
  mutating func place(_ number: Int, _ arrival: Arrival) {
    let conversation = messages[number].conversation
    if messages[number].records.count > 1 {
      all[conversation].order.removeAll { $0 == number }
    }
    defer {
      if let time = messages[number].time {
        all[conversation].latest = max(time, all[conversation].latest ?? time)
      }
    }
    if let archived = arrival.archived {
      let index = archiveIndex(of: number, archived, arrival.position)
      all[conversation].order.insert(number, at: index)
      notePlace(number, archived, arrival.position)
      return
    }
    let index = index(byTimeOf: number)
    if index < all[conversation].order.count, arrival.route == .live, !messages[number].isOurs {
      report(.outOfOrder, at: arrival.position, about: all[conversation].key.jid)
    }
    all[conversation].order.insert(number, at: index)
  }

  /// Notes a copy from an archive, and moves the message if the archive has another order.
  mutating func placeCopy(_ number: Int, _ arrival: Arrival) {
    guard let archived = arrival.archived else { return }
    let conversation = messages[number].conversation
    if let before = predecessor(in: conversation, archived, arrival.position), before != number,
      let index = all[conversation].index(of: before),
      let own = all[conversation].index(of: number), own < index,
      messages[before].has(archiveIDOf: archived.id.archive)
    {
      all[conversation].order.remove(at: own)
      all[conversation].order.insert(number, at: index)
      raiseByMarkers(own..<index, in: conversation)
    }
    notePlace(number, archived, arrival.position)
  }

  /// Messages of ours are now before one that was moved: what markers say of it, they say of them
  /// (rule 17).
  private mutating func raiseByMarkers(_ places: Range<Int>, in conversation: Int) {
    guard all[conversation].hasMarks else { return }
    for number in all[conversation].order[places] where messages[number].isOurs {
      raiseByMarkers(number)
    }
  }

  /// The index for a message that its time gives: before the first message that is later. Messages
  /// without a time keep the order of their records.
  private func index(byTimeOf number: Int) -> Int {
    let order = all[messages[number].conversation].order
    // New messages are usually the last ones.
    if let time = messages[number].time,
      let latest = all[messages[number].conversation].latest, !Self.isBefore(time, latest)
    {
      return order.count
    }
    return order.firstIndex { isBefore(number, $0) } ?? order.count
  }

  /// Whether the time of a message is before that of another one. Whole-second stamps are compared
  /// as whole seconds.
  func isBefore(_ a: Int, _ b: Int) -> Bool {
    guard let a = messages[a].time, let b = messages[b].time else { return false }
    return Self.isBefore(a, b)
  }

  static func isBefore(_ a: Int64, _ b: Int64) -> Bool {
    let whole = a.isWholeSecond || b.isWholeSecond
    return a.inSeconds(whole: whole) < b.inSeconds(whole: whole)
  }

  // MARK: Archives

  /// The index for a message that an archive result shows first: after the result before it in its
  /// page, or after the message that the query names, else first among the messages of its second
  /// that have an archive id.
  private func archiveIndex(
    of number: Int, _ archived: Arrival.PlaceInArchive, _ position: RecordPosition
  ) -> Int {
    let conversation = messages[number].conversation
    let order = all[conversation].order
    if let before = predecessor(in: conversation, archived, position),
      var index = order.lastIndex(of: before).map({ $0 + 1 })
    {
      // What no archive has a place for keeps its place by time, and what we sent again its first
      // place until the archive shows it.
      while index < order.count, isBefore(order[index], number),
        !messages[order[index]].has(archiveIDOf: archived.id.archive)
          || messages[order[index]].isSentAgain
      {
        index += 1
      }
      return index
    }
    let later = order.firstIndex { isBefore(number, $0) } ?? order.count
    let sameSecond = order[..<later].firstIndex { other in
      messages[other].has(archiveIDOf: archived.id.archive)
        && !isBefore(other, number) && messages[other].time != nil && messages[number].time != nil
    }
    return sameSecond ?? later
  }

  /// The last message of the conversation before a result in its page, or the one that the query
  /// names.
  private func predecessor(
    in conversation: Int, _ archived: Arrival.PlaceInArchive, _ position: RecordPosition
  ) -> Int? {
    guard let session = sessions[position.connection] else { return nil }
    if archived.isLoose {
      guard session.loosePages.indices.contains(archived.query) else { return nil }
      return session.loosePages[archived.query].page.last[conversation]
    }
    guard session.queries.indices.contains(archived.query) else { return nil }
    let query = session.queries[archived.query]
    if let last = query.subject.page.last[conversation] { return last }
    guard case .archive(let request) = query.subject.kind, let after = request.after else {
      return nil
    }
    let id = ArchiveID(after, in: archived.id.archive)
    return message(archivedAs: id, in: conversation)
  }

  /// The message that an archive has under an id. A correction keeps the place of its message,
  /// which is not where the archive has the correction.
  func message(archivedAs id: ArchiveID, in conversation: Int) -> Int? {
    named(.archive(id), in: conversation).first { messages[$0].archiveIDs.contains(id) }
  }

  private mutating func notePlace(
    _ number: Int, _ archived: Arrival.PlaceInArchive, _ position: RecordPosition
  ) {
    let conversation = messages[number].conversation
    withPage(archived, on: position.connection) { page in
      page.last[conversation] = number
      guard let last = page.results.indices.last else { return }
      page.results[last].message = number
    }
  }

  /// Reverses a page whose stamps decrease throughout, or that was asked for in reverse.
  mutating func pageEnded(_ page: ArchivePage, isFlipped: Bool, at position: RecordPosition) {
    let times = page.results.map(\.time)
    let decreases =
      times.count > 1
      && zip(times, times.dropFirst()).allSatisfy { earlier, later in
        guard let earlier, let later else { return false }
        return later < earlier
      }
    guard decreases || isFlipped else { return putBeforeNext(page) }
    if !isFlipped { report(.archiveReversed, at: position, about: nil) }
    let shown = page.results.compactMap(\.message)
    for (conversation, numbers) in Dictionary(grouping: shown, by: { messages[$0].conversation })
    where numbers.count > 1 {
      let moved = Set(numbers)
      all[conversation].order.removeAll { moved.contains($0) }
      for number in numbers.reversed()
      where !all[conversation].order.contains(number) {
        all[conversation].order.insert(number, at: index(byTimeOf: number))
      }
      raiseByMarkers(all[conversation].order.indices, in: conversation)
    }
  }
}

extension Conversations {
  /// Puts the messages of a page before those of the page that it precedes, because whole-second
  /// stamps do not order messages of one second.
  private mutating func putBeforeNext(_ page: ArchivePage) {
    for number in page.results.compactMap(\.message) {
      let conversation = messages[number].conversation
      guard let next = page.next[conversation], next != number,
        let end = all[conversation].index(of: next),
        let index = all[conversation].index(of: number), index > end
      else { continue }
      if messages[next].isSentAgain, isBefore(next, number) {
        moveSentAgain(end...index, in: conversation)
        raiseByMarkers(end..<index, in: conversation)
        continue
      }
      all[conversation].order.remove(at: index)
      all[conversation].order.insert(number, at: end)
      raiseByMarkers(end..<(end + 1), in: conversation)
    }
  }
}

extension Conversations {
  /// Moves what we sent again to where an archive has it: the first message of a range, and those
  /// after it in the archive, behind the last message of the range. The stamps of one archive have
  /// its order.
  private mutating func moveSentAgain(_ places: ClosedRange<Int>, in conversation: Int) {
    let shown = all[conversation].order[places]
    guard let first = shown.first, let last = shown.last else { return }
    let moved = Set(
      shown.filter { number in
        guard number != first else { return true }
        guard number != last, messages[number].isSentAgain,
          let time = messages[number].archiveTime, let start = messages[first].archiveTime
        else { return false }
        return !Self.isBefore(time, start)
      })
    all[conversation].order.replaceSubrange(
      places, with: shown.filter { !moved.contains($0) } + shown.filter { moved.contains($0) })
  }
}

extension Message {
  /// Whether we wrote it on several streams: it is where it was first written, and an archive may
  /// have it where it arrived.
  var isSentAgain: Bool { writtenStreams.count > 1 }

  /// Whether an archive gave it an id.
  func has(archiveIDOf archive: BareJID) -> Bool {
    archiveIDs.contains { $0.archive == archive }
  }
}
