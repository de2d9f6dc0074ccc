import XMPPStanza
import XMPPStream

/// Reads the spool of a server's tap: JSON Lines about all accounts of the server.
///
/// A line names its account and its connection. The numbers of connections begin anew when the
/// server does, so a connection's name also has the server's run in it. A roster that the server
/// had stored becomes a connection of its own, which asks for the roster and receives it, followed
/// by the requests that wait for an answer.
final class SpoolReader: LineReader {
  /// The key of the first line of a segment; its value is the version of the format.
  static let versionKey = "rollcall-tap"

  private let parser: StreamParser
  private let chosen: BareJID?
  /// The first other accounts. A record of each was passed on, so that the user can be told which
  /// there are.
  private var named: Set<BareJID> = []
  /// What the lines so far say about the lines that follow.
  var state = SpoolState()
  private(set) var runs: ServerRuns?

  /// The number of other accounts that are named to the user.
  private static let maximumNamed = 100

  init(_ options: ReaderOptions) {
    parser = StreamParser(root: .records, limits: options.limits)
    chosen = options.account
  }

  func take(_ line: ArraySlice<UInt8>, number: Int, _ sink: Sink) throws {
    guard !line.allSatisfy(\.isXMLSpace) else { return }
    do {
      let object = try NativeReader.object(line)
      let time = try NativeReader.time(object)
      if object[Self.versionKey] != nil {
        try begin(object, time, number, sink)
      } else if let gap = object["gap"] {
        let lines = if case .integer(let count) = gap { "\(count) lines" } else { "lines" }
        let message = "the tap could not write \(lines) before this one: what they said is unknown"
        try sink(.problem(CaptureProblem(line: number, message: message)))
      } else if object["alive"] == nil {
        try read(object, time, number, sink)
      }
    } catch let problem as LineProblem {
      try sink(.problem(CaptureProblem(line: number, message: problem.message)))
    }
  }

  func finish(_ sink: Sink) throws {}

  /// Whether an object is a line of a spool, which may have been cut before its first one.
  static func isLine(_ object: [String: JSONValue]) -> Bool {
    if object[versionKey] != nil { return true }
    guard case .integer = object["t"] else { return false }
    guard let account = object["a"]?.string else {
      guard object.count == 2, case .integer = object["alive"] ?? object["gap"] else {
        return false
      }
      return true
    }
    let isElement = object[NativeKey.direction] != nil && object["xml"] != nil
    let isStream = object[NativeKey.stream]?.string.map(events.contains) ?? false
    return account.contains("@") && (isElement || isStream || object["stored"] != nil)
  }

  /// What can happen to a stream.
  private static let events = ["authenticated", "opened", "resumed", "lost", "closed"]

  // MARK: Segments

  /// Begins a segment. The first one of a run of the server ends the connections of the run before.
  private func begin(
    _ object: [String: JSONValue], _ time: Int64?, _ number: Int, _ sink: Sink
  ) throws {
    guard case .integer(let version) = object[Self.versionKey] else {
      throw LineProblem("\"\(Self.versionKey)\" is not a whole number")
    }
    guard version == 1 else { throw CaptureError.unknownVersion(line: number, version) }
    guard let next = object["boot"]?.string, !next.isEmpty else {
      throw LineProblem("\"boot\" is missing")
    }
    guard next != state.boot else { return }
    for (connection, open) in state.open.sorted(by: { $0.key < $1.key }) {
      let end = Lifecycle.closed(reason: ServerRuns.end)
      try sink(.record(record(.lifecycle(end), open.account, connection, time, number)))
    }
    state.begin(next)
    runs = ServerRuns(first: runs?.first ?? next, last: next)
  }

  // MARK: Lines of accounts

  private func read(
    _ object: [String: JSONValue], _ time: Int64?, _ number: Int, _ sink: Sink
  ) throws {
    guard let text = object["a"]?.string else { throw LineProblem("\"a\" is missing") }
    guard let account = try? BareJID(parsing: text) else {
      throw LineProblem("\"a\" is no address")
    }
    guard chosen == nil || chosen == account || isFirst(of: account) else { return }
    if object["stored"] != nil { return try readStored(object, account, time, number, sink) }
    guard case .integer(let connection) = object["c"], connection > 0 else {
      throw LineProblem("\"c\" is not the number of a connection")
    }
    let content: CapturedRecord.Content
    if object[NativeKey.stream] != nil {
      guard let lifecycle = try lifecycle(object, account, connection) else { return }
      content = .lifecycle(lifecycle)
      if object["by"]?.string == "client" {
        try sink(.record(record(.streamEnd(.outbound), account, connection, time, number)))
      }
    } else {
      content = try element(object)
      noteBinding(content, account, connection)
    }
    try sink(.record(record(content, account, connection, time, number)))
  }

  /// Whether a line is the first one of another account, which shows that the spool has it.
  private func isFirst(of account: BareJID) -> Bool {
    named.count < Self.maximumNamed && named.insert(account).inserted
  }

