public import HashTreeCollections

/// The available resources of one contact.
public struct ContactPresence: Hashable, Sendable {
  /// Each available resource by its name; the empty name is presence of the bare address.
  public internal(set) var resources = TreeDictionary<String, ResourcePresence>()

  /// The resource that speaks for the contact: the highest priority, then the most available
  /// `show`, then the newest. A resource of negative priority is online too.
  ///
  /// Complexity: linear in the resources.
  public var best: (resource: String, presence: ResourcePresence)? {
    resources.max { $0.value.rank < $1.value.rank }.map { ($0.key, $0.value) }
  }
}

/// What one resource of a contact last said.
public struct ResourcePresence: Hashable, Sendable {
  /// Its words.
  public internal(set) var availability: Availability
  /// The record that said it.
  public internal(set) var since: RecordStamp

  /// Orders the resources of a contact; no two have the same record.
  fileprivate var rank: (Int8, Int, UInt64) {
    (availability.priority, availability.show.rank, since.record)
  }
}

extension Show {
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
