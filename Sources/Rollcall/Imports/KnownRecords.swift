import EventStore

/// Which records of a capture a log holds already.
///
/// A capture that begins with the bytes of one that was imported before goes on with that one: what
/// it gave then is known, whatever else has come into the log since. A capture whose beginning has
/// gone, as that of a log file that was rotated, is known by its records: where its first ones are
/// the last ones of a capture in the log, it goes on from there.
struct KnownRecords {
  /// The capture that it goes on with; nil where it goes on with what several gave.
  let former: ImportedSource?
  /// The records of the log that are known, and that are of the capture from now on.
  let ranges: [ClosedRange<UInt64>]
  /// The records of the capture that they are, in order.
  let known: [UInt64]
  /// Whether its beginning was missing.
  let isRotated: Bool

  /// How many records without a time have to be the same before that is no chance.
  private static let leastWithoutTimes = 4

  /// The records of a capture that are of one that was imported before, with whose bytes it begins.
  ///
  /// - Parameter saysAccount: Whether the log says whose it is: what stands before a capture that
  ///   does not say it is then nothing new.
  init(
    _ records: [UInt64], of capture: RecordPrints, beginningWith former: ImportedSource,
    in log: RecordPrints, saysAccount: Bool
  ) {
    // A log that was recovered does not know which records its captures gave.
    let isWhole = former.records.isEmpty
    ranges = isWhole ? (log.last > 0 ? [1...log.last] : []) : former.records
    let there =
      isWhole ? Array(ranges.joined()) : log.records(ranges, of: Set(former.connections.values))
    var counts: [UInt64: Int] = [:]
    for record in there { counts[log[record].bytes, default: 0] += 1 }
    var known: [UInt64] = []
    // The same element may come many times: as often as it came before, it is known.
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

  /// The records of a capture that some records of a log end with, or that are among them; nil
  /// where there are none.
  ///
  /// Complexity: linear in both.
  init?(
    _ records: [UInt64], of capture: RecordPrints, among there: [UInt64],
    of former: ImportedSource?,
    in log: RecordPrints
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
    // Annotations and first lines before the last of them went with it.
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

/// How far the beginning of one sequence is the end of another one, or stands in it whole (Knuth,
/// Morris and Pratt).
struct Overlap: Equatable {
  /// How many elements are the same; 0 where there is no overlap.
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

  /// For each beginning, how much of it is both its beginning and its end.
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
