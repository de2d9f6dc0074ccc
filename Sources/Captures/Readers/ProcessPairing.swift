import DequeModule
import XMPPStanza

/// Finds the two processes of a server that form a connection, in a log in which one process names
/// received elements and another one sent elements.
///
/// The requests of one and the answers of the other have the same ids, in both directions. Received
/// records are held until the ids show their connection. The reading and the writing process are
/// often started one after the other, but that order is not reliable if two connections begin at
/// once.
struct ProcessPairing {
  typealias Sink = (CaptureOutput) throws -> Void

  /// The session's process for each receiving process.
  private var sessions: [String: String] = [:]
  private var paired: Set<String> = []
  /// At most two of the processes: only whether there are several matters.
  private var receivers: Set<String> = []
  private var writers: Set<String> = []
  /// The processes that asked, by the id and the side of the request.
  private var askers: [Query: Set<String>] = [:]
  private var held: Deque<CaptureOutput> = []
  private var heldBytes = 0
  /// The records whose connection is unknown.
  private var unpaired: (line: Int, count: Int)?

  private struct Query: Hashable {
    let id: String
    let isOfClient: Bool
  }

  private static let mark = "receiver "
  private static let maximumHeld = (count: 2000, bytes: 4 << 20)
  private static let maximumQueries = 10_000
  private static let maximumID = 256

  /// The connection name of a process that receives for another one.
  static func receiver(_ process: String) -> String { mark + process }

  /// Adds an output of a reader, and passes on outputs with the names of their connections.
  mutating func pass(_ output: CaptureOutput, to sink: Sink) throws {
    if case .record(let record) = output { note(record) }
    if held.isEmpty, receivers.isEmpty { return try sink(output) }
    held.append(output)
    if case .record(let record) = output { heldBytes += record.bytes }
    try emit(isLast: false, sink)
  }

  /// Ends the log and passes on the held outputs.
  mutating func finish(_ sink: Sink) throws {
    try emit(isLast: true, sink)
    guard let unpaired else { return }
    let message = """
      nothing says to which connections \(unpaired.count) received records belong; they are left out
      """
    try sink(.problem(CaptureProblem(line: unpaired.line, message: message)))
  }

  // MARK: Pairs

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
      if askers.count >= Self.maximumQueries { askers.removeAll() }
      askers[Query(id: id, isOfClient: isReceiver), default: []].insert(name)
    case "result", "error":
      guard let asking = askers[Query(id: id, isOfClient: !isReceiver)] else { return }
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

  /// Pairs the only receiving process with the only other one.
  private mutating func pairTheOnlyOnes() {
    guard receivers.count == 1, writers.count <= 1, let receiver = receivers.first,
      sessions[receiver] == nil
    else { return }
    pair(receiver, writers.first ?? String(receiver.dropFirst(Self.mark.utf8.count)))
  }

  // MARK: Held outputs

  private mutating func emit(isLast: Bool, _ sink: Sink) throws {
    while let output = held.first {
      guard case .record(var record) = output, record.connection.hasPrefix(Self.mark) else {
        try emit(output, sink)
        continue
      }
      let isLimit =
        held.count > Self.maximumHeld.count || heldBytes > Self.maximumHeld.bytes
      if isLast || isLimit { pairTheOnlyOnes() }
      if let session = sessions[record.connection] {
        record.connection = session
        try emit(.record(record), sink)
      } else if isLast || isLimit {
        unpaired = (unpaired?.line ?? record.line, (unpaired?.count ?? 0) + 1)
        removeFirst()
      } else {
        return
      }
    }
  }

  private mutating func emit(_ output: CaptureOutput, _ sink: Sink) throws {
    removeFirst()
    try sink(output)
  }

  private mutating func removeFirst() {
    guard case .record(let record)? = held.popFirst() else { return }
    heldBytes -= record.bytes
  }
}
