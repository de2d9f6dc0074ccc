import RawBytes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The content of a meta page.
///
/// LMDB writes the first two pages of a file in turn; the one with the higher transaction is the
/// current one.
struct MetaPage: Hashable {
  static let byteCount = 152
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let flag: UInt16 = 0x08
  /// The only version that this code reads.
  private static let dataVersion: UInt32 = 1
  /// The number of bytes up to the end of the magic number.
  private static let magicEnd = 20

  /// The page sizes that LMDB can have: the size of a memory page, which is at least 4 KiB on a
  /// 64-bit machine, up to 64 KiB.
  static let sizes = [4096, 8192, 16384, 32768, 65536]

  let flags: UInt16
  let version: UInt32
  let pageSize: Int
  let mapSize: UInt64
  let free: TreeRoot
  let main: TreeRoot
  let lastPage: UInt64
  let transaction: UInt64

  /// Whether the flags are those of a meta page, and no others.
  var isMarkedAsMeta: Bool { flags == Self.flag }
  var hasPossiblePageSize: Bool { Self.sizes.contains(pageSize) }

  var hasKnownVersion: Bool { version == Self.dataVersion }

  /// The reason why this cannot be the first or the second meta page, as a clause; nil if it can.
  ///
  /// - Parameter number: 0 or 1; LMDB writes the even transactions to page 0.
  func fault(asPage number: Int) -> String? {
    guard isMarkedAsMeta else { return "cannot be recognized as one" }
    guard hasKnownVersion else { return "has version \(version)" }
    guard hasPossiblePageSize else { return "gives a page size of \(pageSize) bytes" }
    guard Int(transaction & 1) == number || transaction == 0 else {
      return "holds transaction \(transaction), which belongs on the other one"
    }
    return nil
  }

  /// Whether bytes, possibly fewer than a page, begin like a meta page of LMDB.
  static func hasMagic(_ page: RawSpan) -> Bool {
    page.byteCount >= magicEnd && page.littleEndian(at: 16) == magic
  }

  /// Nil if there are too few bytes or they lack the magic number; the fields are not validated.
  init?(_ page: RawSpan) {
    guard page.byteCount >= Self.byteCount, Self.hasMagic(page) else { return nil }
    flags = page.littleEndian(at: 10)
    version = page.littleEndian(at: 20)
    mapSize = page.littleEndian(at: 32)
    pageSize = Int(page.littleEndian(at: 40, as: UInt32.self))
    free = TreeRoot(page, at: 40)
    main = TreeRoot(page, at: 88)
    lastPage = page.littleEndian(at: 136)
    transaction = page.littleEndian(at: 144)
  }

  /// Reads the bytes of a meta page at an offset of a file; fewer at the end of the file.
  ///
  /// - Returns: Nil if they cannot be read.
  static func bytes(of descriptor: Int32, at offset: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count = bytes.withUnsafeMutableBytes {
      // `pread` writes at most the buffer's size.
      pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    return count < 0 ? nil : Array(bytes[..<count])
  }
}

/// The root of a tree as LMDB stores it, with the tree's statistics.
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

  /// - Precondition: The bytes reach at least to the end of the root.
  init(_ bytes: RawSpan, at offset: Int) {
    flags = bytes.littleEndian(at: offset + 4)
    depth = Int(bytes.littleEndian(at: offset + 6, as: UInt16.self))
    branchPages = bytes.littleEndian(at: offset + 8)
    leafPages = bytes.littleEndian(at: offset + 16)
    overflowPages = bytes.littleEndian(at: offset + 24)
    entries = bytes.littleEndian(at: offset + 32)
    root = bytes.littleEndian(at: offset + 40)
  }
}
