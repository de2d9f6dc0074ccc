import RawBytes
import XMPPStanza

/// All that is known of contacts, a row for each address.
///
/// Copies share it: to keep an old table costs nothing, and a change costs the chunk that it is in.
struct ContactTable: Sendable {
  private var storage = Storage(Tables())

  /// Two to this power of contacts are copied where one of them is changed.
  static let chunkBits = 3

  /// A table of nobody.
  init() {}

  /// What a table is made of. Only the table's own files look at it.
  struct Tables: ~Copyable, Sendable {
    /// Prepared addresses.
    var addresses = TextTable()
    var rows = ChunkedArray<ContactRow>(chunkBits: ContactTable.chunkBits)
    var details = DetailsTable()
    var further = FurtherResources()
    var texts = TextTable()
    /// Lists of groups, each as the numbers that its texts have.
    var groups = TextTable()
    var items = ItemCounts()
    var requestCount = 0
    /// The contacts that have each part that is gone over.
    var members = [ContactSet](repeating: ContactSet(), count: ContactPart.allCases.count)
    /// The long ones as texts, so that all that refer to one share it.
    var longGroups: [GroupsNumber: [String]] = [:]
    /// The snapshot that the numbers are of (`ContactTable.base`).
    var base: SnapshotBase?
    /// What has changed since it was begun to note it; nil where it is not noted.
    var changes: ContactChanges?
    /// At what size the table is made anew.
    var compactionSize = Self.leastCompactionSize

    static var leastCompactionSize: Int { 1 << 14 }

    func copy() -> Tables {
      Tables(
        addresses: addresses.copy(), rows: rows, details: details, further: further,
        texts: texts.copy(), groups: groups.copy(), items: items,
        requestCount: requestCount, members: members, longGroups: longGroups, base: base,
        changes: changes, compactionSize: compactionSize)
    }

    /// In rows, texts and lists; long texts count as several.
    var size: Int {
      rows.count + texts.count + groups.count + (texts.byteCount + groups.byteCount) >> 10
    }
  }

  /// Where the tables are, so that a copy is one reference. Written to only by who alone refers
  /// to it.
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

