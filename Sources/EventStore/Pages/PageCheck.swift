import BitCollections

/// Checks every page of a log's file without LMDB.
///
/// LMDB trusts the pages: on some damaged ones, it ends the process or reads beyond the map. This
/// check finds all damage that would make LMDB read something else than was written, or overwrite
/// it: pages of the wrong kind, keys out of order or out of the parent's range, wrong counts, and
/// pages that are used twice or both used and free. It does not check the bytes of values: a
/// changed byte in a value does not make its page damaged.
final class PageCheck {
  /// The number of damages noted; one bad page can cause many.
  private static let maxDamages = 100
  /// The name of the database with the log's own entries.
  static let metaDatabase = "meta"
  private static let names = [metaDatabase, "records", "events", "index", "snapshots"]
  /// The size of a process's address space.
  private static let maxAddresses: UInt64 = 1 << 57
  /// The depth of the deepest tree that LMDB can walk.
  static let maxDepth = 32
  /// The name of the meta pages in damage.
  static let metaPages = "the meta pages"
  /// The flags for the order of keys and for a fixed map address. Above them, LMDB stores the flags
  /// that the file was created with.
  static let orderFlags: UInt16 = 0x7F
  /// `MDB_INTEGERKEY`, the only one of those flags in use, for the list of free pages.
  static let integerKeys: UInt16 = 8

  let file: PageFile
  private(set) var damage: [PageDamage] = []
  /// The pages that are in use or known to be free.
  private var claimed = BitSet()
  /// The roots of the databases that were found.
  private(set) var roots: [String: TreeRoot] = [:]
  /// The leaf pages of the tree of records, as far as it can be walked.
  private(set) var recordPages = BitSet()
  /// Whether the tree of records was walked completely, so that no record is missing at its end.
  private(set) var hasAllRecords = false
  /// Whether one more transaction has an unknown outcome, because LMDB reverted it.
  private(set) var hasRevertedCommit = false
  /// The log's own entries, as far as their tree can be walked.
  private(set) var meta: [MetaKey: [UInt8]] = [:]

  /// The databases of the log's owner, which are checked like the others.
  private let further: [String]

  init(_ file: consuming PageFile, knowing further: [String] = []) {
    self.file = file
    self.further = further
  }

  func run() throws(EventLogError) {
    guard let meta = file.meta else {
      return note(nil, "the file", "no meta page can be read")
    }
    claimed.insert(0)
    claimed.insert(1)
    try checkMetaPages()
    try walk(meta.main, "the list of databases", flags: 0)
    for (name, root) in roots.sorted(by: { $0.key < $1.key }) {
      if !Self.names.contains(name), !further.contains(name) {
        note(nil, "the list of databases", "“\(name)” is not known to this program")
      }
      try walk(root, name, flags: 0)
    }
    try walk(meta.free, "the list of free pages", flags: Self.integerKeys)
  }

  private func checkMetaPages() throws(EventLogError) {
    let states = try file.stateFindings()
    hasRevertedCommit = states.hasRevertedCommit
    for fault in file.metaPages.faults(isWritten: file.isHeld) + states.faults {
      note(nil, Self.metaPages, fault)
    }
    for meta in file.metaPages.readable where meta.mapSize > Self.maxAddresses {
      note(nil, Self.metaPages, "the map is said to have \(meta.mapSize) bytes")
    }
  }

  /// The last page that can exist, whatever a damaged meta page says.
  private var lastPage: UInt64 {
    min(file.meta?.lastPage ?? 0, max(1, file.pageCount) - 1)
  }

  private func note(_ page: UInt64?, _ database: String, _ what: String) {
    guard damage.count < Self.maxDamages else { return }
    damage.append(PageDamage(page: page, database: database, what: what))
  }

  // MARK: Trees

  /// A tree that is being walked.
  private struct Tree {
    let name: String
    let root: TreeRoot
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0
    /// The key of the last entry, in its comparable form.
    var last: [UInt8]?

    var isFree: Bool { root.flags & PageCheck.orderFlags == PageCheck.integerKeys }

    /// A key in a form that sorts by its bytes; the keys of free pages are little-endian integers.
    func comparable(_ key: ArraySlice<UInt8>) -> [UInt8] {
      isFree ? key.reversed() : Array(key)
    }
  }

  private func walk(_ root: TreeRoot, _ name: String, flags: UInt16) throws(EventLogError) {
    guard root.flags & Self.orderFlags == flags else {
      return note(nil, name, "its keys are ordered in another way")
    }
    guard root.depth <= Self.maxDepth else {
      return note(nil, name, "it is said to be \(root.depth) pages deep")
    }
    var tree = Tree(name: name, root: root)
    let before = damage.count
    if root.root != TreeRoot.none {
      try walk(root.root, level: 1, above: nil, below: nil, &tree)
    }
    // The counts can be compared only if the whole tree was walked.
    guard damage.count == before else { return }
    if name == "records" { hasAllRecords = true }
    let depth = root.root == TreeRoot.none ? 0 : root.depth
    let isRight =
      root.depth == depth && tree.branchPages == root.branchPages
      && tree.leafPages == root.leafPages && tree.overflowPages == root.overflowPages
      && tree.entries == root.entries
    if !isRight {
      note(
        nil, name, "it has \(tree.entries) entries of \(root.entries), or other pages than it says")
    }
  }

