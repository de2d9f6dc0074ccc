import RawBytes
import XMPPStanza

/// The state of all contacts, one row for each address.
///
/// Copies share their storage: keeping an old table costs nothing, and a change copies only its
/// chunk.
struct ContactTable: Sendable {
  private var storage = Storage(Tables())

  /// The binary logarithm of the chunk size of the rows; a change copies one chunk.
  static let chunkBits = 3

  /// An empty table.
  init() {}

  /// The table's storage. Only this type's own files use it.
  struct Tables: ~Copyable, Sendable {
    /// Prepared addresses.
    var addresses = TextTable()
    var rows = ChunkedArray<ContactRow>(chunkBits: ContactTable.chunkBits)
    var details = DetailsTable()
    var further = FurtherResources()
    var texts = TextTable()
    /// Group lists, each as the numbers of its texts.
    var groups = TextTable()
    var items = ItemCounts()
    var requestCount = 0
    /// For each indexed part, the contacts that have it.
    var members = [ContactSet](repeating: ContactSet(), count: ContactParts.RawValue.bitWidth)
    /// Long group lists as strings, so that all references share one array.
    var longGroups: [GroupsNumber: [String]] = [:]
    /// The snapshot that the table's numbers come from (`ContactTable.base`).
    var base: SnapshotBase?
    /// The changes since `noteChanges()`; nil if changes are not noted.
    var changes: ContactChanges?
    /// The size at which the table is rebuilt.
    var compactionSize = Self.leastCompactionSize

    static var leastCompactionSize: Int { 1 << 14 }

    func copy() -> Tables {
      Tables(
        addresses: addresses.copy(), rows: rows, details: details, further: further,
        texts: texts.copy(), groups: groups.copy(), items: items,
        requestCount: requestCount, members: members, longGroups: longGroups, base: base,
        changes: changes, compactionSize: compactionSize)
    }

    /// The size in rows, texts and lists; a long text counts as several.
    var size: Int {
      rows.count + texts.count + groups.count + (texts.byteCount + groups.byteCount) >> 10
    }
  }

  /// Holds the tables, so that a copy is one reference. Written to only if uniquely referenced.
  private final class Storage: @unchecked Sendable {
    let tables: UnsafeMutablePointer<Tables>

    init(_ value: consuming Tables) {
      tables = .allocate(capacity: 1)
      tables.initialize(to: value)
    }

    deinit {
      tables.deinitialize(count: 1)
      tables.deallocate()
    }
  }

