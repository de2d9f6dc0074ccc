/// The last presence of a resource.
struct PresenceRow: Equatable, BitwiseCopyable {
  /// The sessions that received the resource's presence.
  var told: SessionSet
  private var record: UInt64
  private var time: Int64
  /// The resource's name; empty for presence from the bare address.
  var resource: TextNumber
  var status: TextNumber
  var delay: TextNumber
  var malformed: TextNumber
  private var showCode: UInt8
  let priority: Int8
  private var flags: UInt16

  private static let exists: UInt16 = 1
  private static let hasTime: UInt16 = 2
  private static let all: UInt16 = 3

  init(
    resource: TextNumber, status: TextNumber, delay: TextNumber, malformed: TextNumber,
    show: Show, priority: Int8, since: RecordStamp, told: SessionSet
  ) {
    self.told = told
    record = since.record
    time = since.time ?? 0
    self.resource = resource
    self.status = status
    self.delay = delay
    self.malformed = malformed
    showCode = show.code
    self.priority = priority
    flags = Self.exists | (since.time == nil ? 0 : Self.hasTime)
  }

  /// No resource.
  static let none = {
    var row = PresenceRow(
      resource: .none, status: .none, delay: .none, malformed: .none, show: .available,
      priority: 0, since: RecordStamp(record: 0), told: [])
    row.flags = 0
    return row
  }()

  /// Whether there is a resource.
  var exists: Bool { flags & Self.exists != 0 }

  var show: Show {
    // The code was written from a valid value.
    Show(code: showCode) ?? .available
  }

  var since: RecordStamp {
    get { RecordStamp(record: record, time: flags & Self.hasTime == 0 ? nil : time) }
    set {
      record = newValue.record
      time = newValue.time ?? 0
      flags = Self.exists | (newValue.time == nil ? 0 : Self.hasTime)
    }
  }

  /// Whether a later presence of the resource says the same of it.
  func saysSame(as other: PresenceRow) -> Bool {
    status == other.status && malformed == other.malformed && showCode == other.showCode
      && priority == other.priority
  }

  /// Whether the other members could have produced this row, apart from what its numbers refer to.
  var isWellFormed: Bool {
    guard exists else { return self == .none }
    return flags & ~Self.all == 0 && resource != .none && Show(code: showCode) != nil
      && (flags & Self.hasTime != 0 || time == 0)
  }

  /// Whether all its numbers refer to texts of the table.
  @inline(__always)
  func refersOnly(to counts: TableCounts) -> Bool {
    resource.isNone(orBelow: counts.texts) && status.isNone(orBelow: counts.texts)
      && delay.isNone(orBelow: counts.texts) && malformed.isNone(orBelow: counts.texts)
  }

  /// Replaces the numbers of its texts.
  mutating func renumber(
    _ text: (TextNumber) -> TextNumber
  ) {
    if resource != .none { resource = text(resource) }
    if status != .none { status = text(status) }
    if delay != .none { delay = text(delay) }
    if malformed != .none { malformed = text(malformed) }
  }
}

extension PresenceRow {
  /// The row if any of these sessions received it; otherwise nil.
  func ifTold(_ sessions: SessionSet) -> PresenceRow? {
    told.isDisjoint(with: sessions) ? nil : self
  }

  /// A copy without these sessions; nil if no other session received it.
  func without(_ sessions: SessionSet) -> PresenceRow? {
    var row = self
    row.told.subtract(sessions)
    return row.told.isEmpty ? nil : row
  }
}
