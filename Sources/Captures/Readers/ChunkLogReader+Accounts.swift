import XMPPStanza

// Whose a chunk is, where the log names the account only of what was sent.
extension ChunkLogReader {
  /// Feeds a whole chunk that was received to the connection that it is of.
  func receive(_ chunk: ArraySlice<UInt8>, _ record: Record, _ sink: Sink) throws {
    guard log.namesSendersOnly, record.key.direction == .inbound else {
      return try feedWhole(chunk, record, sink)
    }
    let open = streams.filter { $0.key.direction == .inbound && !$0.value.isBetweenElements }
    guard let name = router.account(of: chunk, open: open.map(\.key.connection)) else {
      // What sets a stream up, and acknowledgements, mean nothing to a roster, whosever they are.
      let stanzas = ["<iq", "<presence", "<message"]
      let hasStanza = stanzas.contains { chunk.position(of: Array($0.utf8)) != nil }
      if router.hasSeveral, TopLevel.isElement(chunk) || TopLevel.isStreamHeader(chunk), !hasStanza
      {
        nameless = (nameless?.line ?? record.line, (nameless?.count ?? 0) + 1)
        return
      }
      unrouted = Unrouted(record: record, chunk: Array(chunk))
      return
    }
    try feedWhole(chunk, Self.renamed(record, name), sink)
  }

  private func feedWhole(_ chunk: ArraySlice<UInt8>, _ record: Record, _ sink: Sink) throws {
    current = record
    try feed(chunk, beginsChunk: true, sink)
    current = nil
  }

  private static func renamed(_ record: Record, _ name: String) -> Record {
    let key = Key(connection: name, direction: record.key.direction)
    return Record(line: record.line, key: key, time: record.time)
  }

  /// Holds a line until one comes that answers the chunk whose account is sought.
  func waitForAnswer(
    _ head: ChunkLog.Head?, _ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink
  ) throws {
    guard let waiting = unrouted else { return }
    unrouted?.lines.append(HeldLine(number: number, bytes: line))
    if let head, head.direction == .outbound,
      router.latest == nil || router.answers(head.payload, waiting.chunk[...])
    {
      try route(to: head.connection, sink)
    } else if waiting.lines.count >= Self.maximumUnroutedLines {
      try route(to: nil, sink)
    }
  }

  /// Feeds the chunk that waited, or leaves it out, and has the lines since read again.
  func route(to name: String?, _ sink: Sink) throws {
    guard let waiting = unrouted else { return }
    unrouted = nil
    again += waiting.lines.reversed()
    if let name = name ?? (router.hasSeveral ? nil : router.latest ?? "") {
      try feedWhole(waiting.chunk[...], Self.renamed(waiting.record, name), sink)
    } else {
      let message = "nothing says which of the accounts received this: it is left out"
      try problem(message, waiting.record.line, sink)
    }
  }

  /// Says at the log's end how much was left out that no roster misses.
  func reportNameless(_ sink: Sink) throws {
    guard let nameless else { return }
    let message = """
      nothing says which of the accounts received \(nameless.count) chunks that set up streams or \
      acknowledge stanzas; they are left out, and no roster depends on them
      """
    try problem(message, nameless.line, sink)
  }
}
