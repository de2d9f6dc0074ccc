import DequeModule
import XMPPStanza

/// Finds out which two processes of a server are one connection, in a log in which one of them
/// names what was received and another what was sent.
///
/// The requests of the one and the answers of the other, and the other way round, have the same
/// ids. What was received is held until that has shown where it belongs. Who reads and who writes
/// are often started one after the other, but two connections that begin at once mix that up.
struct ProcessPairing {
  typealias Sink = (CaptureOutput) throws -> Void

  /// The process of the session, by the process that receives for it.
  private var sessions: [String: String] = [:]
  private var paired: Set<String> = []
  /// Some of those that there are: whether there are several is what matters.
  private var receivers: Set<String> = []
  private var writers: Set<String> = []
  /// Who asked, by the id and what was asked.
  private var asked: [Query: Set<String>] = [:]
  private var held: Deque<CaptureOutput> = []
  private var heldBytes = 0
  /// What nothing says the connection of.
  private var left: (line: Int, count: Int)?

  private struct Query: Hashable {
    let id: String
    let isOfClient: Bool
  }

  private static let mark = "receiver "
  private static let maximumHeld = (count: 2000, bytes: 4 << 20)
  private static let maximumQueries = 10_000
  private static let maximumID = 256

  /// What a process is called that receives for another.
  static func receiver(_ process: String) -> String { mark + process }

  /// Takes what a reader gives, and gives it on under the name of its connection.
  mutating func pass(_ output: CaptureOutput, to sink: Sink) throws {
    if case .record(let record) = output { note(record) }
    if held.isEmpty, receivers.isEmpty { return try sink(output) }
    held.append(output)
    if case .record(let record) = output { heldBytes += record.bytes }
    try give(isLast: false, sink)
  }

  /// Takes the end of the log.
  mutating func finish(_ sink: Sink) throws {
    try give(isLast: true, sink)
    guard let left else { return }
    let message = """
      nothing says to which connections \(left.count) received records belong; they are left out
      """
    try sink(.problem(CaptureProblem(line: left.line, message: message)))
  }

  // MARK: Who belongs together

  private mutating func note(_ record: CapturedRecord) {
    let isReceiver = record.connection.hasPrefix(Self.mark)
    if isReceiver {
      if receivers.count < 2 { receivers.insert(record.connection) }
    } else if writers.count < 2 {
      writers.insert(record.connection)
    }
    guard case .element(_, let node, _) = record.content, node.name.local == "iq",
      let id = node.attribute("id"), id.utf8.count <= Self.maximumID
    else { return }
    let name = record.connection
    switch node.attribute("type") {
    case "get", "set":
      if asked.count >= Self.maximumQueries { asked.removeAll() }
      asked[Query(id: id, isOfClient: isReceiver), default: []].insert(name)
    case "result", "error":
      guard let asking = asked[Query(id: id, isOfClient: !isReceiver)] else { return }
      let known = isReceiver ? sessions[name] : nil
      guard known == nil, isReceiver || !paired.contains(name) else { return }
      let free = asking.filter { isReceiver ? !paired.contains($0) : sessions[$0] == nil }
      guard free.count == 1, let other = free.first else { return }
      pair(isReceiver ? name : other, isReceiver ? other : name)
    case nil, .some: return
    }
  }

  private mutating func pair(_ receiver: String, _ session: String) {
    sessions[receiver] = session
    paired.insert(session)
  }

  /// Where there is one of each, they belong together.
  private mutating func pairTheOnlyOnes() {
    guard receivers.count == 1, writers.count <= 1, let receiver = receivers.first,
      sessions[receiver] == nil
    else { return }
    pair(receiver, writers.first ?? String(receiver.dropFirst(Self.mark.utf8.count)))
  }

  // MARK: What is held

  private mutating func give(isLast: Bool, _ sink: Sink) throws {
    while let output = held.first {
      guard case .record(var record) = output, record.connection.hasPrefix(Self.mark) else {
        try give(output, sink)
        continue
      }
      let isLimit =
        held.count > Self.maximumHeld.count || heldBytes > Self.maximumHeld.bytes
      if isLast || isLimit { pairTheOnlyOnes() }
      if let session = sessions[record.connection] {
        record.connection = session
        try give(.record(record), sink)
      } else if isLast || isLimit {
        left = (left?.line ?? record.line, (left?.count ?? 0) + 1)
        removeFirst()
      } else {
        return
      }
    }
  }

  private mutating func give(_ output: CaptureOutput, _ sink: Sink) throws {
    removeFirst()
    try sink(output)
  }

  private mutating func removeFirst() {
    guard case .record(let record)? = held.popFirst() else { return }
    heldBytes -= record.bytes
  }
}
