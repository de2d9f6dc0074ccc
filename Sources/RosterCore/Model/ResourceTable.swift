import HashTreeCollections

/// Resources by their names, in no order.
///
/// Nearly every contact has one, which needs no table of its own, and most others have a few,
/// which need no tree. Whoever has many is a stranger up to something: a tree bounds its work.
public struct ResourceTable: Hashable, Sendable {
  fileprivate struct Resource: Hashable, Sendable {
    var name: String
    var presence: ResourcePresence
  }

  /// How many there are decides which it is, so that equal tables are equal values.
  private enum Storage: Hashable, Sendable {
    case one(Resource)
    /// None, or from two to `few` of them, in the order of their names.
    case few([Resource])
    case many(TreeDictionary<String, ResourcePresence>)
  }

  private static let few = 8

  private var storage: Storage

  init() {
    storage = .few([])
  }

  init(_ name: String, _ presence: ResourcePresence) {
    storage = .one(Resource(name: name, presence: presence))
  }

  /// How many there are.
  public var count: Int {
    switch storage {
    case .one: 1
    case .few(let list): list.count
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
    case .one(let only): only.name == name ? only.presence : nil
    case .few(let list): list.first { $0.name == name }?.presence
    case .many(let table): table[name]
    }
  }

  /// What a resource said last, if there is no other.
  func only(_ name: String) -> ResourcePresence? {
    switch storage {
    case .one(let only): only.name == name ? only.presence : nil
    case .few, .many: nil
    }
  }

  /// - Returns: what it said before.
  @discardableResult
  mutating func updateValue(
    _ presence: ResourcePresence, forKey name: String
  ) -> ResourcePresence? {
    switch storage {
    case .one(let only):
      if only.name == name {
        storage = .one(Resource(name: name, presence: presence))
        return only.presence
      }
      let new = Resource(name: name, presence: presence)
      storage = .few(only.name < name ? [only, new] : [new, only])
      return nil
    case .few(let list):
      storage = .few([])  // so that the list is not copied
      return update(list, name, presence)
    case .many(var table):
      storage = .few([])
      let before = table.updateValue(presence, forKey: name)
      storage = .many(table)
      return before
    }
  }

  private mutating func update(
    _ list: consuming [Resource], _ name: String, _ presence: ResourcePresence
  ) -> ResourcePresence? {
    let place = list.firstIndex { $0.name >= name } ?? list.count
    if place < list.count, list[place].name == name {
      let before = list[place].presence
      list[place].presence = presence
      storage = .few(list)
      return before
    }
    list.insert(Resource(name: name, presence: presence), at: place)
    keep(list)
    return nil
  }

  private mutating func keep(_ list: consuming [Resource]) {
    if list.count == 1 {
      storage = .one(list[0])
    } else if list.count <= Self.few {
      storage = .few(list)
    } else {
      storage = .many(
        TreeDictionary(uniqueKeysWithValues: list.map { ($0.name, $0.presence) }))
    }
  }

  /// - Returns: what it said last, nil where it was not available.
  mutating func removeValue(forKey name: String) -> ResourcePresence? {
    switch storage {
    case .one(let only):
      guard only.name == name else { return nil }
      storage = .few([])
      return only.presence
    case .few(var list):
      guard let place = list.firstIndex(where: { $0.name == name }) else { return nil }
      storage = .few([])
      let before = list.remove(at: place).presence
      keep(list)
      return before
    case .many(var table):
      storage = .few([])
      let before = table.removeValue(forKey: name)
      if table.count > Self.few {
        storage = .many(table)
      } else {
        keep(table.map { Resource(name: $0, presence: $1) }.sorted { $0.name < $1.name })
      }
      return before
    }
  }
}

extension ResourceTable {
  /// Goes over the resources in the order of the bytes of their names.
  func forEachInOrder(_ body: (String, ResourcePresence) -> Void) {
    switch storage {
    case .one(let only): body(only.name, only.presence)
    case .few(let list): Self.forEachInOrder(list, body)
    case .many(let table):
      Self.forEachInOrder(table.map { Resource(name: $0, presence: $1) }, body)
    }
  }

  private static func forEachInOrder(
    _ list: [Resource], _ body: (String, ResourcePresence) -> Void
  ) {
    func precedes(_ a: Resource, _ b: Resource) -> Bool { a.name.precedesByBytes(b.name) }
    // Names of plain ASCII stand in this order already.
    let isInOrder = zip(list, list.dropFirst()).allSatisfy(precedes)
    for resource in isInOrder ? list : list.sorted(by: precedes) {
      body(resource.name, resource.presence)
    }
  }
}

extension ResourceTable: Sequence {
  /// Goes over the resources in no order that holds from run to run.
  public func makeIterator() -> Iterator {
    switch storage {
    case .one(let only): Iterator(one: only)
    case .few(let list): Iterator(few: list.makeIterator())
    case .many(let table): Iterator(many: table.makeIterator())
    }
  }

  /// The least number of resources still to come.
  public var underestimatedCount: Int { count }

  /// Goes over resources.
  public struct Iterator: IteratorProtocol {
    fileprivate var one: Resource?
    fileprivate var few: IndexingIterator<[Resource]>?
    fileprivate var many: TreeDictionary<String, ResourcePresence>.Iterator?

    /// The next resource with what it said.
    public mutating func next() -> (key: String, value: ResourcePresence)? {
      if let one {
        self.one = nil
        return (one.name, one.presence)
      }
      if let next = few?.next() { return (next.name, next.presence) }
      return many?.next()
    }
  }
}
