import DequeModule

/// What both sides of a stream have counted of each other's stanzas (XEP-0198).
///
/// Counts go round at 2³² (§4).
package struct StreamManagement: Hashable, Sendable {
  /// How many of the server's stanzas were taken.
  package private(set) var handled: UInt32
  /// How many of ours the server has taken.
  private var acknowledged: UInt32
  /// Ours that it has not said it took, the oldest first.
  private var unacknowledged: Deque<[UInt8]> = []
  /// How many bytes they have.
  private var unacknowledgedBytes = 0

  /// How many of our stanzas, and how many bytes of them, are kept until they are acknowledged.
  package static let limits = (stanzas: 16_384, bytes: 16 << 20)
  /// What to name to go on with the session later; nil where the server does not offer that.
  package var id: String?
  private var isAsked = false

  /// How many of ours the server has not said it took.
  package var unacknowledgedCount: Int { unacknowledged.count }

  /// Whether more of our stanzas are unacknowledged than are kept to be sent again. Without a limit
  /// a server that never acknowledges anything would fill the memory.
  package var isOverdue: Bool {
    unacknowledged.count > Self.limits.stanzas || unacknowledgedBytes > Self.limits.bytes
  }

  /// Whether any of these stanzas is sent again if the session is resumed.
  package func resends(anyOf stanzas: [[UInt8]]) -> Bool {
    id != nil && unacknowledged.contains { stanzas.contains($0) }
  }

  /// From the beginning of a session, or with so many stanzas behind both sides.
  package init(id: String?, handled: UInt32 = 0, acknowledged: UInt32 = 0) {
    self.id = id
    self.handled = handled
    self.acknowledged = acknowledged
  }

  /// One of the server's stanzas was taken.
  package mutating func received() { handled &+= 1 }

  /// One of ours goes out.
  package mutating func sent(_ stanza: [UInt8]) {
    unacknowledged.append(stanza)
    unacknowledgedBytes += stanza.count
  }

  /// Whether the server is to be asked now what it has taken; once until it has answered.
  package mutating func asks() -> Bool {
    guard !isAsked, !unacknowledged.isEmpty else { return false }
    isAsked = true
    return true
  }

  /// The server says how many of our stanzas it has taken.
  ///
  /// - Returns: False where that is more than were sent, or fewer than it said before.
  package mutating func acknowledged(_ count: UInt32) -> Bool {
    let new = Int(count &- acknowledged)
    guard new <= unacknowledged.count else { return false }
    unacknowledgedBytes -= unacknowledged.prefix(new).reduce(0) { $0 + $1.count }
    unacknowledged.removeFirst(new)
    acknowledged = count
    isAsked = false
    return true
  }

  /// What is sent again where the session goes on (§5): all that was not acknowledged.
  package mutating func resumed() -> [[UInt8]] {
    isAsked = false
    return Array(unacknowledged)
  }
}

/// A session that can be gone on with.
package typealias Resumption = StreamManagement