  /// Valid as long as the storage, which this value retains.
  var tables: Tables {
    @inline(__always) unsafeAddress { UnsafePointer(storage.tables) }
    @inline(__always) unsafeMutableAddress {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.tables.pointee.copy()) }
      return storage.tables
    }
  }

  /// The number of roster items by subscription. Complexity: O(1).
  var items: ItemCounts { tables.items }

  // MARK: Contacts

  /// The numbers of all contacts, including those that no longer have any state.
  var numbers: some Sequence<ContactNumber> {
    (0..<UInt32(tables.rows.count)).lazy.map { ContactNumber(rawValue: $0) }
  }

  /// The contacts that have an indexed part, in the order of their numbers. Complexity: linear in
  /// the highest number.
  func members(_ part: ContactParts) -> [ContactNumber] { tables.members[part.index].members }

  /// Whether all contacts that have an indexed part are in a set. Complexity: linear in the highest
  /// number.
  func areMembers(of part: ContactParts, in set: ContactSet) -> Bool {
    tables.members[part.index].isSubset(of: set)
  }

  /// The number of requests that await an answer, contacts' and ours.
  var requestCount: Int { tables.requestCount }

  private mutating func note(_ part: ContactParts, of number: ContactNumber, _ isMember: Bool) {
    guard tables.members[part.index].set(number, isMember),
      part == .openRequest || part == .outgoing
    else { return }
    tables.requestCount += isMember ? 1 : -1
  }

  /// The number of an address; nil if the table never had it. Complexity: O(1).
  func number(of jid: BareJID) -> ContactNumber? {
    tables.addresses.number(of: jid.text).map { ContactNumber(rawValue: $0) }
  }

  /// The number of an address, given as its prepared bytes; nil if the table never had it.
  func number(ofAddress bytes: RawSpan) -> ContactNumber? {
    tables.addresses.number(of: bytes).map { ContactNumber(rawValue: $0) }
  }

  /// The number of an address, which is added if it is new. Complexity: O(1) amortized.
  mutating func insert(_ jid: BareJID) -> ContactNumber {
    jid.text.withUTF8Bytes { bytes in insert(address: bytes) }
  }

  /// The number of an address, given as its prepared bytes, which is added if it is new.
  mutating func insert(address bytes: RawSpan) -> ContactNumber {
    let number = tables.addresses.insert(bytes)
    if Int(number) == tables.rows.count { tables.rows.append(ContactRow()) }
    return ContactNumber(rawValue: number)
  }

  /// The address of a contact.
  func address(of number: ContactNumber) -> BareJID {
    BareJID(prepared: tables.addresses[number.rawValue])
  }

  /// The bytes of a contact's address.
  @_lifetime(borrow self)
  func bytes(ofAddress number: ContactNumber) -> RawSpan {
    // The value retains its tables until it is changed.
    _overrideLifetime(tables.addresses.bytes(of: number.rawValue), borrowing: self)
  }

  /// The given contacts' ranks by address. Complexity: O(n log n).
  func order(of numbers: [ContactNumber]) -> [ByteRank] {
    tables.addresses.order(of: numbers.map(\.rawValue))
  }

  /// The contacts, sorted by address. Complexity: O(n log n).
  func sorted(_ numbers: some Sequence<ContactNumber>) -> [ContactNumber] {
    let numbers = Array(numbers)
    guard numbers.count > 1 else { return numbers }
    return order(of: numbers).map { numbers[$0.index] }
  }

  /// The resources, sorted by name. Complexity: O(n log n).
  func sorted(_ resources: [PresenceRow]) -> [PresenceRow] {
    guard resources.count > 1 else { return resources }
    return tables.texts.order(of: resources.map(\.resource.rawValue)).map { resources[$0.index] }
  }

  /// Whether a contact has no state.
  func isEmpty(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].isEmpty
  }

  // MARK: Parts of a contact

  /// The contact's item.
  func item(of number: ContactNumber) -> ItemRow? { tables.rows[Int(number.rawValue)].item }

  /// Sets the contact's item; nil removes it from the roster.
  mutating func setItem(_ item: ItemRow?, of number: ContactNumber) {
    _ = tables.changes?.items.insert(number)
    let had = tables.rows[Int(number.rawValue)].hasItem
    tables.updateItem(at: Int(number.rawValue)) { $0.item = item }
    if had != (item != nil) { note(.item, of: number, !had) }
  }

  /// The presence of the contact's first resource.
  func presence(of number: ContactNumber) -> PresenceRow? {
    tables.rows[Int(number.rawValue)].presence
  }

  /// Sets the presence of the contact's first resource.
  mutating func setPresence(_ presence: PresenceRow?, of number: ContactNumber) {
    if presence == nil {
      _ = tables.changes?.gone.insert(number)
    } else {
      _ = tables.changes?.presences.insert(number)
    }
    let had = hasPresence(number)
    tables.rows[Int(number.rawValue)].presence = presence
    if had != (presence != nil) { note(.presence, of: number, !had) }
  }

  /// Replaces the presence of the first resource if it is the same resource, and keeps which
  /// sessions it was sent to.
  ///
  /// - Returns: The previous presence; nil if nothing was replaced.
  mutating func replacePresence(
    by presence: PresenceRow, of number: ContactNumber
  ) -> PresenceRow? {
    guard let before = tables.rows[Int(number.rawValue)].presence,
      before.resource == presence.resource
    else { return nil }
    _ = tables.changes?.presences.insert(number)
    var after = presence
    after.told.formUnion(before.told)
    tables.rows[Int(number.rawValue)].presence = after
    return before
  }

  /// Whether a resource of the contact is available. Complexity: O(1).
  func hasPresence(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].hasPresence
  }

  /// The contact's row, with the numbers of the table.
  func row(of number: ContactNumber) -> ContactRow { tables.rows[Int(number.rawValue)] }

  /// Whether the contact has details. Complexity: O(1).
  func hasDetails(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].details != .none
  }

  /// The contact's details; nil if it has none.
  func details(of number: ContactNumber) -> ContactDetails? {
    tables.details[tables.rows[Int(number.rawValue)].details]
  }

  /// Writes the details of those given contacts that have any, in their order.
  func writeDetails(of numbers: some Sequence<ContactNumber>, to output: inout DetailsOutput) {
    let all = numbers.lazy.map { tables.rows[Int($0.rawValue)].details }
    tables.details.write(all.filter { $0 != .none }, to: &output)
  }

  @inline(__always)
  private func detail<Value>(
    of number: ContactNumber, in parts: ContactParts,
    _ value: (borrowing ContactDetails) -> Value?
  ) -> Value? {
    let row = Int(number.rawValue)
    guard !tables.rows[row].detailParts.isDisjoint(with: parts) else { return nil }
    return tables.details.look(at: tables.rows[row].details, value)
  }

  /// The contact's request to see our presence.
  func request(of number: ContactNumber) -> ContactRequest? {
    detail(of: number, in: .request) { $0.request }
  }

  /// How the contact's last request ended.
  func lastEnded(of number: ContactNumber) -> EndedRequest? {
    detail(of: number, in: .lastEnded) { $0.lastEnded }
  }

  /// Whether the last request ended and the roster has not shown since that the contact sees us.
  func hasUnconfirmedEnd(of number: ContactNumber) -> Bool {
    detail(of: number, in: .lastEnded) {
      $0.lastEnded == nil || $0.endIsConfirmedByRoster ? nil : true
    } ?? false
  }

  /// Our request to see the contact's presence.
  func outgoing(of number: ContactNumber) -> OutgoingRequest? {
    detail(of: number, in: .outgoing) { $0.outgoing }
  }

  /// The presence of the contact's resources besides the first.
  func furtherResources(of number: ContactNumber) -> PresenceRows {
    tables.further[tables.rows[Int(number.rawValue)].further]
  }

  /// Whether more than one resource is available. Complexity: O(1).
  func hasFurtherResources(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].further != 0
  }

  /// Changes the presence of the contact's further resources in place.
  mutating func updateFurtherResources<Result>(
    of number: ContactNumber, _ body: (inout PresenceRows) -> Result
  ) -> Result {
    _ = tables.changes?.presences.insert(number)
    return updateFurther(of: number, body)
  }

  private mutating func updateFurther<Result>(
    of number: ContactNumber, _ body: (inout PresenceRows) -> Result
  ) -> Result {
    let row = Int(number.rawValue)
    var reference = tables.rows[row].further
    let result = tables.further.update(&reference, body)
    tables.rows[row].further = reference
    return result
  }

  /// Removes the contact's further resources.
  ///
  /// - Returns: Their presence.
  mutating func removeFurtherResources(of number: ContactNumber) -> PresenceRows {
    guard hasFurtherResources(number) else { return PresenceRows() }
    _ = tables.changes?.gone.insert(number)
    return updateFurther(of: number) { further in
      defer { further = PresenceRows() }
      return further
    }
  }

  /// The names that the contact gives itself.
  func names(of number: ContactNumber) -> OwnNames? {
    detail(of: number, in: .names) { $0.names }
  }

  /// What the user has set for the contact.
  func annotations(of number: ContactNumber) -> ContactAnnotations? {
    detail(of: number, in: .annotations) { $0.annotations }
  }

  /// The counterparts still expected of the contact's actions or ours.
  func expected(of number: ContactNumber) -> ExpectedCounterparts {
    detail(of: number, in: .expected) { $0.expected } ?? ExpectedCounterparts()
  }

  /// The deliveries about the contact that some sessions have yet to receive.
  func deliveries(of number: ContactNumber) -> [Delivery] {
    detail(of: number, in: .deliveries) { $0.deliveries } ?? []
  }

  /// Our last edit of the item that the server confirmed.
  func confirmedEdit(of number: ContactNumber) -> ConfirmedEdit? {
    detail(of: number, in: .confirmedEdit) { $0.confirmedEdit }
  }

  /// Whether the contact has a confirmed edit. Complexity: O(1).
  func hasConfirmedEdit(of number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].detailParts.contains(.confirmedEdit)
  }

  /// Changes the contact's details in place.
  mutating func updateDetails<Result>(
    of number: ContactNumber, _ body: (inout ContactDetails) -> Result
  ) -> Result {
    _ = tables.changes?.details.insert(number)
    let row = Int(number.rawValue)
    let before = tables.rows[row].detailParts
    let place = tables.details.makePlace(for: tables.rows[row].details)
    let result = body(&tables.details.places[place])
    let after = tables.details.places[place].parts
    if after.isEmpty {
      tables.details.free(place: place)
      tables.rows[row].refer(to: .none, with: [])
    } else {
      tables.rows[row].refer(to: DetailsReference(place: place), with: after)
    }
    note(from: before, to: after, of: number)
    return result
  }

  /// Notes which parts of a contact have changed.
  mutating func note(
    from before: ContactParts, to after: ContactParts, of number: ContactNumber
  ) {
    guard before != after else { return }
    for part in ContactParts.indexed where before.contains(part) != after.contains(part) {
      note(part, of: number, after.contains(part))
    }
  }

  /// Adds the details of a snapshot, without assigning them to contacts.
  ///
  /// - Returns: Where they begin among all stored details.
  mutating func keep(_ stored: StoredDetails) -> Int { tables.details.keep(stored) }

  /// Replaces the contact's details with stored ones, or removes them.
  mutating func setDetails(
    _ reference: DetailsReference, with parts: ContactParts, of number: ContactNumber
  ) {
    _ = tables.changes?.details.insert(number)
    let row = Int(number.rawValue)
    let before = tables.rows[row].detailParts
    tables.details.free(tables.rows[row].details)
    tables.rows[row].refer(to: reference, with: parts)
    note(from: before, to: parts, of: number)
  }

  // MARK: Texts

  /// The text with a number.
  func text(_ number: TextNumber) -> String? {
    number == .none ? nil : tables.texts[number.rawValue]
  }

  /// The bytes of a text; the number is not `none`.
  @_lifetime(borrow self)
  func bytes(ofText number: TextNumber) -> RawSpan {
    _overrideLifetime(tables.texts.bytes(of: number.rawValue), borrowing: self)
  }

  /// The number of a text, which is added if it is new.
  mutating func insert(_ text: String?) -> TextNumber {
    text.map { TextNumber(rawValue: tables.texts.insert($0)) } ?? .none
  }

  /// The number of a text, given as UTF-8, which is added if it is new.
  mutating func insert(text bytes: RawSpan) -> TextNumber {
    TextNumber(rawValue: tables.texts.insert(bytes))
  }

  /// The number of an optional text, given as UTF-8; `none` if it is nil.
  mutating func insert(text bytes: RawSpan?) -> TextNumber {
    guard let bytes else { return .none }
    return insert(text: bytes)
  }

  /// The number of a text; nil if the table does not have it.
  func number(of text: String) -> TextNumber? {
    tables.texts.number(of: text).map { TextNumber(rawValue: $0) }
  }

  /// The number of a text, given as UTF-8; nil if the table does not have it.
  func number(ofText bytes: RawSpan) -> TextNumber? {
    tables.texts.number(of: bytes).map { TextNumber(rawValue: $0) }
  }

  // MARK: Groups

  /// Group lists of up to this length, which is more than real ones have, are added fast.
  private static let fewGroups = 32

  /// The groups of a list.
  func groups(_ number: GroupsNumber) -> [String] {
    tables.longGroups[number] ?? texts(ofGroups: number).map { tables.texts[$0.rawValue] }
  }

  /// The texts of a group list.
  func texts(ofGroups number: GroupsNumber) -> [TextNumber] {
    guard number != .none else { return [] }
    let list = bytes(ofGroups: number)
    return (0..<list.byteCount / 4).map { TextNumber(rawValue: Self.text(at: $0, of: list)) }
  }

  /// Whether a group list equals a list in its stored form.
  func groups(_ number: GroupsNumber, are list: StoredGroups) -> Bool {
    guard number != .none else { return list.count == 0 }
    let texts = bytes(ofGroups: number)
    return texts.byteCount == 4 * list.count
      && list.allSatisfy { place, group in
        tables.texts.bytes(of: Self.text(at: place, of: texts)).isSame(as: group)
      }
  }

  /// The number of one text of a group list.
  private static func text(at place: Int, of list: RawSpan) -> UInt32 {
    list.littleEndian(at: 4 * place)
  }

  /// The text numbers of a group list, each a little-endian `UInt32`.
  @_lifetime(borrow self)
  func bytes(ofGroups number: GroupsNumber) -> RawSpan {
    _overrideLifetime(tables.groups.bytes(of: number.rawValue), borrowing: self)
  }

  /// The number of a group list, which is added if it is new.
  mutating func insert(groups list: StoredGroups) -> GroupsNumber {
    guard (1...Self.fewGroups).contains(list.count) else {
      var texts: [TextNumber] = []
      list.forEach { texts.append(insert(text: $0)) }
      return insert(groups: texts)
    }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: list.count) { numbers in
      var count = 0
      // The buffer has space for every group.
      list.forEach { group in
        numbers.initializeElement(at: count, to: insert(text: group).rawValue.littleEndian)
        count += 1
      }
      let bytes = numbers.span.extracting(first: count).bytes
      return GroupsNumber(rawValue: tables.groups.insert(bytes))
    }
  }

  /// The number of a group list, given by its texts, which is added if it is new.
  mutating func insert(groups texts: [TextNumber]) -> GroupsNumber {
    guard !texts.isEmpty else { return .none }
    let numbers = texts.map { $0.rawValue.littleEndian }
    let number = GroupsNumber(rawValue: tables.groups.insert(numbers.span.bytes))
    noteIfLong(number, texts)
    return number
  }

  mutating func noteIfLong(_ number: GroupsNumber, _ texts: [TextNumber]) {
    guard texts.count > Self.fewGroups, tables.longGroups[number] == nil else { return }
    tables.longGroups[number] = texts.map { tables.texts[$0.rawValue] }
  }
}
