import BitCollections
import RawBytes

/// The places in a file that may hold a pack of records, whether or not the tree leads to them.
///
/// Every page that looks like a leaf page with packs is read, even one that is no longer in use:
/// LMDB writes a changed page to a new place, so an older copy is often still in the file.
///
/// Memory: some 32 bytes for each place.
final class RecordPlaces {
  struct Place {
    /// The number of the pack's first record.
    var first: UInt64
    var page: UInt64
    var node: UInt16
    /// Whether the page is in the tree of records; any other place is an old copy or a stray.
    var isInTree: Bool
  }

  /// The highest plausible record number.
  private static let maxRecord: UInt64 = 1 << 40

  /// The places in the order of their record numbers, those in the tree first.
  private(set) var all: [Place] = []
  /// The first record of the last pack that the log is known to have had; 0 for an empty log, nil
  /// if damage leaves it unknown.
  private(set) var head: UInt64?
  /// Whether the tree of records is complete, so that no pack is missing at its end.
  var isComplete: Bool { check.hasAllRecords }

  private let check: PageCheck
  /// The page that was read last.
  private var page: Page?

  /// - Parameter check: A check that has run.
  init(_ check: PageCheck) throws(EventLogError) {
    self.check = check
    try collect()
    // Only an undamaged tree shows the end of the log. Later packs in the file may come from a
    // transaction that was never committed.
    if check.damage.isEmpty, !check.hasRevertedCommit {
      let last = all.lazy.filter(\.isInTree).map(\.first).max() ?? 0
      all.removeAll { $0.first > last }
      head = last
    }
    all.sort { a, b in
      (a.first, a.isInTree ? 0 : 1, a.page, a.node)
        < (b.first, b.isInTree ? 0 : 1, b.page, b.node)
    }
  }

  private func collect() throws(EventLogError) {
    var number: UInt64 = 2
    while number < check.file.pageCount {
      guard let page = try check.file.page(number) else { break }
      number += 1
      switch page.kind {
      case .leaf: collect(page)
      case .overflow:
        // Skip the rest of a long value: its text may have been made to look like a page.
        let count = page.overflowCount
        if page.ownNumber == page.number, count > 0, count < check.file.pageCount {
          number += count - 1
        }
      case .branch, nil: break
      }
    }
  }

  private func collect(_ page: Page) {
    let isInTree = check.recordPages.contains(Int(page.number))
    for index in 0..<(page.nodeCount ?? 0) {
      guard let node = page.node(index), !node.isDatabase, node.key.count == 8,
        node.size >= PackLayout.headBytes, node.size <= PackLayout.maxBytes
      else { continue }
      let first = page.bytes[node.key].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard (1...Self.maxRecord).contains(first) else { continue }
      all.append(
        Place(
          first: first, page: page.number, node: UInt16(truncatingIfNeeded: index),
          isInTree: isInTree))
    }
  }

  /// The places of the lowest record number that is at least `first`; empty at the end.
  func group(from first: UInt64) -> Range<Int> {
    let start = all.partitioningIndex { $0.first >= first }
    var end = start
    while end < all.count, all[end].first == all[start].first { end += 1 }
    return start..<end
  }

  /// Reads the value at a place; nil if it reaches beyond the end of the file.
  func value(at place: Place) throws(EventLogError) -> [UInt8]? {
    if page?.number != place.page { page = try check.file.page(place.page) }
    guard let page, let node = page.node(Int(place.node)) else { return nil }
    return try check.file.value(of: node, in: page)
  }
}
