import RawBytes
import XMPPStanza

/// How available a resource says it is (RFC 6121 §4.7.2.1).
public enum Show: String, Hashable, Sendable, CaseIterable {
  /// Eager to chat.
  case chat
  /// No `<show/>`.
  case available
  /// Away for a short time.
  case away
  /// Away for an extended time.
  case xa
  /// Does not want to be disturbed.
  case dnd

  /// Higher is more available.
  fileprivate var rank: Int {
    switch self {
    case .chat: 4
    case .available: 3
    case .away: 2
    case .xa: 1
    case .dnd: 0
    }
  }
}

/// The content of an available presence (RFC 6121 §4.7.2).
public struct Availability: Sendable {
  /// How available the resource is.
  public var show: Show
  /// From -128 to 127, by default 0.
  public var priority: Int8
  /// The status text that the user wrote.
  public var status: String?
  /// The stamp of a delayed presence, as written (XEP-0203).
  public var delay: String?
  /// What was malformed and replaced by its default.
  package var malformed: String?

  package init(
    show: Show = .available, priority: Int8 = 0, status: String? = nil, delay: String? = nil,
    malformed: String? = nil
  ) {
    self.show = show
    self.priority = priority
    self.status = status
    self.delay = delay
    self.malformed = malformed
  }
}

extension Availability: Hashable {
  /// Whether both have the same content. Compares texts by their bytes.
  public static func == (a: Availability, b: Availability) -> Bool {
    a.show == b.show && a.priority == b.priority && a.status.hasSameBytes(as: b.status)
      && a.delay.hasSameBytes(as: b.delay) && a.malformed.hasSameBytes(as: b.malformed)
  }

  /// Hashes the content.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(show)
    hasher.combine(priority)
    hasher.combine(bytesOf: status)
    hasher.combine(bytesOf: delay)
  }
}

/// The last presence of one resource of a contact.
public struct ResourcePresence: Hashable, Sendable {
  /// The content of the presence.
  public let availability: Availability
  /// The record of the presence.
  public let since: RecordStamp
  /// The sessions of ours that received it.
  let told: SessionSet

  /// Orders the resources of a contact. No two have the same record, so no two are equal.
  fileprivate var rank: (Int8, Int, UInt64) {
    (availability.priority, availability.show.rank, since.record)
  }
}

/// The available resources of one contact.
public struct ContactPresence: Hashable, Sendable {
  /// The available resources by name; the empty name is presence from the bare address.
  public let resources: ResourceTable

  init(resources: ResourceTable = ResourceTable()) {
    self.resources = resources
  }

  /// The resource that represents the contact: the one with the highest priority, then the most
  /// available `show`, then the newest presence. A resource with a negative priority is online too.
  ///
  /// Complexity: linear in the resources.
  public var best: (resource: String, presence: ResourcePresence)? {
    resources.max { $0.value.rank < $1.value.rank }.map { ($0.key, $0.value) }
  }
}

/// Resources by name, in the order of the names' bytes.
public struct ResourceTable: Hashable, Sendable {
  private struct Resource: Hashable, Sendable {
    var name: String
    var presence: ResourcePresence
  }

  private let list: [Resource]

  /// - Parameter resources: In any order, each name once.
  init(_ resources: [(name: String, presence: ResourcePresence)] = []) {
    list = resources.map { Resource(name: $0.name, presence: $0.presence) }
      .sorted { $0.name.precedesByBytes($1.name) }
  }

  /// The number of resources.
  public var count: Int { list.count }

  /// Whether there are no resources.
  public var isEmpty: Bool { list.isEmpty }

  /// The names, in the order of their bytes.
  public var keys: [String] { list.map(\.name) }

  /// The last presence of a resource; nil if it is not available. Complexity: O(log n).
  public subscript(name: String) -> ResourcePresence? {
    var places = list.indices
    while let first = places.first, let last = places.last {
      let middle = (first + last) / 2
      if list[middle].name.hasSameBytes(as: name) { return list[middle].presence }
      places =
        list[middle].name.precedesByBytes(name) ? (middle + 1)..<(last + 1) : first..<middle
    }
    return nil
  }
}

extension ResourceTable: Sequence {
  /// Iterates over the resources in the order of their names.
  public func makeIterator() -> AnyIterator<(key: String, value: ResourcePresence)> {
    var rest = list.makeIterator()
    return AnyIterator { rest.next().map { ($0.name, $0.presence) } }
  }
}
