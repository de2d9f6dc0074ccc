import RosterCore
package import SessionCore

/// When each connection of a log had a session: the lanes of a picture of the log.
package struct SessionSpans: Sendable {
  /// One session, or the part of it on one connection.
  package struct Span: Hashable, Sendable {
    /// How it ended.
    package enum End: String, Hashable, Sendable {
      case open, closed, lost, failed, replaced
    }

    package let connection: ConnectionID
    /// The resource that was bound; nil if the log does not name it.
    package fileprivate(set) var resource: String?
    /// The record that began it.
    package let first: RecordStamp
    /// The record that ended it; nil if it is open.
    package fileprivate(set) var last: RecordStamp?
    /// Whether it continues a session of an earlier connection.
    package let isResumed: Bool
    package fileprivate(set) var end = End.open
  }

  /// The sessions, in the order in which they began.
  package private(set) var all: [Span] = []
  /// For each connection with a session, its index in `all`.
  private var open: [ConnectionID: Int] = [:]

  package init() {}

  /// Takes what the next event did.
  mutating func take(_ moment: Timeline.Moment) {
    for change in moment.outcome.changes {
      guard case .connection(let before, let after) = change.values,
        let connection = after ?? before
      else { continue }
      let (was, isOpen) = (before?.isOpen ?? false, after?.isOpen ?? false)
      if let index = open[connection.id], let resource = after?.resource {
        all[index].resource = resource
      }
      if !was, isOpen { begin(connection, moment) }
      if was, !isOpen { end(connection.id, moment) }
    }
  }

  private mutating func begin(_ connection: Connection, _ moment: Timeline.Moment) {
    let isResumed = if case .session(.resumed) = moment.event { true } else { false }
    open[connection.id] = all.count
    all.append(
      Span(
        connection: connection.id, resource: connection.resource, first: moment.stamp,
        isResumed: isResumed))
  }

  private mutating func end(_ connection: ConnectionID, _ moment: Timeline.Moment) {
    guard let index = open.removeValue(forKey: connection) else { return }
    all[index].last = moment.stamp
    all[index].end = moment.connection == connection ? moment.event.sessionEnd : .replaced
  }
}

extension RosterEvent {
  /// How a session ends that ends with this event of its own connection.
  fileprivate var sessionEnd: SessionSpans.Span.End {
    switch self {
    case .session(.closed(isLost: true)): .lost
    case .session(.streamFailed): .failed
    case .session(.negotiated): .lost
    case .session, .stanza, .annotation: .closed
    }
  }
}
