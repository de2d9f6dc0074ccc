import RawBytes
import XMPPStanza

/// A `RosterQuery` in place. Its items were read once, and are read again where one is asked for.
struct StoredQuery: ~Escapable {
  let version: RawSpan?
  /// How many items there are.
  let count: Int
  /// Whether one of them has a subscription that is not defined.
  private(set) var hasUnknownSubscription = false
  let malformed: [RosterQuery.Malformed]
  /// At the first item.
  private let items: CanonicalInput
  /// Where the items after the first one are: most queries have none.
  private var places: [CanonicalInput.Place] = []

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    version = try input.readOptionalTextBytes()
    count = try input.readCount()
    var items = input
    items.isSound = true
    self.items = items
    // Of damage it may say more than there are; each takes several bytes.
    if count > 1 { places.reserveCapacity(min(count, input.rest / StoredItem.leastBytes)) }
    for index in 0..<count {
      if index > 0 { places.append(input.place) }
      if try StoredItem(from: &input).unknownSubscription != nil { hasUnknownSubscription = true }
    }
    malformed = try input.readArray()
  }

  /// An item by its index. Complexity: linear in the item.
  @_lifetime(copy self)
  func item(_ index: Int) -> StoredItem? {
    guard index < count else { return nil }
    var input = items
    if index > 0 { input.go(to: places[index - 1]) }
    return try? StoredItem(from: &input)
  }

  /// Hands each item to `body`.
  func forEach(_ body: (StoredItem) -> Void) {
    for index in 0..<count {
      if let item = item(index) { body(item) }
    }
  }
}

extension StoredQuery {
  /// The contact of the first item of a query, which is not read; nil where it has none.
  @_lifetime(copy input)
  static func firstContact(
    from input: inout CanonicalInput
  ) throws(CodecError) -> RawSpan? {
    _ = try input.readOptionalTextBytes()
    guard try input.readCount() > 0 else { return nil }
    _ = try ItemTag(from: &input)
    return try input.readTextBytes()
  }

  /// The same as a value.
  var value: RosterQuery {
    var values: [RosterQuery.Item] = []
    forEach { values.append($0.value) }
    return RosterQuery(version: .init(decoding: version), items: values, malformed: malformed)
  }
}

/// A `RosterQuery.Item` in place.
struct StoredItem: ~Escapable {
  /// The contact's address, as prepared.
  let address: RawSpan
  /// What the item is set to; nil where it is removed.
  let fields: StoredFields?
  let unknownSubscription: RawSpan?

  /// Its tag, the count of its address and a flag.
  static let leastBytes = 3

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    switch try ItemTag(from: &input) {
    case .set:
      address = try input.readTextBytes()
      fields = try StoredFields(from: &input)
    case .remove:
      address = try input.readTextBytes()
      fields = nil
    }
    unknownSubscription = try input.readOptionalTextBytes()
  }

  var jid: BareJID { BareJID(prepared: String(decoding: address)) }

  /// What the roster shows afterwards: nil where the item is gone.
  var shown: RosterItem? {
    guard let fields else { return nil }
    return fields.item(of: jid)
  }

  /// The same as a value.
  var value: RosterQuery.Item {
    RosterQuery.Item(
      change: shown.map { .set($0) } ?? .remove(jid),
      unknownSubscription: .init(decoding: unknownSubscription))
  }
}

/// What a `RosterItem` says of its contact, in place.
struct StoredFields: ~Escapable {
  let name: RawSpan?
  let subscription: RosterSubscription
  let isPending: Bool
  let isApproved: Bool
  let groups: StoredGroups

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    name = try input.readOptionalTextBytes()
    let flags = try input.readTag()
    guard flags < 0x40, let subscription = RosterSubscription(code: flags & 0x0F),
      // An item keeps no empty name.
      name?.isEmpty != true
    else { throw input.invalid }
    self.subscription = subscription
    isPending = flags & 0x10 != 0
    isApproved = flags & 0x20 != 0
    groups = try StoredGroups(from: &input)
  }

  /// The same as a value.
  func item(of jid: BareJID) -> RosterItem {
    RosterItem(
      checked: jid, name: .init(decoding: name), subscription: subscription,
      isPending: isPending, isApproved: isApproved, groups: groups.texts)
  }

  /// What of it a client may edit.
  var editable: EditableFields {
    EditableFields(name: .init(decoding: name), groups: groups.texts)
  }
}

/// The groups of an item in place: in the order of their bytes, none twice and none empty.
struct StoredGroups: ~Escapable {
  /// How many there are.
  let count: Int
  private let input: CanonicalInput

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    count = try input.readCount()
    self.input = input
    var last = RawSpan()
    for _ in 0..<count {
      let group = try input.readTextBytes()
      guard last.precedes(group) else { throw input.invalid }
      last = group
    }
  }

  /// Hands each group and its place to `body` until that says false.
  ///
  /// - Returns: Whether it never did.
  func allSatisfy(_ body: (Int, RawSpan) -> Bool) -> Bool {
    var input = input
    for place in 0..<count {
      // They were read once.
      guard let group = try? input.readCounted(), body(place, group) else { return false }
    }
    return true
  }

  /// Hands each group to `body`.
  func forEach(_ body: (RawSpan) -> Void) {
    _ = allSatisfy { _, group in
      body(group)
      return true
    }
  }

  /// Copies of them.
  var texts: [String] {
    var texts: [String] = []
    forEach { texts.append(String(decoding: $0)) }
    return texts
  }
}
