import XMPPStanza
import XMPPStream

// How the payloads of records are put together, each by what its format says of where it ends.
extension ChunkLogReader {
  func start(
    _ record: Record, _ count: Int?, _ payload: ArraySlice<UInt8>, _ sink: Sink
  ) throws {
    switch log.payload {
    case .literal:
      collected = Collected(record: record, count: nil, bytes: Array(payload))
      try decodeLiteral(sink)
    case .verbatim:
      if let count, count <= countLimit {
        collected = Collected(record: record, count: count, bytes: Array(payload))
        return try completeCounted(sink)
      }
      try startVerbatim(record, payload, sink)
    }
  }

  private func startVerbatim(
    _ record: Record, _ payload: ArraySlice<UInt8>, _ sink: Sink
  ) throws {
    if log.namesSendersOnly {
      guard record.key.direction == .outbound else {
        return try receive(payload, record, sink)
      }
      router.sent(record.key.connection, payload)
    }
    current = record
    if log.isWhole {
      streams[record.key]?.breakOff("it ends inside an element")
      try report(record.key, sink)
    }
    try feedLine(payload, beginsChunk: true, sink)
  }

  /// A line of a payload that was begun on an earlier one.
  func goOn(_ line: ArraySlice<UInt8>, _ sink: Sink) throws {
    guard let current, case .verbatim = log.payload else { return }
    let isBetween = streams[current.key]?.isBetweenElements ?? true
    if isBetween {
      // Where payloads have lines of their own, the next element may begin on a line of its own.
      guard log.lead != nil, !line.allSatisfy(\.isBlank) else { return self.current = nil }
      guard line.withoutLeadingSpace.first == UInt8(ascii: "<") else { return }
    }
    try feedLine([UInt8(ascii: "\n")] + line, beginsChunk: false, sink)
  }

  /// Feeds a line of a payload, but for a suffix at its end: whether that belongs to the payload
  /// is known when the next line comes.
  private func feedLine(
    _ payload: ArraySlice<UInt8>, beginsChunk: Bool, _ sink: Sink
  ) throws {
    if heldSuffix, !beginsChunk { try feed(suffix[...], beginsChunk: false, sink) }
    heldSuffix = !suffix.isEmpty && payload.ends(with: suffix)
    try feed(
      heldSuffix ? payload.dropLast(suffix.count) : payload, beginsChunk: beginsChunk, sink)
  }

  func collect(_ line: ArraySlice<UInt8>, _ number: Int, _ sink: Sink) throws {
    guard var open = collected else { return }
    let isCounted = open.count != nil
    let isTooLong = open.bytes.count > 8 * limits.bytesPerElement
    if isTooLong || (!isCounted && log.head(line) != nil) {
      try giveUp(open, sink)
      return again.append(HeldLine(number: number, bytes: line))
    }
    open.bytes.append(UInt8(ascii: "\n"))
    open.bytes += line
    if isCounted { open.lines.append(HeldLine(number: number, bytes: line)) }
    collected = open
    if isCounted {
      try completeCounted(sink)
    } else if line.ends(with: Array(">>".utf8)) {
      try decodeLiteral(sink)
    }
  }

  private func decodeLiteral(_ sink: Sink) throws {
    guard let open = collected, case .literal(let decode) = log.payload else { return }
    switch decode(open.bytes[...]) {
    case .unfinished: return
    case .malformed: try giveUp(open, sink)
    case .complete(let bytes):
      collected = nil
      current = open.record
      try feed(bytes[...], beginsChunk: true, sink)
    }
  }

  /// Ends a payload where it has as many bytes as its head said.
  private func completeCounted(_ sink: Sink) throws {
    guard let open = collected, let count = open.count, open.bytes.count >= count else { return }
    let rest = open.bytes[count...]
    let isOtherLine = suffix.isEmpty && !rest.isEmpty && log.isOwnLine(rest)
    guard rest.elementsEqual(suffix) || isOtherLine else {
      guard rest.count > suffix.count || !suffix.starts(with: rest) else { return }
      return try giveUp(open, sink)
    }
    collected = nil
    heldSuffix = false
    try receive(open.bytes[..<count], open.record, sink)
    if isOtherLine {
      again.append(HeldLine(number: open.lines.last?.number ?? open.record.line, bytes: rest))
    }
  }

  /// What was collected is not as it was taken to be: the lines are read again, without a count.
  func giveUp(_ open: Collected, _ sink: Sink) throws {
    collected = nil
    guard open.count != nil else {
      let message = "the record cannot be read: its byte string is malformed"
      return try problem(message, open.record.line, sink)
    }
    // Each failure among lines that are read again halves what the next may take, so that a log
    // made to fail at every line is not read over and over.
    if !open.lines.isEmpty { countLimit = max(Self.minimumCount, countLimit / 2) }
    again += open.lines.reversed()
    let end = open.bytes.firstIndex(of: UInt8(ascii: "\n")) ?? open.bytes.endIndex
    try startVerbatim(open.record, open.bytes[..<end], sink)
  }
}
