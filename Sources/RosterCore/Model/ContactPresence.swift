/// The available resources of one contact.
public struct ContactPresence: Hashable, Sendable {
  /// Each available resource by its name; the empty name is presence of the bare address.
  public internal(set) var resources = ResourceTable()

  init() {}

  /// Of one resource.
  init(_ name: String, _ presence: ResourcePresence) {
    resources = ResourceTable(name, presence)
  }

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
  public var availability: Availability { content.availability }
  /// The record that said it.
  public var since: RecordStamp { content.since }

  /// States, and the changes that lead from one to the next, share it.
  private let content: Content

  init(availability: Availability, since: RecordStamp) {
    content = Content(availability: availability, since: since)
  }

  private final class Content: Hashable, Sendable {
    let availability: Availability
    let since: RecordStamp

    init(availability: Availability, since: RecordStamp) {
      self.availability = availability
      self.since = since
    }

    static func == (a: Content, b: Content) -> Bool {
      a === b || (a.availability == b.availability && a.since == b.since)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(availability)
      hasher.combine(since)
    }
  }

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