  /// They are there as long as the storage, which this value keeps.
  var tables: Tables {
    @inline(__always) unsafeAddress { UnsafePointer(storage.tables) }
    @inline(__always) unsafeMutableAddress {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.tables.pointee.copy()) }
      return storage.tables
    }
  }

  /// How many contacts have an item, by the state of its subscription. Complexity: O(1).
  var items: ItemCounts { tables.items }

  // MARK: Contacts

  /// The numbers of all contacts, those included of whom nothing is known any more.
  var numbers: some Sequence<ContactNumber> {
    (0..<UInt32(tables.rows.count)).lazy.map { ContactNumber(rawValue: $0) }
  }

  /// The contacts that have a part, in the order of their numbers. Complexity: linear in the
  /// highest number.
  func members(_ part: ContactPart) -> [ContactNumber] { tables.members[part.rawValue].members }

  /// Whether all contacts that have a part are in a set. Complexity: linear in the highest number.
  func areAll(_ part: ContactPart, in set: ContactSet) -> Bool {
    tables.members[part.rawValue].isSubset(of: set)
  }

  /// How many requests wait for an answer, contacts' and ours.
  var requestCount: Int { tables.requestCount }

  private mutating func note(_ part: ContactPart, of number: ContactNumber, _ isThere: Bool) {
    guard tables.members[part.rawValue].set(number, isThere) else { return }
    let difference = isThere ? 1 : -1
    switch part {
    case .openRequest, .outgoing: tables.requestCount += difference
    case .item, .presence, .deliveries, .expected: break
    }
  }

  /// The number of an address, nil where nothing was ever known of it. Complexity: O(1).
  func number(of jid: BareJID) -> ContactNumber? {
    tables.addresses.number(of: jid.text).map { ContactNumber(rawValue: $0) }
  }

  /// The number of an address by its bytes, as prepared; nil where nothing was ever known of it.
  func number(ofAddress bytes: RawSpan) -> ContactNumber? {
    tables.addresses.number(of: bytes).map { ContactNumber(rawValue: $0) }
  }

  /// The number of an address, a new one where it has none. Complexity: O(1) amortised.
  mutating func insert(_ jid: BareJID) -> ContactNumber {
    jid.text.withUTF8Bytes { bytes in insert(address: bytes) }
  }

  /// The number of an address by its bytes, as prepared; a new one where it has none.
  mutating func insert(address bytes: RawSpan) -> ContactNumber {
    let number = tables.addresses.insert(bytes)
    if Int(number) == tables.rows.count { tables.rows.append(ContactRow()) }
    return ContactNumber(rawValue: number)
  }

  /// The address of a number.
  func address(of number: ContactNumber) -> BareJID {
    BareJID(prepared: tables.addresses[number.rawValue])
  }

  /// The bytes of an address.
  @_lifetime(borrow self)
  func bytes(ofAddress number: ContactNumber) -> RawSpan {
    // Until it is changed, the value keeps its tables.
    _overrideLifetime(tables.addresses.bytes(of: number.rawValue), borrowing: self)
  }

  /// The places of contacts in the order of their addresses. Complexity: O(n log n).
  func order(of numbers: [ContactNumber]) -> [ByteRank] {
    tables.addresses.order(of: numbers.map(\.rawValue))
  }

  /// Contacts in the order of their addresses. Complexity: O(n log n).
  func sorted(_ numbers: some Sequence<ContactNumber>) -> [ContactNumber] {
    let numbers = Array(numbers)
    guard numbers.count > 1 else { return numbers }
    return order(of: numbers).map { numbers[$0.index] }
  }

  /// Resources in the order of their names. Complexity: O(n log n).
  func sorted(_ resources: [PresenceRow]) -> [PresenceRow] {
    guard resources.count > 1 else { return resources }
    return tables.texts.order(of: resources.map(\.resource.rawValue)).map { resources[$0.index] }
  }

  /// Whether nothing is known of a contact any more.
  func isEmpty(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].isEmpty
  }

  // MARK: Parts of a contact

  /// The contact's item.
  func item(of number: ContactNumber) -> ItemRow? { tables.rows[Int(number.rawValue)].item }

  /// Sets the contact's item, or takes it out of the roster.
  mutating func setItem(_ item: ItemRow?, of number: ContactNumber) {
    _ = tables.changes?.items.insert(number)
    let had = tables.rows[Int(number.rawValue)].hasItem
    tables.updateItem(at: Int(number.rawValue)) { $0.item = item }
    if had != (item != nil) { note(.item, of: number, !had) }
  }

  /// What the contact's first resource said.
  func presence(of number: ContactNumber) -> PresenceRow? {
    tables.rows[Int(number.rawValue)].presence
  }

  /// Sets what the first resource said.
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

  /// Replaces what the first resource said, if it is the same resource. Who was told of it before
  /// knows of it still.
  ///
  /// - Returns: What it said before; nil where nothing was replaced.
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

  /// What is known of the contact, in the numbers of the table.
  func row(of number: ContactNumber) -> ContactRow { tables.rows[Int(number.rawValue)] }

  /// Whether the contact has anything of what few have. Complexity: O(1).
  func hasDetails(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].details != .none
  }

  /// What few contacts have, nil where this one has nothing of it.
  func details(of number: ContactNumber) -> ContactDetails? {
    tables.details[tables.rows[Int(number.rawValue)].details]
  }

  /// Writes down what few contacts have, of each of these that has any of it, in their order.
  func writeDetails(of numbers: some Sequence<ContactNumber>, to output: inout DetailsOutput) {
    let all = numbers.lazy.map { tables.rows[Int($0.rawValue)].details }
    tables.details.write(all.filter { $0 != .none }, to: &output)
  }

  @inline(__always)
  private func detail<Value>(
    of number: ContactNumber, in parts: DetailParts,
    _ value: (borrowing ContactDetails) -> Value?
  ) -> Value? {
    let row = Int(number.rawValue)
    guard !tables.rows[row].parts.isDisjoint(with: parts) else { return nil }
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

  /// Whether the contact's last request ended, and the roster has not shown that it sees us since.
  func isEndUntaken(of number: ContactNumber) -> Bool {
    detail(of: number, in: .lastEnded) {
      $0.lastEnded == nil || $0.wasTaken ? nil : true
    } ?? false
  }

  /// Our request to see the contact's presence.
  func outgoing(of number: ContactNumber) -> OutgoingRequest? {
    detail(of: number, in: .outgoing) { $0.outgoing }
  }

  /// What the resources besides the first one said.
  func furtherResources(of number: ContactNumber) -> PresenceRows {
    tables.further[tables.rows[Int(number.rawValue)].further]
  }

  /// Whether more than one resource is available. Complexity: O(1).
  func hasFurtherResources(_ number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].further != 0
  }

  /// Changes what the resources besides the first one said, in place.
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

  /// Takes out the resources besides the first one.
  ///
  /// - Returns: What they said.
  mutating func removeFurtherResources(of number: ContactNumber) -> PresenceRows {
    guard hasFurtherResources(number) else { return PresenceRows() }
    _ = tables.changes?.gone.insert(number)
    return updateFurther(of: number) { further in
      defer { further = PresenceRows() }
      return further
    }
  }

  /// What the contact calls itself.
  func names(of number: ContactNumber) -> OwnNames? {
    detail(of: number, in: .names) { $0.names }
  }

  /// What the user has set of the contact.
  func annotations(of number: ContactNumber) -> ContactAnnotations? {
    detail(of: number, in: .annotations) { $0.annotations }
  }

  /// What is still to come of what the contact, or we, did.
  func expected(of number: ContactNumber) -> ExpectedCounterparts {
    detail(of: number, in: .expected) { $0.expected } ?? ExpectedCounterparts()
  }

  /// What some sessions are still to be told of the contact.
  func deliveries(of number: ContactNumber) -> [Delivery] {
    detail(of: number, in: .deliveries) { $0.deliveries } ?? []
  }

  /// Our last edit that the server took over.
  func confirmedEdit(of number: ContactNumber) -> ConfirmedEdit? {
    detail(of: number, in: .confirmedEdit) { $0.confirmedEdit }
  }

  /// Whether there is one. Complexity: O(1).
  func hasConfirmedEdit(of number: ContactNumber) -> Bool {
    tables.rows[Int(number.rawValue)].parts.contains(.confirmedEdit)
  }

  /// Changes what few contacts have, in place.
  mutating func updateDetails<Result>(
    of number: ContactNumber, _ body: (inout ContactDetails) -> Result
  ) -> Result {
    _ = tables.changes?.details.insert(number)
    let row = Int(number.rawValue)
    let before = tables.rows[row].parts
    let place = tables.details.makePlace(for: tables.rows[row].details)
    let result = body(&tables.details.places[place])
    let after = tables.details.places[place].parts
    if after.isEmpty {
      tables.details.free(place: place)
      tables.rows[row].refer(to: .none, with: [])
    } else {
      tables.rows[row].refer(to: DetailsReference(place: place), with: after)
    }
    note(from: before.membership, to: after.membership, of: number)
    return result
  }

  /// Notes of which parts a contact has others than before.
  mutating func note(
    from before: ContactParts, to after: ContactParts, of number: ContactNumber
  ) {
    guard before != after else { return }
    for part in ContactPart.allCases where before.contains(part) != after.contains(part) {
      note(part, of: number, after.contains(part))
    }
  }

  /// Takes over the details of a snapshot, nobody's yet.
  ///
  /// - Returns: Where they begin among all that were taken over.
  mutating func keep(_ stored: StoredDetails) -> Int { tables.details.keep(stored) }

  /// Refers to details of those that were kept, or to none, instead of those that the contact has.
  mutating func setDetails(
    _ reference: DetailsReference, with parts: DetailParts, of number: ContactNumber
  ) {
    _ = tables.changes?.details.insert(number)
    let row = Int(number.rawValue)
    let before = tables.rows[row].parts
    tables.details.free(tables.rows[row].details)
    tables.rows[row].refer(to: reference, with: parts)
    note(from: before.membership, to: parts.membership, of: number)
  }

  // MARK: Texts

  /// The text of a number.
  func text(_ number: TextNumber) -> String? {
    number == .none ? nil : tables.texts[number.rawValue]
  }

  /// The bytes of the text of a number, which is not `none`.
  @_lifetime(borrow self)
  func bytes(ofText number: TextNumber) -> RawSpan {
    _overrideLifetime(tables.texts.bytes(of: number.rawValue), borrowing: self)
  }

  /// Whether the text of a number, which is not `none`, has no bytes.
  func isEmptyText(_ number: TextNumber) -> Bool { bytes(ofText: number).isEmpty }

  /// The number of a text, a new one where it has none.
  mutating func insert(_ text: String?) -> TextNumber {
    text.map { TextNumber(rawValue: tables.texts.insert($0)) } ?? .none
  }

  /// The number of a text by its bytes, which are UTF-8; a new one where it has none.
  mutating func insert(text bytes: RawSpan) -> TextNumber {
    TextNumber(rawValue: tables.texts.insert(bytes))
  }

  /// The same of a text that may be missing.
  mutating func insert(text bytes: RawSpan?) -> TextNumber {
    guard let bytes else { return .none }
    return insert(text: bytes)
  }

  /// The number of a text, nil where nothing in the table has it.
  func number(of text: String) -> TextNumber? {
    tables.texts.number(of: text).map { TextNumber(rawValue: $0) }
  }

  /// The same by its bytes.
  func number(ofText bytes: RawSpan) -> TextNumber? {
    tables.texts.number(of: bytes).map { TextNumber(rawValue: $0) }
  }

  // MARK: Groups

  /// Nobody puts a contact into more.
  private static let fewGroups = 32

  /// The groups of a number.
  func groups(_ number: GroupsNumber) -> [String] {
    tables.longGroups[number] ?? texts(ofGroups: number).map { tables.texts[$0.rawValue] }
  }

  /// The texts that a list of groups is of.
  func texts(ofGroups number: GroupsNumber) -> [TextNumber] {
    guard number != .none else { return [] }
    let list = bytes(ofGroups: number)
    return (0..<list.byteCount / 4).map { TextNumber(rawValue: Self.text(at: $0, of: list)) }
  }

  /// Whether a list of groups has the same texts as one that stands elsewhere.
  func groups(_ number: GroupsNumber, are list: StoredGroups) -> Bool {
    guard number != .none else { return list.count == 0 }
    let texts = bytes(ofGroups: number)
    return texts.byteCount == 4 * list.count
      && list.allSatisfy { place, group in
        tables.texts.bytes(of: Self.text(at: place, of: texts)).isSame(as: group)
      }
  }

  /// The number of a text of a list of groups.
  private static func text(at place: Int, of list: RawSpan) -> UInt32 {
    list.littleEndian(at: 4 * place)
  }

  /// The numbers of the texts that a list of groups is of, each a little-endian `UInt32`.
  @_lifetime(borrow self)
  func bytes(ofGroups number: GroupsNumber) -> RawSpan {
    _overrideLifetime(tables.groups.bytes(of: number.rawValue), borrowing: self)
  }

  /// The number of a list of groups, a new one where it has none.
  mutating func insert(groups list: StoredGroups) -> GroupsNumber {
    guard (1...Self.fewGroups).contains(list.count) else {
      var texts: [TextNumber] = []
      list.forEach { texts.append(insert(text: $0)) }
      return insert(groups: texts)
    }
    return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: list.count) { numbers in
      var count = 0
      // There is room for each of them.
      list.forEach { group in
        numbers.initializeElement(at: count, to: insert(text: group).rawValue.littleEndian)
        count += 1
      }
      let bytes = numbers.span.extracting(first: count).bytes
      return GroupsNumber(rawValue: tables.groups.insert(bytes))
    }
  }

  /// The number of a list of groups by its texts, a new one where it has none.
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
