/// Says when the next snapshot is due: often enough that the way from one to any record is short,
/// seldom enough that they stay a small part of the file.
///
/// A snapshot is taken only where `ratio` times its size has been appended since the one before, so
/// all snapshots together are at most one part of `ratio` + 1 of the file: a ninth by default,
/// and less as a file also holds an index and free space. The records between two of them then
/// take about as long to reduce as one takes to read, whatever the number of contacts.
package struct SnapshotPacing: Hashable, Sendable {
  /// How many bytes of records come with one byte of snapshots, at least.
  package let ratio: Int
  /// How many records lie between two snapshots, at least: they are reduced in no time.
  package let leastRecords: Int

  private var records = 0
  private var bytes = 0
  /// What the next snapshot will take, as far as is known.
  private var expected = 0

  /// The pages in which a file grows.
  private static let page = 4096

  /// - Parameters:
  ///   - ratio: 1 or more.
  ///   - leastRecords: 1 or more.
  package init(ratio: Int = 8, leastRecords: Int = 256) {
    self.ratio = max(1, ratio)
    self.leastRecords = max(1, leastRecords)
  }

  /// Counts a record that is appended.
  ///
  /// - Parameter bytes: How many it has.
  package mutating func appended(bytes: Int) {
    records += 1
    self.bytes += bytes
  }

  /// Whether it is time to write a state down.
  package var isDue: Bool { records >= leastRecords && bytes / ratio >= expected }

  /// Whether a state that has been written down may be stored; if so, it counts as the last
  /// snapshot from here on. One that has grown too large has to wait.
  package mutating func admits(stateBytes: Int) -> Bool {
    expected = Self.pages(of: stateBytes)
    guard isDue else { return false }
    records = 0
    bytes = 0
    return true
  }

  /// Begins after a snapshot that is stored.
  ///
  /// - Parameter stateBytes: What the state of that snapshot takes.
  package mutating func begin(after stateBytes: Int) {
    expected = Self.pages(of: stateBytes)
    records = 0
    bytes = 0
  }

  private static func pages(of stateBytes: Int) -> Int {
    let size = LogFormat.snapshotHeaderBytes + stateBytes
    return (size + page - 1) / page * page
  }
}

extension ReadTransaction {
  /// The pacing as it stands at the end of the log, for one that goes on with it.
  ///
  /// Complexity: linear in the records since the last snapshot of this version.
  package func snapshotPacing(
    of version: SnapshotVersion, from start: SnapshotPacing = SnapshotPacing()
  ) throws -> SnapshotPacing {
    var last: UInt64 = 0
    var pacing = start
    _ = try snapshot(atOrBefore: .max, version: version) { header, state in
      last = header.sequence
      pacing.begin(after: state.byteCount)
    }
    try forEachRecord(in: (last + 1)...UInt64.max) { _, bytes in
      pacing.appended(bytes: bytes.byteCount)
    }
    return pacing
  }
}
