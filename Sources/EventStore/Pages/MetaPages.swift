import RawBytes

/// The two meta pages of a file, as far as they can be read.
///
/// The newer page is known only if both are intact: a page that is unreadable, or whose transaction
/// number has changed, may be the newer one. The other page then leads to the state before the last
/// commit.
struct MetaPages: Hashable {
  /// The beginning of each page, shorter at the end of the file; nil if it cannot be read.
  let heads: [[UInt8]?]
  /// The page size on which the pages agree, or that of the readable one; 4096 if there is none.
  let pageSize: Int
  /// The content of each page; nil if it is not a meta page.
  let parsed: [MetaPage?]

  init(of descriptor: Int32) {
    let first = MetaPage.bytes(of: descriptor, at: 0)
    let own = first.flatMap { MetaPage($0.span.bytes) }.flatMap {
      $0.fault(asPage: 0) == nil ? $0 : nil
    }
    // Each page gives the page size but may be damaged, and a record can look like the second page.
    let claims = MetaPage.sizes.lazy.flatMap { size in
      [own, Self.page(of: descriptor, at: size)].compactMap(\.self).filter { $0.pageSize == size }
    }
    // Take the smallest size that leads to a root: a record that looks like the second page comes
    // after the real one.
    let claim = claims.first { Self.findsItsRoot($0, descriptor) } ?? claims.first
    let size = claim?.pageSize ?? 4096
    pageSize = size
    heads = [first, MetaPage.bytes(of: descriptor, at: size)]
    parsed = heads.map { head in head.flatMap { MetaPage($0.span.bytes) } }
  }

  /// Whether the root page, which begins with its own number, is where a meta page says it is.
  private static func findsItsRoot(_ meta: MetaPage, _ descriptor: Int32) -> Bool {
    let (offset, overflow) = meta.main.root.multipliedReportingOverflow(by: UInt64(meta.pageSize))
    guard !overflow, let offset = Int(exactly: offset),
      let bytes = MetaPage.bytes(of: descriptor, at: offset), bytes.count >= 8
    else { return false }
    return bytes.span.bytes.littleEndian(at: 0) == meta.main.root
  }

  /// Reads the pages until two reads agree, because a writer may be changing one.
  init(read descriptor: Int32) {
    self.init(of: descriptor)
    for _ in 0..<8 {
      let again = MetaPages(of: descriptor)
      guard again != self else { return }
      self = again
    }
  }

  /// Reads a second meta page whose page size agrees with its offset; nil if there is none.
  private static func page(of descriptor: Int32, at size: Int) -> MetaPage? {
    MetaPage.bytes(of: descriptor, at: size).flatMap { MetaPage($0.span.bytes) }
      .flatMap { $0.fault(asPage: 1) == nil && $0.pageSize == size ? $0 : nil }
  }

  /// The readable pages.
  var readable: [MetaPage] { [0, 1].filter { fault(of: $0) == nil }.compactMap { parsed[$0] } }

  /// The readable page with the highest transaction number.
  var newest: MetaPage? { readable.max { $0.transaction < $1.transaction } }

  /// The fault of one page by itself, as a predicate; nil if there is none.
  private func fault(of number: Int) -> String? {
    guard let page = parsed[number] else { return "cannot be recognized as one" }
    if let fault = page.fault(asPage: number) { return fault }
    return page.pageSize == pageSize ? nil : "gives a page size of \(page.pageSize) bytes"
  }

  /// The faults of the pages, each as a clause; empty if there are none.
  ///
  /// - Parameter isWritten: Whether a writer may have been active between the two reads, so that
  ///   the pages cannot be judged as a pair.
  func faults(isWritten: Bool = false) -> [String] {
    let own = [0, 1].compactMap { number in
      fault(of: number).map { "\(Self.name(number)) \($0)" }
    }
    guard own.isEmpty, !isWritten else { return own }
    let numbers = readable.map(\.transaction).sorted()
    // LMDB writes the pages in turn. If the numbers are not consecutive, one page is older than it
    // should be, and the log might be read as it was before its last commit.
    guard numbers.count == 2, numbers[1] != numbers[0] + 1, numbers[1] > 0 else { return [] }
    return [
      "its meta pages hold the transactions \(numbers[0]) and \(numbers[1]), not two in a row"
    ]
  }

  static func name(_ number: Int) -> String {
    number == 0 ? "its first meta page" : "its second meta page"
  }
}

