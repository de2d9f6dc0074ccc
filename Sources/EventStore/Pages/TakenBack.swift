import RawBytes

extension PageFile {
  /// Whether a page is as LMDB leaves the older one if it cannot write what is to be the newer one:
  /// with the former number and end of the file, but the new roots.
  ///
  /// The next attempt may have written over what these lead to, so that only where they are tells:
  /// on pages that the newest state leaves to the transaction after it. A newer page whose number
  /// has changed by two looks the same, unless its transaction made the file longer: a state never
  /// ends after the one that follows it.
  func isTakenBack(_ meta: MetaPage) throws(EventLogError) -> Bool {
    // A damaged page may say any number.
    guard let newest = metaPages.newest, meta.transaction < newest.transaction,
      newest.transaction - meta.transaction == 1, meta.lastPage <= newest.lastPage
    else { return false }
    let free = try pagesLeft(by: newest)
    return [meta.main.root, meta.free.root].allSatisfy { root in
      free.contains(root) || (root > newest.lastPage && root < pageCount)
    }
  }

  /// The pages up to its last one that a state leaves to the transaction after it: free since the
  /// transaction before, or longer. Empty where the list of them cannot be read.
  private func pagesLeft(by state: MetaPage) throws(EventLogError) -> Set<UInt64> {
    var free: Set<UInt64> = []
    var waiting = [state.free.root].filter { $0 != TreeRoot.none }
    var looks: UInt64 = 0
    while let number = waiting.popLast() {
      looks += 1
      // In a damaged tree a page can lead back to one above it.
      guard looks <= pageCount, let page = try page(number), page.ownNumber == number else {
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
  /// The transaction that freed the pages of an entry; nil where its key is none.
  func transaction(of node: Node) -> UInt64? {
    node.key.count == 8
      ? bytes.span.bytes.littleEndian(at: node.key.lowerBound, as: UInt64.self) : nil
  }

  /// What a list of free pages says, their count and then their numbers from the highest down; nil
  /// where it is shorter than it says.
  static func freePages(_ value: [UInt8]) -> [UInt64]? {
    guard value.count >= 8, value.count % 8 == 0 else { return nil }
    let numbers = stride(from: 0, to: value.count, by: 8).map {
      value.span.bytes.littleEndian(at: $0, as: UInt64.self)
    }
    guard numbers[0] < UInt64(numbers.count) else { return nil }
    return Array(numbers.dropFirst().prefix(Int(numbers[0])))
  }
}
