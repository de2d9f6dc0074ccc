import XMPPStanza

/// A roster item, with the record that set each of its fields.
struct ItemRow: Equatable, BitwiseCopyable {
  var name: TextNumber
  var groups: GroupsNumber
  private var record: UInt64
  // How many records after the first one the other fields were set. Never negative, and 0 in most
  // items.
  private var nameDistance: UInt64
  private var subscriptionDistance: UInt64
  private var askDistance: UInt64
  private var approvedDistance: UInt64
  private var groupsDistance: UInt64
  private var flags: UInt32

  private static let exists: UInt32 = 0x01
  private static let isPending: UInt32 = 0x02
  private static let isApproved: UInt32 = 0x04
  private static let subscriptionShift: UInt32 = 3
  private static let all: UInt32 = 0x1F

  init(
    name: TextNumber, groups: GroupsNumber, subscription: RosterSubscription, isPending: Bool,
    isApproved: Bool, provenance: RosterEntry.Provenance
  ) {
    self.name = name
    self.groups = groups
    record = provenance.item
    nameDistance = provenance.name &- record
    subscriptionDistance = provenance.subscription &- record
    askDistance = provenance.ask &- record
    approvedDistance = provenance.approved &- record
    groupsDistance = provenance.groups &- record
    flags = Self.exists | UInt32(subscription.code) << Self.subscriptionShift
    if isPending { flags |= Self.isPending }
    if isApproved { flags |= Self.isApproved }
  }

  /// No item.
  static let none = {
    var row = ItemRow(
      name: .none, groups: .none, subscription: .none, isPending: false, isApproved: false,
      provenance: RosterEntry.Provenance(allFrom: 0))
    row.flags = 0
    return row
  }()

  /// Whether there is an item.
  var exists: Bool { flags & Self.exists != 0 }
  var isPending: Bool { flags & Self.isPending != 0 }
  var isApproved: Bool { flags & Self.isApproved != 0 }

  var subscription: RosterSubscription {
    // The code was written from a valid subscription.
    RosterSubscription(code: UInt8(flags >> Self.subscriptionShift & 3)) ?? .none
  }

  var provenance: RosterEntry.Provenance {
    get {
      var provenance = RosterEntry.Provenance(allFrom: record)
      provenance.name = record &+ nameDistance
      provenance.subscription = record &+ subscriptionDistance
      provenance.ask = record &+ askDistance
      provenance.approved = record &+ approvedDistance
      provenance.groups = record &+ groupsDistance
      return provenance
    }
    set {
      self = ItemRow(
        name: name, groups: groups, subscription: subscription, isPending: isPending,
        isApproved: isApproved, provenance: newValue)
    }
  }

  /// Whether the other members could have produced this row, apart from what its numbers refer to.
  var isWellFormed: Bool {
    exists ? flags & ~Self.all == 0 : self == .none
  }

  /// Whether all its numbers refer to texts of the table.
  @inline(__always)
  func refersOnly(to counts: TableCounts) -> Bool {
    name.isNone(orBelow: counts.texts) && groups.isNone(orBelow: counts.groups)
  }

  /// Replaces the numbers of its texts.
  mutating func renumber(
    _ text: (TextNumber) -> TextNumber,
    _ groups: (GroupsNumber) -> GroupsNumber
  ) {
    if name != .none { name = text(name) }
    if self.groups != .none { self.groups = groups(self.groups) }
  }
}

/// The number of roster items by their subscription.
struct ItemCounts: Equatable, Sendable {
  private var none = 0
  private var to = 0
  private var from = 0
  private var both = 0

  /// The number of all items.
  var total: Int { none + to + from + both }

  /// The number of items with this subscription.
  private(set) subscript(subscription: RosterSubscription) -> Int {
    get {
      switch subscription {
      case .none: none
      case .to: to
      case .from: from
      case .both: both
      }
    }
    set {
      switch subscription {
      case .none: none = newValue
      case .to: to = newValue
      case .from: from = newValue
      case .both: both = newValue
      }
    }
  }

  /// Adds `difference` to the count of a row's item, if the row has one.
  mutating func count(_ row: borrowing ContactRow, _ difference: Int) {
    guard row.hasItem else { return }
    self[row.itemRow.subscription] += difference
  }
}
