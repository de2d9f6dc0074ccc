import RawBytes

extension PageFile {
  /// Whether a meta page is as LMDB leaves it after a commit whose write of this page failed.
  ///
  /// LMDB then restores the page's former number and file end, but not its roots. The next attempt
  /// may have overwritten the pages that the new roots lead to, so only the position of the roots
  /// is evidence: they are on pages that the newest state leaves free for the next transaction. A
  /// newer page whose number was changed by two looks the same, unless its transaction extended the
  /// file: a state never ends after its successor.
  func isReverted(_ meta: MetaPage) throws(EventLogError) -> Bool {
    // A damaged page may contain any number, so avoid overflow.
    guard let newest = metaPages.newest, meta.transaction < newest.transaction,
      newest.transaction - meta.transaction == 1, meta.lastPage <= newest.lastPage
    else { return false }
    let free = try reusablePages(after: newest)
    return [meta.main.root, meta.free.root].allSatisfy { root in
      free.contains(root) || (root > newest.lastPage && root < pageCount)
    }
  }

  /// The pages of a state that the transaction after it may reuse; empty if they cannot be read.
  ///
  /// These are the pages that the transaction before the state, or an earlier one, has freed.
  private func reusablePages(after state: MetaPage) throws(EventLogError) -> Set<UInt64> {
    var free: Set<UInt64> = []
    var waiting = [state.free.root].filter { $0 != TreeRoot.none }
    var visited: UInt64 = 0
    while let number = waiting.popLast() {
      visited += 1
      // In a damaged tree, a page can lead back to one above it.
      guard visited <= pageCount, let page = try page(number), page.ownNumber == number else {
        return []
      }
      let nodes = (0..<(page.nodeCount ?? 0)).compactMap { page.node($0) }
      switch page.kind {
      case .branch: waiting += nodes.map(\.child)
      case .leaf:
        for node in nodes where page.transaction(of: node) ?? .max < state.transaction {
          free.formUnion(try value(of: node, in: page).flatMap(Page.freePages) ?? [])
        }
      case .overflow, nil: return []
      }
    }
    return free
  }
}

extension Page {
  /// The transaction that freed the pages of an entry; nil if the key has the wrong length.
  func transaction(of node: Node) -> UInt64? {
    node.key.count == 8
      ? bytes.span.bytes.littleEndian(at: node.key.lowerBound, as: UInt64.self) : nil
  }

  /// Decodes a list of free pages: their count, then their numbers in descending order.
  ///
  /// - Returns: Nil if the list is shorter than its count.
  static func freePages(_ value: [UInt8]) -> [UInt64]? {
    guard value.count >= 8, value.count % 8 == 0 else { return nil }
    let numbers = stride(from: 0, to: value.count, by: 8).map {
      value.span.bytes.littleEndian(at: $0, as: UInt64.self)
    }
    guard numbers[0] < UInt64(numbers.count) else { return nil }
    return Array(numbers.dropFirst().prefix(Int(numbers[0])))
  }
}
