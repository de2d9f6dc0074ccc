#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The pages of a log's file, read without LMDB: whatever is in them, reading them is safe.
///
/// The layout is that of LMDB 0.9 on a 64-bit little-endian machine. Pages are read, not mapped: a
/// file that is cut short meanwhile is an error, no signal.
struct PageFile: ~Copyable {
  private let descriptor: Int32
  let path: String
  let pageSize: Int
  /// How many whole pages the file has.
  let pageCount: UInt64
  /// The meta pages that can be read.
  let metas: [MetaPage]
  /// The one that is read by; nil where there is none.
  let meta: MetaPage?
  /// Whether somebody may be writing.
  let isHeld: Bool

  /// - Parameter transaction: Whose pages are wanted; nil for the last one.
  init(_ path: String, transaction: UInt64? = nil) throws(EventLogError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(doing: "open", path: path, code: errno) }
    self.path = path
    let size = lseek(descriptor, 0, SEEK_END)
    metas = MetaPage.all(descriptor)
    isHeld = transaction != nil
    meta =
      metas.first { $0.transaction == transaction }
      ?? metas.max { $0.transaction < $1.transaction }
    pageSize = meta?.pageSize ?? 4096
    pageCount = UInt64(max(0, size)) / UInt64(pageSize)
  }

  deinit { close(descriptor) }

  /// A page; nil where the file has none of that number.
  func page(_ number: UInt64) throws(EventLogError) -> Page? {
    guard number < pageCount else { return nil }
    let bytes = try read(pageSize, at: number * UInt64(pageSize))
    return bytes.map { Page(number: number, bytes: $0) }
  }

  /// The value of a node of a leaf page; nil where it does not lie within the file.
  func value(of node: Page.Node, in page: Page) throws(EventLogError) -> [UInt8]? {
    guard let overflow = node.overflow else { return Array(page.bytes[node.value]) }
    guard overflow < pageCount else { return nil }
    return try read(node.size, at: overflow * UInt64(pageSize) + UInt64(Page.headerBytes))
  }

  private func read(_ count: Int, at offset: UInt64) throws(EventLogError) -> [UInt8]? {
    // A size that a damaged page names must not be made room for before it is known to be there.
    guard offset + UInt64(count) <= pageCount * UInt64(pageSize) else { return nil }
    var done = 0
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while done < count {
        let part = pread(
          descriptor, buffer.baseAddress.map { $0 + done }, count - done,
          off_t(offset) + off_t(done))
        if part <= 0 {
          if part < 0 && errno == EINTR { continue }
          failure = part < 0 ? errno : 0
          break
        }
        done += part
      }
      filled = done
    }
    guard failure == 0 else { throw .system(doing: "read", path: path, code: failure) }
    return done == count ? bytes : nil
  }
}

/// What a page of LMDB's says, read so that nothing in it can do harm.
struct Page {
  static let headerBytes = 16
  private static let nodeHeaderBytes = 8

  enum Kind: UInt16 {
    case branch = 1
    case leaf = 2
    case overflow = 4
  }

  /// An entry of a leaf page, or a way down from a branch page.
  struct Node {
    var key: Range<Int>
    /// The page below, of a branch page's node.
    var child: UInt64
    /// The value's place in the page; that of a page number where it lies in pages of its own.
    var value: Range<Int>
    /// The value's length.
    var size: Int
    /// The first of the value's own pages.
    var overflow: UInt64?
    /// Whether the value is the root of a database.
    var isDatabase: Bool
    /// What the node takes in the page.
    var span: Range<Int>
  }

  let number: UInt64
  let bytes: [UInt8]

  /// The number that the page gives itself.
  var ownNumber: UInt64 { load(0, as: UInt64.self) }
  /// Nil where the page's flags are those of no page that is part of a tree.
  var kind: Kind? { Kind(rawValue: load(10, as: UInt16.self)) }
  /// How many pages an overflow page is the first of.
  var overflowCount: UInt64 { UInt64(load(12, as: UInt32.self)) }
  private var lower: Int { Int(load(12, as: UInt16.self)) }
  private var upper: Int { Int(load(14, as: UInt16.self)) }

  /// How many nodes the page says it has; nil where that cannot be.
  var nodeCount: Int? {
    guard lower >= Self.headerBytes, lower % 2 == 0, lower <= upper, upper <= bytes.count else {
      return nil
    }
    return (lower - Self.headerBytes) / 2
  }

