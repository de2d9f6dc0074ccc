import Captures
package import XMPPStanza

/// A line of a source.
package struct SourceLine: Hashable, Sendable {
  package let bytes: ArraySlice<UInt8>
  /// The position of its first byte.
  package let position: SpoolPosition
  /// The account that it is about; nil for the first line of a segment.
  package let account: BareJID?

  package init(_ bytes: ArraySlice<UInt8>, at position: SpoolPosition, account: BareJID?) {
    (self.bytes, self.position, self.account) = (bytes, position, account)
  }
}

/// Consecutive lines of a source, by shard.
package struct LineGroups: Hashable, Sendable {
  /// The position that the lines follow, and the one at which they end.
  package let after: SpoolPosition
  package private(set) var upto: SpoolPosition
  /// The lines of each shard that has any.
  package private(set) var lines: [ShardNumber: [SourceLine]] = [:]
  /// The first lines of segments, which concern every shard.
  package private(set) var beginnings: [SourceLine] = []
  /// The run of the server after the last line.
  package private(set) var boot: String
  /// The program of the server, as the last first line of a segment names it; nil if there is none.
  package private(set) var server: String?
  /// The newest time of the lines, in milliseconds since 1970; also of those that only say that the
  /// server is there.
  package private(set) var newest: Int64?
  /// The number of lines that the tap says it could not write.
  package private(set) var gapLines = 0
  /// The positions of lines that no tap writes.
  package private(set) var unreadable: [SpoolPosition] = []

  /// - Parameter boot: The run of the server before the first line.
  package init(after: SpoolPosition, boot: String) {
    (self.after, self.boot) = (after, boot)
    upto = after
  }

  /// Adds the lines of some bytes, which end with a whole line and follow what was added before.
  ///
  /// Returns false if the segment is too long for positions.
  package mutating func add(_ bytes: [UInt8], _ accounts: inout AccountCache) -> Bool {
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      guard let next = upto.advanced(by: end - start + 1) else { return false }
      add(bytes[start..<end], &accounts)
      upto = next
      start = end + 1
    }
    return true
  }

  private static let timeKey = Array("{\"t\":".utf8)

  /// The time of a line as the taps write it; nil for any other line.
  private static func time(of line: ArraySlice<UInt8>) -> Int64? {
    guard line.starts(with: timeKey) else { return nil }
    let digits = line.dropFirst(timeKey.count).prefix {
      $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
    // Sixteen digits are enough for every time that a log can have.
    guard !digits.isEmpty, digits.count <= 16 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private mutating func add(_ line: ArraySlice<UInt8>, _ accounts: inout AccountCache) {
    if let time = Self.time(of: line) { newest = max(time, newest ?? time) }
    switch accounts.line(line) {
    case .beginsSegment(let next, let program):
      let beginning = SourceLine(line, at: upto, account: nil)
      beginnings.append(beginning)
      for shard in lines.keys { lines[shard]?.append(beginning) }
      boot = next ?? boot
      server = program ?? server
    case .account(let account):
      // The lines of a shard begin with all first lines of segments before them.
      lines[accounts.shard(of: account), default: beginnings].append(
        SourceLine(line, at: upto, account: account))
    case .gap(let count): gapLines = gapLines.addingClamped(Int(clamping: max(1, count ?? 1)))
    case .idle: break
    case .unreadable: unreadable.append(upto)
    }
  }
}

extension Int {
  /// The sum, or the greatest number if there is no such sum: a tap's own number may be anything.
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}

/// The accounts of recent lines, so that an address is prepared once and not for each line.
package struct AccountCache {
  private var known: [ArraySlice<UInt8>: BareJID] = [:]
  private var shards: [BareJID: ShardNumber] = [:]
  private static let capacity = 1 << 16

  package init() {}

  mutating func shard(of account: BareJID) -> ShardNumber {
    if let shard = shards[account] { return shard }
    if shards.count >= Self.capacity { shards.removeAll(keepingCapacity: true) }
    let shard = ShardNumber(of: account)
    shards[account] = shard
    return shard
  }

  /// What a line is about. A line as a tap writes it need not be read to its end.
  mutating func line(_ line: ArraySlice<UInt8>) -> SpoolLine {
    guard let text = SpoolLine.plainAccount(in: line) else { return SpoolLine(line) }
    if let account = known[text] { return .account(account) }
    let found = SpoolLine(line)
    if case .account(let account) = found {
      if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
      // A copy, because a slice would keep all the bytes that were read with it.
      known[ArraySlice(Array(text))] = account
    }
    return found
  }
}
