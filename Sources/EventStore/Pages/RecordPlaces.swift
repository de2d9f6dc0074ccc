/// Where a file has something that can be a pack of records, whatever leads to it.
///
/// Every page that looks like one with packs is read, also those that belong to nothing any more:
/// LMDB writes a changed page elsewhere, so that an older copy of it is often still there.
///
/// Memory: some 32 bytes for each place.
final class RecordPlaces {
  struct Place {
    /// The number of the pack's first record.
    var first: UInt64
    var page: UInt64
    var node: UInt16
    /// Whether the page is part of the records' tree: what is elsewhere is a copy or a stray.
    var isInTree: Bool
  }

  /// A number beyond this is not that of a record.
  private static let mostRecords: UInt64 = 1 << 40

  /// The places in the order of their numbers, those of the tree first.
  private(set) var all: [Place] = []
  /// The first record of the last pack that the log is known to have had; 0 where it had none, nil
  /// where its tree cannot be found.
  private(set) var head: UInt64?
  /// Whether the tree of the records is whole, so that no pack after the last one is missing.
  var isComplete: Bool { check.hasAllRecords }

  private let check: PageCheck
  /// The page that was read last.
  private var page: Page?

  /// - Parameter check: One that has run.
  init(_ check: PageCheck) throws(EventLogError) {
    self.check = check
    try collect()
    // Only a tree without damage says where the log ends. After it there may be pages of a
    // transaction that never came to its end.
    if check.damage.isEmpty, !check.hasTakenBackCommit {
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
        // What is inside a long value is somebody's text, and may look like anything.
        let count = page.overflowCount
        if page.ownNumber == page.number, count > 0, count < check.file.pageCount {
          number += count - 1
        }
      case .branch, nil: break
      }
    }
  }

  private func collect(_ page: Page) {
    let isInTree = check.recordPages.contains(page.number)
    for index in 0..<(page.nodeCount ?? 0) {
      guard let node = page.node(index), !node.isDatabase, node.key.count == 8,
        node.size >= PackLayout.headBytes, node.size <= PackLayout.mostBytes
      else { continue }
      let first = page.bytes[node.key].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard (1...Self.mostRecords).contains(first) else { continue }
      all.append(
        Place(
          first: first, page: page.number, node: UInt16(truncatingIfNeeded: index),
          isInTree: isInTree))
    }
  }

  /// The places of the first number that is not less than this one; empty at the end.
  func group(from first: UInt64) -> Range<Int> {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = low + (high - low) / 2
      if all[middle].first < first { low = middle + 1 } else { high = middle }
    }
    let start = low
    var end = start
    while end < all.count, all[end].first == all[start].first { end += 1 }
    return start..<end
  }

  /// What is stored at a place; nil where it does not lie within the file.
  func value(at place: Place) throws(EventLogError) -> [UInt8]? {
    if page?.number != place.page { page = try check.file.page(place.page) }
    guard let page, let node = page.node(Int(place.node)) else { return nil }
    return try check.file.value(of: node, in: page)
  }
}
