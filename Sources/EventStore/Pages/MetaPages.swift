import RawBytes

/// The two meta pages of a file, as far as they can be read.
///
/// Which one LMDB wrote last is known only if both are what it wrote: a page that cannot be read,
/// or whose transaction has changed, can be the newer one, and the other then leads to what the log
/// was before the last commit.
struct MetaPages: Hashable {
  /// The beginning of each page, which has fewer bytes where the file ends; nil where it cannot be
  /// read.
  let heads: [[UInt8]?]
  /// What the pages agree on, or what the one that can be read says; 4096 where neither can.
  let pageSize: Int
  /// What each page says; nil where it is not a meta page.
  let parsed: [MetaPage?]

  init(of descriptor: Int32) {
    let first = MetaPage.bytes(of: descriptor, at: 0)
    let own = first.flatMap { MetaPage($0.span.bytes) }.flatMap {
      $0.fault(asPage: 0) == nil ? $0 : nil
    }
    // Each page says how large pages are, and may be damaged; a record can look like the second.
    let claims = MetaPage.sizes.lazy.flatMap { size in
      [own, Self.page(of: descriptor, at: size)].compactMap(\.self).filter { $0.pageSize == size }
    }
    // The lowest that leads somewhere: what only looks like the second page comes after it.
    let claim = claims.first { Self.findsItsRoot($0, descriptor) } ?? claims.first
    let size = claim?.pageSize ?? 4096
    pageSize = size
    heads = [first, MetaPage.bytes(of: descriptor, at: size)]
    parsed = heads.map { head in head.flatMap { MetaPage($0.span.bytes) } }
  }

  /// Whether the root page, which begins with its own number, is where a meta page puts it.
  private static func findsItsRoot(_ meta: MetaPage, _ descriptor: Int32) -> Bool {
    let (offset, overflow) = meta.main.root.multipliedReportingOverflow(by: UInt64(meta.pageSize))
    guard !overflow, let offset = Int(exactly: offset),
      let bytes = MetaPage.bytes(of: descriptor, at: offset), bytes.count >= 8
    else { return false }
    return bytes.span.bytes.littleEndian(at: 0) == meta.main.root
  }

  /// Reads them until they are twice the same: a writer may be changing one.
  init(read descriptor: Int32) {
    self.init(of: descriptor)
    for _ in 0..<8 {
      let again = MetaPages(of: descriptor)
      guard again != self else { return }
      self = again
    }
  }

  /// A second meta page that says that it is after one page.
  private static func page(of descriptor: Int32, at size: Int) -> MetaPage? {
    MetaPage.bytes(of: descriptor, at: size).flatMap { MetaPage($0.span.bytes) }
      .flatMap { $0.fault(asPage: 1) == nil && $0.pageSize == size ? $0 : nil }
  }

  /// Those that can be read.
  var readable: [MetaPage] { [0, 1].filter { fault(of: $0) == nil }.compactMap { parsed[$0] } }

  /// The one of the last transaction, as far as they can be read.
  var newest: MetaPage? { readable.max { $0.transaction < $1.transaction } }

  /// What is wrong with one of them by itself, as a predicate; nil if nothing is.
  private func fault(of number: Int) -> String? {
    guard let page = parsed[number] else { return "cannot be recognized as one" }
    if let fault = page.fault(asPage: number) { return fault }
    return page.pageSize == pageSize ? nil : "gives a page size of \(page.pageSize) bytes"
  }

  /// What is wrong with them, each in a clause; empty if nothing is.
  ///
  /// - Parameter isWritten: Whether a writer may have come in between the two reads, so that
  ///   nothing can be said of the pair.
  func faults(isWritten: Bool = false) -> [String] {
    let own = [0, 1].compactMap { number in
      fault(of: number).map { "\(Self.name(number)) \($0)" }
    }
    guard own.isEmpty, !isWritten else { return own }
    let numbers = readable.map(\.transaction).sorted()
    // They are written by turns: where one is missing, the log would be read as it was before it.
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
  /// What the state that a meta page leads to says about itself.
  private enum Writer: Hashable {
    /// The transaction that wrote it.
    case transaction(UInt64)
    /// Nothing has been written, as in a new file.
    case nobody
    /// The log's own entries are there, and no such note: LMDB finds out what they are.
    case unnoted
    /// There is no database of a log's own entries.
    case foreign
    case unreadable
  }

  /// What a look at the states shows to which the meta pages lead.
  struct StateFindings {
    /// What is wrong, each in a clause.
    var faults: [String] = []
    /// Whether LMDB has taken a commit back whose last write failed, so that its outcome is not
    /// known: the page has its former number and end again, but the new roots.
    var hasTakenBackCommit = false
  }

  /// Compares the transaction of each meta page with the one that wrote what it leads to.
  ///
  /// A page whose transaction has changed can look like the one before it, and one whose root has
  /// changed can lead to an older state. What the page before the newest leads to is whole as well:
  /// LMDB uses its pages again only in the next transaction but one.
  func stateFindings() throws(EventLogError) -> StateFindings {
    var found: [(number: Int, meta: MetaPage, writer: Writer)] = []
    for (number, meta) in metaPages.parsed.enumerated() {
      guard let meta, metaPages.readable.contains(meta) else { continue }
      found.append((number, meta, try writer(of: meta)))
    }
    var findings = StateFindings()
    // Another program's file has no such note, and neither have former formats.
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
      case .nobody where meta.transaction == 0: break
      case .foreign where meta != metaPages.newest: break
      case .transaction, .nobody, .foreign, .unreadable:
        if try isTakenBack(meta) {
          findings.hasTakenBackCommit = true
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
    case .nobody, .unnoted, .foreign, .unreadable: "the pages that \(name) points to cannot be read"
    }
  }

  private func writer(of meta: MetaPage) throws(EventLogError) -> Writer {
    guard meta.main.root != TreeRoot.none else { return .nobody }
    let database: TreeRoot
    switch try find(Array(PageCheck.notes.utf8), in: meta.main) {
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

  /// Looks up a key in a tree, trusting no page of it.
  private func find(_ key: [UInt8], in tree: TreeRoot) throws(EventLogError) -> Lookup {
    guard tree.root != TreeRoot.none else { return .absent }
    var number = tree.root
    for _ in 0..<PageCheck.deepest {
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
        // The first key of a branch page is empty: it stands for all that come before the second.
        let next = nodes.dropFirst().last { !key.lexicographicallyPrecedes(page.bytes[$0.key]) }
        number = (next ?? nodes[0]).child
      case .overflow, nil: return .unreadable
      }
    }
    return .unreadable
  }
}
