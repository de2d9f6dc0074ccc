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
  var contacts: [String: ListedRow] = [:]
  var requests: [String: ListedRow] = [:]
  var sections: [Section] = []
  /// Of every group that a contact is or was in, by the bytes of its name.
  private var groupNames: [[UInt8]: SectionID.GroupName] = [:]

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
    var rows: [ListedRow] = []
    rows.reserveCapacity(contacts.count)
    // Without copying contacts, which would count each of their parts.
    let span = contacts.span
    for index in span.indices {
      let row = row(of: span[index])
      self.contacts[row.id] = row
      rows.append(row)
    }
    if self.contacts.count < rows.count { rows = Array(self.contacts.values) }
    for request in requests { self.requests[request.id] = row(of: request) }
    rows += self.requests.values
    fill(with: rows)
  }

  /// Makes the sections.
  private mutating func fill(with rows: [ListedRow]) {
    var made: [Section] = []
    var numbers: [SectionID: Int] = [:]
    rows.forEachInOrder { row in
      forEachSection(of: row) { id in
        // Neighbours in the order mostly stand in one section.
        if let last = made.indices.last, made[last].id == id {
          made[last].rows.append(row)
        } else if let number = numbers[id] {
          made[number].rows.append(row)
        } else {
          numbers[id] = made.count
          made.append(Section(id: id, rows: [row]))
        }
      }
    }
    if policy.showsRequests, numbers[.requests] == nil {
      made.append(Section(id: .requests, rows: []))
    }
    sections = made.sorted { $0.id < $1.id }
  }

  /// Adds a contact or changes the one with its id.
  @discardableResult
  public mutating func update(_ contact: ListedContact) -> SectionChanges {
    let old = contacts[contact.id]
    guard old?.shown != .contact(contact) else { return SectionChanges() }
    let new = row(of: contact, after: old)
    contacts[contact.id] = new
    return change(from: old, to: new)
  }

  /// Takes a contact out.
  @discardableResult
  public mutating func removeContact(_ id: String) -> SectionChanges {
    guard let old = contacts.removeValue(forKey: id) else { return SectionChanges() }
    return change(from: old, to: nil)
  }

  /// Adds a request or changes the one with its id.
  @discardableResult
  public mutating func update(_ request: ListedRequest) -> SectionChanges {
    let old = requests[request.id]
    guard old?.shown != .request(request) else { return SectionChanges() }
    let new = row(of: request)
    requests[request.id] = new
    return change(from: old, to: new)
  }

  /// Takes a request out.
  @discardableResult
  public mutating func removeRequest(_ id: String) -> SectionChanges {
    guard let old = requests.removeValue(forKey: id) else { return SectionChanges() }
    return change(from: old, to: nil)
  }
}

// Where contacts and requests belong.
extension SectionIndex {
  /// The sections that a row stands in.
  func sections(of row: ListedRow) -> [SectionID] {
    var sections: [SectionID] = []
    forEachSection(of: row) { sections.append($0) }
    return sections
  }

  private func forEachSection(of row: ListedRow, _ take: (SectionID) -> Void) {
    switch row.standing {
    case .hidden: return
    case .request: take(.requests)
    case .friend:
      if policy.grouping == .index { take(.index(row.name.section)) }
      guard policy.grouping != .index || policy.showsStarred,
        case .contact(let contact) = row.shown
      else { return }
      if policy.showsStarred, contact.isStarred { take(.starred) }
      if policy.grouping != .index { forEachGroupSection(of: contact, row.name.section, take) }
    }
  }

  private func forEachGroupSection(
    of contact: ListedContact, _ letter: SectionKey, _ take: (SectionID) -> Void
  ) {
    let letter = policy.grouping == .groupsAndIndex ? letter : nil
    if contact.groups.isEmpty { take(.ungrouped(letter)) }
    for group in contact.groups { take(.group(groupName(group), letter)) }
  }

  private func groupName(_ name: String) -> SectionID.GroupName {
    groupNames[Array(name.utf8)] ?? SectionID.GroupName(name)
  }

  private func row(of request: ListedRequest) -> ListedRow {
    ListedRow(request, isShown: policy.showsRequests)
  }

  private mutating func row(of contact: ListedContact, after old: ListedRow? = nil) -> ListedRow {
    if policy.grouping != .index {
      for group in contact.groups where groupNames[Array(group.utf8)] == nil {
        groupNames[Array(group.utf8)] = SectionID.GroupName(group)
      }
    }
    let isFriend = policy.friends.includes(contact.subscription)
    let rank = policy.onlineFirst ? contact.onlineRank ?? .max : 0
    if let old, case .contact(let before) = old.shown,
      before.displayName.hasSameBytes(as: contact.displayName),
      before.userReading.hasSameBytes(as: contact.userReading)
    {
      return ListedRow(
        contact, isFriend: isFriend, rank: rank, name: old.name, nameBits: old.nameBits)
    }
    let (name, nameBits) = Self.name(of: contact)
    return ListedRow(contact, isFriend: isFriend, rank: rank, name: name, nameBits: nameBits)
  }

  /// What a contact is sorted by, and what can be found in its names.
  private static func name(of contact: ListedContact) -> (SortKey, NameBits) {
    let reading = PinyinReader.reading(of: contact.displayName)
    guard let own = contact.userReading else { return (SortKey(reading), NameBits(reading)) }
    let ownReading = PinyinReader.reading(of: own)
    let isBlank = own.allSatisfy { $0.isWhitespace }
    return (
      SortKey(isBlank ? reading : ownReading, name: contact.displayName),
      NameBits(reading).union(NameBits(ownReading))
    )
  }
}
