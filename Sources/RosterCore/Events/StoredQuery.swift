import RawBytes
import XMPPStanza

/// A `RosterQuery` in place. It has been checked once; its version and items are read again when
/// they are needed, which keeps it small: every event is as large as the largest kind.
struct StoredQuery: ~Escapable {
  /// The version, the number of the items, and the items.
  private let bytes: RawSpan
  /// The offset of the items.
  private let start: UInt32
  private let itemCount: UInt32
  /// Whether an item has an undefined subscription.
  let hasUnknownSubscription: Bool
  let malformed: [RosterQuery.Malformed]

  @_lifetime(copy input)
  init(from input: inout CanonicalInput) throws(CodecError) {
    var (start, count) = (0, 0)
    var hasUnknownSubscription = false
    bytes = try input.readBytes { (input) throws(CodecError) in
      let rest = input.rest
      _ = try input.readOptionalTextBytes()
      count = try input.readCount()
      start = rest - input.rest
      for _ in 0..<count {
        if try StoredItem(from: &input).unknownSubscription != nil { hasUnknownSubscription = true }
      }
    }
    // The length of an event is stored in 32 bits.
    (self.start, itemCount) = (UInt32(start), UInt32(count))
    self.hasUnknownSubscription = hasUnknownSubscription
    malformed = try input.readArray()
  }

  /// Whether items were left out of it.
  var isCut: Bool { malformed.contains(.omission) }

  /// The number of items.
  var count: Int { Int(itemCount) }

  var version: RawSpan? {
    @_lifetime(copy self)
    get {
      var input = CanonicalInput(bytes)
      // It has been checked, or a checksum matches.
      input.isSound = true
      return try? input.readOptionalTextBytes()
    }
  }

  /// The first item; nil if there is none.
  var first: StoredItem? {
    @_lifetime(copy self)
    get { count > 0 ? item(at: Place(offset: start)) : nil }
  }

  /// The location of an item.
  struct Place {
    fileprivate let offset: UInt32
  }

  /// The locations of all items, in order. Complexity: linear in all items.
  var places: [Place] {
    var places: [Place] = []
    places.reserveCapacity(count)
    var input = items
    for _ in 0..<count {
      places.append(Place(offset: UInt32(bytes.byteCount - input.rest)))
      guard (try? StoredItem(from: &input)) != nil else { break }
    }
    return places
  }

  /// The item at a location. Complexity: linear in the item.
  @_lifetime(copy self)
  func item(at place: Place) -> StoredItem? {
    var input = CanonicalInput(bytes.extracting(droppingFirst: Int(place.offset)))
    input.isSound = true
    return try? StoredItem(from: &input)
  }

  /// Passes each item to `body`.
  func forEach(_ body: (StoredItem) -> Void) {
    var input = items
    for _ in 0..<count {
      guard let item = try? StoredItem(from: &input) else { return }
      body(item)
    }
  }

  private var items: CanonicalInput {
    @_lifetime(copy self)
    get {
      var input = CanonicalInput(bytes.extracting(droppingFirst: Int(start)))
      input.isSound = true
      return input
    }
  }
}

extension StoredQuery {
  /// The query as a value.
  var value: RosterQuery {
    var values: [RosterQuery.Item] = []
    forEach { values.append($0.value) }
    return RosterQuery(version: .init(decoding: version), items: values, malformed: malformed)
  }
}

/// A `RosterQuery.Item` in place.
struct StoredItem: ~Escapable {
  /// The contact's prepared address.
  let address: RawSpan
  /// The fields that the item is set to; nil if it is removed.
  let fields: StoredFields?
  let unknownSubscription: RawSpan?

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

  /// What the roster shows afterwards; nil if the item is removed.
  var shown: RosterItem? {
    guard let fields else { return nil }
    return fields.item(of: jid)
  }

  /// The item as a value.
  var value: RosterQuery.Item {
    RosterQuery.Item(
      change: shown.map { .set($0) } ?? .remove(jid),
      unknownSubscription: .init(decoding: unknownSubscription))
  }
}

/// The fields of a `RosterItem` besides its address, in place.
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
      // An item never has an empty name.
      name?.isEmpty != true
    else { throw input.invalid }
    self.subscription = subscription
    isPending = flags & 0x10 != 0
    isApproved = flags & 0x20 != 0
    groups = try StoredGroups(from: &input)
  }

  /// The fields as a value.
  func item(of jid: BareJID) -> RosterItem {
    RosterItem(
      checked: jid, name: .init(decoding: name), subscription: subscription,
      isPending: isPending, isApproved: isApproved, groups: groups.texts)
  }

  /// The fields that a client may edit.
  var editable: EditableFields {
    EditableFields(name: .init(decoding: name), groups: groups.texts)
  }
}

/// The groups of an item in place: in the order of their bytes, without duplicates or empty ones.
struct StoredGroups: ~Escapable {
  /// The number of groups.
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

  /// Passes each group and its index to `body` until that returns false.
  ///
  /// - Returns: Whether it returned true for all groups.
  func allSatisfy(_ body: (Int, RawSpan) -> Bool) -> Bool {
    var input = input
    for place in 0..<count {
      // They have been checked once.
      guard let group = try? input.readCounted(), body(place, group) else { return false }
    }
    return true
  }

  /// Passes each group to `body`.
  func forEach(_ body: (RawSpan) -> Void) {
    _ = allSatisfy { _, group in
      body(group)
      return true
    }
  }

  /// The groups as values.
  var texts: [String] {
    var texts: [String] = []
    forEach { texts.append(String(decoding: $0)) }
    return texts
  }
}