  /// - Parameters:
  ///   - above: The lowest key that the parent allows in this page.
  ///   - below: The lowest key that belongs to the next page.
  private func walk(
    _ number: UInt64, level: Int, above: [UInt8]?, below: [UInt8]?, _ tree: inout Tree
  ) throws(EventLogError) {
    guard let page = try claim(number, in: tree.name) else { return }
    guard let kind = page.kind, kind != .overflow else {
      return note(number, tree.name, "it is of another kind")
    }
    guard kind == (level == tree.root.depth ? .leaf : .branch), level <= tree.root.depth else {
      return note(number, tree.name, "it is not at its depth of the tree")
    }
    guard let nodes = nodes(of: page) else {
      return note(number, tree.name, "its entries do not fit into it")
    }
    let keys = nodes.map { tree.comparable(page.bytes[$0.key]) }
    guard isOrdered(kind == .branch ? keys.dropFirst() : keys[...], above, below) else {
      return note(number, tree.name, "its keys are out of order")
    }
    switch kind {
    case .branch:
      tree.branchPages += 1
      guard nodes.count > 1 || tree.isFree else {
        return note(number, tree.name, "it leads to one page only")
      }
      for (index, node) in nodes.enumerated() {
        try walk(
          node.child, level: level + 1, above: index == 0 ? above : keys[index],
          below: index + 1 < keys.count ? keys[index + 1] : below, &tree)
      }
    case .leaf:
      tree.leafPages += 1
      if tree.name == "records" { recordPages.insert(Int(number)) }
      for node in nodes { try look(at: node, in: page, &tree) }
    case .overflow: break
    }
  }

  /// Claims and reads a page; nil if it does not exist, is damaged or is already claimed.
  private func claim(_ number: UInt64, in name: String) throws(EventLogError) -> Page? {
    guard number <= lastPage else {
      note(number, name, "it is beyond the last page")
      return nil
    }
    guard claimed.insert(Int(number)).inserted else {
      note(number, name, "it is used twice")
      return nil
    }
    guard let page = try file.page(number) else {
      note(number, name, "it is beyond the end of the file")
      return nil
    }
    guard page.ownNumber == number else {
      note(number, name, "it says that it is page \(page.ownNumber)")
      return nil
    }
    return page
  }

  private func nodes(of page: Page) -> [Page.Node]? {
    guard let count = page.nodeCount, count > 0 else { return nil }
    let nodes = (0..<count).compactMap { page.node($0) }
    return nodes.count == count && page.isFilled(by: nodes) ? nodes : nil
  }

  private func isOrdered(_ keys: ArraySlice<[UInt8]>, _ above: [UInt8]?, _ below: [UInt8]?) -> Bool
  {
    guard let first = keys.first, let last = keys.last else { return true }
    if let above, first.lexicographicallyPrecedes(above) { return false }
    if let below, !last.lexicographicallyPrecedes(below) { return false }
    return zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
  }

  // MARK: Entries

  private func look(
    at node: Page.Node, in page: Page, _ tree: inout Tree
  ) throws(EventLogError) {
    tree.entries += 1
    if let overflow = node.overflow {
      tree.overflowPages += try claimOverflow(overflow, bytes: node.size, in: tree.name)
    }
    let isDatabase = tree.name == "the list of databases"
    guard node.isDatabase == isDatabase else {
      return note(page.number, tree.name, "an entry of it is of another kind")
    }
    let key = page.bytes[node.key]
    if isDatabase {
      guard node.value.count == TreeRoot.byteCount else {
        return note(page.number, tree.name, "an entry of it is not a root")
      }
      roots[String(decoding: key, as: UTF8.self)] = TreeRoot(
        page.bytes.span.bytes, at: node.value.lowerBound)
    } else if tree.isFree {
      try checkFreePages(node, in: page, tree.name)
    } else if tree.name == Self.metaDatabase, let value = try file.value(of: node, in: page) {
      meta[MetaKey(key)] = value
    }
  }

  /// Claims the pages of a long value.
  ///
  /// - Returns: The number of pages according to the first one.
  private func claimOverflow(
    _ first: UInt64, bytes: Int, in name: String
  ) throws(EventLogError) -> UInt64 {
    guard let page = try claim(first, in: name) else { return 0 }
    let needed = UInt64((Page.headerBytes + bytes + file.pageSize - 1) / file.pageSize)
    // A shorter value may have been written over a longer one.
    guard page.kind == .overflow, page.overflowCount >= needed else {
      note(first, name, "it does not begin a long value")
      return 0
    }
    let count = page.overflowCount
    guard count <= lastPage, first + count - 1 <= lastPage else {
      note(first, name, "its value reaches beyond the last page")
      return 0
    }
    for number in (first + 1)..<(first + max(1, count))
    where !claimed.insert(Int(number)).inserted {
      note(number, name, "it is used twice")
    }
    return count
  }

  /// Checks an entry of the list of free pages.
  private func checkFreePages(
    _ node: Page.Node, in page: Page, _ name: String
  ) throws(EventLogError) {
    guard let transaction = page.transaction(of: node), let meta = file.meta, transaction > 0,
      transaction <= meta.transaction
    else {
      return note(page.number, name, "an entry of it is of no transaction")
    }
    guard let pages = try file.value(of: node, in: page).flatMap(Page.freePages) else {
      return note(page.number, name, "an entry of it cannot be read, or is shorter than it says")
    }
    var before = lastPage + 1
    for free in pages {
      guard free < before, free >= 2 else {
        return note(page.number, name, "a free page is said to be \(free)")
      }
      guard claimed.insert(Int(free)).inserted else {
        return note(free, name, "it is free and used")
      }
      before = free
    }
  }
}