  private func record(
    _ content: CapturedRecord.Content, _ account: BareJID, _ connection: Int64, _ time: Int64?,
    _ number: Int
  ) -> CapturedRecord {
    let boot = state.boot
    let name = boot.isEmpty ? "\(connection)" : "\(boot)-\(connection)"
    var record = CapturedRecord(connection: name, time: time, line: number, content: content)
    record.account = account
    return record
  }

  private func element(
    _ object: [String: JSONValue]
  ) throws(LineProblem) -> CapturedRecord.Content {
    let direction = try NativeReader.direction(object)
    guard let xml = object["xml"]?.string else { throw LineProblem("\"xml\" is missing") }
    return CapturedRecord.Content(try parser.onlyEvent(in: xml), direction)
  }

  /// The event of a connection; nil if the elements around it say the same.
  private func lifecycle(
    _ object: [String: JSONValue], _ account: BareJID, _ connection: Int64
  ) throws(LineProblem) -> Lifecycle? {
    switch object[NativeKey.stream]?.string {
    case "lost", "closed":
      guard state.end(connection) else { return nil }
      let reason = object["reason"]?.string.flatMap { EndReason.reason(Array($0.utf8)[...]) }
      return .closed(reason: reason)
    case "opened":
      let isAnswered = state[connection]?.isBinding == true
      state[connection] = SpoolState.Connection(account: account)
      return isAnswered ? nil : try Lifecycle(stream: object)
    case "authenticated", "resumed":
      state[connection] = SpoolState.Connection(account: account)
      return try Lifecycle(stream: object)
    default:
      throw LineProblem(
        "\"stream\" is none of \"authenticated\", \"opened\", \"resumed\", \"lost\", \"closed\"")
    }
  }

  /// Notes that the client has asked for a resource.
  private func noteBinding(
    _ content: CapturedRecord.Content, _ account: BareJID, _ connection: Int64
  ) {
    var open = state[connection] ?? SpoolState.Connection(account: account)
    if case .element(.outbound, let node, _) = content,
      node.child("bind", in: Namespace.bind) != nil
    {
      open.isBinding = true
    }
    state[connection] = open
  }

  // MARK: Stored rosters

  private func readStored(
    _ object: [String: JSONValue], _ account: BareJID, _ time: Int64?, _ number: Int, _ sink: Sink
  ) throws {
    guard let xml = object["xml"]?.string else { throw LineProblem("\"xml\" is missing") }
    let result = try parser.onlyEvent(in: xml)
    guard case .element(let element) = result, let id = element.node.attribute("id"),
      element.node.child("query", in: Namespace.roster) != nil
    else { throw LineProblem("\"xml\" is no roster") }
    let query = XMPPElement(XMLName("query", in: Namespace.roster))
    let get = Self.stanza("iq", [("type", "get"), ("id", id)], [.element(query)])
    // No session is opened: a client that has one does not lose it by this.
    var contents: [CapturedRecord.Content] = [
      .element(.outbound, get, bytes: get.serialized()),
      CapturedRecord.Content(result, .inbound),
    ]
    for contact in try Self.addresses(object["asked"]) {
      let request = Self.stanza(
        "presence", [("type", "subscribe"), ("from", contact.text), ("to", account.text)])
      contents.append(.element(.inbound, request, bytes: request.serialized()))
    }
    contents.append(.lifecycle(.closed(reason: nil)))
    let count = (state.storedRosters[account] ?? 0) + 1
    state.storedRosters[account] = count
    for content in contents {
      var record = record(content, account, 0, time, number)
      record.connection = "\(state.boot)-stored\(count)"
      try sink(.record(record))
    }
  }

  private static func stanza(
    _ name: String, _ attributes: [(String, String)], _ content: [XMPPElement.Content] = []
  ) -> XMPPElement {
    XMPPElement(
      XMLName(name, in: Namespace.client),
      attributes: attributes.map { XMLAttribute(XMLName($0, in: ""), $1) }, content: content)
  }

  /// The addresses whose requests wait for an answer.
  private static func addresses(_ value: JSONValue?) throws(LineProblem) -> [BareJID] {
    guard let value else { return [] }
    guard case .array(let values) = value else { throw LineProblem("\"asked\" is no list") }
    return values.compactMap { value in value.string.flatMap { try? BareJID(parsing: $0) } }
  }
}

extension StreamParser {
  /// Returns the one element, header or end tag in a record's text.
  func onlyEvent(in xml: String) throws(LineProblem) -> StreamEvent {
    var found: [StreamEvent] = []
    do {
      try feed(Array(xml.utf8)) { found.append($0) }
      try finish()
    } catch {
      reset()
      throw LineProblem(
        "\"xml\" cannot be read: \((error as? StreamError)?.kind.description ?? "")")
    }
    guard let event = found.first else { throw LineProblem("\"xml\" is empty") }
    guard found.count == 1 else {
      throw LineProblem("a record holds one element, not \(found.count)")
    }
    return event
  }
}