  /// A node; nil where it does not lie within the page.
  func node(_ index: Int) -> Node? {
    let start = Int(load(Self.headerBytes + 2 * index, as: UInt16.self))
    guard start >= upper, start + Self.nodeHeaderBytes <= bytes.count else { return nil }
    let low = UInt64(load(start, as: UInt16.self))
    let high = UInt64(load(start + 2, as: UInt16.self))
    let flags = load(start + 4, as: UInt16.self)
    let keyStart = start + Self.nodeHeaderBytes
    let keyEnd = keyStart + Int(load(start + 6, as: UInt16.self))
    guard keyEnd <= bytes.count else { return nil }
    guard kind == .leaf else {
      return Node(
        key: keyStart..<keyEnd, child: low | high << 16 | UInt64(flags) << 32,
        value: keyEnd..<keyEnd, size: 0, overflow: nil, isDatabase: false,
        span: start..<keyEnd + keyEnd % 2)
    }
    let size = Int(low | high << 16)
    guard let flags = NodeFlags(rawValue: flags) else { return nil }
    let valueEnd = keyEnd + (flags == .overflow ? 8 : size)
    guard valueEnd <= bytes.count else { return nil }
    return Node(
      key: keyStart..<keyEnd, child: 0, value: keyEnd..<valueEnd, size: size,
      overflow: flags == .overflow ? load(keyEnd, as: UInt64.self) : nil,
      isDatabase: flags == .database, span: start..<valueEnd + valueEnd % 2)
  }

  private enum NodeFlags: UInt16 {
    case plain = 0
    case overflow = 1
    case database = 2
  }

  /// Whether the nodes lie side by side and fill the page from their first byte to its end, as
  /// LMDB keeps them.
  func isFilled(by nodes: [Node]) -> Bool {
    var next = upper
    for span in nodes.map(\.span).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard span.lowerBound == next else { return false }
      next = span.upperBound
    }
    return next == bytes.count
  }

  /// An integer at a place that the caller has checked.
  private func load<Integer: FixedWidthInteger & BitwiseCopyable>(
    _ offset: Int, as type: Integer.Type
  ) -> Integer {
    bytes.withUnsafeBytes {
      Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
    }
  }
}

/// The root of a tree, as LMDB stores it.
struct TreeRoot: Hashable {
  static let byteCount = 48
  static let none: UInt64 = .max

  var flags: UInt16
  var depth: Int
  var branchPages: UInt64
  var leafPages: UInt64
  var overflowPages: UInt64
  var entries: UInt64
  var root: UInt64

  /// From bytes of which there must be enough.
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    func load<Integer: FixedWidthInteger & BitwiseCopyable>(
      _ place: Int, as type: Integer.Type
    ) -> Integer {
      Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: type))
    }
    flags = load(4, as: UInt16.self)
    depth = Int(load(6, as: UInt16.self))
    branchPages = load(8, as: UInt64.self)
    leafPages = load(16, as: UInt64.self)
    overflowPages = load(24, as: UInt64.self)
    entries = load(32, as: UInt64.self)
    root = load(40, as: UInt64.self)
  }
}

/// What a meta page says.
struct MetaPage {
  private static let byteCount = 152
  private static let magic: UInt32 = 0xBEEF_C0DE

  var pageSize: Int
  var mapSize: UInt64
  var free: TreeRoot
  var main: TreeRoot
  var lastPage: UInt64
  var transaction: UInt64

  /// The meta pages of a file that can be read. Where the first one is broken, the second is looked
  /// for behind a page of each size that there is.
  static func all(_ descriptor: Int32) -> [MetaPage] {
    let first = MetaPage(descriptor, at: 0)
    let sizes = first.map { [$0.pageSize] } ?? [4096, 8192, 16384, 32768, 65536]
    let second = sizes.lazy.compactMap { size in
      MetaPage(descriptor, at: size).flatMap { $0.pageSize == size ? $0 : nil }
    }.first
    return [first, second].compactMap(\.self)
  }

  private init?(_ descriptor: Int32, at offset: Int) {
    var buffer = [UInt8](repeating: 0, count: Self.byteCount)
    let count = buffer.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    guard count == Self.byteCount else { return nil }
    let parsed: MetaPage? = buffer.withUnsafeBytes { page in
      guard page.loadUnaligned(fromByteOffset: 16, as: UInt32.self) == Self.magic else {
        return nil
      }
      return MetaPage(page)
    }
    guard let parsed else { return nil }
    self = parsed
  }

  private init?(_ page: UnsafeRawBufferPointer) {
    pageSize = Int(page.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
    mapSize = page.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
    free = TreeRoot(page, at: 40)
    main = TreeRoot(page, at: 88)
    lastPage = page.loadUnaligned(fromByteOffset: 136, as: UInt64.self)
    transaction = page.loadUnaligned(fromByteOffset: 144, as: UInt64.self)
  }
}
