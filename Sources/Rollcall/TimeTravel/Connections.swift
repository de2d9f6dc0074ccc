import EventStore
import RawBytes
import RosterCore
package import SessionCore
import XMPPStanza

/// The history of one connection of a log.
package struct ConnectionStory: Hashable, Sendable {
  /// The condition of a connection at the end of the log.
  package enum End: String, Hashable, Sendable, CaseIterable {
    /// Its session is open.
    case open
    /// Its stream was closed properly.
    case closed
    /// It was lost; its session may have been resumed on another connection.
    case lost
    /// Another connection has resumed its session, or bound its resource.
    case replaced
    /// The server ended its stream with an error, or we did.
    case failed
    /// The server refused the login.
    case refused
    /// No resource was ever bound on it.
    case unbound
  }

  /// Its number.
  package let id: ConnectionID
  /// The source's name for it.
  package let name: String?
  /// The resources that were bound on it, in order.
  package fileprivate(set) var resources: [String] = []
  /// Its first record, and its first time: a capture's header has none.
  package fileprivate(set) var first: RecordStamp
  /// Its last record.
  package fileprivate(set) var last: RecordStamp
  /// Its condition at the end.
  package fileprivate(set) var end = End.unbound
  /// The error, if the end is `failed` or `refused`.
  package fileprivate(set) var failure: ErrorReport?
  /// Why it was lost, in the words of the source, if it says so.
  package fileprivate(set) var reason: String?
}

extension ConnectionStory {
  /// Its condition at the end as a clause for people.
  package var endClause: String {
    (failure?.clause ?? reason).map { "\(end.word): \($0)" } ?? end.word
  }
}

extension ConnectionStory.End {
  /// The end in a word.
  fileprivate var word: String {
    switch self {
    case .open: "open"
    case .closed: "closed"
    case .lost: "lost"
    case .replaced: "resumed or bound elsewhere"
    case .failed: "stream error"
    case .refused: "login refused"
    case .unbound: "never bound"
    }
  }
}

extension Timeline {
  /// The connections of the log up to a point, in the order of their numbers.
  ///
  /// Complexity: linear in the records.
  package func connections(upTo point: LogPoint) throws -> [ConnectionStory] {
    let last = try record(at: point)
    var stories = try connectionsSeen(upTo: last)
    var state = State()
    try follow(&state, to: last) { roster, step in
      // Who is available does not matter here.
      if roster.canSkip(step.event, at: step.stamp, on: step.connection) { return }
      try step.reduce(into: &roster)
      switch try step.value {
      case .session(let event):
        let reason = try endReason(of: event, at: step.stamp.record)
        stories[step.connection]?.follow(event, because: reason, roster)
      case .stanza(.answerReceived(let answer)): stories[step.connection]?.follow(answer)
      case .stanza, .annotation: break
      }
    }
    for connection in state.roster.connections {
      stories[connection.id]?.finish(connection)
    }
    return stories.values.sorted { $0.id < $1.id }
  }

  private func connectionsSeen(upTo last: UInt64) throws -> [ConnectionID: ConnectionStory] {
    var stories: [ConnectionID: ConnectionStory] = [:]
    guard last > 0 else { return stories }
    let names = try log.meta.connections
    try log.forEachRecord(in: 1...last) { header, _ in
      // The user's annotations belong to no connection.
      guard header.kind != .annotation, includes(header.connection) else { return }
      let id = ConnectionID(number: header.connection)
      let stamp = RecordStamp(record: header.sequence, time: header.time)
      if stories[id] == nil {
        stories[id] = ConnectionStory(
          id: id, name: names[header.connection], first: stamp, last: stamp)
      }
      stories[id]?.last = stamp
      if stories[id]?.first.time == nil { stories[id]?.first.time = stamp.time }
    }
    return stories
  }

  /// The connection that a user names: by the source's name for it, its number, or the resource
  /// that was bound on it.
  ///
  /// - Throws: `ConnectionError` if there is none, or several have bound the resource.
  package func connection(named text: String) throws -> ConnectionID {
    let known = try connections(upTo: .head(minus: 0))
    if let named = known.first(where: { $0.name.hasSameBytes(as: text) }) { return named.id }
    if let number = UInt32(text), let numbered = known.first(where: { $0.id.number == number }) {
      return numbered.id
    }
    let bound = known.filter { $0.resources.contains { $0.hasSameBytes(as: text) } }
    guard let first = bound.first else { throw ConnectionError.unknown(text, known) }
    guard bound.count == 1 else { throw ConnectionError.ambiguous(text, bound) }
    return first.id
  }
}

extension ConnectionStory {
  fileprivate mutating func follow(
    _ event: SessionEvent, because reason: String?, _ roster: Roster
  ) {
    switch event {
    case .opened, .resumed:
      guard let now = roster.connections.first(where: { $0.id == id }), now.isOpen else { return }
      (end, failure, self.reason) = (.open, nil, nil)
      if let resource = now.resource, resources.last.map({ !$0.hasSameBytes(as: resource) }) ?? true
      {
        resources.append(resource)
      }
    case .ended:
      if end == .open { end = .closed }
    case .closed(let isLost):
      guard end == .open else { return }
      end = isLost ? .lost : .closed
      self.reason = isLost ? reason : nil
    case .streamFailed(_, let report):
      // If there are several errors, the first one is the reason.
      if end == .open || end == .unbound { (end, failure) = (.failed, report) }
    case .loginFailed(let report):
      if end == .unbound { (end, failure) = (.refused, report) }
    case .negotiated:
      // A new stream on it: the old one was lost without being closed.
      if end == .open { end = .lost }
    case .captureBegan, .serverIdentified, .featuresOffered, .authenticated, .resumable: break
    }
  }

  /// An error that answers a request before a resource is bound refuses to bind it, if the server
  /// does not send the request along.
  fileprivate mutating func follow(_ answer: Answer) {
    if case .error(let report) = answer.payload, end == .unbound {
      (end, failure) = (.refused, report)
    }
  }

  /// Completes the history with the connection's condition in the last state.
  fileprivate mutating func finish(_ connection: Connection) {
    if connection.isOpen {
      (end, failure, reason) = (.open, nil, nil)
      if resources.isEmpty, let resource = connection.resource { resources = [resource] }
    } else if end == .open {
      end = .replaced
    }
  }
}

/// Why a connection cannot be found.
package enum ConnectionError: Error, Hashable, Sendable {
  case unknown(String, [ConnectionStory])
  case ambiguous(String, [ConnectionStory])
}

extension ConnectionError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknown(let text, let known):
      "there is no connection “\(text)” in it; it has \(Self.list(known))"
        + EditDistance.hint(
          for: text, among: known.flatMap { ($0.name.map { [$0] } ?? []) + $0.resources })
    case .ambiguous(let text, let found):
      "several connections have bound the resource “\(text)”; choose one by its number: "
        + Self.list(found)
    }
  }

  private static func list(_ connections: [ConnectionStory]) -> String {
    let shown = connections.prefix(20).map { story in
      let names = [story.name] + story.resources.map { Optional($0) }
      let words = names.compactMap { $0 }.joined(separator: ", ")
      return "\(story.id.number)" + (words.isEmpty ? "" : " (\(words))")
    }
    let rest = connections.count - shown.count
    return shown.isEmpty
      ? "none" : shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
