import XMPPStanza

/// A `RosterQuery` in place.
struct StoredQuery {
  let version: UnsafeRawBufferPointer?
  let items: [StoredItem]
  let malformed: [RosterQuery.Malformed]

  init(from input: inout CanonicalInput) throws(CodecError) {
    version = try input.readOptionalTextBytes()
    let count = try input.readCount()
    var items: [StoredItem] = []
    // Of damage it may say more than there are; each takes several bytes.
    items.reserveCapacity(min(count, input.rest / StoredItem.leastBytes))
    for _ in 0..<count { items.append(try StoredItem(from: &input)) }
    self.items = items
    malformed = try input.readArray()
  }
}

extension StoredQuery {
  /// The contact of the first item of a query, which is not read; nil where it has none.
  static func firstContact(
    from input: inout CanonicalInput
  ) throws(CodecError) -> UnsafeRawBufferPointer? {
    _ = try input.readOptionalTextBytes()
    guard try input.readCount() > 0 else { return nil }
    _ = try ItemTag(from: &input)
    return try input.readTextBytes()
  }

  /// The same as a value.
  var value: RosterQuery {
    RosterQuery(
      version: version.map { String(of: $0) }, items: items.map(\.value), malformed: malformed)
  }
}

/// A `RosterQuery.Item` in place.
struct StoredItem {
  /// The contact's address, as prepared.
  let address: UnsafeRawBufferPointer
  /// What the item is set to; nil where it is removed.
  let fields: StoredFields?
  let unknownSubscription: UnsafeRawBufferPointer?

  /// Its tag, the count of its address and a flag.
  static let leastBytes = 3

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

  var jid: BareJID { BareJID(prepared: String(of: address)) }

  /// What the roster shows afterwards: nil where the item is gone.
  var shown: RosterItem? { fields.map { $0.item(of: jid) } }

  /// The same as a value.
  var value: RosterQuery.Item {
    RosterQuery.Item(
      change: shown.map { .set($0) } ?? .remove(jid),
      unknownSubscription: unknownSubscription.map { String(of: $0) })
  }
}

/// What a `RosterItem` says of its contact, in place.
struct StoredFields {
  let name: UnsafeRawBufferPointer?
  let subscription: RosterSubscription
  let isPending: Bool
  let isApproved: Bool
  let groups: StoredGroups

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
      checked: jid, name: name.map { String(of: $0) }, subscription: subscription,
      isPending: isPending, isApproved: isApproved, groups: groups.texts)
  }

  /// What of it a client may edit.
  var editable: EditableFields {
    EditableFields(name: name.map { String(of: $0) }, groups: groups.texts)
  }
}

/// The groups of an item in place: in the order of their bytes, none twice and none empty.
struct StoredGroups {
  /// How many there are.
  let count: Int
  private let input: CanonicalInput

  init(from input: inout CanonicalInput) throws(CodecError) {
    count = try input.readCount()
    self.input = input
    var last = UnsafeRawBufferPointer.noBytes
    for _ in 0..<count {
      let group = try input.readTextBytes()
      guard last.precedes(group) else { throw input.invalid }
      last = group
    }
  }

  /// Hands each group and its place to `body` until that says false.
  ///
  /// - Returns: Whether it never did.
  func allSatisfy(_ body: (Int, UnsafeRawBufferPointer) -> Bool) -> Bool {
    var input = input
    for place in 0..<count {
      // They were read once.
      guard let group = try? input.readCounted(), body(place, group) else { return false }
    }
    return true
  }

  /// Hands each group to `body`.
  func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
    _ = allSatisfy { _, group in
      body(group)
      return true
    }
  }

  /// Copies of them.
  var texts: [String] {
    var texts: [String] = []
    forEach { texts.append(String(of: $0)) }
    return texts
  }
}