extension PageFile {
  /// The transaction that wrote a state, according to the state's own entries.
  private enum Writer: Hashable {
    /// The number of that transaction.
    case transaction(UInt64)
    /// The state is empty, as in a new file.
    case none
    /// The state has the database `meta` but no transaction number; LMDB will report what it is.
    case unnoted
    /// The state has no database `meta`.
    case foreign
    case unreadable
  }

  /// The result of checking the states that the meta pages lead to.
  struct StateFindings {
    /// The faults, each as a clause.
    var faults: [String] = []
    /// Whether LMDB has reverted a commit whose last write failed, so that its outcome is unknown:
    /// the page has its former number and file end, but the new roots.
    var hasRevertedCommit = false
  }

  /// Compares the transaction of each meta page with the writer of the state that it leads to.
  ///
  /// A page whose transaction number has changed can look like an older page, and one whose root
  /// has changed can lead to an older state. The state of the older page is intact as well: LMDB
  /// reuses its pages only in the transaction after the next one.
  func stateFindings() throws(EventLogError) -> StateFindings {
    var found: [(number: Int, meta: MetaPage, writer: Writer)] = []
    for (number, meta) in metaPages.parsed.enumerated() {
      guard let meta, metaPages.readable.contains(meta) else { continue }
      found.append((number, meta, try writer(of: meta)))
    }
    var findings = StateFindings()
    // Neither another program's file nor an older format notes its transactions.
    let isLog = found.contains { if case .transaction = $0.writer { true } else { false } }
    guard isLog else { return findings }
    for (number, meta, writer) in found {
      let name = MetaPages.name(number)
      guard meta.main.flags & PageCheck.orderFlags == 0,
        meta.free.flags & PageCheck.orderFlags == PageCheck.integerKeys
      else {
        findings.faults.append("\(name) has the wrong flags for the order of keys")
        continue
      }
      switch writer {
      case .transaction(meta.transaction), .unnoted: break
      case .none where meta.transaction == 0: break
      case .foreign where meta != metaPages.newest: break
      case .transaction, .none, .foreign, .unreadable:
        if try isReverted(meta) {
          findings.hasRevertedCommit = true
        } else {
          findings.faults.append(Self.fault(of: name, meta, writer))
        }
      }
    }
    return findings
  }

  private static func fault(of name: String, _ meta: MetaPage, _ writer: Writer) -> String {
    switch writer {
    case .transaction(let other):
      "\(name) holds transaction \(meta.transaction), but transaction \(other) wrote the pages "
        + "that it points to"
    case .none, .unnoted, .foreign, .unreadable: "the pages that \(name) points to cannot be read"
    }
  }

  private func writer(of meta: MetaPage) throws(EventLogError) -> Writer {
    guard meta.main.root != TreeRoot.none else { return .none }
    let database: TreeRoot
    switch try find(Array(PageCheck.metaDatabase.utf8), in: meta.main) {
    case .absent: return .foreign
    case .found(let value) where value.count == TreeRoot.byteCount:
      database = TreeRoot(value.span.bytes, at: 0)
    case .found, .unreadable: return .unreadable
    }
    switch try find(MetaEntry<UInt64>.transaction.key.bytes, in: database) {
    case .absent: return .unnoted
    case .found(let value):
      return UInt64(stored: value.span.bytes).map { .transaction($0) } ?? .unreadable
    case .unreadable: return .unreadable
    }
  }

  private enum Lookup {
    case found([UInt8])
    case absent
    case unreadable
  }

  /// Looks up a key in a tree without trusting its pages.
  private func find(_ key: [UInt8], in tree: TreeRoot) throws(EventLogError) -> Lookup {
    guard tree.root != TreeRoot.none else { return .absent }
    var number = tree.root
    for _ in 0..<PageCheck.maxDepth {
      guard let page = try page(number), page.ownNumber == number, let count = page.nodeCount,
        count > 0
      else { return .unreadable }
      let nodes = (0..<count).compactMap { page.node($0) }
      guard nodes.count == count else { return .unreadable }
      switch page.kind {
      case .leaf:
        guard let node = nodes.first(where: { page.bytes[$0.key].elementsEqual(key) }) else {
          return .absent
        }
        return try value(of: node, in: page).map { .found($0) } ?? .unreadable
      case .branch:
        // The first key of a branch page is empty and covers all keys before the second one.
        let next = nodes.dropFirst().last { !key.lexicographicallyPrecedes(page.bytes[$0.key]) }
        number = (next ?? nodes[0]).child
      case .overflow, nil: return .unreadable
      }
    }
    return .unreadable
  }
}
