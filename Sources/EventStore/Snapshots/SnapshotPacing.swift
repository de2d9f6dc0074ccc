/// Says when the next snapshot is due: often enough that the way from one to any record is short,
/// seldom enough that they stay a small part of the file.
///
/// A whole one is taken only where `ratio` times its size has been appended since the one before,
/// so all of them together are at most one part of `ratio` + 1 of the file: a seventh by default,
/// and less as a file also holds an index and free space. But the first one is taken after half of
/// that, for nothing shortens the way to the records before it. Where a whole one is large, there
/// are up to `steps` - 1 increments between two of them, which are together at most one part of
/// `incrementRatio` + 1: the records after one of these take no longer to reduce than a whole one
/// takes to read, whatever the number of contacts.
package struct SnapshotPacing: Hashable, Sendable {
  /// How many bytes of records come with one byte of whole snapshots, at least.
  package let ratio: Int
  /// How many bytes of records come with one byte of increments, at least.
  package let incrementRatio: Int
  /// How many records lie between two snapshots, at least: they are reduced in no time.
  package let leastRecords: Int

  private var records = 0
  /// How many bytes were appended since the last snapshot, and since the last whole one.
  private var bytes = 0
  private var wholeBytes = 0
  /// What the next whole one, and the next increment, will take, as far as is known.
  private var expected = 0
  private var expectedIncrement = 0
  /// How many bytes the increments since the last whole one take.
  private var spent = 0
  /// Whether there is a whole one.
  private var hasWhole = false

  /// The pages in which a file grows.
  private static let page = 4096
  /// A whole one is read in no time up to this size.
  private static let smallBytes = 16 * page
  /// Into so many parts increments divide the way from one whole one to the next.
  private static let steps = 28

  /// - Parameters:
  ///   - ratio: 1 or more.
  ///   - incrementRatio: 1 or more.
  ///   - leastRecords: 1 or more.
  package init(ratio: Int = 6, incrementRatio: Int = 8, leastRecords: Int = 256) {
    self.ratio = max(1, ratio)
    self.incrementRatio = max(1, incrementRatio)
    self.leastRecords = max(1, leastRecords)
  }

  /// Counts a record that is appended.
  ///
  /// - Parameter bytes: How many it has.
  package mutating func appended(bytes: Int) {
    records += 1
    self.bytes += bytes
    wholeBytes += bytes
  }

  /// Whether it is time to write a whole state down.
  package var isDue: Bool {
    records >= leastRecords && (hasWhole ? wholeBytes : 2 * wholeBytes) / ratio >= expected
  }

  /// Whether it is time to write down what has changed.
  package var isIncrementDue: Bool {
    records >= leastRecords && expected > Self.smallBytes
      && bytes / ratio >= expected / Self.steps && credit >= expectedIncrement
  }

  /// How many bytes increments may take.
  private var credit: Int { wholeBytes / incrementRatio - spent }

  /// Whether a state that has been written down may be stored; if so, it counts as the last
  /// snapshot from here on. One that has grown too large has to wait.
  package mutating func admits(stateBytes: Int) -> Bool {
    expected = Self.pages(of: stateBytes)
    guard isDue else { return false }
    begin(after: stateBytes)
    return true
  }

  /// The same of an increment.
  package mutating func admits(incrementBytes: Int) -> Bool {
    expectedIncrement = Self.pages(of: incrementBytes)
    guard isIncrementDue else { return false }
    spent += expectedIncrement
    records = 0
    bytes = 0
    return true
  }

  /// The same where what is due could not be stored: it is not for some records more.
  package var postponed: SnapshotPacing {
    var postponed = self
    postponed.records = 0
    return postponed
  }

  /// Begins after a snapshot that is stored.
  ///
  /// - Parameters:
  ///   - stateBytes: What the state of that snapshot takes when it is whole.
  ///   - depth: How many increments there are after the last whole one.
  package mutating func begin(after stateBytes: Int, depth: UInt64 = 0) {
    expected = Self.pages(of: stateBytes)
    hasWhole = true
    spent = 0
    records = 0
    bytes = 0
    let parts = Int(min(depth, UInt64(Self.steps)))
    wholeBytes = expected / Self.steps * parts * ratio
  }

  private static func pages(of stateBytes: Int) -> Int {
    let size = LogFormat.snapshotHeaderBytes + stateBytes
    return (size + page - 1) / page * page
  }
}
