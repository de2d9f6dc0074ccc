import DequeModule

/// The counts of each other's stanzas that both sides of a stream keep (XEP-0198).
///
/// Counts wrap around at 2³² (§4).
package struct StreamManagement: Hashable, Sendable {
  /// The number of the server's stanzas that were handled.
  package private(set) var handled: UInt32
  /// The number of our stanzas that the server has acknowledged.
  private var acknowledged: UInt32
  /// Our stanzas that it has not acknowledged, oldest first.
  private var unacknowledged: Deque<Stanza> = []
  /// The number of their bytes.
  private var unacknowledgedBytes = 0

  /// The maximum number of unacknowledged stanzas that are kept, and of their bytes.
  package static let limits = (stanzas: 16_384, bytes: 16 << 20)
  /// The id for resuming the session; nil if the server does not offer that.
  package var id: String?
  private var isAsked = false
  /// The names of the awaited stanzas that were acknowledged and not yet reported, oldest first.
  private var confirmed: [String] = []

  /// A stanza of ours.
  private struct Stanza: Hashable, Sendable {
    var bytes: [UInt8]
    /// The name under which its acknowledgement is awaited.
    var name: String?
  }

  /// The number of our stanzas that the server has not acknowledged.
  package var unacknowledgedCount: Int { unacknowledged.count }

  /// Whether more of our stanzas are unacknowledged than are kept to be sent again. Without a limit
  /// a server that never acknowledges anything would fill the memory.
  package var isOverdue: Bool {
    unacknowledged.count > Self.limits.stanzas || unacknowledgedBytes > Self.limits.bytes
  }

  /// Whether the server has yet to acknowledge any of these stanzas.
  func holds(anyOf stanzas: [[UInt8]]) -> Bool {
    unacknowledged.contains { stanzas.contains($0.bytes) }
  }

  /// The counts of a new session, or of one in which stanzas were already counted.
  package init(id: String?, handled: UInt32 = 0, acknowledged: UInt32 = 0) {
    self.id = id
    self.handled = handled
    self.acknowledged = acknowledged
  }

  /// A stanza from the server was handled.
  package mutating func received() { handled &+= 1 }

  /// A stanza of ours is sent.
  ///
  /// - Parameter name: The name under which its acknowledgement is awaited; nil if it is not.
  package mutating func sent(_ stanza: [UInt8], awaitedAs name: String? = nil) {
    unacknowledged.append(Stanza(bytes: stanza, name: name))
    unacknowledgedBytes += stanza.count
  }

  /// Whether to ask the server now for an acknowledgement; true once until it has answered.
  package mutating func asks() -> Bool {
    guard !isAsked, !unacknowledged.isEmpty else { return false }
    isAsked = true
    return true
  }

  /// The server acknowledged our stanzas up to this count.
  ///
  /// - Returns: False if that is more than were sent, or fewer than it acknowledged before.
  package mutating func acknowledged(_ count: UInt32) -> Bool {
    let new = Int(count &- acknowledged)
    guard new <= unacknowledged.count else { return false }
    unacknowledgedBytes -= unacknowledged.prefix(new).reduce(0) { $0 + $1.bytes.count }
    confirmed += unacknowledged.prefix(new).compactMap(\.name)
    unacknowledged.removeFirst(new)
    acknowledged = count
    isAsked = false
    return true
  }

  /// Returns and forgets the names of the awaited stanzas that were acknowledged.
  package mutating func takeConfirmed() -> [String] {
    defer { confirmed = [] }
    return confirmed
  }

  /// The names of the awaited stanzas that are not acknowledged.
  package var awaited: [String] { unacknowledged.compactMap(\.name) }

  /// The stanzas to send again if the session is resumed (§5): all that were not acknowledged.
  /// Nothing is awaited any longer, because the waits ended with the connection.
  package mutating func resumed() -> [[UInt8]] {
    isAsked = false
    confirmed = []
    for index in unacknowledged.indices { unacknowledged[index].name = nil }
    return unacknowledged.map(\.bytes)
  }
}
