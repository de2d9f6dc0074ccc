/// Decides when the next snapshot is due.
///
/// Snapshots should be frequent, so that few records have to be reduced to reach any state, and
/// rare, so that they remain a small part of the file.
///
/// A whole snapshot is due when `ratio` times its size has been appended since the previous one, so
/// all whole snapshots together are at most one part of `ratio` + 1 of the file: a seventh by
/// default, and less because a file also has an index and free space. The first one is due after
/// half of that, because no earlier snapshot helps to reach the records before it. If a whole
/// snapshot is large, up to `intervals` - 1 increments are stored between two of them, which are
/// together at most one part of `incrementRatio` + 1 of the file. Then the records after an
/// increment take no longer to reduce than a whole snapshot takes to read, whatever the number of
/// contacts.
package struct SnapshotPacing: Hashable, Sendable {
  /// The minimum number of bytes of records for each byte of whole snapshots.
  package let ratio: Int
  /// The minimum number of bytes of records for each byte of increments.
  package let incrementRatio: Int
  /// The minimum number of records between two snapshots; so few are reduced in no time.
  package let minRecords: Int

  private var records = 0
  /// The number of bytes appended since the last snapshot of either kind.
  private var bytes = 0
  /// The number of bytes appended since the last whole snapshot.
  private var wholeBytes = 0
  /// The expected size of the next whole snapshot.
  private var expected = 0
  /// The expected size of the next increment.
  private var expectedIncrement = 0
  /// The size of the increments since the last whole snapshot.
  private var spent = 0
  /// Whether there is a whole snapshot.
  private var hasWhole = false

  /// The size of a page, by which a file grows.
  private static let page = 4096
  /// The size up to which a whole snapshot is read in no time.
  private static let smallBytes = 16 * page
  /// The number of intervals into which increments divide the log between two whole snapshots.
  private static let intervals = 28

  /// - Parameters:
  ///   - ratio: 1 or more.
  ///   - incrementRatio: 1 or more.
  ///   - minRecords: 1 or more.
  package init(ratio: Int = 6, incrementRatio: Int = 8, minRecords: Int = 256) {
    self.ratio = max(1, ratio)
    self.incrementRatio = max(1, incrementRatio)
    self.minRecords = max(1, minRecords)
  }

  /// Counts an appended record.
  ///
  /// - Parameter bytes: The record's number of bytes.
  package mutating func appended(bytes: Int) {
    records += 1
    self.bytes += bytes
    wholeBytes += bytes
  }

  /// Whether a whole snapshot is due.
  package var isDue: Bool {
    records >= minRecords && (hasWhole ? wholeBytes : 2 * wholeBytes) / ratio >= expected
  }

  /// Whether an increment is due.
  package var isIncrementDue: Bool {
    records >= minRecords && expected > Self.smallBytes
      && bytes / ratio >= expected / Self.intervals && credit >= expectedIncrement
  }

  /// The number of bytes left for increments.
  private var credit: Int { wholeBytes / incrementRatio - spent }

  /// Whether an encoded state may be stored as a whole snapshot; if so, it counts as the last one.
  ///
  /// A state that has grown too large has to wait.
  package mutating func admits(stateBytes: Int) -> Bool {
    expected = Self.pages(of: stateBytes)
    guard isDue else { return false }
    begin(after: stateBytes)
    return true
  }

  /// Whether an encoded increment may be stored; if so, it counts as the last snapshot.
  ///
  /// An increment that is too large has to wait.
  package mutating func admits(incrementBytes: Int) -> Bool {
    expectedIncrement = Self.pages(of: incrementBytes)
    guard isIncrementDue else { return false }
    spent += expectedIncrement
    records = 0
    bytes = 0
    return true
  }

  /// The pacing after a due snapshot could not be stored: it is due again some records later.
  package var postponed: SnapshotPacing {
    var postponed = self
    postponed.records = 0
    return postponed
  }

  /// Begins after a stored snapshot.
  ///
  /// - Parameters:
  ///   - stateBytes: The size of that snapshot's state as a whole snapshot.
  ///   - depth: The number of increments since the last whole snapshot.
  package mutating func begin(after stateBytes: Int, depth: UInt64 = 0) {
    expected = Self.pages(of: stateBytes)
    hasWhole = true
    spent = 0
    records = 0
    bytes = 0
    let parts = Int(min(depth, UInt64(Self.intervals)))
    wholeBytes = expected / Self.intervals * parts * ratio
  }

  private static func pages(of stateBytes: Int) -> Int {
    let size = LogFormat.snapshotHeaderBytes + stateBytes
    return (size + page - 1) / page * page
  }
}
