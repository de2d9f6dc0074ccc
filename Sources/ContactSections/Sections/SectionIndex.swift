import RawBytes

/// A contacts screen, updated change by change.
///
/// It is a value: to keep an old screen, keep a copy. A change finds its rows by binary search,
/// with O(log n) comparisons, and moves at most the rows of one section in memory. It returns the
/// row changes that turn the old screen into the new one, and the new one always equals a screen
/// built from scratch.
public struct SectionIndex: Sendable {
  /// The content of a row.
  public enum Row: Hashable, Sendable {
    /// A request that awaits an answer.
    case request(ListedRequest)
    /// A contact.
    case contact(ListedContact)
  }

  /// Which contacts the screen shows, and how.
  public let policy: SectionPolicy
  var contacts: [String: ListedRow] = [:]
  var requests: [String: ListedRow] = [:]
  var shown: [ShownSection] = []
  /// Every group that a contact is or was in, by the bytes of its name.
  private var groupNames: [[UInt8]: SectionID.GroupName] = [:]

  /// Builds a screen. If several contacts or requests have the same id, the last one counts.
  /// Complexity: O(n log n).
  public init(
    policy: SectionPolicy = SectionPolicy(), contacts: some Sequence<ListedContact> = [],
    requests: some Sequence<ListedRequest> = []
  ) {
    self.policy = policy
    // Iterating a sequence of unknown type costs a call per contact.
    let contacts = Array(contacts)
    self.contacts.reserveCapacity(contacts.count)
    var rows: [ListedRow] = []
    rows.reserveCapacity(contacts.count)
    // Read through a span: copying a contact would retain each of its fields.
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

  /// Builds the sections.
  private mutating func fill(with rows: [ListedRow]) {
    var made: [ShownSection] = []
    var numbers: [SectionID: Int] = [:]
    rows.forEachInOrder { row in
      forEachSection(of: row) { id in
        // Neighbors in the order are usually in the same section.
        if let last = made.indices.last, made[last].id == id {
          made[last].rows.append(row)
        } else if let number = numbers[id] {
          made[number].rows.append(row)
        } else {
          numbers[id] = made.count
          made.append(ShownSection(id: id, rows: [row]))
        }
      }
    }
    if policy.showsRequests, numbers[.requests] == nil {
      made.append(ShownSection(id: .requests, rows: []))
    }
    shown = made.sorted { $0.id < $1.id }
  }

  /// Adds a contact, or replaces the one with the same id.
  @discardableResult
  public mutating func update(_ contact: ListedContact) -> SectionChanges {
    apply([.contact(contact)])
  }

  /// Removes a contact.
  @discardableResult
  public mutating func removeContact(_ id: String) -> SectionChanges {
    apply([.contactRemoved(id)])
  }

  /// Adds a request, or replaces the one with the same id.
  @discardableResult
  public mutating func update(_ request: ListedRequest) -> SectionChanges {
    apply([.request(request)])
  }

  /// Removes a request.
  @discardableResult
  public mutating func removeRequest(_ id: String) -> SectionChanges {
    apply([.requestRemoved(id)])
  }

  /// What happens to a contact or a request.
  package enum Edit: Sendable {
    /// It is added, or replaces the one with the same id.
    case contact(ListedContact), request(ListedRequest)
    /// It is no longer there.
    case contactRemoved(String), requestRemoved(String)
  }

  /// Applies edits of different contacts and requests at once.
  ///
  /// - Parameter edits: At most one for each contact and each request.
  /// - Returns: The changes from the old screen to the new one, as one batch.
  ///
  /// Complexity: O(log n) comparisons for each edit, and quadratic in the edits.
  package mutating func apply(_ edits: some Sequence<Edit>) -> SectionChanges {
    change(edits.compactMap { replace($0) })
  }

  /// Replaces a contact or request without changing the sections; nil if it stays the same.
  private mutating func replace(_ edit: Edit) -> RowChange? {
    switch edit {
    case .contact(let contact):
      let old = contacts[contact.id]
      guard old?.content != .contact(contact) else { return nil }
      let new = row(of: contact, after: old)
      contacts[contact.id] = new
      return RowChange(from: old, to: new)
    case .request(let request):
      let old = requests[request.id]
      guard old?.content != .request(request) else { return nil }
      let new = row(of: request)
      requests[request.id] = new
      return RowChange(from: old, to: new)
    case .contactRemoved(let id):
      return contacts.removeValue(forKey: id).map { RowChange(from: $0, to: nil) }
    case .requestRemoved(let id):
      return requests.removeValue(forKey: id).map { RowChange(from: $0, to: nil) }
    }
  }
}

// The sections of contacts and requests.
extension SectionIndex {
  /// The sections that show a row.
  func sections(of row: ListedRow) -> [SectionID] {
    var sections: [SectionID] = []
    forEachSection(of: row) { sections.append($0) }
    return sections
  }

  private func forEachSection(of row: ListedRow, _ body: (SectionID) -> Void) {
    switch row.role {
    case .hidden: return
    case .request: body(.requests)
    case .friend:
      if policy.grouping == .index { body(.index(row.name.section)) }
      guard policy.grouping != .index || policy.showsStarred,
        case .contact(let contact) = row.content
      else { return }
      if policy.showsStarred, contact.isStarred { body(.starred) }
      if policy.grouping != .index { forEachGroupSection(of: contact, row.name.section, body) }
    }
  }

  private func forEachGroupSection(
    of contact: ListedContact, _ letter: SectionKey, _ body: (SectionID) -> Void
  ) {
    let letter = policy.grouping == .groupsAndIndex ? letter : nil
    if contact.groups.isEmpty { body(.ungrouped(letter)) }
    for group in contact.groups { body(.group(groupName(group), letter)) }
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
    if let old, case .contact(let before) = old.content,
      before.displayName.hasSameBytes(as: contact.displayName),
      before.userReading.hasSameBytes(as: contact.userReading)
    {
      return ListedRow(
        contact, isFriend: isFriend, rank: rank, name: old.name, nameBits: old.nameBits)
    }
    let (name, nameBits) = Self.name(of: contact)
    return ListedRow(contact, isFriend: isFriend, rank: rank, name: name, nameBits: nameBits)
  }

  /// The sort key of a contact, and the characters that a search can find in its names.
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
