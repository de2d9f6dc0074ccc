import RawBytes

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a meta page says: the first two pages of a file are written by turns, and the one with the
/// higher transaction says what the file holds.
struct MetaPage: Hashable {
  static let byteCount = 152
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let flag: UInt16 = 0x08
  /// The only one that this code reads.
  private static let dataVersion: UInt32 = 1
  /// How many bytes show whether it is a page of LMDB's at all.
  private static let magicEnd = 20

  /// The page sizes that LMDB can have: that of the memory, which is never below 4 KiB on a 64-bit
  /// machine, but at most 64 KiB.
  static let sizes = [4096, 8192, 16384, 32768, 65536]

  let flags: UInt16
  let version: UInt32
  let pageSize: Int
  let mapSize: UInt64
  let free: TreeRoot
  let main: TreeRoot
  let lastPage: UInt64
  let transaction: UInt64

  /// LMDB gives a meta page no other flag.
  var isMarkedAsMeta: Bool { flags == Self.flag }
  var hasPossiblePageSize: Bool { Self.sizes.contains(pageSize) }

  var hasKnownVersion: Bool { version == Self.dataVersion }

  /// Why this cannot be the first or the second meta page of a file, in a clause; nil if it can.
  ///
  /// - Parameter number: 0 or 1: LMDB writes the even transactions on page 0.
  func fault(asPage number: Int) -> String? {
    guard isMarkedAsMeta else { return "cannot be recognized as one" }
    guard hasKnownVersion else { return "has version \(version)" }
    guard hasPossiblePageSize else { return "gives a page size of \(pageSize) bytes" }
    guard Int(transaction & 1) == number || transaction == 0 else {
      return "holds transaction \(transaction), which belongs on the other one"
    }
    return nil
  }

  /// Whether bytes that may be too few for a page begin as one of LMDB's meta pages.
  static func hasMagic(_ page: RawSpan) -> Bool {
    page.byteCount >= magicEnd && page.littleEndian(at: 16) == magic
  }

  /// Nil where there are too few bytes, or none of a meta page; what they say is not judged.
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

  /// The bytes of a file from an offset on, as many as a meta page has and the file gives; nil
  /// where they cannot be read.
  static func bytes(of descriptor: Int32, at offset: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count = bytes.withUnsafeMutableBytes {
      // It writes no more than there is room for.
      pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
    }
    return count < 0 ? nil : Array(bytes[..<count])
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
