/// A contacts screen, kept up to date change by change.
///
/// A value: to keep an old screen, keep a copy. A change finds its rows by binary search, O(log n)
/// comparisons, and moves at most the rows of one section in memory; it names the row changes that
/// turn the old screen into the new one, and the new one is always what building it afresh gives.
public struct SectionIndex: Sendable {
  /// What a row shows.
  public enum Row: Hashable, Sendable {
    /// A request that waits for an answer.
    case request(ListedRequest)
    /// A contact.
    case contact(ListedContact)
  }

  /// What the screen shows and how.
  public let policy: SectionPolicy
  var contacts: [String: Entry] = [:]
  var requests: [String: RequestEntry] = [:]
  var sections: [Section] = []
  private var groupNames: [String: SectionID.GroupName] = [:]

  struct Entry: Sendable {
    let contact: ListedContact
    let place: Place
  }

  struct RequestEntry: Sendable {
    let request: ListedRequest
    let place: Place
  }

  /// Where a contact or a request stands: by which key, in which sections.
  struct Place: Sendable {
    let key: RowKey
    let sections: [SectionID]
  }

  /// Builds a screen. Of several contacts or requests with one id, the last counts.
  /// Complexity: O(n log n).
  public init(
    policy: SectionPolicy = SectionPolicy(), contacts: some Sequence<ListedContact> = [],
    requests: some Sequence<ListedRequest> = []
  ) {
    self.policy = policy
    // Going over a sequence of a type that is not known here costs a call a contact.
    let contacts = Array(contacts)
    self.contacts.reserveCapacity(contacts.count)
    var places: [Place] = []
    places.reserveCapacity(contacts.count)
    var repeats = false
    for contact in contacts {
      let place = place(of: contact)
      let entry = Entry(contact: contact, place: place)
      if self.contacts.updateValue(entry, forKey: contact.id) != nil { repeats = true }
      places.append(place)
    }
    if repeats { places = self.contacts.values.map(\.place) }
    for request in requests {
      self.requests[request.id] = RequestEntry(request: request, place: place(of: request))
    }
    fill(from: places + self.requests.values.map(\.place))
  }

  /// Makes the sections. Sorts numbers rather than objects, which would be counted at every step.
  private mutating func fill(from places: [Place]) {
    let order = places.indices.map { (number: $0, head: places[$0].key.head) }
      .sorted {
        if $0.head != $1.head { return $0.head < $1.head }
        return places[$0.number].key < places[$1.number].key
      }
    if policy.showsRequests { sections = [Section(id: .requests, rows: [])] }
    var numbers: [SectionID: Int] = policy.showsRequests ? [.requests: 0] : [:]
    for (number, _) in order {
      let place = places[number]
      for id in place.sections {
        // Neighbours in the order mostly stand in one section.
        if let last = sections.last, last.id == id {
          sections[sections.count - 1].rows.append(place.key)
        } else if let number = numbers[id] {
          sections[number].rows.append(place.key)
        } else {
          numbers[id] = sections.count
          sections.append(Section(id: id, rows: [place.key]))
        }
      }
    }
    sections.sort { $0.id < $1.id }
  }

  /// Adds a contact or changes the one with its id.
  @discardableResult
  public mutating func update(_ contact: ListedContact) -> SectionChanges {
    let old = contacts[contact.id]
    guard old?.contact != contact else { return SectionChanges() }
    let new = Entry(contact: contact, place: place(of: contact, after: old))
    contacts[contact.id] = new
    return change(from: old?.place, to: new.place)
  }

  /// Takes a contact out.
  @discardableResult
  public mutating func removeContact(_ id: String) -> SectionChanges {
    guard let old = contacts.removeValue(forKey: id) else { return SectionChanges() }
    return change(from: old.place, to: nil)
  }

  /// Adds a request or changes the one with its id.
  @discardableResult
  public mutating func update(_ request: ListedRequest) -> SectionChanges {
    let old = requests[request.id]
    guard old?.request != request else { return SectionChanges() }
    let new = RequestEntry(request: request, place: place(of: request))
    requests[request.id] = new
    return change(from: old?.place, to: new.place)
  }

  /// Takes a request out.
  @discardableResult
  public mutating func removeRequest(_ id: String) -> SectionChanges {
    guard let old = requests.removeValue(forKey: id) else { return SectionChanges() }
    return change(from: old.place, to: nil)
  }
}

// Where contacts and requests belong.
extension SectionIndex {
  private func place(of request: ListedRequest) -> Place {
    // The newest first: by the record's number, downwards.
    let key = RowKey(rank: -Int(clamping: request.since), name: nil, id: request.id)
    return Place(key: key, sections: policy.showsRequests ? [.requests] : [])
  }

  private mutating func place(of contact: ListedContact, after old: Entry? = nil) -> Place {
    let name: SortKey
    if let old, old.contact.displayName == contact.displayName,
      old.contact.userReading == contact.userReading, let known = old.place.key.name
    {
      name = known
    } else {
      name = Self.sortKey(of: contact)
    }
    let rank = policy.onlineFirst ? contact.onlineRank ?? .max : 0
    let key = RowKey(rank: rank, name: name, id: contact.id)
    guard policy.friends.includes(contact.subscription) else {
      return Place(key: key, sections: [])
    }
    var sections = groupedSections(of: contact, letter: name.section)
    if policy.showsStarred, contact.isStarred { sections.append(.starred) }
    return Place(key: key, sections: sections)
  }

  private static func sortKey(of contact: ListedContact) -> SortKey {
    if let reading = contact.userReading, reading.contains(where: { !$0.isWhitespace }) {
      return SortKey(PinyinReader.reading(of: reading), name: contact.displayName)
    }
    return SortKey(PinyinReader.reading(of: contact.displayName))
  }

  private mutating func groupedSections(
    of contact: ListedContact, letter: SectionKey
  ) -> [SectionID] {
    let shownLetter: SectionKey?
    switch policy.grouping {
    case .index: return [.index(letter)]
    case .groups: shownLetter = nil
    case .groupsAndIndex: shownLetter = letter
    }
    if contact.groups.isEmpty { return [.ungrouped(shownLetter)] }
    return contact.groups.map { .group(groupName($0), shownLetter) }
  }

  private mutating func groupName(_ name: String) -> SectionID.GroupName {
    if let known = groupNames[name] { return known }
    let made = SectionID.GroupName(name)
    groupNames[name] = made
    return made
  }
}

/// One section: what it is, and its rows in order.
struct Section: Sendable {
  let id: SectionID
  var rows: [RowKey]

  /// Where a row stands or would stand. Complexity: O(log n).
  func place(of key: RowKey) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// What a row is sorted by. An object, so that moving rows in memory moves a word each.
final class RowKey: Sendable {
  /// Settles the order before the name does.
  let rank: Int
  /// Nil for a request.
  let name: SortKey?
  let id: String

  init(rank: Int, name: SortKey?, id: String) {
    self.rank = rank
    self.name = name
    self.id = id
  }

  /// What settles most comparisons.
  var head: (Int, SortKey.Prefix) { (rank, name?.prefix ?? SortKey.Prefix([])) }

  static func < (left: RowKey, right: RowKey) -> Bool {
    if left.rank != right.rank { return left.rank < right.rank }
    if let one = left.name, let other = right.name, one != other { return one < other }
    return left.id < right.id
  }

  static func == (left: RowKey, right: RowKey) -> Bool {
    left.rank == right.rank && left.name == right.name && left.id == right.id
  }
}
