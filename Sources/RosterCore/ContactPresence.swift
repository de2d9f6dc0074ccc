import HashTreeCollections

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

/// Resources by their names, in no order.
///
/// Nearly every contact has one, which needs no table of its own.
public struct ResourceTable: Hashable, Sendable {
  private enum Storage: Hashable, Sendable {
    case none
    case one(String, ResourcePresence)
    /// At least two.
    case many(TreeDictionary<String, ResourcePresence>)
  }

  private var storage: Storage

  init() {
    storage = .none
  }

  init(_ name: String, _ presence: ResourcePresence) {
    storage = .one(name, presence)
  }

  /// How many there are.
  public var count: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .many(let table): table.count
    }
  }

  /// Whether there is none.
  public var isEmpty: Bool { count == 0 }

  /// The names.
  public var keys: [String] { map(\.key) }

  /// What a resource last said, nil where it is not available. Complexity: O(log n).
  public subscript(name: String) -> ResourcePresence? {
    switch storage {
    case .none: nil
    case .one(name, let presence): presence
    case .one: nil
    case .many(let table): table[name]
    }
  }

  /// What a resource said last, if there is no other.
  func only(_ name: String) -> ResourcePresence? {
    switch storage {
    case .one(name, let presence): presence
    case .none, .one, .many: nil
    }
  }

  /// - Returns: what it said before.
  @discardableResult
  mutating func updateValue(
    _ presence: ResourcePresence, forKey name: String
  ) -> ResourcePresence? {
    switch storage {
    case .none:
      storage = .one(name, presence)
      return nil
    case .one(name, let before):
      storage = .one(name, presence)
      return before
    case .one(let other, let others):
      storage = .many([other: others, name: presence])
      return nil
    case .many(var table):
      storage = .none  // so that the table is not copied
      let before = table.updateValue(presence, forKey: name)
      storage = .many(table)
      return before
    }
  }

  /// - Returns: what it said last, nil where it was not available.
  mutating func removeValue(forKey name: String) -> ResourcePresence? {
    switch storage {
    case .none: return nil
    case .one(let only, let before):
      guard only == name else { return nil }
      storage = .none
      return before
    case .many(var table):
      storage = .none
      let before = table.removeValue(forKey: name)
      if table.count == 1, let (name, presence) = table.first {
        storage = .one(name, presence)
      } else {
        storage = .many(table)
      }
      return before
    }
  }
}

extension ResourceTable: Sequence {
  /// Goes over the resources in no order that holds from run to run.
  public func makeIterator() -> Iterator {
    switch storage {
    case .none: Iterator(one: nil, many: nil)
    case .one(let name, let presence): Iterator(one: (name, presence), many: nil)
    case .many(let table): Iterator(one: nil, many: table.makeIterator())
    }
  }

  /// The least number of resources still to come.
  public var underestimatedCount: Int { count }

  /// Goes over resources.
  public struct Iterator: IteratorProtocol {
    fileprivate var one: (key: String, value: ResourcePresence)?
    fileprivate var many: TreeDictionary<String, ResourcePresence>.Iterator?

    /// The next resource with what it said.
    public mutating func next() -> (key: String, value: ResourcePresence)? {
      if let one {
        self.one = nil
        return one
      }
      return many?.next()
    }
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
