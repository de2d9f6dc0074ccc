import EventStore

/// The records of a capture that a log already contains.
///
/// If a capture begins with the bytes of one that was imported before, it continues that one:
/// everything imported then is known, whatever else was added to the log since. A capture whose
/// beginning is missing, like that of a rotated log file, is recognized by its records: if its
/// first records are the last ones of a capture in the log, it continues there.
struct KnownRecords {
  /// The capture that it continues; nil if it continues the records of several.
  let former: ImportedSource?
  /// The known records of the log, which belong to the capture from now on.
  let ranges: [ClosedRange<UInt64>]
  /// The numbers that these records have in the capture, in order.
  let known: [UInt64]
  /// Whether its beginning is missing.
  let isRotated: Bool

  /// The number of equal records without times that cannot be a coincidence.
  private static let leastWithoutTimes = 4

  /// The known records of a capture that begins with the bytes of one that was imported before.
  ///
  /// - Parameter saysAccount: Whether the log notes its account. A header that is missing from the
  ///   former import is then nothing new.
  init(
    _ records: [UInt64], of capture: RecordFingerprints, beginningWith former: ImportedSource,
    in log: RecordFingerprints, saysAccount: Bool
  ) {
    // A recovered log does not know which records its captures contained.
    let isWhole = former.records.isEmpty
    ranges = isWhole ? (log.last > 0 ? [1...log.last] : []) : former.records
    let there =
      isWhole ? Array(ranges.joined()) : log.records(ranges, of: Set(former.connections.values))
    var counts: [UInt64: Int] = [:]
    for record in there { counts[log[record].bytes, default: 0] += 1 }
    var known: [UInt64] = []
    // An element may occur many times. As many occurrences are known as there were before.
    for record in records {
      let print = capture[record]
      if let count = counts[print.bytes], count > 0 {
        counts[print.bytes] = count - 1
        known.append(record)
      } else if print.isHeader, saysAccount {
        known.append(record)
      }
    }
    self.known = known
    self.former = former
    isRotated = false
  }

  /// The records of a capture that also are the end of some records of a log, or that are contained
  /// in them; nil if there are none.
  ///
  /// Complexity: linear in both.
  init?(
    _ records: [UInt64], of capture: RecordFingerprints, among there: [UInt64],
    of former: ImportedSource?,
    in log: RecordFingerprints
  ) {
    let own = records.filter { capture[$0].isOfStream }
    let there = there.filter { log[$0].isOfStream }
    let overlap = Overlap(of: own.map { capture[$0].whole }, and: there.map { log[$0].whole })
    let same = own.prefix(overlap.count)
    guard let last = same.last,
      same.contains(where: { capture[$0].time != nil })
        || same.count >= Self.leastWithoutTimes
        || (same.count == own.count && same.count == there.count)
    else { return nil }
    let first = there[overlap.end - overlap.count]
    let end = there[overlap.end - 1]
    ranges =
      former.map { Self.clipped($0.records, to: first...end) } ?? [first...end]
    // Annotations and headers before the last known record were imported with it.
    known = records.filter { $0 <= last }
    self.former = former
    isRotated = overlap.end > overlap.count
  }

  private static func clipped(
    _ ranges: [ClosedRange<UInt64>], to bounds: ClosedRange<UInt64>
  ) -> [ClosedRange<UInt64>] {
    ranges.filter { $0.overlaps(bounds) }.map { $0.clamped(to: bounds) }
  }
}

/// The longest beginning of one sequence that is the end of another one, or the position of the
/// whole sequence in the other (Knuth, Morris and Pratt).
struct Overlap: Equatable {
  /// The number of equal elements; 0 if there is no overlap.
  let count: Int
  /// Where they end in the other sequence.
  let end: Int

  init(of beginning: [UInt64], and other: [UInt64]) {
    let borders = Self.borders(of: beginning)
    var count = 0
    for (index, element) in other.enumerated() {
      while count > 0, beginning[count] != element { count = borders[count - 1] }
      if !beginning.isEmpty, beginning[count] == element { count += 1 }
      guard count < beginning.count || beginning.isEmpty else {
        (self.count, end) = (count, index + 1)
        return
      }
    }
    (self.count, end) = (count, other.count)
  }

  /// For each prefix, the length of the longest shorter prefix that is also its suffix.
  private static func borders(of elements: [UInt64]) -> [Int] {
    var borders = [Int](repeating: 0, count: elements.count)
    var count = 0
    for index in elements.indices.dropFirst() {
      while count > 0, elements[index] != elements[count] { count = borders[count - 1] }
      if elements[index] == elements[count] { count += 1 }
      borders[index] = count
    }
    return borders
  }
}
