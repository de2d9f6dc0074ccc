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
  let metaPages: MetaPages
  /// The one that is read by; nil where there is none.
  let meta: MetaPage?
  /// Whether somebody may be writing.
  let isHeld: Bool

  /// - Parameter transaction: Whose pages are wanted; nil for the last one.
  init(_ path: String, transaction: UInt64? = nil) throws(EventLogError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(doing: "open", path: path, code: errno) }
    self.path = path
    metaPages = MetaPages(read: descriptor)
    // After them: a file grows before a meta page says so.
    let size = lseek(descriptor, 0, SEEK_END)
    isHeld = transaction != nil
    meta = metaPages.readable.first { $0.transaction == transaction } ?? metaPages.newest
    pageSize = metaPages.pageSize
    pageCount = UInt64(max(0, size)) / UInt64(pageSize)
  }

  deinit { close(descriptor) }

  /// Whether the meta pages are still as they were: what was read in between is of one state then.
  var isUnchanged: Bool { MetaPages(of: descriptor) == metaPages }

  /// How many bytes the file has now.
  var byteCount: UInt64 {
    get throws(EventLogError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        throw .system(doing: "look at", path: path, code: errno)
      }
      return UInt64(max(0, status.st_size))
    }
  }

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
